"""`shoelog up`: the whole house on this machine, until Ctrl-C."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from services.house.house import House

TEND_SECONDS = 0.1
MOST_WITNESSES = 9
LODGINGS = Path("/var/lib/shoelog")  # when root keeps a house where PostgreSQL's user cannot go, as under /root


def witnessed(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a house that opens witnesses of its own."""
    count = click.option(
        "--witnesses",
        default=0,
        show_default=True,
        type=click.IntRange(0, MOST_WITNESSES),
        help="So many witnesses of the house's own cosign; more than half are the quorum.",
    )
    strict = click.option("--strict", "is_strict", is_flag=True, help="No first card falls without their quorum.")
    return count(strict(command))


@click.command(short_help="The whole house on this machine.")
@click.option(
    "--data",
    default="data",
    show_default=True,
    envvar="SHOELOG_DATA",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where everything is kept.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65534),
    help="The table service's; the ledger takes the next one. 0: any two.  [default: 8100 and 8200]",
)
@click.option("--bots", "patrons", default=0, type=click.IntRange(0, 100), help="So many patrons play without end.")
@witnessed
@click.option("--postgres-url", envvar="SHOELOG_POSTGRES_URL", hidden=True)
@click.option("--postgres-binaries", envvar="SHOELOG_POSTGRES_BINARIES", hidden=True, type=click.Path(path_type=Path))
def up(  # noqa: PLR0913  # one command line
    *,
    data: Path,
    port: int | None,
    patrons: int,
    witnesses: int,
    is_strict: bool,
    postgres_url: str | None,
    postgres_binaries: Path | None,
) -> None:
    """The whole house on this machine: PostgreSQL, the table service, the ledger; addresses and a key for each role.

    Everything is kept in the data directory, so that the next `up` goes on where this one stopped. Ctrl-C closes it.
    Whatever dies is started again.

    \b
      shoelog up
      shoelog up --data /srv/casino --port 9000 --bots 7
      shoelog up --bots 7 --witnesses 3 --strict

    The house's own witnesses show what cosignatures look like; to a stranger only others' prove anything.

    SHOELOG_POSTGRES_URL, a superuser's, replaces the embedded PostgreSQL;
    SHOELOG_POSTGRES_BINARIES is the directory of its programs.
    """  # noqa: D301
    from services.house.house import House, Trouble, choose_ports, stop_on_signal
    from services.house.premises import Premises

    premises = Premises(data, postgres_url=postgres_url, binaries=postgres_binaries, lodgings=LODGINGS)
    check_strictness(witnesses, is_strict=is_strict)
    table_port, ledger_port, witness_ports = choose_ports(port, witnesses=witnesses)
    house = House(
        premises,
        table_port=table_port,
        ledger_port=ledger_port,
        tell=tell,
        witness_ports=witness_ports,
        is_strict=is_strict,
    )
    stop_on_signal(status=0)
    try:
        house.open()
        if patrons:
            house.hire_bots(patrons)
        click.echo(welcome(house, data, patrons=patrons))
        while True:
            time.sleep(TEND_SECONDS)
            house.tend()
    except KeyboardInterrupt:
        tell("the house closes")
    except Trouble as trouble:
        raise click.ClickException(str(trouble)) from None
    finally:
        house.close()


def check_strictness(witnesses: int, *, is_strict: bool) -> None:
    """Refuse to wait for witnesses that there are not."""
    if is_strict and not witnesses:
        raise click.UsageError("--strict waits for witnesses: say --witnesses too")


def tell(news: str) -> None:
    """Say what happened, and when."""
    click.echo(f"{time.strftime('%H:%M:%S')} {news}", err=True)


def welcome(house: "House", data: Path, *, patrons: int) -> str:
    """Where everything is, and the key of each role."""
    lines = [
        "The house is open.",
        "",
        f"  table      {house.table_url}   OpenAPI at /schema/openapi.json",
        f"  ledger     {house.ledger_url}",
        *(f"  {name}  {url}" for name, url in house.witness_urls.items()),
        "",
        *(f"  {role:<10} {key}" for role, key in house.keys.items()),
        "",
    ]
    if patrons:
        lines.append(f"{patrons} patrons play at table demo: {house.table_url}/v1/tables/demo")
    if patrons > 1:
        lines.append(f"{patrons} more play chemin de fer at table salon: {house.table_url}/v1/tables/salon/actions")
    if house.witness_urls:
        lines.append(f"The log's key and its witnesses: shoelog verify --policy {data / 'policy'} FILE")
    if lodging := house.premises.lodging:
        lines.append(f"PostgreSQL's files are in {lodging}, where its user can go.")
    lines.append(f"Everything {'else ' if lodging else ''}is kept in {data}. Ctrl-C closes the house.")
    return "\n".join(lines)
