"""Strict play: the first card of a round is held until a quorum of witnesses has cosigned that its bets are closed.

A command that closes the bets and deals at once is taken in two: the bets are closed, and the cards wait. When the
witnesses do not answer in time nothing is dealt; the same command may be repeated, and waits again.
"""

import contextlib
from collections.abc import Sequence
from hashlib import sha256

from schemas.events import AnyEvent, BetsClosed, CardDealt
from services.table.command import OutrunError
from services.table.croupier import About, Answer, At, Croupier, Decide, Order, Taken
from services.table.game.deeds import BySystem
from services.table.game.refusal import RefusedError
from services.table.game.state import Dealing, Phase, Playing
from services.table.journal import Journal
from services.table.notary import Notary
from services.table.witnesses import Witnesses

TRIES = 5

Round = tuple[int, int]  # the shoe's number, and the round's in it


class BetsOpenError(RefusedError):
    """Cards would fall in the command that closes the bets."""

    def __init__(self, number: Round) -> None:
        super().__init__("wrong-phase", "the bets are closed first", where="round")
        self.number = number


class BetsShutError(RefusedError):
    """Somebody else has closed the bets meanwhile."""

    def __init__(self) -> None:
        super().__init__("wrong-phase", "the bets are closed", where="round")


class CardHeldError(RefusedError):
    """The first card of a round would fall; that the bets are closed stands at this version of the table's stream."""

    def __init__(self, number: Round, version: int) -> None:
        super().__init__("wrong-phase", "the first card is held", where="round")
        self.number = number
        self.version = version


class Hold:
    """Takes the commands that deal, and holds each round's first card."""

    def __init__(self, croupier: Croupier, journal: Journal, notary: Notary, witnesses: Witnesses) -> None:
        self._croupier = croupier
        self._journal = journal
        self._notary = notary
        self._witnesses = witnesses

    async def take(self, order: Order, about: About, decide: Decide, answer: Answer) -> Taken:
        """Carry a command out as the croupier does. Raises UnwitnessedError when the witnesses take too long."""
        cosigned: set[Round] = set()
        for _ in range(TRIES):
            try:
                return await self._croupier.take(order, about, lambda at: _held(decide(at), at, cosigned), answer)
            except BetsOpenError as first:
                with contextlib.suppress(BetsShutError):
                    await self._croupier.take(_order_before(order, first.number), about, _close(decide), _nothing)
            except CardHeldError as held:
                await self._wait(f"table/{about.table}", held.version)
                cosigned.add(held.number)
        raise OutrunError

    async def _wait(self, stream: str, version: int) -> None:
        position = await self._journal.position(stream, version)
        assert position is not None, "what was decided on is durable"
        await self._witnesses.cosigned(await self._notary.cover(position))


Deeds = Sequence[AnyEvent | BySystem]


def _held(deeds: Deeds, at: At, cosigned: set[Round]) -> Deeds:
    """Let events happen, but not the first card of a round whose bets nobody has cosigned yet."""
    events = [_event_of(deed) for deed in deeds]
    card = next((event for event in events if isinstance(event, CardDealt)), None)
    if card is None:
        return deeds
    number = (at.table.shoe.number, card.round)
    if any(isinstance(event, BetsClosed) for event in events):
        raise BetsOpenError(number)
    if number not in cosigned and _is_undealt(at.table.here.phase):
        raise CardHeldError(number, at.table.tip.version)
    return deeds


def _close(decide: Decide) -> Decide:
    """Let only the bets be closed, of what a command would do."""

    def close(at: At) -> Deeds:
        deeds = decide(at)
        last = next((i for i, deed in enumerate(deeds) if isinstance(_event_of(deed), BetsClosed)), None)
        if last is None:
            raise BetsShutError
        return deeds[: last + 1]

    return close


def _event_of(deed: AnyEvent | BySystem) -> AnyEvent:
    return deed.event if isinstance(deed, BySystem) else deed


def _nothing(_: At, __: Sequence[AnyEvent]) -> dict[str, str]:
    """Say nothing: nobody asked for this command by itself."""
    return {}


def _order_before(order: Order, number: Round) -> Order:
    """Give the order by which the bets are closed ahead of another order: one for each round."""
    shoe, round_ = number
    key = f"close-{sha256(f'{order.key} {shoe} {round_}'.encode()).hexdigest()[:32]}"
    return Order(actor=order.actor, key=key, request=sha256(order.request + key.encode()).digest())


def _is_undealt(phase: Phase) -> bool:
    """Whether a round's bets are closed, and no card of it has fallen."""
    if isinstance(phase, Playing):
        return not phase.hands.dealt
    return isinstance(phase, Dealing) and not phase.player
