"""What the table's tests ask for: a database with the journal in it, a pool of the service's role, a journal."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import asyncpg
import pytest

from schemas.note import Signer
from schemas.policy import Policy
from services.table.journal import Journal
from services.table.migrate import migrate
from services.table.notary import Notary
from services.table.register import FileRegister, Register
from services.table.witnesses import Witnesses
from tests.databases import Database, complete
from tests.table.gallery import Gallery
from tests.table.office import OFTEN, SELDOM, SIGNER, FullDisk, Office
from tests.table.office import take_back as take_back_journal
from tests.table.stranger import Script, Stranger
from tests.table.witnessed import MakeStranger, OpenOffice, TakeBack, Witnessed


async def migrate_at(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await migrate(connection)
    finally:
        await connection.close()


@pytest.fixture
def journal_database(table_database: Database) -> Database:
    """An empty journal, made by the role that migrates."""
    complete(migrate_at(table_database.url("shoelog_table_migrator")))
    return table_database


@pytest.fixture
async def pool(journal_database: Database) -> AsyncIterator[asyncpg.Pool]:
    """Connections of the table service's role."""
    async with asyncpg.create_pool(journal_database.url("shoelog_table"), min_size=0, max_size=10) as pool:
        yield pool


@pytest.fixture
async def journal(pool: asyncpg.Pool) -> AsyncIterator[Journal]:
    """A journal that is closed after the test."""
    journal = Journal(pool)
    yield journal
    await journal.close()


@pytest.fixture
def register(tmp_path: Path) -> FileRegister:
    """An empty register of a notary."""
    return FileRegister(tmp_path / "log.checkpoint")


@pytest.fixture
def full_disk(register: FileRegister) -> FullDisk:
    """`full_disk()`: from the beginning to the end of a `with` there is no room for what the register would write."""

    @contextmanager
    def filled() -> Iterator[None]:
        scratch = register.path.with_name(f".{register.path.name}.new")
        scratch.symlink_to("/dev/full")
        try:
            yield
        finally:
            scratch.unlink()

    return filled


@pytest.fixture
def office(pool: asyncpg.Pool, register: Register) -> Office:
    """Where a notary sits between the beginning and the end of a `with`; all of them share one register."""

    @asynccontextmanager
    async def sitting(*, period_seconds: float = SELDOM, signer: Signer = SIGNER) -> AsyncIterator[Notary]:
        notary = Notary(pool, signer, register, period_seconds=period_seconds)
        try:
            yield notary
        finally:
            await notary.close()

    return sitting


@pytest.fixture
async def notary(office: Office) -> AsyncIterator[Notary]:
    """A notary that signs when asked."""
    async with office() as notary:
        yield notary


@pytest.fixture
async def superuser(journal_database: Database) -> AsyncIterator[asyncpg.Connection]:
    """A connection of one who may cheat."""
    connection = await asyncpg.connect(journal_database.superuser)
    yield connection
    await connection.close()


@pytest.fixture(scope="session")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    """Three honest witnesses."""
    gallery = Gallery(tmp_path_factory.mktemp("gallery"))
    yield gallery
    gallery.close()


@pytest.fixture
def make_stranger() -> Iterator[MakeStranger]:
    """Witnesses of which anything may be expected."""
    made: list[Stranger] = []

    def make(script: Script) -> Stranger:
        made.append(Stranger(script, name=f"stranger-{len(made)}.example/w"))
        return made[-1]

    yield make
    for stranger in made:
        stranger.leave()


@pytest.fixture
def open_office(pool: asyncpg.Pool, register: FileRegister) -> OpenOffice:
    """`open_office(log, policy)`: an office on the test's journal, from the beginning to the end of a `with`."""

    @asynccontextmanager
    async def opened(log: Signer, policy: Policy) -> AsyncIterator[Witnessed]:
        notary = Notary(pool, log, register, period_seconds=OFTEN)
        witnesses = Witnesses(pool, notary, policy)
        try:
            await notary.ready()
            await witnesses.open()
            yield Witnessed(notary, witnesses)
        finally:
            await witnesses.close()
            await notary.close()

    return opened


@pytest.fixture
def take_back(superuser: asyncpg.Connection, register: FileRegister) -> TakeBack:
    """`take_back(size)`: database and register as a backup had them, so that the witnesses alone can tell."""

    async def taken_back(size: int) -> None:
        await take_back_journal(superuser, size)
        await superuser.execute("delete from journal.agreement")
        kept = await superuser.fetchval("select note from journal.checkpoint order by size desc limit 1")
        register.path.unlink()
        if kept is not None:
            register.replace(None, kept.encode())

    return taken_back
