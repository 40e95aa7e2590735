"""The command line, `shoelog`: every command imports its room when it is called, so that `verify` needs no database."""

import errno
import importlib
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import Any, NoReturn

import click

click.UsageError.exit_code = 64  # EX_USAGE of sysexits.h: 2 is a verdict of `verify`
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})

COMMANDS = {
    "up": "services.house.up:up",
    "demo": "services.house.demo:demo",
    "table": "services.house.rooms:table",
    "ledger": "services.house.rooms:ledger",
    "signer": "services.house.signer:signer",
    "witness": "services.house.vigil:witness",
    "log": "services.house.log:log",
    "export": "services.house.export:export",
    "verify": "services.audit.verify:verify_command",
    "replay": "services.audit.replay:replay_command",
    "surveil": "services.audit.surveil:surveil_command",
    "coup": "services.house.paper:coup",
    "shoe": "services.house.paper:shoe",
    "roads": "services.house.roads:roads",
    "simulate": "services.house.simulate:simulate",
    "odds": "services.house.price:odds",
    "rules": "services.house.ruling:rules",
    "rng": "services.house.rng:rng",
    "feed": "services.house.feed:feed",
    "bots": "services.house.bots:bots",
}
"""Each command, and where it is: in the order in which the help shows them."""


class Reception(click.Group):
    """Commands found by name and imported when asked for."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Give every command's name."""
        return list(COMMANDS)

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        """Fetch a command from its room."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def main(self, *words: Any, **more: Any) -> Any:
        """Do what was asked, complaints included."""
        try:
            return super().main(*words, **more)
        except BrokenPipeError:
            leave_unread()

    def make_context(self, *words: Any, **more: Any) -> click.Context:
        """Read the command line, or tell what there is."""
        with told():
            return super().make_context(*words, **more)

    def invoke(self, ctx: click.Context) -> object:
        """Do what was asked; a file that cannot be read or written is told in a line."""
        with told():
            return super().invoke(ctx)


class UnwrittenError(click.ClickException):
    """What was to be said could not be written."""

    exit_code = 74  # EX_IOERR of sysexits.h: 1 is a verdict of `verify`


@contextmanager
def told() -> Iterator[None]:
    """Tell in a line what the system refuses; say no more when nobody reads any longer."""
    try:
        yield
    except OSError as trouble:
        if trouble.errno == errno.EPIPE:
            leave_unread()
        what = trouble.strerror or str(trouble) or type(trouble).__name__
        if trouble.errno in NO_ROOM and trouble.filename is None:
            raise UnwrittenError(f"the output cannot be written: {what}") from trouble
        raise click.ClickException(f"{trouble.filename}: {what}" if trouble.filename else what) from trouble


def leave_unread() -> NoReturn:
    """End as programs do whose reader has gone, by SIGPIPE: no status that could be taken for a verdict."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.raise_signal(signal.SIGPIPE)
    os._exit(128 + signal.SIGPIPE)  # whoever started us does not let the signal through


def show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:  # noqa: FBT001 - click calls it so
    """Say which Shoelog this is."""
    if asked and not context.resilient_parsing:
        try:
            click.echo(f"shoelog {metadata.version('shoelog')}")
        except metadata.PackageNotFoundError:
            click.echo("shoelog, run from its source without being installed")
        context.exit()


@click.command(cls=Reception, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=show_version, help="Show the version."
)
def main() -> None:
    """Baccarat tables whose every round can be replayed and proved.

    \b
    Open the house on this machine, and watch seven patrons play:
      shoelog up --bots 7
      shoelog demo --out demo
    \b
    Check what a casino gave you; nothing but the file is needed:
      shoelog verify --log-key VKEY b1-shoe-1.zip
      shoelog replay b1-shoe-1.zip --round 3
    """  # noqa: D301 - \b is click's sign for lines to be left as they are


if __name__ == "__main__":
    main(prog_name="shoelog")
