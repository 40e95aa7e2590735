"""The pit: all that the routes stand on. It is named when the application is made, and staffed when it starts."""

from services.door.entrance import Closing
from services.table.croupier import About, Answer, Croupier, Decide, Order, Taken
from services.table.database import Pool
from services.table.hold import Hold
from services.table.journal import Journal
from services.table.notary import Notary
from services.table.shelf import MismatchError
from services.table.wall import Wall
from services.table.witnesses import Witnesses


class Pit:
    """The journal, whoever writes in it, and whoever signs it; there between the service's start and its end."""

    __slots__ = ("closing", "croupier", "hold", "journal", "notary", "pool", "wall", "witnesses")

    closing: Closing
    croupier: Croupier
    hold: Hold | None
    journal: Journal
    notary: Notary
    pool: Pool
    wall: Wall
    witnesses: Witnesses

    def insist_on_the_log(self) -> None:
        """Go no further when the log is not what was signed. Raises MismatchError."""
        if self.notary.refusal is not None:
            raise MismatchError(self.notary.refusal)

    async def take(self, order: Order, about: About, decide: Decide, answer: Answer) -> Taken:
        """Carry a command out; in strict play the first card of a round is held."""
        taker = self.croupier if self.hold is None or about.shoe != "cards" else self.hold
        return await taker.take(order, about, decide, answer)
