"""The rules of formats.md, each broken by an operator who signs: the check that should find it says what it is."""

from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from schemas.events import (
    AnyEvent,
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    CardDealt,
    CardsBurned,
    ChipsBought,
    ChipsCarried,
    ChipsCashed,
    CommissionCollected,
    CommissionWaived,
    CutCardReached,
    DecisionMade,
    EntropyContributed,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementReversed,
    ShoeClosed,
    ShoeCommitted,
    ShoeFrozen,
    ShoeShuffled,
    TableClosed,
)
from services.audit.findings import CheckName
from services.audit.verdict import judge
from services.house.scribe import Fact
from tests.audit import tapes
from tests.audit.tapes import Tape
from tests.audit.test_tapes import TRUST, failed

EVENING, AT_ONCE, CROWD, FROZEN = tapes.an_evening(), tapes.at_once(), tapes.a_crowd(), tapes.frozen()
SCANNED, OUT = tapes.scanned(), tapes.out_of_cards()

Kind = type[AnyEvent]
Broken = dict[str, tuple[Tape, str]]


def change(kind: Kind, number: int = 0, tape: Tape = EVENING, **fields: object) -> Tape:
    """The tape with one entry's fields changed."""
    return tape.change(tape.find(kind, number), **fields)


def before(kind: Kind, event: AnyEvent, number: int = 0, tape: Tape = EVENING) -> Tape:
    """The tape with an entry more, of a command of its own, before another."""
    index = tape.find(kind, number)
    near = tape.facts[index]
    fact = Fact(id="ab" * 16, at=near.at, actor=near.actor, command="inserted", event=event)
    return tape.put(index, fact, near)


def without(kind: Kind, number: int = 0, tape: Tape = EVENING) -> Tape:
    """The tape with an entry less."""
    return tape.put(tape.find(kind, number))


def of_command(command: str, kind: Kind, number: int = 0, tape: Tape = EVENING) -> Tape:
    """The tape with an entry of another command."""
    index = tape.find(kind, number)
    return tape.put(index, replace(tape.facts[index], command=command))


def says(tape: Tape, check: CheckName, words: str, tmp_path: Path) -> None:
    """See that a finding of a check has these words."""
    found = failed(judge(tape.write(tmp_path / "bundle.zip"), TRUST)).get(check, ())
    assert any(words in finding for finding in found), found


BET = BetPlaced(round=1, patron="ada", bet="player", amount=200)
CARD = EVENING.event(CardDealt)
CUT = EVENING.event(CutCardReached)
REVERSED = SettlementReversed(round=1, reason="x", approved_by=("floor:ben",))
CONTRIBUTED = EntropyContributed(shoe=1, source="patron:ada", value="00")
BACKWARDS = EVENING.put(EVENING.find(ShoeShuffled), EVENING.facts[EVENING.find(CardsBurned)]).put(
    EVENING.find(CardsBurned), EVENING.facts[EVENING.find(ShoeShuffled)]
)
BOUGHT = replace(EVENING.facts[-1], command="again", event=ChipsBought(patron="ada", amount=1, means="cash"))

PHASES: Broken = {
    "a bet before the coup": (before(RoundOpened, BET), "between coups"),
    "a bet of another round": (before(BetsClosed, replace(BET, round=9)), "of round 9"),
    "a bet in a free coup": (before(BetsClosed, replace(BET, round=2), 1), "a free coup"),
    "a card before the last call": (before(BetsClosed, CARD), "while bets are taken"),
    "a shoe closed within a coup": (without(RoundSettled, -1), "shoe-closed stands after the last call"),
    "a burn before the shuffle": (BACKWARDS.retimed(), "cards-burned stands before the shuffle"),
    "no burn": (without(CardsBurned), "before the burn"),
    "a contribution after the shuffle": (before(CardsBurned, CONTRIBUTED), "entropy-contributed stands"),
    "a second shoe begun": (before(RoundOpened, EVENING.event(ShoeCommitted), 2), "shoe-committed stands"),
    "an entry after the end": (Tape([*EVENING.facts, BOUGHT]), "after the shoe's end"),
    "a table closed in a shoe": (
        before(RoundOpened, TableClosed(float=(), counted_by="a:b", verified_by="a:c"), 1),
        "table-closed has no place",
    ),
    "a round number passed over": (change(RoundOpened, 1, round=3), "2 is next"),
    "a reversal of nothing": (before(RoundOpened, REVERSED), "after a settlement"),
    "a reversal left open": (without(RoundVoided, 1), "after a reversal"),
    "play after a freeze": (before(RoundVoided, CARD, -1, FROZEN), "after shoe-frozen"),
    "a shoe frozen and closed": (
        before(ShoeClosed, ShoeFrozen(shoe=1, reason="x")),
        "shoe-closed stands after shoe-frozen",
    ),
    "a coup after the cards ran out": (
        before(ShoeClosed, RoundOpened(shoe=1, round=99), 0, OUT),
        "after the last one of the shoe",
    ),
    "an entry of another shoe": (change(RoundOpened, 1, shoe=2), "of shoe 2"),
}
COMMANDS: Broken = {
    "a cut card of another command": (of_command("other", CutCardReached), "of the same command"),
    "a list carried on by another command": (of_command("other", ChipsCarried, 0, CROWD), "chips-carried"),
    "a settlement of two commands": (of_command("other", LinesSettled, 0, CROWD), "lines-settled"),
    "a command that comes back": (
        of_command(EVENING.facts[EVENING.find(RoundOpened)].command, RoundOpened, 3),
        "its command has entries before",
    ),
}
BETS: Broken = {
    "a count of bets that is wrong": (change(BetsClosed, count=3), "count is 3"),
    "an unknown bet": (change(BetPlaced, bet="lucky-6"), "no bet lucky-6"),
    "a stake too small": (change(BetPlaced, amount=99), "100 to 100000 are allowed"),
    "a stake too large": (change(BetPlaced, amount=100_001), "100 to 100000 are allowed"),
    "player and banker too far apart": (change(BetPlaced, 1, amount=99_999), "100000 are allowed"),
    "a bet without what it needs": (change(BetPlaced, 2, patron="cy"), "none of the bets"),
    "a bet left in need": (
        before(BetsClosed, BetWithdrawn(round=1, patron="ada", bet="player")),
        "keeps player-dragon-bonus",
    ),
    "nothing to take back": (before(BetsClosed, BetWithdrawn(round=1, patron="bob", bet="tie")), "nothing on tie"),
    "limits that changed meanwhile": (change(BetPlaced, -9, amount=60_001), "60000 are allowed"),
}
CARDS: Broken = {
    "a card too many": (before(RoundSettled, CARD), "complete before it"),
    "a missing card": (without(CardDealt, 3), "settled before the coup was complete"),
    "a card to the wrong hand": (change(CardDealt, hand="banker"), "the tableau gives it to player"),
    "a card to a hand of another game": (change(CardDealt, hand="left"), "the tableau gives it to player"),
    "a decision where none is free": (
        before(CardDealt, DecisionMade(round=1, hand="player", choice="draw"), 2),
        "decision-made has no place",
    ),
    "a burn too many": (change(CardsBurned, count=12), "12 cards are burned"),
    "no cut card": (without(CutCardReached), "did not come out"),
    "a cut card out of place": (change(CutCardReached, position=12), "it lies before 90"),
    "a cut card twice": (before(CutCardReached, CUT), "a second time"),
    "a cut card too early": (before(CardDealt, CUT), "cards, where 90 lie before it"),
    "totals that are wrong": (
        change(RoundSettled, player=((EVENING.event(RoundSettled).player or 0) + 1) % 10),
        "player is said to have",
    ),
    "decks that are not the procedure's": (change(ShoeCommitted, 0, AT_ONCE, decks=2), "2 decks"),
    "rules that make no sense": (
        change(ShoeCommitted, 0, AT_ONCE, rules=replace(AT_ONCE.event(ShoeCommitted).rules, commission=UNSET)),
        "do not make sense",
    ),
}
APPROVALS: Broken = {
    "a reversal by nobody": (change(SettlementReversed, approved_by=()), "nobody's word"),
    "a void by nobody": (change(RoundVoided, approved_by=()), "nobody's word"),
    "a waiver by one": (change(CommissionWaived, approved_by=("a:b", "a:b")), "fewer than two"),
    "a void for want of cards that were there": (change(RoundVoided, reason="out-of-cards"), "cards were left"),
}
SETTLED, CARRIED = CROWD.event(RoundSettled), CROWD.event(ShoeCommitted).carried
STRANGE = tuple(replace(line, patron="eve") for line in EVENING.event(RoundSettled).lines)
MONEY: Broken = {
    "more than the stack": (change(ChipsCashed, amount=9_000_000), "cashes 9000000"),
    "a bet above the stack": (change(ShoeCommitted, carried=()), "of a stack of 0"),
    "commission that nobody owes": (change(CommissionCollected, patron="cy", amount=80_000), "cy owes"),
    "a list out of order": (change(ShoeCommitted, 0, CROWD, carried=CARRIED[::-1]), "does not stand in order"),
    "a line settled twice": (
        change(RoundSettled, 0, CROWD, lines=(*SETTLED.lines, SETTLED.lines[0])),
        "settled twice",
    ),
    "a line of a bet never staked": (change(RoundSettled, lines=STRANGE), "was not staked"),
    "a bet not settled": (change(RoundSettled, lines=()), "is not settled"),
}
SHOES: Broken = {
    "a card without its salt": (change(CardDealt, salt=UNSET), "without its position and salt"),
    "a card out of turn": (change(CardDealt, position=40), "is next"),
    "a position that no shoe has": (change(CardDealt, position=500), "no position 500"),
    "counts that are wrong": (change(ShoeClosed, dealt=1), "dealt is 1"),
    "a seed kept secret": (change(ShoeClosed, seed=UNSET), "not revealed"),
    "no commitment": (change(ShoeCommitted, seed_commitment=UNSET), "is committed with"),
    "no word on the last ingredient": (change(ShoeCommitted, final_source=UNSET), "is committed with"),
    "leaves that are no base64": (change(ShoeShuffled, leaves="AAA"), "the leaves are"),
    "leaves too few": (change(ShoeShuffled, leaves=""), "0 bytes"),
    "a contribution after the shuffle": (before(CardsBurned, CONTRIBUTED), "after the shuffle"),
    "play before the shuffle": (
        before(ShoeShuffled, RoundOpened(shoe=1, round=1)),
        "before every card is sealed",
    ),
    "a scanned card too often": (
        change(CardDealt, 0, SCANNED, card=SCANNED.event(CardDealt, 1).card),
        "2 times of 1 decks",
    ),
    "a scanned card with a salt": (change(CardDealt, 0, SCANNED, salt="00" * 16), "no salt"),
    "a scanned card with a position": (change(CardDealt, 0, SCANNED, position=1), "no position"),
    "a scanned shoe with a seed": (change(ShoeClosed, 0, SCANNED, seed="00" * 32), "no seed"),
}


@pytest.mark.parametrize("broken", PHASES)
def test_entries_stand_in_their_order(broken: str, tmp_path: Path) -> None:
    tape, words = PHASES[broken]
    says(tape, "rules", words, tmp_path)


@pytest.mark.parametrize("broken", COMMANDS)
def test_a_commands_entries_stand_together(broken: str, tmp_path: Path) -> None:
    tape, words = COMMANDS[broken]
    says(tape, "rules", words, tmp_path)


@pytest.mark.parametrize("broken", BETS)
def test_bets_keep_to_the_limits(broken: str, tmp_path: Path) -> None:
    tape, words = BETS[broken]
    says(tape, "rules", words, tmp_path)


@pytest.mark.parametrize("broken", CARDS)
def test_cards_fall_as_tableau_and_procedure_demand(broken: str, tmp_path: Path) -> None:
    tape, words = CARDS[broken]
    says(tape, "rules", words, tmp_path)


@pytest.mark.parametrize("broken", APPROVALS)
def test_what_needs_somebodys_word_has_it(broken: str, tmp_path: Path) -> None:
    tape, words = APPROVALS[broken]
    says(tape, "rules", words, tmp_path)


@pytest.mark.parametrize("broken", MONEY)
def test_the_money_is_right(broken: str, tmp_path: Path) -> None:
    tape, words = MONEY[broken]
    says(tape, "money", words, tmp_path)


@pytest.mark.parametrize("broken", SHOES)
def test_the_shoe_is_the_one_that_was_sealed(broken: str, tmp_path: Path) -> None:
    tape, words = SHOES[broken]
    says(tape, "shoe", words, tmp_path)
