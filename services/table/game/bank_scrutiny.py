"""Scrutiny of rules whose bank is a player's: what each such game has, may have, and cannot have."""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import UNSET, Struct

from schemas.rules import Bet, Limits, Rules
from services.table.game.paytable import ratio
from services.table.game.ratios import of_the_ratio, words
from services.table.game.state import MAX_STACK

PARTS: Final = ("commission", "levy", "bank", "stakes", "play", "clocks")
FEWEST_SEATS: Final = 2


class Game(Struct, frozen=True, kw_only=True):
    """What a game's rules are made of."""

    has: tuple[str, ...]
    may_have: tuple[str, ...] = ()
    bank: tuple[str, ...]
    stakes: tuple[str, ...]
    needed: tuple[str, ...]
    bets: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()


GAMES: Final[dict[str, Game]] = {
    "dining-room": Game(
        has=("seats", "bank", "stakes", "clocks"),
        bank=("high", "unable"),
        stakes=("unit", "start", "absent"),
        needed=("player", "banker"),
    ),
    "chemin-de-fer": Game(
        has=("seats", "bank", "stakes", "play", "clocks"),
        may_have=("levy",),
        bank=("withdraw", "add"),
        stakes=("late_banco", "suivi", "tie", "bystanders"),
        needed=("player",),
        bets=("player", "banco"),
        modes=("options", "tableau", "free"),
    ),
    "banque": Game(
        has=("seats", "bank", "stakes", "play", "clocks"),
        may_have=("levy",),
        bank=("withdraw", "add"),
        stakes=("bystanders",),
        needed=("right", "left"),
        bets=("right", "left", "cheval", "banco-right", "banco-left"),
        modes=("free",),
    ),
}
ODDS_OF_A_MAIN_BET: Final = 1


def of_the_game(rules: Rules) -> Iterator[str]:
    """Complain about what a game lacks, or has no use for."""
    if rules.game == "house":
        yield from (
            f"{part}: a house-banked game has none; leave it out"
            for part in PARTS[1:]
            if getattr(rules, part) is not UNSET
        )
        return
    game = GAMES[rules.game]
    for part in ("seats", *PARTS):
        if part in game.has and getattr(rules, part) is UNSET:
            yield f"{part}: missing; {rules.game} needs it"
        elif part not in (*game.has, *game.may_have) and getattr(rules, part) is not UNSET:
            yield f"{part}: {rules.game} has none; leave it out"
    yield from _of_the_seats(rules)
    yield from _of_the_part("bank", rules.bank, game.bank, rules)
    yield from _of_the_part("stakes", rules.stakes, game.stakes, rules)
    yield from _of_the_winnings(rules)
    yield from _of_the_chips(rules)
    yield from _of_the_levy(rules)
    yield from _of_the_play(rules, game)
    yield from _of_the_bets(rules, game)


def _of_the_seats(rules: Rules) -> Iterator[str]:
    if rules.seats is UNSET:
        return
    if rules.seats < FEWEST_SEATS:
        yield f"seats: {rules.seats} is too few; a banker and a player, 2 to 64"
    if rules.game == "banque" and rules.seats % 2:
        yield f"seats: {rules.seats} cannot be halved; an even number, the low half right, the high half left"


def _of_the_part(where: str, part: Any, fields: tuple[str, ...], rules: Rules) -> Iterator[str]:
    """Complain unless a part has just the fields that this game knows."""
    if part is UNSET:
        return
    for field in part.__struct_fields__:
        is_there = getattr(part, field) is not UNSET
        if field in fields and not is_there:
            yield f"{where}.{field}: missing; {rules.game} needs {words(fields)}"
        elif field not in fields and is_there:
            yield f"{where}.{field}: {rules.game} does not ask it; it has {words(fields)}"


def _of_the_winnings(rules: Rules) -> Iterator[str]:
    """Complain when a win could be rounded up to more than was staked, so that the bank would not cover it."""
    mode, unit = rules.winnings.mode, rules.winnings.unit
    chip = rules.stakes.unit if rules.game == "dining-room" and rules.stakes else 1
    if mode != "floor" and (chip or 1) % unit:
        yield f"winnings.mode: by {mode} to {unit} a win may be more than the bank covers; floor, or a unit of 1"


def _of_the_chips(rules: Rules) -> Iterator[str]:
    """Complain when not even two could have the chips that each begins with."""
    if rules.game != "dining-room" or not rules.stakes or not rules.stakes.unit or not rules.stakes.start:
        return
    if (needed := rules.stakes.unit * rules.stakes.start) > MAX_STACK:
        chips = f"{rules.stakes.start} such chips are {needed}"
        yield f"stakes.unit: {chips}, and the largest stack is {MAX_STACK}; a smaller chip"


def _of_the_levy(rules: Rules) -> Iterator[str]:
    if rules.levy is UNSET:
        return
    complaints = list(of_the_ratio("levy.rate", rules.levy.rate))
    yield from complaints
    if not complaints and ratio(rules.levy.rate) >= 1:
        yield f"levy.rate: {rules.levy.rate} is no rate; from 0 to below 1"


def _of_the_play(rules: Rules, game: Game) -> Iterator[str]:
    if rules.play is UNSET or not game.modes:
        return
    if rules.play.mode not in game.modes:
        yield f"play.mode: {rules.play.mode} is none of {rules.game}; {words(game.modes)}"
    has_cells = rules.play.cells is not UNSET
    if has_cells != (rules.play.mode == "options"):
        right = "leave them out" if has_cells else 'say which, such as ["3-9", "5-4"]'
        yield f"play.cells: named where, and only where, the mode is options; {right}"
    if has_cells and len(set(rules.play.cells or ())) < len(rules.play.cells or ()):
        yield "play.cells: names a cell twice; once is enough"


def _of_the_bets(rules: Rules, game: Game) -> Iterator[str]:
    for name in game.needed:
        if name not in rules.bets:
            yield f"bets.{name}: missing; {rules.game} is played with {words(game.needed)}"
    for name, bet in rules.bets.items():
        where = f"bets.{name}"
        if name == "bank" or (game.bets and name not in game.bets):
            right = words(game.bets) if game.bets else "another name: the bank is every round's first bet"
            yield f"{where}: {rules.game} has no such bet; {right}"
        if bet.commission is not UNSET:
            yield f"{where}.commission: nobody but the banker pays the house, by levy; leave it out"
        if name in (*game.needed, *game.bets):
            yield from _of_a_main_bet(where, bet)
        elif bet.needs is UNSET or not set(bet.needs) <= set(game.needed):
            yield f"{where}.needs: a side bet needs a main bet; {words(game.needed)}"


def _of_a_main_bet(where: str, bet: Bet) -> Iterator[str]:
    """Complain about a main bet that could win more than the bank has put against it, or that needs another."""
    if bet.needs is not UNSET:
        yield f"{where}.needs: a main bet stands by itself; leave it out"
    for number, rung in enumerate(bet.ladder):
        pays = rung.get("pays")
        if isinstance(pays, str) and not list(of_the_ratio("", pays)) and ratio(pays) > ODDS_OF_A_MAIN_BET:
            yield f"{where}.ladder[{number}].pays: {pays} is more than the bank covers; 1/1 at most"


def of_the_bank_limits(rules: Rules, limits: Limits) -> Iterator[str]:
    """Complain about limits that a player's bank does not have, or lacks."""
    if rules.game == "house":
        return
    if rules.game == "dining-room" and "bank" in limits.bets:
        yield "limits.bets.bank: in the dining-room the bank is the dealer's whole stack; leave it out"
    elif rules.game != "dining-room" and "bank" not in limits.bets:
        yield "limits.bets.bank: missing; what a bank may be, at least and at most"
    if limits.differential is not UNSET:
        yield f"limits.differential: {rules.game} has none; leave it out"
