"""`shoelog signer …`: somebody who is not the house adds the last ingredient to its shuffles."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from services.house.rooms import served

directory = click.option(
    "--data",
    "directory",
    required=True,
    envvar="SHOELOG_SIGNER_DATA",
    show_envvar=True,
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="The signer's own directory.",
)


@contextmanager
def told() -> Iterator[None]:
    """What is wrong, in a line."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from None


@click.group(short_help="The signer of a shuffle's last ingredient.")
def signer() -> None:
    """The signer of a shuffle's last ingredient: independent of the house, with a key and a machine of its own.

    \b
    At the signer's:
      shoelog signer init --data signer --name paris.example/shuffle
      shoelog signer admit --data signer casino
      SHOELOG_SIGNER_DATA=signer shoelog signer serve
    At the house, with the key that was shown:
      export SHOELOG_SIGNER_URL=http://… SHOELOG_SIGNER_ACCESS_KEY=shoelog_operator_…
    """  # noqa: D301


@signer.command("init")
@directory
@click.option("--name", required=True, metavar="NAME", help="The key's name for ever, such as paris.example/shuffle.")
def init(*, directory: Path, name: str) -> None:
    """Make a key, and show its vkey: auditors get it from the signer, not from the house."""
    from services.signer.desk import Desk

    with told():
        click.echo(Desk(directory).set_up(name))


@signer.command("admit")
@directory
@click.argument("name")
def admit(*, directory: Path, name: str) -> None:
    """Let a house ask for signatures, and show its access key: nobody can show it again."""
    from services.signer.desk import Desk

    with told():
        click.echo(Desk(directory).admit(name))


@signer.command("serve")
def serve_signer() -> None:
    """Serve until SIGTERM or Ctrl-C. Configured by the environment."""
    from services.signer import app

    with told():
        served(app.serve)
