"""`shoelog witness …`: the witness that a regulator runs, configured by its environment or by options."""

import os
from collections.abc import Callable, Mapping
from typing import Any

import click

from services.house.rooms import served

PREFIX = "SHOELOG_WITNESS_"


def placed(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that says where the witness keeps everything."""
    return click.option(
        "--data",
        "directory",
        metavar="DIR",
        help=f"Where its key, its memory and the evidence are.  [{PREFIX}DIRECTORY; default: witness]",
    )(command)


named = click.option("--name", metavar="NAME", help=f"What its key is called, for ever.  [{PREFIX}NAME]")


@click.group(short_help="A witness, for a regulator to run.")
def witness() -> None:
    """A witness: it cosigns a casino's checkpoints as long as the log only grows, and keeps evidence when it does not.

    \b
      shoelog witness init --name regulator.example/witness-1
      shoelog witness serve --log casino.example/log/1+…
    """  # noqa: D301


@witness.command("init")
@placed
@named
@click.option("--has-never-cosigned", is_flag=True, help="The key is there already, and has never been used.")
def init(*, directory: str | None, name: str | None, has_never_cosigned: bool) -> None:
    """Make a key and an empty memory, and show the vkey to give to casinos. What is there already stays."""
    from services.witness import app

    said = told(directory=directory, name=name)
    click.echo(tried(lambda: app.init(said, has_never_cosigned=has_never_cosigned)))


@witness.command("key")
@placed
def show_key(*, directory: str | None) -> None:
    """Show the vkey that its cosignatures are verified with."""
    from services.witness import app

    click.echo(tried(lambda: app.vkey(told(directory=directory))))


@witness.command("serve")
@placed
@named
@click.option("--log", "log_keys", metavar="VKEY", multiple=True, help=f"A log's key.  [{PREFIX}LOG_KEYS]")
@click.option("--policy", "policy_file", metavar="FILE", help=f"A policy that names logs.  [{PREFIX}POLICY_FILE]")
@click.option("--host", help=f"Where it listens.  [{PREFIX}HOST; default: 127.0.0.1]")
@click.option("--port", help=f"Where it listens; 0 takes a free one.  [{PREFIX}PORT; default: 8300]")
def serve_witness(**options: Any) -> None:
    """Serve until SIGTERM or Ctrl-C. With a name and an empty directory it begins with a new key."""
    from services.witness import app

    options["log_keys"] = " ".join(options["log_keys"])
    said = told(**options)
    tried(lambda: app.init(said))
    tried(lambda: served(app.serve, said))


def told(**options: str | None) -> Mapping[str, str]:
    """The environment, and the options over it."""
    return {**os.environ, **{PREFIX + name.upper(): value for name, value in options.items() if value}}


def tried(work: Callable[[], Any]) -> Any:
    """Do it; what is wrong, line by line."""
    try:
        return work()
    except (ValueError, OSError) as wrong:
        raise click.ClickException(str(wrong)) from None
