"""`shoelog rng …`: what a test laboratory asks for, by the code that shuffles in play and no other."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from services.table.game.shoe import Shoe

DECKS = 8
NAME = "rng"  # the table in the ids of these shoes

Draw = Callable[[], bytes]

out = click.option(
    "--out", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Where to.  [default: the output]"
)
decks = click.option("--decks", default=DECKS, show_default=True, type=click.IntRange(1, 12), help="Decks in a shoe.")


@click.group(short_help="Raw numbers, shoes and statistics for a test laboratory.")
def rng() -> None:
    """Raw numbers, shoes and statistics, for a test laboratory.

    Every shoe has a seed of its own from the operating system's generator and is shuffled as in play, with nobody's
    ingredient but the house's; nothing is kept of it.
    """


@rng.command("dump-raw")
@click.option("--bytes", "count", required=True, type=click.IntRange(1), help="How many bytes.")
@decks
@out
def dump_raw(*, count: int, decks: int, out: Path | None) -> None:
    """The generator's own output, before any card is drawn: what the shuffle of shoe after shoe is given first."""
    with _opened(out) as file:
        for chunk in raw(count, decks=decks):
            file.write(chunk)


@rng.command("dump-shoes")
@click.option("--shoes", "count", required=True, type=click.IntRange(1), help="How many shoes.")
@decks
@click.option(
    "--format",
    "form",
    default="csv",
    show_default=True,
    type=click.Choice(["bytes", "csv"]),
    help="A byte a card, 0 to 51; or a line a shoe, `As,Td,…`, with no heading.",
)
@out
def dump_shoes(*, count: int, decks: int, form: Literal["bytes", "csv"], out: Path | None) -> None:
    """Whole shoes, every card in the order in which it would leave.

    A card's byte is suit * 13 + rank: clubs, diamonds, hearts, spades; ace to king.
    """
    from services.table.game.cards import code_of

    with _opened(out) as file:
        for shoe in shoes(count, decks=decks):
            if form == "bytes":
                file.write(bytes(map(code_of, shoe.cards)))
            else:
                file.write(",".join(shoe.cards).encode() + b"\n")


@rng.command("report")
@click.option("--shoes", "count", default=5_000, show_default=True, type=click.IntRange(300), help="How many shoes.")
@decks
@click.option("--out", required=True, metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
def report(*, count: int, decks: int, out: Path) -> None:
    """Statistics over many shoes, and what dieharder and rngtest say where they are installed, as a page.

    Ends with 1 when something is less likely than one in a million.
    """
    from services.house.laboratory import examine, page

    with click.progressbar(shoes(count, decks=decks), length=count, label="shuffling", file=sys.stderr) as shuffled:
        findings = examine(shuffled, raw=lambda size: raw(size, decks=decks), decks=decks)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page(findings, shoes=count, decks=decks))
    for finding in findings:
        click.echo(f"{finding.name:<28} {finding.verdict}")
    click.echo(f"the report is in {out}")
    if any(finding.is_suspect for finding in findings):
        sys.exit(1)


def raw(count: int, *, decks: int, draw: Draw | None = None) -> Iterator[bytes]:
    """Give so many bytes of the generator's output: of each shoe the first request, as its shuffle makes it."""
    from services.table.game.shoe import generator, mix, request_bytes
    from services.table.vault import draw_seed

    size, number = request_bytes(decks), 0
    while count > 0:
        number += 1
        drbg = generator(seed=(draw or draw_seed)(), shoe_id=f"{NAME}/{number}", decks=decks, mix=mix(()))
        chunk = drbg.generate(size)[:count]
        count -= len(chunk)
        yield chunk


def shoes(count: int, *, decks: int, draw: Draw | None = None) -> Iterator["Shoe"]:
    """Give so many shoes, each from a seed of its own."""
    from services.table.game.shoe import derive, mix
    from services.table.vault import draw_seed

    for number in range(1, count + 1):
        yield derive(seed=(draw or draw_seed)(), shoe_id=f"{NAME}/{number}", decks=decks, mix=mix(()))


def _opened(path: Path | None) -> "Any":
    """Open a file, or the output, which is not closed."""
    if path is not None:
        return path.open("wb")
    stream: IO[bytes] = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    return stream
