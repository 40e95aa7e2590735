"""`shoelog log …`: what people decide when the notary refuses. The environment is the table service's."""

import os
import re
from collections.abc import Coroutine
from typing import Any, TypeVar

import click

from services.house.rooms import done

ACTOR = "[a-z-]{1,32}:[a-z0-9-]{1,64}"
REASON = "[a-z0-9-]{1,64}"

Answer = TypeVar("Answer")


def decided(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Do what was decided; whatever speaks against it, in a line."""
    from services.table.shelf import MismatchError

    try:
        return done(work)
    except (ValueError, MismatchError) as wrong:
        raise click.ClickException(str(wrong)) from None


def matching(pattern: str, what: str) -> Any:
    """A callback that takes only what the log could hold."""

    def checked(_: click.Context, __: click.Parameter, said: str) -> str:
        if not re.fullmatch(pattern, said):
            raise click.BadParameter(what)
        return said

    return checked


def left_at(number: int) -> str:
    """Where a log that has ended is read."""
    return f"`shoelog export --log --log-number {number}`, and below /v1/logs/{number}/"


@click.group(short_help="The log's memory, and its succession.")
def log() -> None:
    """The notary's register, and the ceremony that opens the next log. Every table service must be stopped.

    The register (SHOELOG_CHECKPOINT_FILE) knows what was signed last, whatever becomes of the database. When the two do
    not agree, the table service says so and does not start.
    """


@log.command("succeed")
@click.option(
    "--approved-by",
    required=True,
    metavar="ACTOR",
    callback=matching(ACTOR, "an actor is written staff:anna"),
    help="By whose word.",
)
@click.option(
    "--reason",
    default="restored-from-backup",
    show_default=True,
    metavar="WORD",
    callback=matching(REASON, "a reason is one word of a-z, 0-9 and -, at most 64"),
    help="Why.",
)
def succeed(*, approved_by: str, reason: str) -> None:
    """Finish a log whose entries were lost, and open its successor.

    The environment is the successor's: SHOELOG_LOG_ORIGIN is new, SHOELOG_LOG_KEY_FILE had better be (it is made when
    it is absent), SHOELOG_CHECKPOINT_FILE is the same as before. SHOELOG_TABLE_MIGRATOR_URL enters as the owner.

    The successor begins with the old log's last checkpoint. Every shoe that is open is voided and its seed revealed, an
    open coup first, since the next cards may have been seen. Afterwards the service starts with the same environment.

    \b
      export SHOELOG_LOG_ORIGIN=casino.example/log/2
      export SHOELOG_LOG_KEY_FILE=/var/lib/shoelog/log-2.key
      shoelog log succeed --approved-by staff:anna
    """  # noqa: D301
    from services.table import app
    from services.table.succession import Succession

    succession = Succession(reason=reason, approved_by=approved_by)
    found = decided(app.succeed_log(os.environ, succession))
    click.echo(f"{found.old_origin} has ended; {found.old_size:,} of its entries were signed")
    for shoe in found.voided:
        click.echo(f"voided: shoe {shoe}")
    click.echo(
        f"{found.origin} is open, from place {found.base:,} of the journal on; {found.size:,} entries are signed"
    )
    click.echo(f"its key, for all who check it: {found.vkey}")
    if found.old_left:
        click.echo(f"of {found.old_origin}, {found.old_left:,} entries stay readable: {left_at(found.old_number)}")
    click.echo("The ledger's books are built again by `shoelog ledger rebuild` if they hold what was lost.")


@log.command("remember")
def remember() -> None:
    """Write the database's last checkpoint into the register: when that one is lost or went back, and nothing else did.

    Whether the database lost anything, nobody but you can know.
    """
    from services.table import app

    found = decided(app.remember_log(os.environ))
    click.echo(f"the register knows of {found.size:,} entries of {found.origin}")
