"""Wagers: may this bet be placed, or withdrawn? Offered, within every limit, with the bets it needs, and covered."""

from collections.abc import Sequence

from msgspec import UNSET

from schemas.events import BetPlaced, BetWithdrawn
from schemas.rules import Limits, Rules
from services.table.game.phases import be, play_on
from services.table.game.refusal import RefusedError
from services.table.game.state import Betting, Stakes, Table

Wager = tuple[str, str, int]
"""A patron, a bet, an amount in minor units."""


def place_bets(table: Table, wagers: Sequence[Wager]) -> list[BetPlaced]:
    """Place bets in the order given, all of them or none."""
    phase = be(table, Betting, to="take a bet")
    play_on(table)
    if phase.free:
        raise RefusedError("free-coup", "this coup is free: no bets are taken", where="round", right="the next round")
    before = Stakes()
    events = []
    for patron, bet, amount in wagers:
        _offered(table, bet)
        _covered(table, patron, amount, before)
        _within_limits(table, phase.stakes, before, (patron, bet, amount))
        _has_its_needs(table.rules, patron, bet, phase.stakes, before)
        if len(wagers) > 1:
            before.place(patron, bet, amount)
        events.append(BetPlaced(round=phase.round, patron=patron, bet=bet, amount=amount))
    return events


def withdraw_bet(table: Table, *, patron: str, bet: str) -> list[BetWithdrawn]:
    """Take back the whole of a bet, unless what stays would break a limit or lack what it needs."""
    phase = be(table, Betting, to="give a bet back")
    play_on(table)
    amount = phase.stakes.on(patron, bet)
    if not amount:
        raise RefusedError(
            "no-such-stake", f"patron {patron} has nothing on {bet}", where="bet", right="a bet that he has placed"
        )
    for other, depending in phase.stakes.by_bet:
        needs = table.rules.bets[depending].needs
        if other == patron and depending != bet and needs is not UNSET:
            staked = [name for name in needs if name != bet and phase.stakes.on(patron, name)]
            if not staked:
                raise RefusedError(
                    "bet-needs",
                    f"{depending} needs {' or '.join(needs)}",
                    where="bet",
                    right=f"withdraw {depending} first",
                )
    _bounded_differential(table.limits, phase.stakes, bet, -amount, Stakes())
    return [BetWithdrawn(round=phase.round, patron=patron, bet=bet)]


def _offered(table: Table, bet: str) -> None:
    """Refuse a bet that the rules do not know or the limits do not name."""
    if bet in table.limits.bets and bet in table.rules.bets:
        return
    offered = ", ".join(name for name in table.rules.bets if name in table.limits.bets)
    if bet in table.rules.bets:
        raise RefusedError("bet-not-offered", f"{bet} is not offered at this table", where="bet", right=offered)
    raise RefusedError("unknown-bet", f"{table.rules.name} has no bet {bet}", where="bet", right=offered)


def _covered(table: Table, patron: str, amount: int, before: Stakes) -> None:
    """Refuse what the patron's stack does not cover."""
    if amount > (stack := table.stack(patron) - before.of(patron)):
        raise RefusedError(
            "stack-too-small",
            f"patron {patron} has {stack} left on this table, not {amount}",
            where="amount",
            right=f"at most {stack}" if stack else "buy chips first",
        )


def _within_limits(table: Table, stakes: Stakes, before: Stakes, wager: Wager) -> None:
    """Refuse what leaves the limits of the bet, the patron, the table, or the differential."""
    patron, bet, amount = wager
    limits = table.limits
    span = limits.bets[bet]
    already = stakes.on(patron, bet) + before.on(patron, bet)
    if not span.min <= already + amount <= span.max:
        low, high = max(1, span.min - already), span.max - already
        raise RefusedError(
            "limit-bet",
            f"a patron's stake on {bet} is {span.min} to {span.max}; this one would be {already + amount}",
            where="amount",
            right=f"{low} to {high}" if high >= low else "no more on this bet",
        )
    if limits.patron is not UNSET:
        _at_most(limits.patron, stakes.of(patron) + before.of(patron), amount, of="patron")
    if limits.table is not UNSET:
        _at_most(limits.table, stakes.table + before.table, amount, of="table")
    _bounded_differential(limits, stakes, bet, amount, before)


def _at_most(most: int, already: int, amount: int, *, of: str) -> None:
    if already + amount > most:
        raise RefusedError(
            "limit-patron" if of == "patron" else "limit-table",
            f"a coup's stakes of one {of} are at most {most}; these would be {already + amount}",
            where="amount",
            right=f"at most {most - already}",
        )


def _bounded_differential(limits: Limits, stakes: Stakes, bet: str, amount: int, before: Stakes) -> None:
    """Refuse what moves the stakes on Player and on Banker too far apart."""
    if limits.differential is UNSET or bet not in ("player", "banker"):
        return
    apart = stakes.player + before.player - stakes.banker - before.banker
    apart += amount if bet == "player" else -amount
    if abs(apart) > limits.differential:
        raise RefusedError(
            "limit-differential",
            f"stakes on Player and Banker are at most {limits.differential} apart; they would be {abs(apart)}",
            where="amount",
            right=f"{abs(apart) - limits.differential} less, or stakes on the other side first",
        )


def _has_its_needs(rules: Rules, patron: str, bet: str, stakes: Stakes, before: Stakes) -> None:
    """Refuse a bet whose patron has staked on none of the bets it needs."""
    needs = rules.bets[bet].needs
    if needs is UNSET or any(stakes.on(patron, name) or before.on(patron, name) for name in needs):
        return
    raise RefusedError(
        "bet-needs", f"{bet} needs a stake on {' or '.join(needs)}", where="bet", right=f"{' or '.join(needs)} first"
    )
