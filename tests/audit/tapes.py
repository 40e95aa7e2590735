"""Whole tapes of play, dictated to the scribe by the game's own decisions, with no table service near."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from schemas.bundle import Manifest
from schemas.events import (
    AnyEvent,
    BetsClosed,
    CardDealt,
    CardsBurned,
    ChipsCredited,
    ChipsFilled,
    CutCardReached,
    EntropyContributed,
    RoundOpened,
    RoundSettled,
    ShoeClosed,
    ShoeCommitted,
    ShoeFrozen,
    ShoeVoided,
    TableEvent,
    TableOpened,
)
from schemas.ingredient import final_message
from schemas.note import Signer
from schemas.rules import Bet, BetLimits, Commission, Limits, Procedure, Rules
from schemas.words import Event
from services.house.scribe import Fact, Scribe, bind, seal
from services.table.game import floor, play, shoes, wagers
from services.table.game.bank import settle
from services.table.game.evolve import evolve
from services.table.game.paytable import paytable
from services.table.game.rules import builtin
from services.table.game.shoe import Shoe, derive, mix, seed_commitment
from services.table.game.state import Between, Dealing, Table
from services.table.game.tableau import facts_of, next_hand

TABLE = "b1"
STREAM = f"table/{TABLE}"
LOG = Signer("test.example/log/1", bytes([7]) * 32)
SEED = bytes(range(100, 132))
DEALER = "dealer:anna"
E = TypeVar("E", bound=Event)
TWO = ("floor:ben", "floor:eva")


def house_rules(*, decks: int = 2, cut: int = 14, burn: str = "first-card", after_cut: str = "one-more") -> Rules:
    """Punto banco with a short shoe, commission marked in fives, and a bet that needs another."""
    rules = builtin("punto-banco").rules
    dragon = Bet(
        needs=("player", "banker"), ladder=({"winner": "player", "margin": [4, 5, 6, 7, 8, 9], "pays": "3/1"},)
    )
    return replace(
        rules,
        procedure=Procedure(decks=decks, burn=burn, cut=cut, after_cut=after_cut),  # type: ignore[arg-type]
        commission=Commission(collect="marked", mode="half-up", unit=5),
        bets={**rules.bets, "player-dragon-bonus": dragon},
    )


def limits_of(rules: Rules, *, most: int = 100_000) -> Limits:
    """Limits that the tapes come near."""
    return Limits(
        bets={bet: BetLimits(min=100, max=most) for bet in rules.bets},
        patron=2 * most,
        table=20 * most,
        differential=most,
    )


class Sitting:
    """A table at which a tape is played."""

    def __init__(self, rules: Rules, *, limits: Limits | None = None, stacks: dict[str, int] | None = None) -> None:
        self.scribe = Scribe()
        self._table: Table | None = None
        self.cards: Shoe | None = None
        self.mixed: list[tuple[str, bytes]] = []
        opening = TableOpened(
            table=TABLE,
            name="Salle Blanche",
            currency="EUR",
            rules=rules,
            limits=limits or limits_of(rules),
            float=((100_000, 20), (2_500, 40)),
            counted_by="cashier:ina",
            verified_by="floor:ben",
        )
        self.do(floor.open_table(None, opening))
        for patron, amount in (stacks or {"ada": 500_000, "bob": 300_000, "cy": 90_000}).items():
            self.do(floor.buy_chips(self.table, patron=patron, amount=amount, means="cash"))

    @property
    def table(self) -> Table:
        """The table as it is now."""
        assert self._table is not None
        return self._table

    def do(self, events: Sequence[TableEvent], actor: str = DEALER) -> None:
        """One command."""
        for event in events:
            self._table = evolve(self._table, event)
        self.scribe.take_down(events, actor=actor)

    def commit(self, **more: str) -> None:
        """Commit to the seed."""
        number = self.table.shoes + 1
        commitment = seed_commitment(f"{TABLE}/{number}", SEED)
        self.do(shoes.commit(self.table, seed_commitment=commitment, **more))

    def contribute(self, source: str, value: bytes) -> None:
        """Add to the shuffle, whoever it is."""
        self.mixed.append((source, value))
        event = EntropyContributed(shoe=self.table.shoes, source=source, value=value.hex())
        self.do([event], source if source.startswith("patron:") else DEALER)

    def shuffle(self) -> None:
        """Seal every card, and burn."""
        decks = self.table.rules.procedure.decks
        mixed = mix(self.mixed)
        self.cards = derive(seed=SEED, shoe_id=f"{TABLE}/{self.table.shoes}", decks=decks, mix=mixed)
        self.do(shoes.sealed(self.table.shoes, self.table.rules.procedure, self.cards, mix=mixed))

    def start(self) -> None:
        """Commit, shuffle, burn."""
        self.commit()
        self.contribute("patron:ada", b"lucky words")
        self.shuffle()

    def bet(self, *bets: tuple[str, str, int]) -> None:
        """Place bets, each a command of its patron."""
        for wager in bets:
            self.do(wagers.place_bets(self.table, [wager]), f"patron:{wager[0]}")

    def close_bets(self) -> None:
        """Call for the last time; the scribe computes the digest."""
        count = 0
        for fact in reversed(self.scribe.facts):
            if isinstance(fact.event, RoundOpened):
                break
            count += type(fact.event).__name__ in ("BetPlaced", "BetWithdrawn")
        self.do(play.close_bets(self.table, count=count, digest="0" * 64))

    def deal(self, *, whole: bool = True) -> None:
        """Deal the coup, or a card."""
        assert self.cards is not None
        self.do(play.deal(self.table, self.cards, whole=whole))

    def coup(self, *bets: tuple[str, str, int]) -> None:
        """A whole coup."""
        self.do(play.open_round(self.table))
        self.bet(*bets)
        self.close_bets()
        self.deal()

    @property
    def is_over(self) -> bool:
        """Whether the shoe has had its last coup."""
        return isinstance(self.table.phase, Between) and self.table.phase.shoe.coups_left == 0

    def tape(self) -> "Tape":
        """What was played."""
        return Tape(self.scribe.facts)


class Tape:
    """The facts of a table's stream, the shoe's among them."""

    def __init__(self, facts: Sequence[Fact], *, shoe: int = 1) -> None:
        self.facts = list(facts)
        self.shoe = shoe

    @property
    def first(self) -> int:
        """The index of the shoe's first fact."""
        found = [n for n, fact in enumerate(self.facts) if isinstance(fact.event, ShoeCommitted)]
        return found[min(self.shoe, len(found)) - 1]

    def find(self, kind: type[Event], number: int = 0) -> int:
        """The index of the so-manieth fact of a kind; negative from the end."""
        return [n for n, fact in enumerate(self.facts) if isinstance(fact.event, kind)][number]

    def event(self, kind: type[E], number: int = 0) -> E:
        """The event of the so-manieth fact of a kind."""
        found = self.facts[self.find(kind, number)].event
        assert isinstance(found, kind)
        return found

    def change(self, index: int, **fields: object) -> "Tape":
        """The tape with another event at one place."""
        fact = self.facts[index]
        return self.put(index, replace(fact, event=replace(fact.event, **fields)))

    def put(self, index: int, *facts: Fact) -> "Tape":
        """The tape with other facts in the place of one."""
        index %= len(self.facts)
        return Tape([*self.facts[:index], *facts, *self.facts[index + 1 :]], shoe=self.shoe)

    def retimed(self) -> "Tape":
        """The tape with its times in order again."""
        times = sorted(fact.at for fact in self.facts)
        return Tape([replace(fact, at=at) for fact, at in zip(self.facts, times, strict=True)])

    def lines(self) -> list[bytes]:
        """The stream's lines, numbered, linked, digests computed."""
        return list(seal(self.facts, stream=STREAM))

    def write(self, path: Path, garble: Callable[[list[bytes]], list[bytes]] | None = None) -> Path:
        """Write the bundle as the operator does, who signs whatever it says."""
        lines = self.lines()
        shoe = lines[self.first :] if garble is None else garble(lines[self.first :])
        committed = self.facts[self.first].event
        assert isinstance(committed, ShoeCommitted)
        manifest = Manifest(
            table=TABLE,
            shoe=committed.shoe,
            origin=LOG.verifier.name,
            first_version=self.first + 1,
            last_version=self.first + len(shoe),
            entries=len(shoe),
            complete=isinstance(self.facts[-1].event, ShoeClosed | ShoeVoided),
        )
        others = lines[: self.first], [b"something else", b"and more"]
        bind(path, shoe, signer=LOG, manifest=manifest, others=others)
        return path


def an_evening() -> Tape:
    """One short shoe with everything that can happen at a table, commission marked."""
    at = Sitting(house_rules())
    at.do(floor.change_dealer(at.table, dealer="dealer:cleo"))
    at.commit()
    at.contribute("patron:ada", b"lucky words")
    at.contribute("staff:ben", bytes(range(1, 33)))
    at.shuffle()
    at.do(play.open_round(at.table))
    at.bet(("ada", "player", 1_000), ("bob", "banker", 2_330), ("ada", "player-dragon-bonus", 500))
    at.bet(("cy", "tie", 700), ("ada", "player", 3_000), ("cy", "banker", 5_050))
    at.do(wagers.withdraw_bet(at.table, patron="cy", bet="tie"), "patron:cy")
    at.do(floor.buy_chips(at.table, patron="dan", amount=50_000, means="voucher"))
    at.bet(("dan", "banker-pair", 900), ("cy", "tie", 800))
    at.close_bets()
    while isinstance(at.table.phase, Dealing):
        at.deal(whole=False)
    at.do(play.open_round(at.table, free=True))
    at.close_bets()
    at.deal()
    at.do(play.open_round(at.table))
    at.bet(("bob", "tie", 4_000), ("ada", "banker", 9_990))
    at.do(play.void_round(at.table, reason="misdeal", approved_by=TWO[:1]))
    at.do(floor.change_limits(at.table, limits=limits_of(at.table.rules, most=60_000)))
    at.coup(("ada", "player", 20_000), ("bob", "banker", 55_550), ("cy", "banker", 3_330), ("dan", "tie", 1_000))
    at.do(play.reverse_settlement(at.table, reason="error", approved_by=TWO, settle_again=True))
    at.coup(("ada", "banker", 33_330), ("bob", "banker", 21_110))
    at.do(play.reverse_settlement(at.table, reason="error", approved_by=TWO, settle_again=False))
    _about_the_floor(at)
    while not at.is_over:
        at.coup(("ada", "player", 2_500), ("bob", "banker", 7_770), ("cy", "player-pair", 100), ("dan", "tie", 300))
    at.do(shoes.close(at.table, seed=SEED))
    return at.tape()


def _about_the_floor(at: Sitting) -> None:
    """Everything that happens between coups: slips, people, debts."""
    people = {"requested_by": "floor:ben", "issued_by": "cashier:ina", "received_by": DEALER}
    chips = ((2_500, 4), (500, 2))
    at.do(floor.fill(at.table, ChipsFilled(slip="f-1", amount=11_000, chips=chips, **people)))
    at.do(floor.credit(at.table, ChipsCredited(slip="c-1", amount=11_000, chips=chips, **people)))
    at.do(floor.suspend(at.table, reason="break"))
    at.do(floor.resume(at.table))
    at.do(floor.change_dealer(at.table, dealer="dealer:dora"))
    while not any(at.table.owed.values()):
        at.coup(("ada", "banker", 30_000), ("bob", "banker", 28_000))
    at.do(floor.collect_commission(at.table, patron="ada", amount=at.table.debt("ada") - 100))
    waived = at.table.debt("bob") - 50
    at.do(floor.waive_commission(at.table, patron="bob", amount=waived, reason="goodwill", approved_by=TWO))
    at.do(floor.cash_chips(at.table, patron="bob", amount=10_000, means="cash"))


def at_once() -> Tape:
    """Commission at once, six decks' worth of habits on one: burn as many as decks, finish after the cut."""
    rules = builtin("punto-banco-9").rules
    rules = replace(rules, procedure=replace(rules.procedure, decks=1))
    at = Sitting(rules)
    at.start()
    while not at.is_over:
        at.coup(("ada", "banker", 55_550), ("bob", "tie-9", 500), ("cy", "banker", 110), ("bob", "player", 700))
    at.do(shoes.close(at.table, seed=SEED))
    return at.tape()


def a_second_shoe() -> Tape:
    """A shoe whose seed is that of the shoe before."""
    at = Sitting(house_rules(decks=1))
    for _ in range(2):
        at.mixed.clear()
        at.start()
        at.coup(("ada", "banker", 5_000))
        at.do(shoes.close(at.table, seed=SEED, reason="early"))
    return Tape(at.scribe.facts, shoe=2)


def out_of_cards() -> Tape:
    """One deck cut so deep that the last coup runs out of cards and is void."""
    at = Sitting(house_rules(decks=1, cut=6, burn="none"))
    at.start()
    while not at.is_over:
        at.coup(("ada", "banker", 5_000), ("bob", "player", 700))
    assert at.table.phase.shoe.position == 52  # type: ignore[union-attr]
    at.do(shoes.close(at.table, seed=SEED))
    return at.tape()


def frozen() -> Tape:
    """A shoe that froze in a coup and was voided."""
    at = Sitting(house_rules(burn="one"))
    at.start()
    at.coup(("ada", "banker", 5_000))
    at.do(play.open_round(at.table))
    at.bet(("bob", "player", 700))
    at.close_bets()
    at.deal(whole=False)
    at.do([ShoeFrozen(shoe=1, reason="not-resumed")], "system:table")
    at.do(shoes.void(at.table, seed=SEED, reason="not-resumed", approved_by=TWO[:1]))
    return at.tape()


def never_shuffled() -> Tape:
    """A shoe given up before its shuffle."""
    at = Sitting(house_rules())
    at.commit(final_source="drand:" + "ab" * 32 + ":12")
    at.contribute("patron:ada", b"x")
    at.do(shoes.void(at.table, seed=SEED, reason="no-beacon", approved_by=TWO[:1]))
    return at.tape()


def a_crowd() -> Tape:
    """More stacks and more lines than one entry holds."""
    at = Sitting(house_rules(decks=1), stacks={f"p{number:03}": 9_000 for number in range(430)})
    at.start()
    at.coup(*((f"p{number:03}", "player" if number % 3 else "banker", 100 + number) for number in range(430)))
    at.do(play.reverse_settlement(at.table, reason="error", approved_by=TWO, settle_again=True))
    at.do(shoes.close(at.table, seed=SEED, reason="early"))
    return at.tape()


def signed_last(signer: Signer, *, honest: bool = True) -> Tape:
    """A shoe whose last ingredient is somebody's signature."""
    at = Sitting(house_rules(decks=1))
    at.commit(final_source=f"signer:{signer.verifier.vkey}")
    at.contribute("patron:ada", b"lucky words")
    message = final_message(f"{TABLE}/1", seed_commitment(f"{TABLE}/1", SEED), mix(at.mixed if honest else []))
    at.contribute(f"signer:{signer.verifier.name}", signer.sign_bytes(message))
    at.shuffle()
    at.coup(("ada", "banker", 5_000))
    at.do(shoes.close(at.table, seed=SEED, reason="early"))
    return at.tape()


def scanned() -> Tape:
    """Real cards, one deck, read by a scanner: no seed, no positions, no salts."""
    rules = house_rules(decks=1, cut=40, burn="one", after_cut="finish")
    at = Sitting(rules)
    committed, *_ = shoes.commit(at.table, seed_commitment=bytes(32))
    assert isinstance(committed, ShoeCommitted)
    at.do([replace(committed, source="scanned", seed_commitment=UNSET, final_source=UNSET)])
    cards = derive(seed=SEED, shoe_id="real", decks=1, mix=bytes(32)).cards
    scribe, position = at.scribe, 1
    scribe.take_down([CardsBurned(shoe=1, count=1, position=0, card=cards[0])])
    for number in (1, 2, 3):
        dealt, position = _scanned_coup(number, cards, position, cut_at=12)
        scribe.take_down([RoundOpened(shoe=1, round=number)])
        scribe.take_down([BetsClosed(round=number, count=0, digest="0" * 64)])
        scribe.take_down(dealt)
        if position > 12:
            break
    scribe.take_down([ShoeClosed(shoe=1, reason="cut-card", dealt=position - 1, burned=1, remaining=52 - position)])
    return at.tape()


def _scanned_coup(number: int, cards: Sequence[str], position: int, *, cut_at: int) -> tuple[list[AnyEvent], int]:
    """Deal a coup without bets from real cards."""
    events: list[AnyEvent] = []
    player: list[str] = []
    banker: list[str] = []
    while (hand := next_hand(player, banker)) is not None:
        if position == cut_at:
            events.append(CutCardReached(shoe=1, position=position))
        (player if hand == "player" else banker).append(cards[position])
        events.append(CardDealt(round=number, hand=hand, card=cards[position]))
        position += 1
    facts = facts_of(player, banker)
    lines = tuple(settle(paytable(house_rules()), facts, []))
    settled = RoundSettled(round=number, player=facts.player, banker=facts.banker, winner=facts.winner, lines=lines)
    return [*events, settled], position
