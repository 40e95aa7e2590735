"""Where a service is, as somebody says it on a command line."""

from urllib.parse import urlsplit

import click


def check(url: str) -> None:
    """Refuse what is no address of a service. Raises BadParameter."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none, half an IPv6 address
        is_one = False
    if not is_one:
        raise click.BadParameter(f"{url!r} is not an address such as http://127.0.0.1:8100", param_hint="--url")
