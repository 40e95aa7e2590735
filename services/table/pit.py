"""The pit: all that the routes stand on. It is named when the application is made, and staffed when it starts."""

from services.door.entrance import Closing
from services.table.croupier import Croupier
from services.table.database import Pool
from services.table.journal import Journal
from services.table.notary import Notary
from services.table.shelf import MismatchError


class Pit:
    """The journal, whoever writes in it, and whoever signs it; there between the service's start and its end."""

    __slots__ = ("closing", "croupier", "journal", "notary", "pool")

    closing: Closing
    croupier: Croupier
    journal: Journal
    notary: Notary
    pool: Pool

    def insist_on_the_log(self) -> None:
        """Go no further when the log is not what was signed. Raises MismatchError."""
        if self.notary.refusal is not None:
            raise MismatchError(self.notary.refusal)
