"""What the notary signed it remembers outside the database: one that was taken back, or damaged, is refused."""

import asyncpg
import pytest

from schemas.checkpoint import Checkpoint, open_checkpoint, sign
from schemas.tree import root
from services.table.command import UnavailableError
from services.table.journal import Journal
from services.table.notary import Notary
from services.table.register import FileRegister
from services.table.shelf import MismatchError
from tests.table.office import (
    OFTEN,
    SIGNER,
    FullDisk,
    Office,
    cheat,
    flipped,
    kept,
    leaves_of,
    opened,
    take_back,
    write,
)

pytestmark = pytest.mark.anyio


async def signed_and_taken_back(journal: Journal, office: Office, superuser: asyncpg.Connection) -> None:
    """Sign ten entries, and put the database back to where it was when there were eight."""
    async with office() as before:
        await write(journal, 8)
        await before.cover(7)
        await write(journal, 2)
        await before.cover(9)
    await take_back(superuser, 8)


async def refused(office: Office) -> str:
    async with office() as after:
        with pytest.raises(MismatchError) as refusal:
            await after.ready()
        assert after.refusal == str(refusal.value)
    return str(refusal.value)


async def test_a_database_that_was_taken_back_is_refused(
    journal: Journal, office: Office, superuser: asyncpg.Connection
) -> None:
    await signed_and_taken_back(journal, office, superuser)

    why = await refused(office)

    assert "the database is behind: it has 8 entries of casino.example/log/1, and 10 were signed" in why
    assert "shoelog log succeed" in why


async def test_a_database_that_was_taken_back_and_went_on_is_refused(
    journal: Journal, office: Office, superuser: asyncpg.Connection
) -> None:
    await signed_and_taken_back(journal, office, superuser)
    await write(journal, 5)

    assert "the first 10 entries of casino.example/log/1 are not those that were signed" in await refused(office)


async def test_a_running_notary_refuses_a_database_that_was_taken_back(
    journal: Journal, notary: Notary, superuser: asyncpg.Connection
) -> None:
    await write(journal, 10)
    await notary.cover(9)
    await take_back(superuser, 8)
    await write(journal, 5)

    with pytest.raises(MismatchError):
        await notary.cover(12)


async def test_without_a_register_what_the_database_shows_is_not_believed(
    journal: Journal, office: Office, register: FileRegister
) -> None:
    async with office() as before:
        await write(journal, 3)
        await before.cover(2)
    register.path.unlink()

    why = await refused(office)

    assert f"the register ({register.path}) is empty" in why
    assert "shoelog log remember" in why


async def test_a_register_that_went_back_is_not_believed(
    journal: Journal, office: Office, register: FileRegister
) -> None:
    async with office() as before:
        await write(journal, 3)
        await before.cover(2)
        old = register.path.read_bytes()
        await write(journal, 3)
        await before.cover(5)
    register.path.write_bytes(old)

    assert "it knows of 3 entries, and the database shows a checkpoint of 6" in await refused(office)


async def test_two_trees_of_one_size_are_a_fork(journal: Journal, office: Office, register: FileRegister) -> None:
    async with office() as before:
        await write(journal, 3)
        await before.cover(2)
    fork = Checkpoint(origin=SIGNER.verifier.name, size=3, root=b"f" * 32)
    register.path.write_bytes(sign(fork, SIGNER))

    assert "the log has forked" in await refused(office)


@pytest.mark.parametrize("damage", [b"", b"x", b"casino.example/log/1\n0\n"])
async def test_a_damaged_register_is_not_believed(
    journal: Journal, office: Office, register: FileRegister, damage: bytes
) -> None:
    async with office() as before:
        await write(journal, 3)
        await before.cover(2)
    register.path.write_bytes(damage)

    assert "the checkpoint in the register" in await refused(office)


async def test_a_checkpoint_that_reached_the_register_alone_is_published_by_the_next_notary(
    journal: Journal, office: Office, register: FileRegister, pool: asyncpg.Pool
) -> None:
    async with office() as before:
        await before.ready()
    await write(journal, 3)
    ahead = sign(Checkpoint(origin=SIGNER.verifier.name, size=2, root=root((await leaves_of(journal))[:2])), SIGNER)
    register.replace(register.read(), ahead)

    async with office() as after:
        await after.cover(2)

    assert await kept(pool) == [0, 2, 3]


async def test_two_notaries_never_sign_past_each_other(
    journal: Journal, office: Office, register: FileRegister
) -> None:
    async with office(period_seconds=OFTEN) as first, office(period_seconds=OFTEN) as second:
        for _ in range(5):
            await write(journal, 3)
            size = await journal.size()
            one, other = await first.cover(size - 1), await second.cover(size - 1)
            assert (one.size, one.root) == (other.size, other.root)
            assert register.read() == one.note


async def test_while_the_register_is_away_nothing_is_signed_and_afterwards_all_is(
    journal: Journal, office: Office, register: FileRegister
) -> None:
    async with office(period_seconds=OFTEN) as notary:
        await notary.ready()
        await write(journal, 3)
        away = register.path.parent.rename(register.path.parent.with_name("away"))

        with pytest.raises(UnavailableError, match="the register"):
            await notary.cover(2, patience_seconds=0.2)
        assert notary.trouble is not None
        assert notary.refusal is None

        away.rename(register.path.parent)
        await notary.cover(2)
        assert notary.trouble is None


async def test_on_a_full_disk_nothing_is_signed_and_with_room_again_all_is(
    journal: Journal, office: Office, register: FileRegister, full_disk: FullDisk, pool: asyncpg.Pool
) -> None:
    async with office(period_seconds=OFTEN) as notary:
        await notary.ready()
        before = register.read()
        with full_disk():
            await write(journal, 3)

            with pytest.raises(UnavailableError, match=r"the register .* cannot be written: .*No space left on device"):
                await notary.cover(2, patience_seconds=0.2)
            assert (register.read(), await kept(pool)) == (before, [0])
            assert notary.refusal is None
            await write(journal, 3)

        assert opened(await notary.cover(5)).root == root(await leaves_of(journal))
        assert notary.trouble is None


async def test_a_first_checkpoint_that_finds_no_room_is_signed_when_there_is(
    office: Office, register: FileRegister, full_disk: FullDisk, pool: asyncpg.Pool
) -> None:
    async with office(period_seconds=OFTEN) as notary:
        with full_disk():
            with pytest.raises(UnavailableError, match="the register"):
                await notary.ready(patience_seconds=0.2)
            assert (register.read(), await kept(pool)) == (None, [])

        assert (await notary.ready()).size == 0


class Unsure(FileRegister):
    """A register whose disk fails once, after it has taken the note."""

    has_failed = False

    def replace(self, expected: bytes | None, note: bytes) -> None:
        """Keep a note in place of another, and say that it was not possible."""
        super().replace(expected, note)
        if expected is not None and not self.has_failed:
            self.has_failed = True
            raise OSError(5, "Input/output error")


async def test_a_register_that_failed_after_it_took_the_note_is_believed_and_nothing_forks(
    journal: Journal, pool: asyncpg.Pool, register: FileRegister
) -> None:
    unsure = Unsure(register.path)
    notary = Notary(pool, SIGNER, unsure, period_seconds=OFTEN)
    await write(journal, 3)
    await notary.cover(2)
    await write(journal, 3)

    signed = await notary.cover(5)

    assert unsure.has_failed
    assert register.read() == signed.note
    leaves = await leaves_of(journal)
    assert opened(signed).root == root(leaves)
    for row in await pool.fetch("select note from journal.checkpoint"):
        checkpoint = open_checkpoint(row["note"].encode(), SIGNER.verifier)
        assert checkpoint.root == root(leaves[: checkpoint.size])
    await notary.close()


async def test_one_flipped_bit_in_any_entry_or_leaf_is_noticed_before_the_next_signature(
    journal: Journal, office: Office, register: FileRegister, superuser: asyncpg.Connection
) -> None:
    """In pieces that are full, at the frontier, and among what is new."""
    async with office() as before:
        await write(journal, 600)
        await before.cover(599)
    await write(journal, 20)
    signed = register.read()

    for position in (0, 255, 256, 300, 511, 512, 599, 600, 619):
        for column, bit in (("line", 8 * 40 + position % 8), ("leaf", position % 256)):
            flip = flipped(column, bit, of=f"entry position = {position}")
            await cheat(superuser, flip)
            async with office() as notary:
                with pytest.raises(MismatchError):
                    await notary.cover(619)
            await cheat(superuser, flip)
            assert register.read() == signed, (position, column)

    async with office() as after:
        assert opened(await after.cover(619)).root == root(await leaves_of(journal))


@pytest.mark.parametrize("position", [3, 300, 599])
async def test_an_entry_rewritten_with_its_leaf_is_noticed_by_a_notary_that_runs(
    journal: Journal, notary: Notary, superuser: asyncpg.Connection, position: int
) -> None:
    await write(journal, 600)
    await notary.cover(599)
    await write(journal, 1)
    await cheat(superuser, flipped("line", 320, of=f"entry position = {position}"))
    await cheat(superuser, "update journal.entry set leaf = sha256('\\x00'::bytea || line)")

    with pytest.raises(MismatchError):
        await notary.cover(600)


async def test_one_flipped_bit_in_any_node_is_put_right_before_the_next_signature(
    journal: Journal, notary: Notary, superuser: asyncpg.Connection
) -> None:
    await write(journal, 600)
    await notary.cover(599)
    nodes = "select level, index, hash from journal.node order by level, index"
    right = await superuser.fetch(nodes)
    assert len(right) == 2

    for node in right:
        await superuser.execute(flipped("hash", 77, of=f"node index = {node['index']}"))
        await write(journal, 1)
        await notary.cover(await journal.size() - 1)

        assert await superuser.fetch(nodes) == right


async def test_deleting_the_tree_changes_nothing_but_time(
    journal: Journal, notary: Notary, superuser: asyncpg.Connection
) -> None:
    await write(journal, 600)
    await notary.cover(599)
    proofs = [await notary.prove(position) for position in range(0, 600, 50)]
    beginning = await notary.prove_beginning(257, 600)
    tile = await notary.shelf.read(1, 0, 2)

    await superuser.execute("delete from journal.node")

    assert await notary.shelf.read(1, 0, 2) == tile
    await superuser.execute("delete from journal.node")
    assert [await notary.prove(position) for position in range(0, 600, 50)] == proofs
    await superuser.execute("delete from journal.node")
    assert await notary.prove_beginning(257, 600) == beginning
    await superuser.execute("delete from journal.node")
    await write(journal, 1)
    assert opened(await notary.cover(600)).root == root(await leaves_of(journal))


async def test_a_proof_over_a_wrong_node_is_made_anew(
    journal: Journal, notary: Notary, superuser: asyncpg.Connection
) -> None:
    await write(journal, 600)
    proof = await notary.prove(100)
    await superuser.execute("update journal.node set hash = sha256('x')")

    assert await notary.prove(100) == proof
    await superuser.execute("update journal.node set hash = sha256('x')")
    assert await notary.prove_beginning(100, 600)
