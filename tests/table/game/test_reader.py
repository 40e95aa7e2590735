"""Real cards: which hand each goes to, and what no reader may tell without play being held."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import UNSET

from schemas.events import CardDealt, CardsBurned, CutCardReached, RoundSettled, RoundVoided, ShoeClosed, TableEvent
from schemas.rules import Rules
from services.table.game import floor, play, reader, shoes
from services.table.game.cards import CARDS
from services.table.game.reader import IrregularError, in_order
from services.table.game.refusal import RefusedError
from services.table.game.state import Between, Dealing
from services.table.game.tableau import next_hand
from tests.table.game.sitting import (
    BOTH,
    DIGEST,
    PLAYER_WINS,
    SEED,
    SIX_CARDS,
    Sitting,
    fold,
    in_play,
    kinds,
    refusal,
    ruled,
    said,
    seen,
)


class Real(Sitting):
    """A table with a shoe of real cards."""

    def __init__(self, rules: Rules | None = None, *, burn: Sequence[str] = ("As",)) -> None:
        super().__init__(rules or ruled())
        self.buy(ada=100_000, bob=100_000)
        self.do(shoes.commit_scanned(self.table))
        if burn:
            self.tell(*burn)

    def tell(self, *cards: str, **how: Any) -> list[TableEvent]:
        """Tell cards as they leave the shoe."""
        return self.do(reader.tell(self.table, cards, **how))

    def dealing(self, *bets: tuple[str, str, int]) -> "Real":
        """Go on to where cards fall."""
        self.round(*bets)
        self.do(play.close_bets(self.table, count=len(bets), digest=DIGEST))
        return self

    def irregular(self, *cards: str, **how: Any) -> IrregularError:
        """Give the irregularity that cards are; nothing has changed by them."""
        before = seen(self.table)
        with pytest.raises(IrregularError) as found:
            reader.tell(self.table, cards, **how)
        assert seen(self.table) == before
        assert found.value.detail
        assert found.value.facts["came"] in cards
        return found.value


def test_a_shoe_of_real_cards_has_no_seed_no_leaves_and_no_last_ingredient() -> None:
    at = Real(burn=())

    committed = said(at.log[-1])

    assert committed["source"] == "scanned"
    assert not {"seed_commitment", "final_source"} & committed.keys()
    assert reader.due(at.table) == "burn"
    assert refusal(at.table, shoes.contribute, source="patron:ada", value=b"x").code == "wrong-phase"
    assert refusal(at.table, play.open_round).code == "wrong-phase"


def test_without_a_burn_coups_follow_at_once() -> None:
    at = Real(ruled(procedure={"burn": "none"}), burn=())

    assert reader.due(at.table) == "no-card"
    assert at.dealing()
    assert reader.due(at.table) == "player"


@pytest.mark.parametrize(("first", "count"), [("As", 2), ("7c", 8), ("Kd", 11)])
def test_the_first_card_says_how_many_are_burned(first: str, count: int) -> None:
    alone = Real(burn=[first])
    with_all = Real(burn=[first, *["2d"] * (count - 1)])

    for at in (alone, with_all):
        assert said(at.log[-1]) == {"shoe": 1, "count": count, "position": 0, "card": first}
        assert in_play(at.table).position == count
    found = Real(burn=()).irregular(first, *["2d"] * (count - 2 or 2))
    assert (found.what, found.facts["count"]) == ("burn-count", count)


def test_each_card_goes_to_the_hand_that_the_tableau_says() -> None:
    at = Real().dealing(("ada", "player", 1000))

    hands = []
    for card in SIX_CARDS:
        hands.append(reader.due(at.table))
        events = at.tell(card)
        assert said(events[0]) == {"round": 1, "hand": hands[-1], "card": card}

    assert hands == ["player", "banker", "player", "banker", "player", "banker"]
    assert isinstance(events[-1], RoundSettled)
    assert reader.due(at.table) == "no-card"
    assert fold(at.log) == at.table


def test_several_cards_are_told_at_once_and_the_last_one_settles() -> None:
    at = Real().dealing(("ada", "player", 1000))

    events = at.tell(*PLAYER_WINS)

    assert kinds(events) == ["card-dealt"] * 4 + ["round-settled"]
    assert all(event.position is UNSET and event.salt is UNSET for event in events if isinstance(event, CardDealt))
    assert at.table.stack("ada") == 101_000


def test_real_cards_fall_as_sealed_ones_do() -> None:
    chance = random.Random(4)
    for decks in (1, 2, 6):
        rules = ruled(procedure={"decks": decks, "cut": 14, "burn": "none", "after_cut": "one-more"})
        cards = chance.sample([*CARDS] * decks, 52 * decks)
        real, sealed = Real(rules, burn=()), Sitting(rules).buy(ada=100_000, bob=100_000)
        sealed.shoe(cards[:26], cards[26:])
        bet = ("ada", "banker", 500)
        while in_play(real.table).coups_left != 0:
            real.dealing(bet)
            sealed.round(bet)
            dealt = sealed.do(play.play_coup(sealed.table, sealed.cards, count=1, digest=DIGEST))[1:]
            told: list[TableEvent] = []
            while isinstance(real.table.phase, Dealing):
                first = in_play(real.table).position
                many = min(chance.randint(1, 3), missing(real.table.phase))
                told += real.tell(*cards[first : first + many], position=first)
            assert list(map(bare, told)) == list(map(bare, dealt))
        assert any(isinstance(event, CutCardReached) for event in real.log)
        real.do(shoes.close(real.table, seed=None))
        ended = sealed.do(shoes.close(sealed.table, seed=SEED))
        assert bare(real.log[-1]) == bare(ended[-1])


def missing(phase: Dealing) -> int:
    """How many cards a coup wants at the least."""
    return max(1, 4 - len(phase.player) - len(phase.banker))


def bare(event: TableEvent) -> dict[str, Any]:
    """What an event says, without what real cards do not have."""
    own = () if isinstance(event, CutCardReached | CardsBurned) else ("position", "salt", "seed")
    return {name: value for name, value in said(event).items() if name not in own}


@pytest.mark.parametrize(
    ("what", "cards", "came", "expected"),
    [
        ("card-after-coup", (*PLAYER_WINS, "2c"), "2c", "no-card"),
        ("card-too-often", ("As", "2c"), "As", "player"),
        ("card-too-often", ("Kd", "Kd"), "Kd", "banker"),
    ],
)
def test_a_card_that_the_coup_does_not_allow_is_irregular(
    what: str, cards: tuple[str, ...], came: str, expected: str
) -> None:
    at = Real(ruled(procedure={"decks": 1})).dealing(("ada", "player", 1000))

    found = at.irregular(*cards)

    assert (found.what, found.facts["came"], found.facts["expected"]) == (what, came, expected)
    assert found.facts["position"] == 2 + cards.index(came, 1 if cards[0] == cards[1] else 0)


def test_a_card_out_of_turn_is_irregular() -> None:
    at = Real()

    assert at.irregular("2c").what == "card-between-coups"
    at.round(("ada", "player", 1000))
    assert at.irregular("2c").what == "card-before-last-call"
    at.do(play.close_bets(at.table, count=1, digest=DIGEST))
    assert at.irregular("2c", position=4).what == "card-missed"
    assert refusal(at.table, reader.tell, ["2c"], position=1).code == "cards-known"
    at.tell(*PLAYER_WINS, position=2)
    assert at.irregular("2c").what == "card-between-coups"


def test_an_irregular_card_holds_play_until_people_have_decided() -> None:
    at = Real().dealing(("ada", "player", 1000))
    found = at.irregular(*PLAYER_WINS, "2c")

    at.do(reader.stop(at.table, found))

    assert at.table.suspended == "irregular-card-after-coup"
    assert reader.stop(at.table, found) == []
    assert at.irregular(*PLAYER_WINS, "2c").what == found.what
    assert refusal(at.table, reader.tell, PLAYER_WINS).code == "table-suspended"
    at.do(floor.resume(at.table))
    assert kinds(at.tell(*PLAYER_WINS))[-1] == "round-settled"


def test_a_held_coup_may_be_voided() -> None:
    at = Real().dealing(("ada", "player", 1000))
    at.tell("9d", "Kd")
    at.do(reader.stop(at.table, at.irregular("Kh", "Ac", "2c")))

    at.do(play.void_round(at.table, reason="surplus-card", approved_by=BOTH))
    at.do(floor.resume(at.table))

    assert at.table.stack("ada") == 100_000
    assert in_play(at.table).position == 4
    at.dealing().tell(*PLAYER_WINS)


def test_of_two_readers_the_first_deals_and_the_second_agrees_before_anything_is_paid() -> None:
    at = Real().dealing(("ada", "player", 1000))

    told = at.tell(*PLAYER_WINS, reader="a")

    assert kinds(told) == ["card-dealt"] * 4
    assert reader.due(at.table) == "second-reader"
    assert at.irregular("2c", reader="a").what == "card-after-coup"
    assert at.irregular("2c").what == "card-after-coup"
    assert at.tell(*PLAYER_WINS[:3], reader="b") == []
    assert refusal(at.table, reader.tell, PLAYER_WINS[2:], reader="b", position=4).code == "whole-coup"
    assert at.tell(*PLAYER_WINS[:3], reader="b", position=2) == []
    assert kinds(at.tell(*PLAYER_WINS, reader="b")) == ["round-settled"]
    assert at.table.stack("ada") == 101_000
    assert at.tell(*PLAYER_WINS, reader="b") == []
    assert fold(at.log) == at.table


def test_the_second_reader_may_see_cards_before_the_first_tells_them() -> None:
    at = Real().dealing(("ada", "player", 1000))

    assert at.tell(*PLAYER_WINS, reader="b") == []
    at.tell(*PLAYER_WINS, reader="a")

    assert kinds(at.tell(*PLAYER_WINS, reader="b")) == ["round-settled"]


@pytest.mark.parametrize("place", range(4))
def test_readers_who_disagree_stop_the_coup_before_it_is_settled(place: int) -> None:
    at = Real().dealing(("ada", "player", 1000))
    at.tell(*PLAYER_WINS, reader="a")
    saw = [*PLAYER_WINS]
    saw[place] = "5h"

    found = at.irregular(*saw, reader="b")

    assert found.what == "readers-disagree"
    assert found.facts == {"came": "5h", "expected": PLAYER_WINS[place], "position": 2 + place}
    assert at.irregular(*PLAYER_WINS, "5h", reader="b").what == "card-after-coup"


def test_the_second_reader_tells_coups_alone() -> None:
    at = Real(burn=())

    assert refusal(at.table, reader.tell, ["As"], reader="b").code == "wrong-phase"
    at.tell("As")
    assert refusal(at.table, reader.tell, ["2c"], reader="b").code == "wrong-phase"


def played_out(seed: int) -> Real:
    """Play a small shoe to its last coup."""
    cards = random.Random(seed).sample(CARDS, 52)
    at = Real(ruled(procedure={"decks": 1, "cut": 6, "burn": "none", "after_cut": "one-more"}), burn=())
    while in_play(at.table).coups_left != 0:
        at.dealing(("ada", "player", 500))
        while isinstance(at.table.phase, Dealing):
            at.tell(cards[in_play(at.table).position])
    return at


def test_a_coup_that_runs_out_of_real_cards_is_void() -> None:
    out = [at for at in map(played_out, range(12)) if isinstance(at.log[-1], RoundVoided)]

    assert out
    for at in out:
        assert said(at.log[-1]) == {"round": in_play(at.table).rounds, "reason": "out-of-cards", "approved_by": ()}
        closed = at.do(shoes.close(at.table, seed=None))[-1]
        assert isinstance(closed, ShoeClosed)
        assert (closed.reason, closed.remaining, closed.seed) == ("out-of-cards", 0, UNSET)


def test_sealed_and_real_cards_are_not_mistaken_for_each_other() -> None:
    sealed = Sitting().buy(ada=10_000).shoe().round()
    real = Real().round()

    assert refusal(sealed.table, reader.tell, ["2c"]).code == "shoe-source"
    assert refusal(real.table, play.play_coup, sealed.cards, count=0, digest=DIGEST).code == "shoe-source"
    real.do(play.close_bets(real.table, count=0, digest=DIGEST))
    assert refusal(real.table, play.deal, sealed.cards).code == "shoe-source"


def test_a_shoe_of_real_cards_can_be_voided_without_a_seed() -> None:
    at = Real().dealing(("ada", "player", 1000))
    at.tell("2c")

    ended = at.do(shoes.void(at.table, seed=None, reason="dropped", approved_by=BOTH))

    assert kinds(ended) == ["round-voided", "shoe-voided"]
    assert said(ended[-1]) == {"shoe": 1, "reason": "dropped", "dealt": 1, "burned": 2, "remaining": 413}


def test_a_long_list_of_stacks_goes_into_a_shoe_of_real_cards() -> None:
    at = Sitting()
    for number in range(450):
        at.buy(**{f"q{number}": 100 + number})

    at.do(shoes.commit_scanned(at.table))

    assert kinds(at.chapter) == ["shoe-committed", "chips-carried", "chips-carried"]
    folded = fold(at.chapter)
    assert folded is not None
    assert folded.stacks == at.table.stacks
    assert len(folded.stacks) == 450


def test_cards_stand_in_the_order_they_fell() -> None:
    for count in range(len(SIX_CARDS) + 1):
        hands: dict[str, list[str]] = {"player": [], "banker": []}
        for card in SIX_CARDS[:count]:
            hands[str(next_hand(hands["player"], hands["banker"]))].append(card)
        assert in_order(hands["player"], hands["banker"]) == SIX_CARDS[:count]


def test_a_reversed_coup_of_real_cards_is_settled_again() -> None:
    at = Real().dealing(("ada", "player", 1000))
    at.tell(*PLAYER_WINS)

    again = play.reverse_settlement(at.table, reason="misread", approved_by=BOTH, settle_again=True)

    assert kinds(at.do(again)) == ["settlement-reversed", "round-settled"]
    assert isinstance(at.table.phase, Between)
    with pytest.raises(RefusedError):
        shoes.shuffle(at.table, at.cards, mix=b"")
