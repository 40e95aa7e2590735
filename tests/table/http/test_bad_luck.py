"""Bad luck: two services at one table, a stop in full swing, a database that dies, a seed that is lost."""

import asyncio
import concurrent.futures
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from services.house import roles
from services.house.postgres import Server
from services.table.command import Command, Committed
from services.table.game import shoe, shoes
from services.table.journal import Journal
from services.table.seal import begin, load_key, seal
from services.table.stream import TableStream, read_table
from tests.databases import Database, complete, scratch_directory
from tests.table.http.conftest import MakeService
from tests.table.http.service import (
    OPERATOR,
    Service,
    entries_of,
    execute,
    new_key,
    open_round,
    open_table,
    prepare,
)
from tests.table.http.test_bad_input import BET, told

CURRENT = "/rounds/current"


def test_two_services_at_one_table_leave_no_gap_and_no_fork(make_service: MakeService) -> None:
    one = make_service()
    other = make_service(one.database)
    at = open_round(one.client(), patrons=4)

    def bet(service: Service, patron: str) -> int:
        """Bet as often as it takes until ten bets stand; others may be faster time and again."""
        desk, outrun = service.client(), 0
        for _ in range(10):
            key = new_key()
            while (answer := desk.post(f"{at}{CURRENT}/bets", {**BET, "patron": patron}, Idempotency_Key=key)).is_error:
                assert (answer.status_code, answer.headers.get("retry-after")) == (503, "1"), answer.text
                outrun += 1
        return outrun

    with concurrent.futures.ThreadPoolExecutor(4) as crowd:
        list(crowd.map(bet, [one, other, one, other], ["p1", "p2", "p3", "p4"]))

    assert one.client().ask(at) == other.client().ask(at)
    assert one.client().ask(at)["stacks"] == {f"p{number}": 990_000 for number in range(1, 5)}
    coup = one.client().tell(f"{at}{CURRENT}/coup")
    assert len(coup["lines"]) == 4
    entries = entries_of(other.client(), at[1:].replace("tables", "table"))
    assert [entry["version"] for entry in entries] == list(range(1, len(entries) + 1))


def test_a_refusal_of_one_service_knows_what_the_other_wrote(make_service: MakeService) -> None:
    one = make_service()
    other = make_service(one.database)
    at = open_round(one.client(), chips=1000)
    other.client().ask(at)
    one.client().tell(f"{at}/chips/buy", {"patron": "p1", "amount": 1000})

    other.client().tell(f"{at}{CURRENT}/bets", {**BET, "amount": 2000})

    told(one.client().post(f"{at}{CURRENT}/bets", BET), 422, "stack-too-small")


def test_a_service_that_is_told_to_stop_ends_its_streams_and_answers_what_it_has_begun(
    make_service: MakeService,
) -> None:
    service = make_service()
    at = open_round(service.client(), patrons=8)
    answered: list[int] = []
    in_full_swing = threading.Event()

    def bet_until_it_stops(patron: str) -> None:
        desk = service.client()
        try:
            while True:
                answered.append(desk.tell(f"{at}{CURRENT}/bets", {**BET, "amount": 500, "patron": patron})["position"])
                in_full_swing.set()
        except httpx.TransportError:
            return

    crowd = [threading.Thread(target=bet_until_it_stops, args=[f"p{number}"]) for number in range(1, 9)]
    with httpx.stream(
        "GET", f"{service.url}/v1/log/stream", headers={"Authorization": f"Bearer {OPERATOR}"}, timeout=30
    ) as stream:
        for thread in crowd:
            thread.start()
        lines = stream.iter_lines()
        in_full_swing.wait()
        service.process.send_signal(signal.SIGTERM)
        told_last = [line for line in lines if line.startswith("data:")]
    for thread in crowd:
        thread.join()

    assert service.process.wait() == 0
    service.stop()
    assert '"event":"stopped"' in service.log.read_text()
    assert len(told_last) >= 1, "the stream told nothing"
    assert all(json.loads(line.removeprefix("data:"))["version"] for line in told_last)
    desk = service.start().client()
    placed = [entry for entry in entries_of(desk, at[1:].replace("tables", "table")) if "bet-placed" in str(entry)]
    assert len(placed) >= len(answered) > 0
    assert len(set(answered)) == len(answered)


@pytest.fixture
def server() -> Iterator[Server]:
    """A PostgreSQL of this test's own, to be killed."""
    with scratch_directory() as directory:
        running = Server(directory=directory / "postgres")
        running.start()
        passwords = {role: running.password_of(role) for role in roles.LOGINS}
        complete(roles.prepare(running.url(), passwords=passwords))
        yield running
        running.stop()


class OwnDatabase(Database):
    """The table's database on a server of the test's own, whose passwords are its own too."""

    server: Server

    def url(self, role: str) -> str:
        """Where a role finds it."""
        return self.server.url(database=self.name, role=role)


def test_a_database_that_dies_under_load_is_survived_without_a_restart(
    server: Server, make_service: MakeService
) -> None:
    database = OwnDatabase(roles.TABLE_DATABASE, server.url(database=roles.TABLE_DATABASE))
    database.server = server
    prepare(database)
    service = make_service(database)
    at = open_round(service.client(), patrons=4)
    begun = threading.Barrier(5)

    def bet(patron: str) -> None:
        desk = service.client()
        for number in range(60):
            if number == 10:
                begun.wait()
            key = new_key()
            while (answer := desk.post(f"{at}{CURRENT}/bets", {**BET, "patron": patron}, Idempotency_Key=key)).is_error:
                assert (answer.status_code, answer.headers.get("retry-after")) == (503, "1"), answer.text

    with concurrent.futures.ThreadPoolExecutor(4) as crowd:
        done = [crowd.submit(bet, f"p{number}") for number in range(1, 5)]
        begun.wait()
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
        server.start()
        for one in done:
            one.result()

    assert service.process.poll() is None
    assert service.client().ask(at)["stacks"] == {f"p{number}": 940_000 for number in range(1, 5)}
    assert service.client().http.get("/readyz").status_code == 200
    service.client().tell(f"{at}{CURRENT}/coup")


def lose_the_seed(service: Service, at: str) -> None:
    """Have it forgotten too early."""
    execute(service.database, "select journal.forget_seed($1, 1)", at[1:].replace("tables", "table"))


def exchange_the_key(service: Service, _: str) -> None:
    """Have another key than the one that sealed it."""
    (service.directory / "seed.key").unlink()
    begin(service.directory / "seed.key")


@pytest.mark.parametrize(("spoil", "reason"), [(lose_the_seed, "seed-lost"), (exchange_the_key, "seed-unreadable")])
def test_a_shoe_whose_seed_is_lost_is_frozen_until_people_void_it(
    make_service: MakeService, spoil: Callable[[Service, str], None], reason: str
) -> None:
    service = make_service()
    at = open_round(service.client())
    service.client().tell(f"{at}{CURRENT}/bets", BET)
    spoil(service, at)
    service.kill()
    desk = service.start().client()

    told(desk.post(f"{at}{CURRENT}/coup"), 409, "wrong-phase")

    table = desk.ask(at)
    assert (table["phase"], table["shoe"]["state"], table["round"]["state"]) == ("frozen", "frozen", "dealing")
    for path, body in (("bets", BET), ("close", None), ("deal", None)):
        told(desk.post(f"{at}{CURRENT}/{path}", body), 409, "wrong-phase")
    desk.tell(f"{at}/shoes/current/void", {"reason": "seed-lost"}, Shoelog_Actor="staff:manager")
    *_, frozen, round_voided, shoe_voided = entries_of(desk, at[1:].replace("tables", "table"))
    assert frozen["actor"] == "system:table"
    assert frozen["event"] == {"type": "shoe-frozen", "shoe": 1, "reason": reason}
    assert round_voided["event"]["type"] == "round-voided"
    assert "seed" not in shoe_voided["event"]
    assert desk.ask(at)["stacks"]["p1"] == 1_000_000
    desk.tell(f"{at}/shoes/start")
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}{CURRENT}/coup")


def test_a_shoe_that_does_not_come_out_as_published_is_frozen_and_its_seed_revealed_all_the_same(
    make_service: MakeService,
) -> None:
    service = make_service()
    at = open_table(service.client())
    name = at.rpartition("/")[2]
    service.kill()
    asyncio.run(seal_another_shoe(service, name))
    desk = service.start().client()
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}{CURRENT}/bets", BET)

    told(desk.post(f"{at}{CURRENT}/coup"), 409, "wrong-phase")

    assert desk.ask(at)["phase"] == "frozen"
    desk.tell(f"{at}{CURRENT}/void", {"reason": "root-mismatch"})
    assert desk.ask(at)["stacks"]["p1"] == 1_000_000
    assert desk.tell(f"{at}/shoes/current/void", {"reason": "root-mismatch"})["seed"] == SEED.hex()


SEED = bytes(range(32))


async def seal_another_shoe(service: Service, name: str) -> None:
    """Commit to one seed, and publish the cards of another."""
    async with asyncpg.create_pool(service.database.url("shoelog_table"), min_size=1) as pool:
        journal = Journal(pool)
        held = read_table(f"table/{name}", await journal.chapter(f"table/{name}"))
        commitment = shoe.seed_commitment(f"{name}/1", SEED)
        none = shoe.mix(())
        cards = shoe.derive(seed=bytes(32), shoe_id=f"{name}/1", decks=8, mix=none)
        events = [
            *shoes.commit(held.here, seed_commitment=commitment),
            *shoes.sealed(1, held.here.rules.procedure, cards, mix=none),
        ]
        await journal.append(command(held, events, load_key(service.directory / "seed.key"), commitment))
        await journal.close()


def command(held: TableStream, events: list[Any], key: Any, commitment: bytes) -> Command:
    """Seal the events as the croupier would."""
    actor, name = "operator:test", new_key()
    entries = tuple(held.tip.seal(event, actor=actor, key=name) for event in events)
    sealed = seal(key, shoe_id=f"{held.name}/1", commitment=commitment, seed=SEED)
    return Command(
        actor=actor,
        key=name,
        request=bytes(32),
        answer=b"{}",
        entries=entries,
        shoe=Committed(stream=held.tip.stream, shoe=1, version=entries[0].version, sealed=sealed),
    )


def test_a_log_that_is_not_what_was_signed_is_not_served(make_service: MakeService, tmp_path: Path) -> None:
    service = make_service()
    open_table(service.client())
    service.client().http.post("/v1/log/checkpoint")
    assert service.stop() == 0
    execute(service.database, "alter table journal.entry disable trigger all")
    execute(service.database, "update journal.entry set line = line, leaf = sha256(leaf) where position = 0")

    with pytest.raises(AssertionError, match="listening was never told"):
        service.start()

    assert tmp_path.exists()
    assert service.process.wait() != 0


def test_nothing_secret_is_told_before_the_shoe_ends(make_service: MakeService) -> None:
    service = make_service()
    desk = service.client()
    heard: list[bytes] = []
    desk.http.event_hooks["response"] = [lambda answer: heard.append(answer.read())]
    at = open_round(desk)
    desk.tell(f"{at}{CURRENT}/bets", BET)
    desk.tell(f"{at}{CURRENT}/coup")
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}{CURRENT}/close")
    position = desk.tell(f"{at}{CURRENT}/card") and desk.ask(at)["shoe"]["position"]
    for path in (
        at,
        f"{at}/shoes/1",
        f"{at}/shoes/1/rounds/1",
        f"{at}{CURRENT}",
        f"{at}/shoes/1/bundle",
        "/log/entries",
    ):
        desk.get(path)
    desk.http.get("/metrics")
    heard.append(service.log.read_bytes())
    desk.http.event_hooks["response"] = []

    seed = bytes.fromhex(desk.tell(f"{at}/shoes/current/void", {"reason": "test"})["seed"])

    cards = shoe.derive(seed=seed, shoe_id=f"{at.rpartition('/')[2]}/1", decks=8, mix=shoe.mix(()))
    secrets = [seed, *cards.salts[position:]]
    everything = b"\n".join(heard)
    assert cards.salts[position - 1].hex().encode() in everything, "what was opened is told"
    assert not any(secret in everything or secret.hex().encode() in everything for secret in secrets)


def test_keys_are_the_desks(make_service: MakeService) -> None:
    """A key that is revoked, or never was, opens nothing."""
    service = make_service()
    stranger = service.client("shoelog_operator_never-made")

    assert stranger.get("/tables").status_code == 401
    assert httpx.get(f"{service.url}/v1/tables").status_code == 401
