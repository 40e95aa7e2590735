"""`shoelog bots`: patrons who play at one table until they are stopped."""

import asyncio
from typing import TYPE_CHECKING

import click

from services.house import address

if TYPE_CHECKING:
    from services.house.party import Party

TROUBLE_SECONDS = 5.0
PATIENCE_SECONDS = 300.0  # with a house that went away while they play
TURNS = 4  # where a player banks, so many take as long as the pause between two coups


@click.command(short_help="Patrons who play without end.")
@click.option("--url", default="http://127.0.0.1:8100", show_default=True, help="Where the table service is.")
@click.option("--key", required=True, envvar="SHOELOG_KEY", help="An operator's API key. Or SHOELOG_KEY.")
@click.option("--patrons", default=7, show_default=True, type=click.IntRange(1, 100), help="How many.")
@click.option("--table", default="demo", show_default=True, help="Where they play; opened if it is not.")
@click.option(
    "--rules", default="punto-banco", show_default=True, metavar="NAME", help="By which rule set it is opened."
)
@click.option(
    "--pause",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0),
    help="Seconds between two coups, and four turns of one.",
)
def bots(*, url: str, key: str, patrons: int, table: str, rules: str, pause: float) -> None:  # noqa: PLR0913
    """Patrons who buy in and play at one table until Ctrl-C, by the REST API.

    A house that cannot be reached is not played at; one that goes away is waited for, five minutes at most.

    \b
      shoelog bots --patrons 7 --table demo --rules berlin
      shoelog bots --patrons 5 --table salon --rules chemin-de-fer
    """  # noqa: D301
    from services.house.circle import FEWEST, Circle, gather
    from services.house.runner import Away, Runner

    address.check(url)

    async def play() -> None:
        async with Runner(url, key, patience_seconds=PATIENCE_SECONDS, tell=tell) as runner:
            party = gather(runner, table, rules=rules, patrons=patrons, seed="bots")
            if isinstance(party, Circle):
                if patrons < FEWEST:
                    raise click.BadParameter(f"{FEWEST} at least play against each other", param_hint="--patrons")
                party.turn_seconds = pause / TURNS
            await runner.greet()
            await play_without_end(party, pause_seconds=pause)

    try:
        asyncio.run(play())
    except Away as away:
        raise click.ClickException(str(away)) from None


async def play_without_end(party: "Party", *, pause_seconds: float) -> None:
    """Play until cancelled; what goes wrong is told, and the table is looked at anew."""
    from services.house.runner import AWAY, Away, Refused

    while True:
        try:
            await party.open()
            while True:
                await party.play()
                await asyncio.sleep(pause_seconds)
        except (Refused, RuntimeError) as trouble:
            if isinstance(trouble, Refused) and trouble.status in AWAY:  # patience is at its end
                raise Away(str(trouble)) from trouble
            tell(f"{party.table}: {trouble}")
            await asyncio.sleep(TROUBLE_SECONDS)


def tell(news: str) -> None:
    """Say what went wrong, at once."""
    click.echo(news, err=True)
