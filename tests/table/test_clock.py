"""The clock: who is silent too long is answered for, at every table of the log that has clocks, asked about or not."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from msgspec import convert, to_builtins
from msgspec.structs import replace

from schemas.entry import decode
from schemas.events import TableClosed, TableOpened
from schemas.rules import Rules
from services.table import shuffler
from services.table.clock import Clock
from services.table.croupier import About, At, Croupier, Decide, Order
from services.table.game import floor, play, rules, salon
from services.table.game.deeds import Deeds
from services.table.journal import Journal, Placed
from services.table.seal import SeedKey
from services.table.vault import Vault

pytestmark = pytest.mark.anyio

BOOK = rules.builtin("chemin-de-fer")
CLOCKS = {"bank": 30, "turn": 20, "decide": 15}
B1 = About(table="b1")
CARDS = About(table="b1", shoe="cards")
CHIPS = 1_000_000
HOUR = 3600
MOST_COMMANDS = 300


class Watch:
    """A time that a test sets; it begins where the wall's is, for entries have that."""

    def __init__(self) -> None:
        self.time = datetime.now(UTC)

    def __call__(self) -> datetime:
        """Tell it."""
        return self.time

    def pass_by(self, seconds: float) -> None:
        """Let time pass."""
        self.time += timedelta(seconds=seconds)


def croupier_of(journal: Journal) -> Croupier:
    return Croupier(journal, Vault(SeedKey(bytes(32))))


async def do(croupier: Croupier, key: str, decide: Decide, about: About = B1) -> None:
    order = Order("operator:test", key, sha256(key.encode()).digest())
    await croupier.take(order, about, decide, lambda _, events: {"events": len(events)})


def with_clocks(clocks: dict[str, int]) -> TableOpened:
    return TableOpened(
        table="b1",
        name="One",
        currency="EUR",
        rules=convert(to_builtins(BOOK.rules) | {"clocks": clocks}, Rules),
        limits=BOOK.limits,
        float=(),
        counted_by="staff:a",
        verified_by="staff:b",
    )


async def open_round(croupier: Croupier, day: str = "monday", **clocks: int) -> None:
    """Open a table where a and b sit, and a round in which a is asked for a bank."""
    opening = with_clocks(CLOCKS | clocks)
    new = About(table="b1", may_be_new=True)
    await do(croupier, f"{day}-open", lambda at: floor.open_table(at.table.table, opening), new)
    for patron in "ab":
        await do(croupier, f"{day}-buy-{patron}", buys(patron))
    await do(croupier, f"{day}-seat-a", lambda at: salon.take_seat(at.table.here, seat=1, patron="a"))
    await do(croupier, f"{day}-seat-b", lambda at: salon.take_seat(at.table.here, seat=2, patron="b"))
    await do(croupier, f"{day}-shoe", shuffler.start, About(table="b1", shoe="fresh"))
    await do(croupier, f"{day}-round", lambda at: salon.open_round(at.table.here))


async def close_table(croupier: Croupier) -> None:
    """Give up the round and the shoe, pay everybody out, and close."""
    await do(croupier, "void", lambda at: play.void_round(at.table.here, reason="fire", approved_by=("staff:a",)))
    await do(croupier, "end", lambda at: shuffler.close(at, reason="fire"), CARDS)
    for patron in "ab":
        await do(croupier, f"cash-{patron}", cashes(patron))
    closing = TableClosed(float=(), counted_by="staff:a", verified_by="staff:b")
    await do(croupier, "close", lambda at: floor.close_table(at.table.here, closing))


def buys(patron: str) -> Decide:
    return lambda at: floor.buy_chips(at.table.here, patron=patron, amount=CHIPS, means="cash")


def cashes(patron: str) -> Decide:
    return lambda at: floor.cash_chips(at.table.here, patron=patron, amount=CHIPS, means="cash")


async def passes(croupier: Croupier, patron: str) -> None:
    await do(croupier, f"pass-{patron}", lambda at: salon.pass_turn(at.table.here, patron=patron))


def plays(at: At) -> Deeds:
    """Do what somebody may: open, name the least bank, call banco, close, deal."""
    may = salon.mays(at.table.here)[0]
    match may.does:
        case "open":
            return salon.open_round(at.table.here)
        case "bank":
            return salon.place(at.table.here, patron=str(may.patron), bet="bank", amount=may.least or 0)
        case "banco":
            return salon.call_banco(at.table.here, patron=str(may.patron))
        case "close":
            return salon.close_bets(at.table.here)
        case "deal":
            return salon.deal(at.table.here, at.cards)
    raise AssertionError(f"nobody {may.does}s here")


async def until_somebody_chooses(croupier: Croupier) -> None:
    """Play coup after coup; of some seventy in a shoe every seventh has a choice."""
    for number in range(MOST_COMMANDS):
        if any(may.does == "decide" for may in await croupier.view(B1, lambda at: salon.mays(at.table.here))):
            return
        await do(croupier, f"play-{number}", plays, CARDS)
    raise AssertionError("nobody ever had a choice")


async def said_by_the_system(journal: Journal) -> Sequence[Any]:
    entries = [decode(line) for line in await journal.chapter("table/b1")]
    return [to_builtins(entry.event) for entry in entries if entry.actor == "system:table"]


async def first_of(pages: AsyncIterator[list[Placed]]) -> Placed:
    """Wait for the next entry of the log."""
    async for page in pages:
        if page:
            return page[0]
    raise AssertionError("a log is followed for ever")


async def test_an_open_table_is_taken_up_again_when_the_service_starts(journal: Journal) -> None:
    await open_round(croupier_of(journal))
    watch = Watch()
    anew = Clock(croupier_of(journal), journal, now=watch)

    await anew.look_around()
    watch.pass_by(CLOCKS["bank"])
    await anew.tick()

    assert await said_by_the_system(journal) == [{"type": "turn-passed", "round": 1, "patron": "a"}]


async def test_a_clock_that_is_started_does_both_of_itself(journal: Journal) -> None:
    await open_round(croupier_of(journal), bank=1)
    anew = Clock(croupier_of(journal), journal)
    pages = journal.follow((await journal.size()) - 1)

    anew.start()
    passed = await first_of(pages)
    await anew.close()

    assert to_builtins(decode(passed.line).event) == {"type": "turn-passed", "round": 1, "patron": "a"}


async def test_nobodys_time_has_run_while_the_service_was_away(journal: Journal) -> None:
    await open_round(croupier_of(journal))
    watch = Watch()
    watch.pass_by(HOUR)
    anew = Clock(croupier_of(journal), journal, now=watch)

    await anew.look_around()
    watch.pass_by(CLOCKS["bank"] - 1)
    await anew.tick()
    none = await said_by_the_system(journal)
    watch.pass_by(1)
    await anew.tick()

    assert (none, len(await said_by_the_system(journal))) == ([], 1)


async def test_a_table_that_others_wrote_to_is_looked_at_as_they_left_it(journal: Journal) -> None:
    mine, others = croupier_of(journal), croupier_of(journal)
    watch = Watch()
    clock = Clock(mine, journal, now=watch)
    await open_round(others)
    await clock.look_around()
    await passes(others, "a")
    await passes(others, "b")
    await do(others, "round-2", lambda at: salon.open_round(at.table.here))

    await clock.look_around()
    watch.pass_by(HOUR)
    await clock.tick()

    *_, passed = await said_by_the_system(journal)
    assert passed == {"type": "turn-passed", "round": 2, "patron": "a"}


async def test_an_answer_that_came_first_is_not_answered_again(journal: Journal) -> None:
    mine, others = croupier_of(journal), croupier_of(journal)
    watch = Watch()
    clock = Clock(mine, journal, now=watch)
    await open_round(others)
    await clock.look_around()
    await passes(others, "a")

    watch.pass_by(HOUR)
    await clock.tick()

    assert await said_by_the_system(journal) == []


async def test_a_choice_that_nobody_makes_is_made_after_a_restart(journal: Journal) -> None:
    croupier = croupier_of(journal)
    await open_round(croupier)
    await until_somebody_chooses(croupier)
    before, watch = await said_by_the_system(journal), Watch()
    clock = Clock(croupier_of(journal), journal, now=watch)

    await clock.look_around()
    watch.pass_by(CLOCKS["decide"])
    await clock.tick()

    *others, decided = await said_by_the_system(journal)
    assert (others, decided["type"]) == (before, "decision-made")


async def test_where_no_clock_runs_nobody_is_hurried(journal: Journal) -> None:
    watch = Watch()
    await open_round(croupier_of(journal), bank=0, turn=0, decide=0)
    clock = Clock(croupier_of(journal), journal, now=watch)

    await clock.look_around()
    watch.pass_by(1_000_000)
    await clock.tick()

    assert await said_by_the_system(journal) == []


async def test_a_table_that_is_opened_anew_has_the_clocks_of_its_new_rules(journal: Journal) -> None:
    croupier, watch = croupier_of(journal), Watch()
    await open_round(croupier, bank=0, turn=0, decide=0)
    clock = Clock(croupier_of(journal), journal, now=watch)
    await clock.look_around()
    await close_table(croupier)
    await open_round(croupier, "tuesday")

    await clock.look_around()
    watch.pass_by(HOUR)
    await clock.tick()

    assert await said_by_the_system(journal) == [{"type": "turn-passed", "round": 1, "patron": "a"}]


async def test_house_banked_tables_are_not_taken_up(journal: Journal) -> None:
    book = rules.builtin("punto-banco")
    opening = replace(with_clocks(CLOCKS), rules=book.rules, limits=book.limits)
    new = About(table="b1", may_be_new=True)
    await do(croupier_of(journal), "open", lambda at: floor.open_table(at.table.table, opening), new)
    croupier = croupier_of(journal)

    await Clock(croupier, journal).look_around()

    assert not croupier.is_level("b1", 1)
