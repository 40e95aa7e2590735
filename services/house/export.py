"""Fetch a shoe's bundle, or the whole log, from a table service, with the standard library alone."""

import json
import re
import sys
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO, Any

import click

from services.house import address

PIECE_BYTES = 1 << 16
WAIT_SECONDS = 60.0
BUNDLE = "application/zip"
FIRST_BYTES = b"PK"
NAME = "[a-z0-9-]{1,64}"


NO_REDIRECTS = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPDefaultErrorHandler,
    urllib.request.HTTPErrorProcessor,
)
"""Who opens an address, but follows nobody elsewhere: the key is for the service that was named."""


@click.command(short_help="Fetch a shoe's bundle, or the whole log, from a table service.")
@click.option("--url", default="http://127.0.0.1:8100", show_default=True, help="Where the table service is.")
@click.option("--key", required=True, envvar="SHOELOG_KEY", help="An API key: operator or auditor. Or SHOELOG_KEY.")
@click.option("--table", metavar="T", help="The table.")
@click.option("--shoe", metavar="N", type=click.IntRange(min=1), help="The shoe's number.")
@click.option("--round", "number", metavar="N", type=click.IntRange(min=1), help="Only this round of the shoe.")
@click.option("--log", "whole", is_flag=True, help="The whole log, into a directory, and checked.")
@click.option(
    "--log-number",
    metavar="N",
    type=click.IntRange(min=1),
    help="Of the logs of GET /v1/logs this one, though it have ended; for --log.  [default: the one being filled]",
)
@click.option("--log-key", metavar="VKEY", help="The key that the log must be signed with; for --log.")
@click.option(
    "--policy",
    "policy_file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Your own policy, which the log's checkpoint must meet; for --log.",
)
@click.option("--out", required=True, metavar="FILE", type=click.Path(path_type=Path), help="A file, or a directory.")
def export(  # noqa: PLR0913  # one command line
    *,
    url: str,
    key: str,
    table: str | None,
    shoe: int | None,
    number: int | None,
    whole: bool,
    log_number: int | None,
    log_key: str | None,
    policy_file: Path | None,
    out: Path,
) -> None:
    """Fetch a shoe's bundle: all its entries, and the proof that they are in the log. Or a round's, or the whole log.

    The log's directory has its checkpoint, policy and tiles as they are served (C2SP tlog-tiles), and its entries, one
    a line, in entries.jsonl. The checkpoint must have the quorum that the log's policy asks for, and yours. The same
    command goes on where it broke off, and fetches what has been written since.

    \b
      export SHOELOG_KEY=shoelog_auditor_…
      shoelog export --url http://127.0.0.1:8100 --table b1 --shoe 1 --out b1-shoe-1.zip
      shoelog export --url http://127.0.0.1:8100 --table b1 --shoe 1 --round 3 --out b1-shoe-1-round-3.zip
      shoelog export --url http://127.0.0.1:8100 --log --out log
      shoelog export --url http://127.0.0.1:8100 --log --log-number 1 --out log-1-which-has-ended
    """  # noqa: D301
    address.check(url)
    if log_key is not None and policy_file is not None:
        raise click.UsageError("--log-key or --policy: the policy names the key")
    is_about_a_log = any(said is not None for said in (log_number, log_key, policy_file))
    if whole and table is None and shoe is None and number is None:
        export_log(url, key, log_number=log_number, log_key=log_key, policy_file=policy_file, out=out)
    elif table is not None and shoe is not None and not whole and not is_about_a_log:
        export_shoe(url, key, table=table, shoe=shoe, number=number, out=out)
    else:
        raise click.UsageError("name a table and a shoe, or say --log")


def export_log(  # noqa: PLR0913  # one command line
    url: str, key: str, *, log_number: int | None, log_key: str | None, policy_file: Path | None, out: Path
) -> None:
    """Fetch the whole log."""
    from schemas import policy
    from services.house.mirror import Source, mirror

    try:
        trusted = None if policy_file is None else policy.parse(policy_file.read_bytes())
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--policy") from None
    source = Source(url, key, "/v1/log" if log_number is None else f"/v1/logs/{log_number}")
    done = mirror(source, out, log_key=log_key, trusted=trusted)
    signed = done.checkpoint
    cosigned = f", cosigned by {', '.join(done.cosigned)}" if done.cosigned else ""
    click.echo(f"{out}  {signed.size:,} entries of {signed.origin}, every one of them under its checkpoint{cosigned}")


def export_shoe(url: str, key: str, *, table: str, shoe: int, number: int | None, out: Path) -> None:  # noqa: PLR0913
    """Fetch a shoe's bundle, or that of one of its rounds."""
    if not re.fullmatch(NAME, table):
        raise click.BadParameter(f"{table!r} is not a table's name: a-z, 0-9 and -", param_hint="--table")
    of_a_round = "" if number is None else f"-round-{number}"
    path = out / f"{table}-shoe-{shoe}{of_a_round}.zip" if out.is_dir() else out
    if path.exists() and not path.is_file():
        raise click.BadParameter(f"{path} is there, and is no file", param_hint="--out")
    place = f"shoes/{shoe}" if number is None else f"shoes/{shoe}/rounds/{number}"
    there = f"{url.rstrip('/')}/v1/tables/{table}/{place}/bundle"
    headers = {"Authorization": f"Bearer {key.strip()}", "Accept": BUNDLE}
    request = urllib.request.Request(there, headers=headers)  # noqa: S310 - its scheme was looked at
    try:
        with opener().open(request, timeout=WAIT_SECONDS) as answer:
            size = save(answer, path)
    except urllib.error.HTTPError as refusal:
        raise click.ClickException(f"{there} answered {refusal.code}: {reason_of(refusal)}") from None
    except (OSError, HTTPException) as error:
        raise click.ClickException(f"{there}: {getattr(error, 'reason', error) or type(error).__name__}") from None
    click.echo(f"{path}  {size:,} bytes")


def opener() -> urllib.request.OpenerDirector:
    """Give somebody who opens an address and stays there."""
    director = urllib.request.OpenerDirector()
    for each in NO_REDIRECTS:
        director.add_handler(each())
    return director


def save(answer: HTTPResponse, path: Path) -> int:
    """Write the answer beside its place, and put it there when whole; give its size."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        file = unfinished.open("wb")
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}") from None
    try:
        with file:
            size = copy(answer, file, label=path.name)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return size


def copy(answer: HTTPResponse, file: IO[bytes], *, label: str) -> int:
    """Copy the whole of a bundle; whatever else was answered, or half of one, is an error."""
    length = int(answer.headers.get("Content-Length") or 0)
    screen = sys.stderr
    size = 0
    with click.progressbar(length=length, label=label, file=screen, hidden=not (length and screen.isatty())) as bar:
        while piece := answer.read(PIECE_BYTES):
            if size == 0 and not piece.startswith(FIRST_BYTES):
                raise click.ClickException(f"{answer.url} answered, but not with a bundle")
            size += file.write(piece)
            bar.update(len(piece))
    if not size or size < length:
        raise click.ClickException(f"{answer.url} broke off after {size} bytes")
    return size


def reason_of(refusal: urllib.error.HTTPError) -> str:
    """What the service says about its no: a problem's detail, else the status alone."""
    try:
        problem: Any = json.loads(refusal.read(PIECE_BYTES))
    except (OSError, HTTPException, ValueError):
        return str(refusal.reason)
    said = [problem.get(name) for name in ("detail", "title")] if isinstance(problem, dict) else []
    return next((text for text in said if isinstance(text, str) and text), str(refusal.reason))
