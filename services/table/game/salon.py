"""The salon: every command at a table where a player banks, whichever the game. Pure.

Each function takes the table as it is and gives what one command comes to, or refuses. What each may do now is asked of
the game, and a command is allowed when it is among that; so who may read what he may do is told what would be taken.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from msgspec import UNSET

from schemas.events import (
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    CardDealt,
    CutCardReached,
    DecisionMade,
    RoundOpened,
    RoundVoided,
)
from schemas.seats import BetAgreed, BetAsked, BetRefused, SeatLeft, SeatTaken
from schemas.words import Card, Choice
from services.table.game import banque, chemin, dining, dining_game
from services.table.game.awaited import awaits_reader
from services.table.game.banked import next_stage
from services.table.game.deeds import BySystem, Choose, Deed, Deeds, Doing, Draw, May, Step, by_system, event_of
from services.table.game.impossible import Said
from services.table.game.phases import be, play_on
from services.table.game.refusal import RefusedError
from services.table.game.seats import FEWEST_SEATED, Standing
from services.table.game.shoe import Shoe
from services.table.game.stakes import Stakes
from services.table.game.state import (
    Banked,
    Between,
    Closed,
    Committed,
    Drawing,
    Hands,
    Idle,
    Playing,
    Settled,
    Shuffled,
    Staking,
    Table,
)


class Game(Protocol):
    """What the salon asks of a game: each is a module."""

    def standing(self, table: Table) -> Standing:
        """Give what the next coup starts from, as `seats-set` will state it."""

    def opening(self, table: Table, number: int, before: Standing) -> Deeds:
        """Give what the system places as a coup is opened."""

    def mays(self, table: Table, phase: Staking) -> list[May]:
        """List what each may do before the last call."""

    def placing(self, table: Table, phase: Staking, *, patron: str, bet: str, amount: int) -> Deeds:
        """Place a bet that may be placed."""

    def passing(self, table: Table, phase: Staking, *, patron: str) -> Deeds:
        """Let somebody pass who may."""

    def may_close(self, phase: Staking) -> bool:
        """Whether the dealer may close the bets."""

    def closing(self, phase: Staking) -> Deeds:
        """Give what is done just before `bets-closed`."""

    def void_reason(self, banked: Banked, stakes: Stakes, *, closing: bool) -> str | None:
        """Say why the rules void the coup now, if they do."""

    def silent(self, table: Table, phase: Staking) -> Deeds:
        """Give what the system does for whoever is asked and silent; nothing when nobody is."""

    def step(self, phase: Playing) -> Step:
        """Give what comes next: a card, a choice, or nothing."""

    def advice(self, hand: str, hands: Hands) -> Choice:
        """Give what the system decides for who is silent."""

    def decider(self, banked: Banked, stakes: Stakes, hand: str) -> str | None:
        """Give who plays a hand; None when the tableau does."""

    def settlement(self, number: int, banked: Banked, hands: Hands, stakes: Stakes) -> Deeds:
        """Settle a complete coup."""


GAMES: dict[str, Game] = {"chemin-de-fer": chemin, "banque": banque, "dining-room": dining}


def game_of(table: Table) -> Game:
    """Give the table's game; refuse when the house banks."""
    game = GAMES.get(table.rules.game)
    if game is None:
        raise RefusedError("wrong-game", "the house banks at this table", where="table", right="a player-banked game")
    return game


def take_seat(table: Table, *, seat: int, patron: str) -> list[SeatTaken]:
    """Let a patron sit down, between rounds."""
    game_of(table)
    _between_rounds(table, to="take a seat")
    dining_game.no_game_on(table, to="sit down")
    most = table.rules.seats or 0
    if seat > most:
        raise RefusedError("no-such-seat", f"the table has {most} seats", where="seat", right=f"1 to {most}")
    if seat in table.seats:
        free = ", ".join(str(number) for number in range(1, most + 1) if number not in table.seats)
        raise RefusedError("seat-taken", f"seat {seat} is taken", where="seat", right=free or "wait for a seat")
    if patron in table.seats.values():
        raise RefusedError("seat-taken", f"patron {patron} has a seat", where="patron", right="leave it first")
    return [SeatTaken(seat=seat, patron=patron)]


def leave_seat(table: Table, *, patron: str) -> list[SeatLeft]:
    """Let a patron stand up, between rounds; a bank that stands is passed by it."""
    game_of(table)
    _between_rounds(table, to="leave a seat")
    seat = next((seat for seat, name in table.seats.items() if name == patron), None)
    if seat is None:
        raise RefusedError("not-seated", f"patron {patron} has no seat", where="patron", right="a patron who sits")
    return [SeatLeft(seat=seat, patron=patron, reason="left")]


def draw(table: Table, cards: Shoe) -> Deeds:
    """Draw for the first deal, where it begins so."""
    if game_of(table) is not dining:
        raise RefusedError("wrong-game", "nobody draws for the deal", where="table", right="a table of the dining-room")
    return dining_game.draw(table, cards)


def open_round(table: Table) -> Deeds:
    """Open the next coup: state its seats, and place anew what stays from the last one."""
    game = game_of(table)
    shoe = be(table, Between, to="open a round").shoe
    play_on(table)
    if shoe.coups_left == 0:
        raise RefusedError("shoe-over", "this shoe has had its last coup", where="shoe", right="close the shoe")
    dining_game.insist_on_a_game(table)
    if len(table.seats) < FEWEST_SEATED:
        raise RefusedError(
            "too-few-seated", f"{len(table.seats)} at the table", where="seats", right=f"{FEWEST_SEATED} seats or more"
        )
    before, number = game.standing(table), shoe.rounds + 1
    opened = RoundOpened(shoe=shoe.number, round=number)
    return [opened, before.stated(number, table.seats), *game.opening(table, number, before)]


def place(table: Table, *, patron: str, bet: str, amount: int) -> Deeds:
    """Name a bank, call banco, or stake: whatever this bet is."""
    game, phase = game_of(table), be(table, Staking, to="take a bet")
    play_on(table)
    may = _allowed(game.mays(table, phase), patron, bet=bet, does=("bank", "banco", "stake"))
    _bounded(may, amount)
    return _with_its_end(table, phase, game.placing(table, phase, patron=patron, bet=bet, amount=amount))


def call_banco(table: Table, *, patron: str, bet: str = "banco") -> Deeds:
    """Face the whole bank alone, however much it is."""
    game, phase = game_of(table), be(table, Staking, to="call banco")
    play_on(table)
    may = _allowed(game.mays(table, phase), patron, bet=bet, does=("banco",))
    return place(table, patron=patron, bet=bet, amount=may.most or 0)


def pass_turn(table: Table, *, patron: str) -> Deeds:
    """Say no to what is asked."""
    game, phase = game_of(table), be(table, Staking, to="pass")
    play_on(table)
    _allowed(game.mays(table, phase), patron, bet=None, does=("pass",))
    return _with_its_end(table, phase, game.passing(table, phase, patron=patron))


def withdraw(table: Table, *, patron: str, bet: str) -> Deeds:
    """Take back the whole of a bet, where the game lets it."""
    game, phase = game_of(table), be(table, Staking, to="give a bet back")
    play_on(table)
    _allowed(game.mays(table, phase), patron, bet=bet, does=("withdraw",))
    return _with_its_end(table, phase, [BetWithdrawn(round=phase.round, patron=patron, bet=bet)])


def ask(table: Table, *, patron: str, bet: str, amount: int) -> Deeds:
    """Ask the dealer for a bet that needs his consent, or bid for the bank."""
    game, phase = game_of(table), be(table, Staking, to="ask")
    play_on(table)
    _bounded(_allowed(game.mays(table, phase), patron, bet=bet, does=("ask",)), amount)
    asked = BetAsked(round=phase.round, patron=patron, bet=bet, amount=amount)
    _, banked = _after(phase, [asked])
    return _with_its_end(table, phase, [asked, *banque.bank_won(phase.round, banked)])


def answer(table: Table, *, patron: str, of: str, bet: str, agrees: bool) -> Deeds:
    """Consent to what somebody asks, which is thereby placed, or refuse it; `patron` is the dealer of the coup."""
    game, phase = game_of(table), be(table, Staking, to="answer")
    play_on(table)
    mays = [may for may in game.mays(table, phase) if may.of in (of, UNSET)]
    may = _allowed(mays, patron, bet=bet, does=("agree",) if agrees else ("refuse",))
    number, amount = phase.round, may.most or 0
    if not agrees:
        return _with_its_end(table, phase, [BetRefused(round=number, patron=of, bet=bet, amount=amount)])
    agreed = BetAgreed(round=number, patron=of, bet=bet, amount=amount)
    return _with_its_end(table, phase, [agreed, BetPlaced(round=number, patron=of, bet=bet, amount=amount)])


def close_bets(table: Table) -> Deeds:
    """Close the bets; what is over is trimmed first. A coup in which nobody has staked is void."""
    game, phase = game_of(table), be(table, Staking, to="close the bets")
    play_on(table)
    if not game.may_close(phase):
        asked = ", ".join(may.patron for may in game.mays(table, phase) if may.patron and may.does == "pass")
        raise RefusedError(
            "still-asked", f"{asked} is still asked", where="phase", right="an answer, or silence, first"
        )
    if reason := game.void_reason(phase.banked, phase.stakes, closing=True):
        return [_void(phase.round, reason)]
    # Whoever seals the entries counts and digests the round's bets, those just trimmed too.
    return [*game.closing(phase), BetsClosed(round=phase.round, count=0, digest="0" * 64)]


def deal(table: Table, cards: Shoe, *, whole: bool = True) -> Deeds:
    """Deal until a choice is free or the coup is complete, or just one card; settle when it is complete."""
    game, phase = game_of(table), be(table, Playing, to="deal")
    play_on(table)
    if isinstance(chosen := game.step(phase), Choose):
        raise _still_to_choose(game, phase, chosen)
    deeds = _fall(game, phase, cards, whole=whole)
    return [*deeds, *dining_game.eliminated(table, deeds)]


def close_and_deal(table: Table, cards: Shoe) -> Deeds:
    """Close the bets and deal until a choice is free or the coup is complete."""
    deeds = close_bets(table)
    if not isinstance(event_of(deeds[-1]), BetsClosed):
        return deeds
    game, phase = game_of(table), be(table, Staking, to="close the bets")
    stakes, banked = _after(phase, deeds)
    return [*deeds, *_fall(game, Playing(phase.shoe, phase.round, stakes, banked), cards, whole=True)]


def settle_again(table: Table, last: Settled) -> Deeds:
    """Settle a coup whose settlement is undone."""
    assert last.banked is not None, "a player banked it"
    hands = Hands(player=[*last.player], right=[*last.right], left=[*last.left], banker=[*last.banker])
    settled = game_of(table).settlement(last.round, last.banked, hands, last.stakes)
    return [*settled, *dining_game.leaving(last.eliminated)]


def decide(table: Table, *, patron: str, hand: str, choice: Choice) -> Deeds:
    """Draw or stand where the choice is free."""
    game, phase = game_of(table), be(table, Playing, to="decide")
    play_on(table)
    step = game.step(phase)
    if not isinstance(step, Choose) or step.hand != hand:
        raise RefusedError("no-choice", f"{hand} has no choice now", where="hand", right="what the tableau demands")
    player = game.decider(phase.banked, phase.stakes, hand)
    if player != patron:
        raise RefusedError("not-asked", f"{player} plays {hand}", where="patron", right=str(player))
    return [DecisionMade(round=phase.round, hand=step.hand, choice=choice)]  # type: ignore[arg-type]  # one of its hands


def silence(table: Table) -> Deeds:
    """Do what the system does for whoever is asked and silent: pass, or decide as the tableau."""
    game = game_of(table)
    if isinstance(table.phase, Playing):
        phase = table.phase
        step = game.step(phase)
        if isinstance(step, Choose):
            choice = game.advice(step.hand, phase.hands)
            return [BySystem(DecisionMade(round=phase.round, hand=step.hand, choice=choice))]  # type: ignore[arg-type]
        raise RefusedError("not-asked", "nobody is asked", where="phase", right="deal the next card")
    staking = be(table, Staking, to="pass for who is silent")
    if deeds := game.silent(table, staking):
        return by_system(_with_its_end(table, staking, deeds))
    raise RefusedError("not-asked", "nobody is asked", where="phase", right="close the bets")


def advice(table: Table, phase: Playing, hands: Collection[str]) -> dict[str, Choice]:
    """Give what the system would decide now, when the choice is one of these hands'."""
    game = game_of(table)
    step = game.step(phase)
    return {step.hand: game.advice(step.hand, phase.hands)} if isinstance(step, Choose) and step.hand in hands else {}


def mays(table: Table) -> list[May]:
    """List what each may do now, whoever sits or stands at the table, and the dealer."""
    game = game_of(table)
    if table.suspended is not None:
        return []
    match table.phase:
        case Between() as phase if phase.shoe.coups_left != 0 and len(table.seats) >= FEWEST_SEATED:
            return _mays_between(table, phase)
        case Staking() as phase:
            return [*game.mays(table, phase), *([May(does="close")] if game.may_close(phase) else [])]
        case Playing() as phase:
            return _mays_while_playing(game, phase)
        case Drawing():
            return [May(does="read")]
        case _:
            return []


def _mays_between(table: Table, phase: Between) -> list[May]:
    if dining_game.may_draw(table):
        return [May(does="read" if phase.shoe.is_scanned else "draw")]
    return [May(does="open")] if dining_game.may_open(table) else []


def _mays_while_playing(game: Game, phase: Playing) -> list[May]:
    step = game.step(phase)
    if not isinstance(step, Choose):
        return [May(does="read" if awaits_reader(game.step, phase) else "deal")]
    player = game.decider(phase.banked, phase.stakes, step.hand)
    assert player is not None, "who has a choice plays his hand"
    return [May(does="decide", patron=player, hand=step.hand, choices=("draw", "stand"))]


def _with_its_end(table: Table, phase: Staking, deeds: Deeds) -> Deeds:
    """Add the coup's void, when what was just said leaves nothing to play for."""
    stakes, banked = _after(phase, deeds)
    reason = game_of(table).void_reason(banked, stakes, closing=False)
    return deeds if reason is None else [*deeds, _void(phase.round, reason)]


def _after(phase: Staking, deeds: Deeds) -> tuple[Stakes, Banked]:
    """Give the stakes, and the stage, as they are once all of this is said."""
    stakes, banked = phase.stakes.copy(), phase.banked
    for event in map(event_of, deeds):
        if isinstance(event, Said):
            stakes.follow(event)
            banked = Banked(banked.terms, next_stage(banked.terms, banked.stage, event, stakes))
    return stakes, banked


def _void(number: int, reason: str) -> Deed:
    return BySystem(RoundVoided(round=number, reason=reason, approved_by=()))


def _fall(game: Game, phase: Playing, cards: Shoe, *, whole: bool) -> Deeds:
    """Let cards fall, the cut card where it lies, until somebody chooses; settle when the hands are complete."""
    shoe, hands, deeds = phase.shoe, phase.hands.copy(), Deeds()
    position = shoe.position
    playing = Playing(shoe, phase.round, phase.stakes, phase.banked, hands)
    while isinstance(step := game.step(playing), Draw):
        if position == shoe.cards:
            return [*deeds, _void(phase.round, "out-of-cards")]
        if position == shoe.cut_at:
            deeds.append(CutCardReached(shoe=shoe.number, position=position))
        card: Card = cards.cards[position]
        salt = cards.salts[position].hex()
        deeds.append(CardDealt(round=phase.round, hand=step.hand, card=card, position=position, salt=salt))  # type: ignore[arg-type]  # one of its hands
        hands.of(step.hand).append(card)
        position += 1
        if not whole:
            break
    if game.step(playing) is None:
        deeds += game.settlement(phase.round, phase.banked, hands, phase.stakes)
    return deeds


def _between_rounds(table: Table, *, to: str) -> None:
    if isinstance(table.phase, Closed):
        be(table, Idle, to=to)
    if not isinstance(table.phase, Idle | Committed | Shuffled | Between):
        be(table, Between, to=to)


def _allowed(mays: Sequence[May], patron: str, *, bet: str | None, does: tuple[Doing, ...]) -> May:
    """Give what the patron may do, when it is this; else say what he may, or who is asked."""
    of_his = [may for may in mays if may.patron == patron]
    for may in of_his:
        if may.does in does and (bet is None or may.bet == bet):
            return may
    wanted = does[0] if bet is None else f"stake on {bet}"
    if of_his:
        right = ", ".join(f"{may.does} {may.bet or ''}".strip() for may in of_his)
        raise RefusedError("not-asked", f"patron {patron} cannot {wanted} now", where="bet", right=right)
    asked = ", ".join(dict.fromkeys(may.patron for may in mays if may.patron))
    detail = f"patron {patron} is not asked; {asked or 'nobody'} is"
    raise RefusedError("not-asked", detail, where="patron", right=asked or "wait for the dealer")


def _bounded(may: May, amount: int) -> None:
    """Refuse an amount out of bounds, and say within which it would be taken."""
    least, most, by = may.least or 0, may.most or 0, may.by or 1
    if least <= amount <= most and amount % by == 0:
        return
    right = str(least) if least == most else f"{least} to {most}{f' by {by}' if by > 1 else ''}"
    raise RefusedError("out-of-bounds", f"{amount} on {may.bet} is not within {right}", where="amount", right=right)


def _still_to_choose(game: Game, phase: Playing, step: Choose) -> RefusedError:
    player = game.decider(phase.banked, phase.stakes, step.hand)
    return RefusedError("still-asked", f"{player} is to decide for {step.hand}", where="hand", right="a decision first")
