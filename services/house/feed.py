"""`shoelog feed`: the lines of a card-by-card live table, checked by the tableau, or played at a table of ours."""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from services.house import address

if TYPE_CHECKING:
    from services.table.game.live import BadLine, CoupRead

BAD, UNREAD = 1, 3
LONGEST_LINE_BYTES = 4096
WORTH_A_BAR_BYTES = 1 << 20


@click.command(short_help="Check the lines of a card-by-card live table, or play them at one.")
@click.option(
    "--decks", type=click.IntRange(1, 12), help="All lines are of one shoe of so many decks: count its cards."
)
@click.option("--json", "wants_json", is_flag=True, help="Print a JSON array: a coup, or what is wrong, for each line.")
@click.option("-q", "--quiet", "is_quiet", is_flag=True, help="Print what is wrong, and the sum; no coups.")
@click.option("--url", metavar="URL", help="Play at a table of this service, such as http://127.0.0.1:8100.")
@click.option("--key", envvar="SHOELOG_KEY", help="With --url: an operator's API key. Or SHOELOG_KEY.")
@click.option("--table", metavar="T", help="With --url: the table.")
@click.option("--burn", metavar="CARD", help="With --url: the first card of the shoe, by which it is burned.")
@click.option("--reader", type=click.Choice(["a", "b"]), help="With --url: which of two readers this is.")
@click.option("--pause", default=0.0, type=click.FloatRange(0), help="With --url: seconds in which bets are taken.")
@click.option(
    "--from", "first", default=1, type=click.IntRange(min=1), metavar="N", help="With --url: begin at line N."
)
@click.argument("file", type=click.File("rb"), metavar="FILE")
def feed(file: BinaryIO, *, decks: int | None, wants_json: bool, is_quiet: bool, url: str | None, **how: Any) -> None:
    """Check FILE (- is standard input), a coup a line, as card-by-card live tables write it (C.7,C.8,H.11,D.7,,C.7).

    A card is suit and rank: 1 ace, 11 jack, 12 queen, 13 king; or 7c, Jh. Fields: Player 1, Banker 1, Player 2,
    Banker 2, Player's third card and Banker's; an empty field for none. Empty lines, and lines that
    begin with #, say nothing.

    With --url the coups are played at a table, as a reader of real cards tells them: a shoe is begun if none is open,
    each round opened, its bets closed, its cards told. As reader b, only the cards are told, to be compared.

    Exit status: 0 every line is a coup (and was played); 1 a line is none, or the table said no; 3 nothing to read;
    64 wrong usage.

    \b
      shoelog feed coups.txt
      shoelog feed coups.txt --url http://127.0.0.1:8100 --table b1 --burn H.3
    """  # noqa: D301
    from services.table.game.live import read

    lines = read(texts_of(file, is_quiet=is_quiet), decks=decks)
    if url is not None and (wants_json or is_quiet):
        raise click.UsageError("--json and --quiet are for checking, without --url")
    if url is not None:
        raise SystemExit(_play(url, lines, **how))
    if extra := [name for name, value in how.items() if value not in (None, 0.0, 1) and name != "key"]:
        raise click.UsageError(f"--{extra[0].replace('first', 'from')} is for --url")
    raise SystemExit(_check(lines, wants_json=wants_json, is_quiet=is_quiet))


def texts_of(file: BinaryIO, *, is_quiet: bool) -> Iterator[str]:
    """Give the lines of a file one by one; with a bar on the screen when it is long, and nothing else goes there."""
    size = _size(file)
    is_told_there = sys.stdout.isatty() and not is_quiet
    hidden = size < WORTH_A_BAR_BYTES or not sys.stderr.isatty() or is_told_there
    with click.progressbar(length=size, label="Checked", file=sys.stderr, hidden=hidden) as bar:
        while line := file.readline(LONGEST_LINE_BYTES):
            bar.update(len(line))
            rest = line
            while rest and not rest.endswith(b"\n"):  # what is so long is no coup, wherever it ends
                rest = file.readline(LONGEST_LINE_BYTES)
                bar.update(len(rest))
            yield line.decode(errors="replace")


def _size(file: BinaryIO) -> int:
    """How long a file is; of what comes as it comes, nobody knows."""
    if not file.seekable():
        return 0
    size = file.seek(0, 2)
    file.seek(0)
    return size


def _check(lines: Iterable["CoupRead | BadLine"], *, wants_json: bool, is_quiet: bool) -> int:
    """Report every line, then all of them; quietly, of the lines only those that are wrong."""
    from services.table.game.live import BadLine

    counts: Counter[str] = Counter()
    for line in lines:
        if isinstance(line, BadLine):
            counts["bad"] += 1
        else:
            counts[line.coup.facts.winner] += 1
        if wants_json:
            click.echo("," if counts.total() > 1 else "[", nl=False)
            click.echo(_as_json(line))
        elif isinstance(line, BadLine) or not is_quiet:
            click.echo(str(line) if isinstance(line, BadLine) else told(line))
    if wants_json:
        click.echo("]" if counts else "[]")
    elif counts:
        click.echo(summary(counts))
    if not counts:
        click.echo("nothing to read: no line says anything", err=True)
        return UNREAD
    return BAD if counts["bad"] else 0


def told(line: "CoupRead") -> str:
    """Tell a coup in a line."""
    facts, hands = line.coup.facts, (line.coup.player, line.coup.banker)
    player, banker = (f"{' '.join(hand):<8}" for hand in hands)
    winner = "Tie" if facts.winner == "tie" else f"{facts.winner.title()} wins"
    return f"line {line.line:>4}  Player {player} {facts.player}  Banker {banker} {facts.banker}  {winner}"


def summary(counts: Counter[str]) -> str:
    """Sum up what was read."""
    coups = counts.total() - counts["bad"]
    won = f"Player {counts['player']}, Banker {counts['banker']}, Tie {counts['tie']}"
    bad = {0: "", 1: "; 1 line is none"}.get(counts["bad"], f"; {counts['bad']:,} lines are none")
    return f"{coups:,} coup{'' if coups == 1 else 's'}: {won}{bad}"


def _as_json(line: "CoupRead | BadLine") -> bytes:
    import msgspec

    from services.table.game.live import BadLine

    if isinstance(line, BadLine):
        return msgspec.json.encode(line)
    facts = line.coup.facts
    return msgspec.json.encode(
        {
            "line": line.line,
            "player": line.coup.player,
            "banker": line.coup.banker,
            "totals": {"player": facts.player, "banker": facts.banker},
            "winner": facts.winner,
            "natural": facts.natural,
        }
    )


def _play(url: str, lines: Iterable["CoupRead | BadLine"], *, key: str | None, table: str | None, **how: Any) -> int:
    """Play the lines at a table; give the exit status."""
    from services.house.runner import Away
    from services.table.game.live import BadLine

    address.check(url)
    if key is None or table is None:
        raise click.UsageError("--url needs --key and --table")
    first, burn = how.pop("first"), _burned(how.pop("burn"))

    async def play() -> int:
        from services.house.reader import StoppedError, at_table

        played = 0
        async with at_table(url, key, table=table, burn=burn, tell=_warn, **how) as reader:
            for line in lines:
                if isinstance(line, BadLine):
                    click.echo(f"{line}; nothing of it was told, and nothing after it", err=True)
                    return BAD
                if line.line < first:
                    continue
                try:
                    said = await reader.play(line.cards)
                except StoppedError as stopped:
                    click.echo(f"line {line.line}: {stopped}", err=True)
                    return BAD
                click.echo(f"{told(line)}   round {said['round']}")
                played += 1
        if not played:
            click.echo("nothing to play: no line says anything", err=True)
        return 0 if played else UNREAD

    try:
        return asyncio.run(play())
    except Away as away:
        raise click.ClickException(str(away)) from None


def _burned(said: str | None) -> str | None:
    """The first card of the shoe, if it was said. Raises BadParameter."""
    from services.table.game.live import card_of

    if said is None:
        return None
    card = card_of(said)
    if card is None:
        raise click.BadParameter(f"{said!r} is no card, such as H.3 or 3h", param_hint="--burn")
    return card


def _warn(news: str) -> None:
    click.echo(news, err=True)
