"""The notary signs what is in the log, takes nothing back, and refuses a log that lost what was signed."""

import asyncio

import asyncpg
import pytest

from schemas import proof as proofs
from schemas.checkpoint import Checkpoint, open_checkpoint
from schemas.note import Signer
from schemas.tree import EMPTY_ROOT, root, verify_inclusion
from services.table.journal import Journal
from services.table.notary import Notary
from services.table.shelf import MismatchError
from tests.table.office import OFTEN, SIGNER, Office, cheat, kept, leaves_of, opened, write

pytestmark = pytest.mark.anyio


async def test_an_empty_log_is_signed_at_once(notary: Notary) -> None:
    signed = await notary.ready()

    assert opened(signed) == Checkpoint(origin="casino.example/log/1", size=0, root=EMPTY_ROOT)


async def test_a_checkpoint_covers_the_place_that_was_asked_for(journal: Journal, notary: Notary) -> None:
    await notary.ready()
    await write(journal, 10)

    signed = await notary.cover(9)

    assert opened(signed).size == 10
    assert opened(signed).root == root(await leaves_of(journal))
    assert notary.latest == signed


async def test_many_who_ask_at_once_get_one_checkpoint(journal: Journal, notary: Notary, pool: asyncpg.Pool) -> None:
    await notary.ready()
    await write(journal, 100)

    covers = await asyncio.gather(*(notary.cover(position) for position in range(100)))

    assert {signed.size for signed in covers} == {100}
    assert await kept(pool) == [0, 100]


async def test_news_is_signed_unasked_and_quiet_is_not(journal: Journal, office: Office, pool: asyncpg.Pool) -> None:
    async with office(period_seconds=OFTEN) as notary:
        await notary.ready()
        for size in (3, 6):
            await write(journal, 3)
            async with asyncio.timeout(60):
                while (await kept(pool))[-1] != size:
                    pass

        for _ in range(20):
            assert (await kept(pool)) == [0, 3, 6]


async def test_nothing_is_signed_for_a_place_where_nothing_is_written(journal: Journal, notary: Notary) -> None:
    await write(journal, 3)

    for position in (3, -1, 10**12):
        with pytest.raises(LookupError):
            await notary.prove(position)


async def test_every_entry_is_proved_at_every_size_that_was_signed(journal: Journal, notary: Notary) -> None:
    sizes = (1, 2, 255, 256, 257, 700)
    for size in sizes:
        await write(journal, size - await journal.size())
        await notary.cover(size - 1)
    leaves = await leaves_of(journal)

    for size in sizes:
        for position in {0, size // 2, size - 1}:
            proof = proofs.parse(proofs.encode(await notary.prove(position, size=size)))

            signed = open_checkpoint(proof.checkpoint, SIGNER.verifier)
            assert (proof.index, signed.size, signed.root) == (position, size, root(leaves[:size]))
            assert verify_inclusion(
                index=position, size=size, leaf=leaves[position], proof=proof.hashes, root=signed.root
            )


async def test_what_is_proved_unasked_for_a_size_is_proved_by_the_latest_checkpoint(
    journal: Journal, notary: Notary
) -> None:
    await write(journal, 5)

    proof = await notary.prove(4)

    assert open_checkpoint(proof.checkpoint, SIGNER.verifier).size == 5
    with pytest.raises(LookupError):
        await notary.prove(4, size=4)


async def test_a_notary_goes_on_where_the_one_before_stopped(journal: Journal, office: Office) -> None:
    async with office() as before:
        await write(journal, 300)
        await before.cover(299)
    await write(journal, 300)

    async with office() as after:
        signed = await after.cover(599)

    assert opened(signed).root == root(await leaves_of(journal))


@pytest.mark.parametrize("damage", ["delete from journal.node", "update journal.node set hash = sha256('x')"])
async def test_nodes_that_are_lost_or_wrong_are_derived_again(
    journal: Journal, office: Office, pool: asyncpg.Pool, superuser: asyncpg.Connection, damage: str
) -> None:
    async with office() as before:
        await write(journal, 700)
        await before.cover(699)
    await superuser.execute(damage)

    async with office() as after:
        await write(journal, 10)
        await after.prove(100)
        assert await pool.fetchval("select count(*) from journal.node where hash <> sha256('x')") == 2


LIES = {
    "entries lost": "delete from journal.entry where position >= 8; update journal.head set size = 8",
    "the last entry lost": "delete from journal.entry where position = 9; update journal.head set size = 9",
    "an entry exchanged": "update journal.entry set leaf = sha256('x') where position = 9",
    "an early entry exchanged": "update journal.entry set leaf = sha256('x') where position = 0",
    "an entry taken out of the middle": "delete from journal.entry where position = 5",
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
async def test_a_notary_that_starts_refuses_a_log_that_lost_what_was_signed(
    journal: Journal, office: Office, pool: asyncpg.Pool, superuser: asyncpg.Connection, lie: str
) -> None:
    async with office() as before:
        await write(journal, 10)
        await before.cover(9)
    await cheat(superuser, lie)

    async with office() as after:
        with pytest.raises(MismatchError):
            await after.ready()

        assert after.refusal is not None
        assert (await kept(pool))[-1] == 10


async def test_entries_written_over_those_that_were_signed_are_not_signed(
    journal: Journal, notary: Notary, pool: asyncpg.Pool, superuser: asyncpg.Connection
) -> None:
    await notary.ready()
    await write(journal, 10)
    await notary.cover(9)
    await cheat(superuser, LIES["entries lost"])
    await write(journal, 20)

    with pytest.raises(MismatchError):
        await notary.cover(27)
    with pytest.raises(MismatchError):
        await notary.cover(0)
    assert await kept(pool) == [0, 10]


async def test_a_checkpoint_that_was_taken_away_is_missed(
    journal: Journal, notary: Notary, superuser: asyncpg.Connection
) -> None:
    await notary.ready()
    await write(journal, 10)
    await notary.cover(9)
    await cheat(superuser, "delete from journal.checkpoint where size = 10")
    await write(journal, 1)

    with pytest.raises(MismatchError):
        await notary.cover(10)


async def test_a_checkpoint_of_another_key_is_no_beginning(journal: Journal, office: Office) -> None:
    async with office() as before:
        await write(journal, 10)
        await before.cover(9)

    async with office(signer=Signer("casino.example/log/1", b"k" * 32)) as other:
        with pytest.raises(MismatchError):
            await other.ready()


async def test_one_notary_signs_and_the_other_takes_over_when_it_goes(journal: Journal, office: Office) -> None:
    async with office(period_seconds=OFTEN) as second:
        async with office(period_seconds=OFTEN) as first:
            await write(journal, 300)
            one, other = await asyncio.gather(first.cover(299), second.cover(299))
            assert one.root == other.root
        await write(journal, 300)

        signed = await second.cover(599)

    assert opened(signed).root == root(await leaves_of(journal))


async def test_a_notary_cut_off_from_the_database_comes_back(
    journal: Journal, notary: Notary, superuser: asyncpg.Connection
) -> None:
    await notary.ready()
    await write(journal, 300)
    await superuser.execute(
        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'"
        " and database = (select oid from pg_database where datname = current_database())"
    )

    signed = await notary.cover(299)

    assert opened(signed).root == root(await leaves_of(journal))
