"""The journal writes commands whole, in order, without gap or fork, whoever else writes and whoever goes away."""

import asyncio
from itertools import pairwise

import asyncpg
import pytest

from services.table.command import Appended, KeyUsedError, OutrunError
from services.table.journal import Journal
from tests.table.tapes import ACTOR, Tape, command, follows, new_key, on_both

pytestmark = pytest.mark.anyio


async def results(*futures: asyncio.Future[Appended]) -> list[Appended | BaseException]:
    return await asyncio.gather(*futures, return_exceptions=True)


async def test_commands_of_many_tables_stand_in_the_log_in_the_order_they_came(journal: Journal) -> None:
    tapes = [Tape(f"table/b{number}") for number in range(8)]

    futures = [journal.enqueue(tape.bet(count=count)) for count in (1, 2, 3) * 100 for tape in tapes]
    appended = await asyncio.gather(*futures)

    assert follows(await journal.page(-1, 10_000))
    assert [one.first_position for one in appended] == sorted(one.first_position for one in appended)
    assert await journal.size() == 8 * 600


async def test_the_entries_of_a_command_have_consecutive_places(journal: Journal) -> None:
    tape = Tape()

    first = await journal.append(tape.bet(count=3))
    second = await journal.append(tape.bet())

    assert (first.first_position, second.first_position) == (0, 3)
    assert await journal.position(tape.stream, 4) == 3


async def test_a_repeat_is_told_what_was_answered_and_writes_nothing(journal: Journal) -> None:
    tape = Tape()
    await journal.append(tape.bet())
    asked = tape.bet("key-1", count=2)
    await journal.append(asked)

    with pytest.raises(KeyUsedError) as used:
        await journal.append(tape.bet("key-1"))

    answered = used.value.answered
    assert (answered.request, answered.answer) == (asked.request, asked.answer)
    assert (answered.first_position, answered.entries) == (1, 2)
    assert answered == await journal.find_command(ACTOR, "key-1")
    assert await journal.size() == 3


async def test_a_key_used_at_two_tables_at_once_is_used_once(journal: Journal) -> None:
    one, other = Tape("table/b1"), Tape("table/b2")

    first, second = await results(journal.enqueue(one.bet("key-1")), journal.enqueue(other.bet("key-1")))

    assert first == Appended(first_position=0)
    assert isinstance(second, KeyUsedError)
    assert await journal.last("table/b2") is None


async def test_a_key_that_nobody_used_is_not_found(journal: Journal) -> None:
    assert await journal.find_command(ACTOR, "key-1") is None


async def test_a_refused_command_takes_out_what_leans_on_it_and_nothing_else(journal: Journal) -> None:
    one, other = Tape("table/b1"), Tape("table/b2")
    await journal.append(one.bet())
    late = Tape("table/b1")  # has not seen that bet

    refused = [journal.enqueue(late.bet()), *(journal.enqueue(late.bet()) for _ in range(3))]
    written = [journal.enqueue(other.bet()) for _ in range(4)]

    assert all(isinstance(one, OutrunError) for one in await results(*refused))
    assert all(isinstance(one, Appended) for one in await results(*written))
    assert [entry.stream for entry in await journal.page(-1)] == ["table/b1"] + ["table/b2"] * 4


async def test_what_was_decided_on_another_past_is_outrun(journal: Journal) -> None:
    tape, forged = Tape(), Tape()
    await journal.append(tape.bet())
    forged.bet()  # the right version, but behind another entry

    with pytest.raises(OutrunError):
        await journal.append(forged.bet())


async def test_a_command_on_two_streams_is_written_whole_or_not_at_all(journal: Journal) -> None:
    table, patron = Tape("table/b1"), Tape("patron/p-1")
    await journal.append(on_both(patron, table))
    late = Tape("patron/p-1")

    [refused] = await results(journal.enqueue(on_both(table, late)))

    assert isinstance(refused, OutrunError)
    assert [(entry.stream, entry.version) for entry in await journal.page(-1)] == [("patron/p-1", 1), ("table/b1", 1)]


async def test_what_leans_on_a_refused_command_by_either_of_its_streams_is_refused(journal: Journal) -> None:
    table, patron, stranger = Tape("table/b1"), Tape("patron/p-1"), Tape("table/b9")
    await journal.append(Tape("patron/p-1").bet())

    futures = [
        journal.enqueue(on_both(table, patron)),  # its patron's entry comes too late
        journal.enqueue(on_both(stranger, table)),  # leans on it at the table
        journal.enqueue(stranger.bet()),  # leans on the one that leans on it
    ]

    assert all(isinstance(one, OutrunError) for one in await results(*futures))
    assert await journal.size() == 1


async def test_a_request_that_goes_away_is_not_undone(journal: Journal) -> None:
    tape = Tape()
    request = asyncio.create_task(journal.append(tape.bet("key-1")))
    await asyncio.sleep(0)

    request.cancel()
    await journal.append(tape.bet())

    assert request.cancelled()
    assert await journal.find_command(ACTOR, "key-1") is not None
    assert await journal.size() == 2


async def test_closing_writes_what_has_queued(pool: asyncpg.Pool) -> None:
    journal, tape = Journal(pool), Tape()
    futures = [journal.enqueue(tape.bet()) for _ in range(2000)]

    await journal.close()

    assert all(isinstance(one, Appended) for one in await results(*futures))


async def test_two_services_on_one_database_make_no_gap_and_no_fork(pool: asyncpg.Pool, journal: Journal) -> None:
    lost = 0

    async def deal(service: Journal, table: str, commands: int) -> None:
        nonlocal lost
        while commands:
            last = await service.last(table)
            tape = Tape(table).after(last) if last else Tape(table)
            try:
                await service.append(tape.bet())
                commands -= 1
            except OutrunError:
                lost += 1

    other = Journal(pool)
    await asyncio.gather(*(deal(service, f"table/b{n}", 20) for service in (journal, other) for n in (1, 1, 2)))
    await other.close()

    assert follows(await journal.page(-1))
    assert await journal.size() == 120
    assert lost > 0


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ('"stream":"table/b1"', '"stream":"table/b2"'),
        ('"version":1', '"version":2'),
        ('"actor":"operator:house"', '"actor":"operator:louse"'),
        ('"command":"key_1"', '"command":"keyx1"'),
        ('"schema":1', '"schema": 1'),
        ('"event":{', '"event":['),
        ('{"id"', ' {"id"'),
        ('"at":"2026-', '"at":"12026-'),
    ],
)
async def test_a_line_that_says_something_else_than_it_is_filed_under_is_refused_alone(
    journal: Journal, said: str, instead: str
) -> None:
    entry = Tape().seal("key_1")
    line = entry.line.replace(said.encode(), instead.encode())
    assert line != entry.line
    spoiled = type(entry)(stream=entry.stream, version=1, chapter=1, line=line, leaf=entry.leaf)

    refused, written = await results(
        journal.enqueue(command("key_1", spoiled)), journal.enqueue(Tape("table/b2").bet())
    )

    assert isinstance(refused, asyncpg.CheckViolationError)
    assert isinstance(written, Appended)
    assert await journal.size() == 1


async def test_an_entry_longer_than_the_format_allows_is_refused_alone(journal: Journal) -> None:
    entry = Tape().seal("key-1")
    line = entry.line[:-1] + b" " * (65_536 - len(entry.line)) + b"}"
    long = type(entry)(stream=entry.stream, version=1, chapter=1, line=line, leaf=entry.leaf)

    refused, written = await results(journal.enqueue(command("key-1", long)), journal.enqueue(Tape("table/b2").bet()))

    assert len(line) == 65_536
    assert isinstance(refused, asyncpg.CheckViolationError)
    assert isinstance(written, Appended)


async def test_an_entry_filed_under_another_chapter_is_refused(journal: Journal) -> None:
    tape = Tape()
    await journal.append(tape.begin())
    await journal.append(tape.begin())
    tape.chapter = 1

    with pytest.raises(asyncpg.CheckViolationError):
        await journal.append(tape.bet())


async def test_a_command_without_entries_is_not_kept(journal: Journal) -> None:
    with pytest.raises(ValueError, match="writes nothing"):
        journal.enqueue(command(new_key()))


async def test_following_the_log_brings_every_entry_once_whoever_wrote_it(pool: asyncpg.Pool, journal: Journal) -> None:
    other, mine, theirs = Journal(pool), Tape("table/b1"), Tape("table/b2")
    seen: list[int] = []

    async def follow() -> None:
        async for page in journal.follow(-1):
            seen.extend(entry.position for entry in page)
            if len(seen) == 60:
                return

    following = asyncio.create_task(follow())
    for _ in range(30):
        await asyncio.gather(journal.append(mine.bet()), other.append(theirs.bet()))
    await asyncio.wait_for(following, 60)
    await other.close()

    assert seen == list(range(60))


async def test_following_a_quiet_log_brings_empty_pages(journal: Journal) -> None:
    pages = journal.follow(-1, idle_seconds=0.001)

    assert [await anext(pages), await anext(pages)] == [[], []]


async def test_a_slice_is_what_was_written_byte_for_byte(journal: Journal) -> None:
    tape = Tape()
    asked = tape.bet(count=10)
    await journal.append(asked)

    lines = await journal.slice(tape.stream, first=3, last=5)

    assert lines == [entry.line for entry in asked.entries[2:5]]


async def test_pages_of_the_log_meet_without_overlap(journal: Journal) -> None:
    await journal.append(Tape().bet(count=10))

    pages = [await journal.page(after, 4) for after in (-1, 3, 7)]

    assert [len(page) for page in pages] == [4, 4, 2]
    assert all(one[-1].position + 1 == next_one[0].position for one, next_one in pairwise(pages))
