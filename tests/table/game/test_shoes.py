"""Shoes: commitment, burn, and the end with its counts; what every shoe carries over to the next."""

from typing import Any, get_args

import pytest

from schemas.events import ChipsCarried, ShoeCommitted
from schemas.words import Carried
from services.table.game import floor, play, shoes
from services.table.game.cards import burn_value
from services.table.game.shoe import mix, seed_commitment
from services.table.game.state import Between, Committed, Frozen, Idle, Shuffled
from tests.table.game.sitting import (
    ANNA,
    BANKER_WINS,
    BOTH,
    DIGEST,
    FILLER,
    MARKING,
    PLAYER_WINS,
    SEED,
    Sitting,
    derived,
    in_play,
    kinds,
    leaves_text,
    refusal,
    ruled,
    said,
    stacked,
)


def test_a_shoe_is_committed_with_all_that_its_chapter_needs() -> None:
    sitting = Sitting().buy(p2=300, p1=200)
    commitment = seed_commitment("b1/1", SEED)

    (committed,) = shoes.commit(sitting.table, seed_commitment=commitment)

    assert said(committed) == {
        "shoe": 1,
        "decks": 8,
        "source": "committed",
        "currency": "EUR",
        "rules": sitting.table.rules,
        "limits": sitting.table.limits,
        "carried": (Carried(patron="p1", chips=200, owed=0), Carried(patron="p2", chips=300, owed=0)),
        "seed_commitment": commitment.hex(),
        "final_source": "none",
    }


def test_the_dealer_is_named_again_in_every_chapter() -> None:
    sitting = Sitting()
    sitting.do(floor.change_dealer(sitting.table, dealer="dealer:carl"))

    events = sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))

    assert kinds(events) == ["shoe-committed", "dealer-changed"]
    assert sitting.table.dealer == "dealer:carl"


@pytest.mark.parametrize(("patrons", "lists"), [(0, [0]), (200, [200]), (201, [200, 1]), (450, [200, 200, 50])])
def test_more_patrons_than_an_entry_holds_are_carried_in_several_of_one_command(patrons: int, lists: list[int]) -> None:
    names = [f"p{number:03}" for number in range(patrons)]
    sitting = Sitting().buy(**{name: 1 + number for number, name in enumerate(reversed(names))})

    events = sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))

    carried = [event.carried for event in events if isinstance(event, ShoeCommitted | ChipsCarried)]
    assert [len(rows) for rows in carried] == lists
    assert [row.patron for rows in carried for row in rows] == names
    assert sitting.table.stacks == {name: patrons - number for number, name in enumerate(names)}


def test_who_has_nothing_and_owes_nothing_is_not_carried() -> None:
    sitting = Sitting().buy(p1=500, p2=700)
    sitting.do(floor.cash_chips(sitting.table, patron="p1", amount=500, means="cash"))

    (committed,) = sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))

    assert [row.patron for row in said(committed)["carried"]] == ["p2"]
    assert "p1" not in sitting.table.stacks


def test_shoe_numbers_go_on_without_gaps_over_voids_and_closings() -> None:
    sitting = Sitting()
    numbers = []
    for end in ("close", "void", "close-table", "void-unshuffled", "close"):
        committed = sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))[0]
        numbers.append(said(committed)["shoe"])
        if end == "void-unshuffled":
            sitting.do(shoes.void(sitting.table, seed=SEED, reason="misprint", approved_by=(ANNA,)))
            continue
        sitting.do(shoes.shuffle(sitting.table, sitting.cards, mix=mix([])))
        if end == "void":
            sitting.do(shoes.void(sitting.table, seed=SEED, reason="marked-card", approved_by=(ANNA,)))
        else:
            sitting.end_shoe()
        if end == "close-table":
            sitting.closed().do(floor.open_table(sitting.table, said_opening(sitting)))
    assert numbers == [1, 2, 3, 4, 5]


def said_opening(sitting: Sitting) -> Any:
    """Open the table as it was opened at first."""
    return sitting.log[0]


@pytest.mark.parametrize(
    ("burn", "first", "count"),
    [
        ("none", "9s", 0),
        ("one", "9s", 1),
        ("decks", "9s", 8),
        ("first-card", "As", 2),
        ("first-card", "9s", 10),
        ("first-card", "Ts", 11),
        ("first-card", "Ks", 11),
    ],
)
def test_the_burn_is_what_the_procedure_says(burn: str, first: str, count: int) -> None:
    sitting = Sitting(ruled(procedure={"burn": burn}))
    sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))
    cards = stacked([first])

    events = sitting.do(shoes.shuffle(sitting.table, cards, mix=mix([])))

    assert said(events[0]) == {
        "shoe": 1,
        "mix": mix([]).hex(),
        "root": cards.root.hex(),
        "leaves": leaves_text(cards),
    }
    assert kinds(events) == ["shoe-shuffled", *(["cards-burned"] if count else [])]
    if count:
        opened = {"shoe": 1, "count": count, "position": 0, "card": first, "salt": cards.salts[0].hex()}
        assert said(events[1]) == opened
    shoe = in_play(sitting.table)
    assert (shoe.position, shoe.burned, shoe.dealt) == (count, count, 0)
    assert sitting.is_between


def test_every_procedure_of_the_format_has_its_burn() -> None:
    procedure = ruled().procedure
    burns = get_args(type(procedure).__annotations__["burn"])

    counted = {burn: shoes.burn_count(ruled(procedure={"burn": burn}).procedure, "5h") for burn in burns}

    assert counted == {"none": 0, "one": 1, "first-card": 1 + burn_value("5h"), "decks": 8}


@pytest.mark.parametrize(("decks", "burn"), [(1, "first-card"), (12, "decks")])
def test_the_deepest_cut_card_still_comes_out_with_a_card(decks: int, burn: str) -> None:
    cut = 52 * decks - 12
    sitting = Sitting(ruled(procedure={"decks": decks, "burn": burn, "cut": cut}))
    sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))
    sitting.cards = stacked(["Ks"], decks=decks)
    sitting.do(shoes.shuffle(sitting.table, sitting.cards, mix=mix([])))

    while in_play(sitting.table).coups_left != 0:
        sitting.coup()

    at = kinds(sitting.log).index("cut-card-reached")
    assert said(sitting.log[at])["position"] == said(sitting.log[at + 1])["position"] == 12


def test_a_shoe_ends_by_itself_only_after_its_last_coup() -> None:
    sitting = Sitting().shoe()

    no = refusal(sitting.table, shoes.close, seed=SEED)

    assert (no.code, no.where) == ("wrong-phase", "reason")
    assert shoes.close(sitting.table, seed=SEED, reason="fire-alarm")


def test_the_end_reveals_the_seed_and_counts_every_card() -> None:
    sitting = Sitting(ruled(procedure={"decks": 1, "burn": "first-card"})).shoe()
    while in_play(sitting.table).coups_left != 0:
        sitting.coup()

    (closed,) = sitting.do(shoes.close(sitting.table, seed=SEED))

    # Two burned; coups of four cards: the cut card lies before position 38, directly before the tenth.
    assert said(closed) == {
        "shoe": 1,
        "reason": "cut-card",
        "seed": SEED.hex(),
        "dealt": 40,
        "burned": 2,
        "remaining": 10,
    }
    assert isinstance(sitting.table.phase, Idle)


def test_marked_commission_is_collected_at_the_end_as_far_as_stacks_go() -> None:
    front = (*BANKER_WINS, *PLAYER_WINS)
    sitting = Sitting(MARKING).buy(p3=10_000, p1=10_000, p2=10_000, p4=10_000).shoe(front)
    sitting.coup(*((patron, "banker", 10_000) for patron in ("p3", "p1", "p2")), ("p4", "player", 500))
    sitting.coup(("p1", "banker", 20_000), ("p2", "banker", 19_900))

    events = sitting.end_shoe()

    assert [said(event) for event in events[:-1]] == [
        {"patron": "p2", "amount": 100},
        {"patron": "p3", "amount": 500},
    ]
    assert kinds(events) == ["commission-collected", "commission-collected", "shoe-closed"]
    (committed,) = sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))
    assert said(committed)["carried"] == (
        Carried(patron="p1", chips=0, owed=500),
        Carried(patron="p2", chips=0, owed=400),
        Carried(patron="p3", chips=19_500, owed=0),
        Carried(patron="p4", chips=9_500, owed=0),
    )


def test_a_shoe_is_voided_after_its_open_coup_and_reveals_its_seed() -> None:
    sitting = Sitting().buy(p1=10_000).shoe().round(("p1", "player", 500))
    sitting.do(play.close_bets(sitting.table, count=1, digest=DIGEST))
    sitting.do(play.deal(sitting.table, sitting.cards, whole=False))
    no = refusal(sitting.table, shoes.void, seed=SEED, reason="marked-card", approved_by=())
    assert (no.code, no.where) == ("approval-missing", "approved_by")

    events = sitting.do(shoes.void(sitting.table, seed=SEED, reason="marked-card", approved_by=(ANNA,)))

    assert [said(event) for event in events] == [
        {"round": 1, "reason": "marked-card", "approved_by": (ANNA,)},
        {"shoe": 1, "reason": "marked-card", "seed": SEED.hex(), "dealt": 1, "burned": 2, "remaining": 413},
    ]
    assert sitting.table.stack("p1") == 10_000


def test_a_shoe_may_be_voided_before_its_shuffle() -> None:
    sitting = Sitting()
    sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))

    (voided,) = sitting.do(shoes.void(sitting.table, seed=SEED, reason="misprint", approved_by=(ANNA,)))

    assert (said(voided)["dealt"], said(voided)["burned"], said(voided)["remaining"]) == (0, 0, 416)


def test_a_lost_seed_is_absent_from_the_end() -> None:
    sitting = Sitting().shoe()
    sitting.do(shoes.freeze(sitting.table, reason="seed-lost"))

    (voided,) = shoes.void(sitting.table, seed=None, reason="seed-lost", approved_by=BOTH)

    assert "seed" not in said(voided)


@pytest.mark.parametrize("moment", ["committed", "shuffled", "between"])
def test_a_shoe_freezes_in_every_phase_and_only_once(moment: str) -> None:
    sitting = Sitting()
    sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))
    if moment != "committed":
        events = shoes.shuffle(sitting.table, sitting.cards, mix=mix([]))
        sitting.do(events if moment == "between" else events[:1])
    assert isinstance(sitting.table.phase, {"committed": Committed, "shuffled": Shuffled, "between": Between}[moment])

    sitting.do(shoes.freeze(sitting.table, reason="seed-lost"))

    assert isinstance(sitting.table.phase, Frozen)
    assert refusal(sitting.table, shoes.freeze, reason="seed-lost").code == "wrong-phase"
    assert kinds(shoes.void(sitting.table, seed=SEED, reason="seed-lost", approved_by=(ANNA,))) == ["shoe-voided"]


def test_there_is_no_shoe_to_freeze_or_void_at_an_idle_table() -> None:
    table = Sitting().table

    assert refusal(table, shoes.freeze, reason="seed-lost").code == "wrong-phase"
    assert refusal(table, shoes.void, seed=SEED, reason="misprint", approved_by=(ANNA,)).code == "wrong-phase"


def test_a_derived_shoe_is_played_to_its_end_and_no_card_is_lost() -> None:
    sitting = Sitting()
    sitting.do(shoes.commit(sitting.table, seed_commitment=seed_commitment("b1/1", SEED)))
    sitting.do(shoes.contribute(sitting.table, source="patron:p1", value=b"\x07"))
    sitting.cards = derived(sitting.table)
    sitting.do(shoes.shuffle(sitting.table, sitting.cards, mix=mix([("patron:p1", b"\x07")])))

    while in_play(sitting.table).coups_left != 0:
        sitting.coup()
    closed = said(sitting.do(shoes.close(sitting.table, seed=SEED))[-1])

    opened = [said(event)["card"] for event in sitting.log if "card" in said(event)]
    positions = [said(event)["position"] for event in sitting.log if "card" in said(event)]
    assert opened == [sitting.cards.cards[position] for position in positions]
    assert closed["dealt"] + closed["burned"] + closed["remaining"] == 416
    assert FILLER in sitting.cards.cards
