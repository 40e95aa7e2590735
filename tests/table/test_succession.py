"""A log whose entries were lost is succeeded, once, though somebody die on the way; a whole one is not."""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from schemas.accounts import LogSucceeded
from schemas.checkpoint import Checkpoint, open_checkpoint, sign
from schemas.entry import decode
from schemas.note import Signer
from schemas.policy import judge
from schemas.tree import root, verify_inclusion
from services.table.journal import Journal
from services.table.notary import UnprovableError
from services.table.register import FileRegister
from services.table.seal import SeedKey
from services.table.shelf import MismatchError
from services.table.succession import Ceremony, Succeeded, Succession, SuccessionError, remember
from services.table.vault import Vault
from tests.databases import Database
from tests.table.gallery import Gallery
from tests.table.office import SIGNER, Office, cheat, leaves_of, opened, take_back, write
from tests.table.witnessed import OpenOffice

pytestmark = pytest.mark.anyio
SECOND, THIRD = (Signer(f"casino.example/log/{number}", bytes([number]) * 32) for number in (2, 3))
BECAUSE = Succession(reason="restored-from-backup", approved_by="staff:anna")
STREAM = "patron/p-1"


@pytest.fixture
async def owner(journal_database: Database) -> AsyncIterator[asyncpg.Pool]:
    """Connections of the journal's owner."""

    async def as_owner(connection: Any) -> None:
        await connection.execute("set role shoelog_table_owner")

    url = journal_database.url("shoelog_table_migrator")
    async with asyncpg.create_pool(url, min_size=1, max_size=4, setup=as_owner) as pool:
        yield pool


async def succeed(owner: asyncpg.Pool, register: FileRegister, signer: Signer = SECOND) -> Succeeded:
    return await Ceremony(owner, register, signer, Vault(SeedKey(bytes(32)))).hold(BECAUSE)


@pytest.fixture
async def lost(journal: Journal, office: Office, superuser: asyncpg.Connection) -> None:
    """Of a log of ten signed entries the last two are lost; of the eight that are there, five were signed."""
    async with office() as before:
        await write(journal, 5, STREAM)
        await before.cover(4)
        await write(journal, 5, STREAM)
        await before.cover(9)
    await take_back(superuser, 8)


@pytest.mark.usefixtures("lost")
async def test_the_successor_begins_with_the_last_checkpoint_of_the_log_that_ended(
    journal: Journal, register: FileRegister, owner: asyncpg.Pool, office: Office
) -> None:
    ended = register.read()
    assert ended is not None

    held = await succeed(owner, register)

    assert (held.old_origin, held.old_size, held.base, held.size) == (SIGNER.verifier.name, 10, 8, 1)
    assert (held.old_number, held.old_left) == (1, 5)
    entry = decode((await journal.page(7))[0].line)
    assert (entry.stream, entry.version, entry.actor) == ("log", 1, "staff:anna")
    assert entry.event == LogSucceeded(
        origin=SIGNER.verifier.name, checkpoint=ended.decode(), reason="restored-from-backup"
    )
    async with office(signer=SECOND) as notary:
        await write(journal, 300, STREAM)
        signed = open_checkpoint((await notary.cover(308)).note, SECOND.verifier)
        assert (signed.size, signed.root) == (301, root((await leaves_of(journal))[8:]))
        assert await notary.prove_beginning(1, 301)


@pytest.mark.usefixtures("lost")
async def test_each_entry_is_proved_in_the_log_that_holds_it(
    journal: Journal, register: FileRegister, owner: asyncpg.Pool, office: Office
) -> None:
    await succeed(owner, register)
    leaves = await leaves_of(journal)

    async with office(signer=SECOND) as notary:
        for position, log, index in ((3, SIGNER, 3), (8, SECOND, 0)):
            proof = await notary.prove(position)
            signed = open_checkpoint(proof.checkpoint, log.verifier)
            assert (await notary.log_of(position), proof.index) == (log.verifier, index)
            assert verify_inclusion(
                index=index, size=signed.size, leaf=leaves[position], proof=proof.hashes, root=signed.root
            )
        with pytest.raises(UnprovableError):  # it was signed, but under a checkpoint whose other entries are lost
            await notary.prove(6)
        with pytest.raises(LookupError):
            await notary.prove(-1)


@pytest.mark.usefixtures("lost")
async def test_the_old_log_is_never_signed_again(register: FileRegister, owner: asyncpg.Pool, office: Office) -> None:
    await succeed(owner, register)

    async with office() as notary:
        with pytest.raises(MismatchError, match="the database is filling the log casino"):
            await notary.ready()
    with pytest.raises(SuccessionError, match="set SHOELOG_LOG_ORIGIN to an origin that was never used"):
        await succeed(owner, register)


@pytest.mark.usefixtures("lost")
async def test_a_ceremony_that_died_before_the_register_was_written_goes_on(
    journal: Journal, register: FileRegister, owner: asyncpg.Pool, office: Office
) -> None:
    ended = register.read()
    home = register.path.parent
    away = home.rename(home.with_name("away"))
    half = FileRegister(away / register.path.name)
    half.replace = None  # type: ignore[method-assign,assignment]  # it dies when it is about to write
    with pytest.raises(TypeError):
        await succeed(owner, half)
    away.rename(home)
    assert register.read() == ended
    async with office(signer=SECOND) as notary:
        with pytest.raises(MismatchError):
            await notary.ready()

    held = await succeed(owner, register)

    assert (held.base, held.size) == (8, 1)
    assert await journal.size() == 9
    async with office(signer=SECOND) as notary:
        assert (await notary.ready()).size == 1


@pytest.mark.usefixtures("lost")
async def test_a_log_may_be_succeeded_again(
    journal: Journal, register: FileRegister, owner: asyncpg.Pool, office: Office, superuser: asyncpg.Connection
) -> None:
    await succeed(owner, register)
    async with office(signer=SECOND) as notary:
        await write(journal, 5, STREAM)
        await notary.cover(13)
    await take_back(superuser, 12)

    held = await succeed(owner, register, THIRD)

    assert (held.old_origin, held.old_size, held.base) == (SECOND.verifier.name, 6, 12)
    assert (held.old_number, held.old_left) == (2, 1)
    async with office(signer=THIRD) as notary:
        assert (await notary.log_of(4), await notary.log_of(8), await notary.log_of(12)) == (
            SIGNER.verifier,
            SECOND.verifier,
            THIRD.verifier,
        )
        assert (await notary.prove(4)).index == 4


async def test_a_journal_of_which_nothing_is_left_is_succeeded(
    journal: Journal, register: FileRegister, owner: asyncpg.Pool, office: Office, superuser: asyncpg.Connection
) -> None:
    async with office() as before:
        await before.ready()
        await write(journal, 3, STREAM)
        await before.cover(2)
    await take_back(superuser, 0)

    assert (await succeed(owner, register)).base == 0

    async with office(signer=SECOND) as notary:
        assert (await notary.ready()).size == 1
        assert (await notary.prove(0)).index == 0


async def test_a_log_of_which_nothing_is_lost_is_not_succeeded(
    journal: Journal, register: FileRegister, owner: asyncpg.Pool, office: Office
) -> None:
    async with office() as notary:
        await write(journal, 3, STREAM)
        await notary.cover(2)
        with pytest.raises(SuccessionError, match="a service is signing"):
            await succeed(owner, register)

    with pytest.raises(SuccessionError, match="nothing is lost: the database holds all 3 entries"):
        await succeed(owner, register)
    register.path.unlink()
    with pytest.raises(SuccessionError, match="is empty: it knows of no log"):
        await succeed(owner, register)
    assert await journal.size() == 3


async def test_people_may_say_that_nothing_is_lost_but_a_register(
    journal: Journal, register: FileRegister, owner: asyncpg.Pool, office: Office
) -> None:
    async with office() as before:
        await write(journal, 3, STREAM)
        await before.cover(2)
    register.path.unlink()

    assert (await remember(owner, register, SIGNER)).size == 3

    async with office() as after:
        assert opened(await after.ready()).size == 3
    with pytest.raises(SuccessionError, match="knows of 3 entries already"):
        await remember(owner, register, SIGNER)


async def test_a_database_that_does_not_lead_to_its_own_checkpoint_is_not_remembered(
    journal: Journal, register: FileRegister, owner: asyncpg.Pool, office: Office, superuser: asyncpg.Connection
) -> None:
    async with office() as before:
        await write(journal, 3, STREAM)
        await before.cover(2)
    register.path.unlink()
    fork = sign(Checkpoint(origin=SIGNER.verifier.name, size=3, root=b"f" * 32), SIGNER).decode()
    await cheat(superuser, f"update journal.checkpoint set note = '{fork}' where size = 3")  # noqa: S608

    with pytest.raises(MismatchError):
        await remember(owner, register, SIGNER)
    assert register.read() is None


async def test_entries_of_a_log_that_ended_are_proved_by_what_its_witnesses_cosigned_last(  # noqa: PLR0913, PLR0917
    journal: Journal,
    register: FileRegister,
    owner: asyncpg.Pool,
    office: Office,
    superuser: asyncpg.Connection,
    gallery: Gallery,
    open_office: OpenOffice,
) -> None:
    first, second = gallery.log(), gallery.log()
    async with open_office(first, gallery.policy(first)) as witnessed:
        await write(journal, 5, STREAM)
        await witnessed.witnesses.cosigned(await witnessed.signed(journal))
    async with office(signer=first) as before:
        await write(journal, 5, STREAM)
        await before.cover(9)
    await take_back(superuser, 5)
    await succeed(owner, register, second)

    async with open_office(second, gallery.policy(second)) as witnessed:
        old, new = [await witnessed.witnesses.prove(position) for position in (0, 5)]
        of_first = witnessed.witnesses.policy_of(first.verifier)

    assert judge(gallery.policy(first), old.checkpoint).findings == ()
    assert judge(gallery.policy(second), new.checkpoint).findings == ()
    assert of_first == gallery.policy(first)
