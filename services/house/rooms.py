"""`shoelog table …` and `shoelog ledger …`: each service alone, configured by its environment."""

import asyncio
import os
import re
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from services.house.keys import Service

ROLES = ("operator", "auditor", "dashboard")
NAME = "[a-z0-9-]{1,64}"

Answer = TypeVar("Answer")


def done(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Do a piece of work on a database; whatever speaks against it, in a line."""
    import asyncpg

    try:
        return asyncio.run(work)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError) as error:
        raise click.ClickException(f"{type(error).__name__}: {error}") from None


def served(serve: Callable[[Mapping[str, str]], None], environment: Mapping[str, str] = os.environ) -> None:
    """Serve as the environment says; what is wrong with it, line by line."""
    try:
        serve(environment)
    except ValueError as wrong:
        raise click.ClickException(str(wrong)) from None


def database_url(variable: str, login: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option of a command that changes a database: by whose login it enters."""
    return click.option(
        "--database-url",
        "url",
        required=True,
        envvar=variable,
        show_envvar=True,
        metavar="URL",
        help=f"Where {login}, or a superuser, enters.",
    )


table_url = database_url("SHOELOG_TABLE_MIGRATOR_URL", "shoelog_table_migrator")
ledger_url = database_url("SHOELOG_LEDGER_MIGRATOR_URL", "shoelog_ledger_migrator")


def checked_name(_: click.Context, __: click.Parameter, name: str) -> str:
    """A key's name, which becomes its bearer's in the log."""
    if not re.fullmatch(NAME, name):
        raise click.BadParameter("a name is of a-z, 0-9 and -, at most 64")
    return name


def key_commands(service: "Service", url: Callable[[Callable[..., Any]], Callable[..., Any]]) -> click.Group:
    """The commands of a service's key cabinet."""

    @click.group("key", short_help="API keys.")
    def key() -> None:
        """API keys: made once, shown once, kept as hashes."""

    @key.command("add")
    @url
    @click.argument("role", type=click.Choice(ROLES))
    @click.argument("name", callback=checked_name)
    def add(*, url: str, role: str, name: str) -> None:
        """Make a key, and show it: nobody can show it again."""
        from services.house import keys

        try:
            click.echo(done(keys.add(url, service, role=role, name=name)))
        except keys.KeyTaken as taken:
            raise click.ClickException(str(taken)) from None

    @key.command("list")
    @url
    def show(*, url: str) -> None:
        """Show every key's role, name, and when it was made."""
        from services.house import keys

        for each in done(keys.listed(url, service)):
            click.echo(f"{each.role:<10} {each.name:<20} {each.created_at:%Y-%m-%d %H:%M} UTC")

    @key.command("revoke")
    @url
    @click.argument("role", type=click.Choice(ROLES))
    @click.argument("name", callback=checked_name)
    def revoke(*, url: str, role: str, name: str) -> None:
        """Take a key away. A running service notices within half a minute."""
        from services.house import keys

        if not done(keys.revoke(url, service, role=role, name=name)):
            raise click.ClickException(f"there is no key of role {role} named {name}")

    return key


@click.group(short_help="The table service.")
def table() -> None:
    """The table service: takes commands by REST, writes the log. Configured by the environment.

    \b
      export SHOELOG_TABLE_DATABASE_URL=postgresql://shoelog_table:…@localhost/shoelog_table
      shoelog table migrate
      shoelog table key add operator anna
      shoelog table serve
    """  # noqa: D301


@table.command("serve")
@click.option("--empty-post", is_flag=True, hidden=True)  # for the bench: what a request costs that does nothing
def serve_table(*, empty_post: bool) -> None:
    """Serve until SIGTERM or Ctrl-C."""
    from services.table import app

    served(lambda environment: app.serve(environment, with_empty_post=empty_post))


@table.command("migrate")
@table_url
def migrate_table(*, url: str) -> None:
    """Make the journal's tables and functions, or bring them up to date."""
    from services.house import migrations

    done(migrations.migrate_journal(url))


@click.group(short_help="The ledger service.")
def ledger() -> None:
    """The ledger service: reads the log, keeps the books. Configured by the environment.

    \b
      export SHOELOG_LEDGER_DATABASE_URL=postgresql://shoelog_ledger:…@localhost/shoelog_ledger
      export SHOELOG_LEDGER_FEED_URL=postgresql://shoelog_feed:…@localhost/shoelog_table
      shoelog ledger migrate
      shoelog ledger serve
    """  # noqa: D301


@ledger.command("serve")
def serve_ledger() -> None:
    """Serve until SIGTERM or Ctrl-C."""
    from services.ledger import app

    served(app.serve)


@ledger.command("rebuild")
@ledger_url
@click.option(
    "--feed-url",
    required=True,
    envvar="SHOELOG_LEDGER_FEED_URL",
    show_envvar=True,
    metavar="URL",
    help="Where shoelog_feed reads the log.",
)
@click.option("--accept-differences", is_flag=True, help="Switch the new books in even if they differ.")
def rebuild(*, url: str, feed_url: str, accept_differences: bool) -> None:
    """Build the books again from the log, prove them identical to those that stand, and switch them in."""
    from services.ledger import app

    built = done(app.rebuild(feed_url=feed_url, migrator_url=url, accept_differences=accept_differences))
    click.echo(
        f"{built.entries:,} entries made {built.postings:,} postings on {built.accounts:,} accounts"
        f" in {built.seconds:.1f} s: {'identical' if built.is_equal else 'NOT identical'} to the books that stood,"
        f" {'and switched in' if built.is_switched else 'and left beside them'}"
    )
    for difference in built.differences:
        click.echo(difference, err=True)
    if not built.is_switched:
        raise click.exceptions.Exit(1)


@ledger.command("migrate")
@ledger_url
def migrate_ledger(*, url: str) -> None:
    """Make the books' tables, or bring them up to date."""
    from services.house import migrations

    done(migrations.migrate_books(url))


@click.command("rotate-seeds")
@click.option(
    "--seed-key-file",
    "path",
    required=True,
    envvar="SHOELOG_SEED_KEY_FILE",
    show_envvar=True,
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of the keys that seal seeds.",
)
@click.option("--new", "is_new", is_flag=True, help="The file is lost: make it anew, with a first key.")
def rotate_seeds(*, path: Path, is_new: bool) -> None:
    """Add a new key for the seeds of shoes: it seals from the next shoe on, the older ones still unseal.

    A running service notices at its next shoe. Take an old key out of the file once no shoe is open that it sealed.

    With --new the file is made, where there is none. Shoes whose seeds were sealed with a lost key can only be voided.
    """
    from services.table import seal

    try:
        count = seal.begin(path) if is_new else seal.rotate(path)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{path} has {count} key{'' if count == 1 else 's'}; the newest seals from now on")


table_keys = key_commands("table", table_url)
table_keys.add_command(rotate_seeds)
table.add_command(table_keys)
ledger.add_command(key_commands("ledger", ledger_url))
