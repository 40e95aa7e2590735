"""The croupier: decides on what will be, answers from what is durable, and does a command once."""

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pytest

from schemas.events import AnyEvent, CardDealt, TableOpened
from services.table import account, cage, held, shuffler
from services.table.croupier import About, At, Croupier, Decide, KeyReusedError, Order, Taken, UnknownTableError
from services.table.game import floor, play, rules, shoes, wagers
from services.table.game.refusal import RefusedError
from services.table.journal import Journal
from services.table.seal import SeedKey
from services.table.vault import Vault

pytestmark = pytest.mark.anyio

B1 = About(table="b1")
BOOK = rules.builtin("punto-banco")
OPENING = TableOpened(
    table="b1",
    name="One",
    currency="EUR",
    rules=BOOK.rules,
    limits=BOOK.limits,
    float=(),
    counted_by="staff:a",
    verified_by="staff:b",
)


def croupier_of(journal: Journal) -> Croupier:
    return Croupier(journal, Vault(SeedKey(bytes(32))))


async def take(croupier: Croupier, key: str, about: About, decide: Decide, *, asked: str = "") -> Taken:
    order = Order("operator:test", key, sha256((asked or key).encode()).digest())
    return await croupier.take(order, about, decide, lambda _, events: {"events": len(events)})


def bet(amount: int) -> Decide:
    return lambda at: wagers.place_bets(at.table.here, [("p1", "player", amount)])


def close_bets(at: At) -> Sequence[AnyEvent]:
    return play.close_bets(at.table.here, count=at.table.bets, digest=at.table.digest.hexdigest())


async def open_round(croupier: Croupier) -> None:
    await take(
        croupier, "open", About(table="b1", may_be_new=True), lambda at: floor.open_table(at.table.table, OPENING)
    )
    await take(croupier, "buy", B1, lambda at: floor.buy_chips(at.table.here, patron="p1", amount=10_000, means="cash"))
    await take(croupier, "shoe", About(table="b1", shoe="fresh"), shuffler.start)
    await take(croupier, "round", B1, lambda at: play.open_round(at.table.here))


async def stack(croupier: Croupier) -> int:
    return await croupier.view(B1, lambda at: at.table.here.stack("p1"))


async def test_a_command_is_decided_on_what_is_queued_before_it(journal: Journal) -> None:
    croupier = croupier_of(journal)
    await open_round(croupier)

    done = await asyncio.gather(
        *(take(croupier, f"bet-{number}", B1, bet(1000)) for number in range(12)), return_exceptions=True
    )

    assert [isinstance(one, Taken) for one in done] == [True] * 10 + [False] * 2
    assert all(isinstance(one, RefusedError) and one.code == "stack-too-small" for one in done[10:])
    assert await stack(croupier) == 0


async def test_a_repeat_after_a_restart_gets_the_answer_that_was_kept(journal: Journal) -> None:
    first = croupier_of(journal)
    await open_round(first)
    answer = await take(first, "k", B1, bet(1000))
    await take(
        first, "close", B1, lambda at: play.close_bets(at.table.here, count=1, digest=at.table.digest.hexdigest())
    )

    again = croupier_of(journal)

    assert await take(again, "k", B1, bet(1000)) == answer
    with pytest.raises(KeyReusedError):
        await take(again, "k", B1, bet(1000), asked="something else")
    assert await stack(again) == 9000


async def test_a_used_key_costs_those_who_queued_behind_it_nothing(journal: Journal) -> None:
    await open_round(croupier_of(journal))
    await take(croupier_of(journal), "k", B1, bet(1000))
    again = croupier_of(journal)

    repeated, *others = await asyncio.gather(
        take(again, "k", B1, bet(1000)), *(take(again, f"other-{number}", B1, bet(1000)) for number in range(5))
    )

    assert repeated.position < min(other.position for other in others)
    assert await stack(again) == 4000


async def test_what_somebody_else_wrote_is_read_before_anything_is_refused_or_shown(journal: Journal) -> None:
    one, other = croupier_of(journal), croupier_of(journal)
    await open_round(one)
    assert await stack(other) == 10_000
    await take(one, "rest", B1, bet(9500))

    with pytest.raises(RefusedError):
        await take(other, "more", B1, bet(1000))
    await take(one, "buy-2", B1, lambda at: floor.buy_chips(at.table.here, patron="p1", amount=500, means="cash"))

    await take(other, "more", B1, bet(1000))
    assert await stack(one) == 0


async def test_two_croupiers_at_one_table_decide_again_when_they_lose(journal: Journal) -> None:
    one, other = croupier_of(journal), croupier_of(journal)
    await open_round(one)

    for number in range(10):
        await asyncio.gather(take(one, f"one-{number}", B1, bet(500)), take(other, f"other-{number}", B1, bet(500)))

    assert await stack(one) == await stack(other) == 0


async def test_a_request_that_goes_away_is_not_undone(journal: Journal) -> None:
    croupier = croupier_of(journal)
    await open_round(croupier)
    going = asyncio.ensure_future(take(croupier, "k", B1, bet(1000)))
    await asyncio.sleep(0)

    going.cancel()

    with pytest.raises(asyncio.CancelledError):
        await going
    assert await stack(croupier) == 9000
    assert (await take(croupier, "k", B1, bet(1000))).answer == b'{"events":1}'
    assert await stack(croupier) == 9000


async def test_an_account_is_read_from_its_first_and_its_last_entry(journal: Journal) -> None:
    croupier, me = croupier_of(journal), About(patron="p1")
    await open_round(croupier)
    await take(croupier, "account", me, lambda at: account.open_account(at.account.account, currency="EUR"))
    for number in range(20):
        await take(
            croupier, f"in-{number}", me, lambda at: account.deposit(at.account.account, amount=100, means="cash")
        )
    again = croupier_of(journal)

    both = About(table="b1", patron="p1")
    await take(again, "over", both, lambda at: cage.to_table(at, amount=1500))

    assert await again.view(both, money) == (500, 11_500)
    assert len(await journal.chapter("patron/p1")) == 1


def money(at: At) -> tuple[int, int]:
    assert at.account.account is not None
    return at.account.account.balance, at.table.here.stack("p1")


async def test_an_unknown_table_is_not_held(journal: Journal) -> None:
    croupier = croupier_of(journal)
    for _ in range(2):
        with pytest.raises(UnknownTableError):
            await stack(croupier)


async def test_a_shoe_is_dealt_on_by_another_croupier_card_for_card(journal: Journal) -> None:
    first = croupier_of(journal)
    await open_round(first)
    await take(
        first, "close", B1, lambda at: play.close_bets(at.table.here, count=0, digest=at.table.digest.hexdigest())
    )
    fell: list[CardDealt] = []

    def deal(at: At) -> Sequence[AnyEvent]:
        events = play.deal(at.table.here, at.cards, whole=False)
        fell.extend(event for event in events if isinstance(event, CardDealt))
        return events

    for number in range(4):
        await take(croupier_of(journal), f"card-{number}", About(table="b1", shoe="cards"), deal)

    cards: Any = await first.view(About(table="b1", shoe="cards"), lambda at: at.table.cards)
    assert [event.card for event in fell] == [cards.cards[event.position] for event in fell]


async def test_what_is_held_is_let_go_when_it_is_too_much(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "STREAMS_HELD", 3)
    croupier = croupier_of(journal)
    await open_round(croupier)

    for number in range(10):
        about = About(patron=f"p{number}")
        await take(croupier, f"account-{number}", about, lambda _: account.open_account(None, currency="EUR"))
        await take(croupier, f"bet-{number}", B1, bet(500))

    assert await stack(croupier) == 5000


async def test_a_seed_is_forgotten_once_it_is_revealed(journal: Journal) -> None:
    croupier = croupier_of(journal)
    await open_round(croupier)
    assert await journal.seed("table/b1", 1) is not None

    await take(
        croupier,
        "void",
        About(table="b1", shoe="cards"),
        lambda at: shoes.void(at.table.here, seed=at.seed, reason="test", approved_by=["staff:a"]),
    )

    assert await journal.seed("table/b1", 1) is None
