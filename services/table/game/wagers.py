"""Wagers: may this bet be placed, or withdrawn? Offered, with the bets it needs, covered, and within every limit."""

from collections.abc import Sequence

from msgspec import UNSET

from schemas.events import BetPlaced, BetWithdrawn
from services.table.game.phases import be, play_on
from services.table.game.refusal import Code, RefusedError
from services.table.game.stakes import Stakes
from services.table.game.state import MAX_STACK, Betting, Table

Wager = tuple[str, str, int]
"""A patron, a bet, an amount in minor units."""

NOTHING = Stakes()
# What helps when a bet has no room left at all.
HELP: dict[Code, str] = {
    "stack-too-small": "buy chips first",
    "limit-bet": "no more on this bet",
    "limit-patron": "no more in this coup, or withdraw another bet first",
    "limit-table": "no more in this coup, or wait until somebody withdraws",
    "limit-differential": "stakes on the other side first",
}


def place_bets(table: Table, wagers: Sequence[Wager]) -> list[BetPlaced]:
    """Place bets in the order given, all of them or none; each is held against those before it."""
    phase = be(table, Betting, to="take a bet")
    play_on(table)
    if phase.free:
        raise RefusedError("free-coup", "this coup is free: no bets are taken", where="round", right="the next round")
    if len(wagers) == 1:
        return [_placed(table, phase, NOTHING, wagers[0])]
    return _placed_in_turn(table, phase, wagers)


def withdraw_bet(table: Table, *, patron: str, bet: str) -> list[BetWithdrawn]:
    """Take back the whole of a bet, unless what stays would break a limit or lack what it needs."""
    phase = be(table, Betting, to="give a bet back")
    play_on(table)
    amount = phase.stakes.on(patron, bet)
    if not amount:
        raise RefusedError(
            "no-such-stake", f"patron {patron} has nothing on {bet}", where="bet", right="a bet that he has placed"
        )
    _leaves_what_is_needed(table, phase.stakes, patron, bet)
    _leaves_the_sides_close(table, phase.stakes, bet, amount)
    return [BetWithdrawn(round=phase.round, patron=patron, bet=bet)]


def _placed_in_turn(table: Table, phase: Betting, wagers: Sequence[Wager]) -> list[BetPlaced]:
    """Place a list of bets; a refusal says which of them it is about, from 0."""
    before, events = Stakes(), []
    for number, wager in enumerate(wagers):
        try:
            events.append(_placed(table, phase, before, wager))
        except RefusedError as error:
            where = f"[{number}].{error.where}"
            raise RefusedError(error.code, error.detail, where=where, right=error.right) from None
        before.place(*wager)
    return events


def _placed(table: Table, phase: Betting, before: Stakes, wager: Wager) -> BetPlaced:
    """Place one bet, when those in `before` are placed already."""
    patron, bet, amount = wager
    _offered(table, bet)
    _has_its_needs(table, phase.stakes, before, patron, bet)
    _countable(table, patron)
    rooms = _rooms(table, phase.stakes, before, patron, bet)
    least = table.limits.bets[bet].min - phase.stakes.on(patron, bet) - before.on(patron, bet)
    if amount < max(least, 1) or amount > min(rooms.values()):
        raise _out_of_bounds(table, wager, least=max(least, 1), rooms=rooms)
    return BetPlaced(round=phase.round, patron=patron, bet=bet, amount=amount)


def _offered(table: Table, bet: str) -> None:
    """Refuse a bet that the rules do not know or the limits do not name."""
    if bet in table.limits.bets and bet in table.rules.bets:
        return
    offered = ", ".join(name for name in table.rules.bets if name in table.limits.bets)
    if bet in table.rules.bets:
        raise RefusedError("bet-not-offered", f"{bet} is not offered at this table", where="bet", right=offered)
    raise RefusedError("unknown-bet", f"{table.rules.name} has no bet {bet}", where="bet", right=offered)


def _has_its_needs(table: Table, stakes: Stakes, before: Stakes, patron: str, bet: str) -> None:
    """Refuse a bet whose patron has staked on none of the bets it needs."""
    needs = table.rules.bets[bet].needs
    if needs is UNSET or any(stakes.on(patron, name) or before.on(patron, name) for name in needs):
        return
    raise RefusedError(
        "bet-needs", f"{bet} needs a stake on {' or '.join(needs)}", where="bet", right=f"{' or '.join(needs)} first"
    )


def _countable(table: Table, patron: str) -> None:
    """Refuse play that could make a stack, or a debt, larger than an entry can say."""
    if table.stack(patron) > MAX_STACK or table.debt(patron) > MAX_STACK:
        raise RefusedError(
            "amount-too-large",
            f"who has more than {MAX_STACK} before him, or owes as much, bets no more",
            where="patron",
            right="cash chips and pay the commission first",
        )


def _rooms(table: Table, stakes: Stakes, before: Stakes, patron: str, bet: str) -> dict[Code, int]:
    """Give how much more a patron may stake on a bet, by each bound there is."""
    limits = table.limits
    rooms: dict[Code, int] = {
        "stack-too-small": table.stack(patron) - before.of(patron),
        "limit-bet": limits.bets[bet].max - stakes.on(patron, bet) - before.on(patron, bet),
    }
    if limits.patron is not UNSET:
        rooms["limit-patron"] = limits.patron - stakes.of(patron) - before.of(patron)
    if limits.table is not UNSET:
        rooms["limit-table"] = limits.table - stakes.table - before.table
    if limits.differential is not UNSET and bet in ("player", "banker"):
        ahead = stakes.player + before.player - stakes.banker - before.banker
        rooms["limit-differential"] = limits.differential - (ahead if bet == "player" else -ahead)
    return rooms


def _out_of_bounds(table: Table, wager: Wager, *, least: int, rooms: dict[Code, int]) -> RefusedError:
    """Say which bound an amount breaks, and between which amounts the bet would stand."""
    _, _, amount = wager
    tightest = min(rooms, key=lambda code: rooms[code])
    right = f"{least} to {rooms[tightest]}" if least <= rooms[tightest] else HELP[tightest]
    if amount < 1:
        return RefusedError("amount-too-small", f"{amount} is no stake", where="amount", right=right)
    code: Code = next((code for code, room in rooms.items() if amount > room), "limit-bet")
    return RefusedError(code, _broken(table, wager, code, room=rooms[code]), where="amount", right=right)


def _broken(table: Table, wager: Wager, code: Code, *, room: int) -> str:
    """Tell in a sentence which bound is broken, and by how much."""
    patron, bet, amount = wager
    limits, span = table.limits, table.limits.bets[bet]
    match code:
        case "stack-too-small":
            return f"patron {patron} has {room} left on this table, not {amount}"
        case "limit-patron":
            most, bound = limits.patron, "a coup's stakes of one patron are at most"
        case "limit-table":
            most, bound = limits.table, "a coup's stakes at the table are at most"
        case "limit-differential":
            most, bound = limits.differential, "stakes on Player and Banker are apart by at most"
        case _:
            most, bound = span.max, f"a patron's stake on {bet} is {span.min} to"
    return f"{bound} {most}; with these {amount} it would be {(0 if most is UNSET else most) - room + amount}"


def _leaves_what_is_needed(table: Table, stakes: Stakes, patron: str, bet: str) -> None:
    """Refuse to give back the last bet that another of the patron's bets needs."""
    for depending, rule in table.rules.bets.items():
        if rule.needs is UNSET or bet not in rule.needs or not stakes.on(patron, depending):
            continue
        if not any(stakes.on(patron, name) for name in rule.needs if name != bet):
            raise RefusedError(
                "bet-needs",
                f"{depending} needs a stake on {' or '.join(rule.needs)}",
                where="bet",
                right=f"withdraw {depending} first",
            )


def _leaves_the_sides_close(table: Table, stakes: Stakes, bet: str, amount: int) -> None:
    """Refuse to give back what keeps the stakes on Player and on Banker close enough."""
    most = table.limits.differential
    if most is UNSET or bet not in ("player", "banker"):
        return
    other = "banker" if bet == "player" else "player"
    apart = abs(stakes.player - stakes.banker + (amount if bet == "banker" else -amount))
    if apart > most:
        raise RefusedError(
            "limit-differential",
            f"stakes on Player and Banker are apart by at most {most}; without these {amount} they would be by {apart}",
            where="bet",
            right=f"{apart - most} less on {other} first",
        )
