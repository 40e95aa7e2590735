"""No seed, salt or undealt card is in anything that a house gives out before its time, and no key ever, to any role.

Real processes. A shoe stops in the middle of a coup; the test takes its seed out of the database with the key beside
it, knows every card to come, and looks for all of it in every answer of both services to every role, in streams, tiles,
bundles, metrics and logs. Then the seed's key is lost, the shoe freezes, and it looks again.
"""

import asyncio
import base64
import json
import os
import signal
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest
from msgspec import Struct

from schemas import keyfile
from schemas.entry import leaf
from services.house.postgres import PORT
from services.table.game.rules import builtin
from services.table.game.shoe import derive, mix, seed_commitment
from services.table.seal import load_key, unseal
from tests.databases import scratch_directory
from tests.house.opened import Opened, answers, ask, child, eventually, start, stop
from tests.house.scanner import Scanner
from tests.table.game.sitting import ruled

PEOPLE = {"counted_by": "staff:anna", "verified_by": "staff:ben"}
OPENING = {
    "table": "b1",
    "name": "One",
    "currency": "EUR",
    "rules": msgspec.to_builtins(ruled("mini", procedure={"decks": 1, "cut": 7})),
    "limits": msgspec.to_builtins(builtin("mini").limits),
    "float": [[100, 10]],
}
QUERIES = {
    "/v1/log/entries": ("?after=-1&limit=1000", "?limit=0"),
    "/v1/log/consistency": ("?old=1&new=2",),
    "/v1/balances": ("?prefix=patron",),
    "/v1/commission": ("?by=shoe", "?by=patron", "?by=moon"),
    "/v1/figures": ("?by=shoe", "?by=patron", "?by=table"),
}
OUT_OF_PHASE = (
    "shoes",
    "shoes/start",
    "shoes/current/shuffle",
    "shoes/current/close",
    "rounds",
    "rounds/current/close",
)


class Answer(Struct, frozen=True, kw_only=True):
    """What somebody was given, and for what."""

    asked: str
    status: int
    text: bytes
    headers: bytes = b""


def fetch(url: str, key: str = "", *, body: bytes | None = None) -> Answer:
    """Ask, and take whatever comes: headers and body."""
    headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key}"} if key else {})
    if body is not None:
        headers |= {"Content-Type": "application/json", "Idempotency-Key": os.urandom(16).hex()}
    request = urllib.request.Request(url, body, headers)  # noqa: S310 - our own house
    asked = f"{'POST' if body is not None else 'GET'} {url} {key[:16]}"
    try:
        with urllib.request.urlopen(request, timeout=30) as given:  # noqa: S310
            return Answer(asked=asked, status=given.status, text=given.read(), headers=bytes(given.headers))
    except urllib.error.HTTPError as refusal:
        return Answer(asked=asked, status=refusal.code, text=refusal.read(), headers=bytes(refusal.headers))


def streamed(url: str, key: str, last: bytes) -> Answer:
    """Read a stream of events up to one whose line begins so, and to that event's end."""
    request = urllib.request.Request(f"{url}?after=-1", headers={"Authorization": f"Bearer {key}"})  # noqa: S310
    text = b""
    try:
        with urllib.request.urlopen(request, timeout=30) as given:  # noqa: S310
            while not (line := given.readline()).startswith(last):
                assert line, text
                text += line
            text += line + given.readline() + given.readline()
            return Answer(asked=f"GET {url} {key[:16]}", status=given.status, text=text)
    except urllib.error.HTTPError as refusal:
        return Answer(asked=f"GET {url} {key[:16]}", status=refusal.code, text=refusal.read())


def routes(service: str) -> dict[str, dict[str, Any]]:
    """Give every path of a service as its document names them, with the methods."""
    document = json.loads(Path(f"schemas/json/{service}.openapi.json").read_text(encoding="utf-8"))
    return dict(document["paths"])


def is_stream(route: dict[str, Any]) -> bool:
    """Tell whether a path gives events for ever."""
    return "text/event-stream" in route.get("get", {}).get("responses", {}).get("200", {}).get("content", {})


def given_out(house: Opened, last_leaf: str, position: int) -> Iterator[Answer]:
    """Everything that anybody is given: every route of both services, asked by every role and by nobody."""
    names: defaultdict[str, str] = defaultdict(lambda: "nobody")
    names |= {
        "table": "b1",
        "shoe": "1",
        "round": "1",
        "patron": "ada",
        "name": "mini",
        "leaf": last_leaf,
        "level": "0",
    }
    for service, url in (("table", house.table), ("ledger", house.ledger)):
        for path, methods in routes(service).items():
            numbers = ("000", f"000.p/{position + 1}", "000.p/1") if "{number}" in path else ("",)
            places = [path.format_map(names | {"number": number}) for number in numbers]
            for key in ("", *house.keys.values(), "shoelog_operator_wrong"):
                if is_stream(methods):
                    yield streamed(f"{url}{places[0]}", key, b"id: %d\n" % position if "/log/" in path else b"id: ")
                elif "get" in methods:
                    yield from (
                        fetch(f"{url}{at}{query}", key) for at in places for query in ("", *QUERIES.get(path, ()))
                    )
                if "post" in methods:
                    yield fetch(f"{url}{places[0]}", key, body=b'{"nonsense": 1}')
        yield from (fetch(f"{url}{extra}") for extra in ("/metrics", "/schema/openapi.json", "/nowhere"))
    for key in house.keys.values():
        for round_ in ("2", "current", "99", "x"):
            yield fetch(f"{house.table}/v1/tables/b1/shoes/1/rounds/{round_}", key)
            yield fetch(f"{house.table}/v1/tables/b1/shoes/1/rounds/{round_}/bundle", key)
    for path in OUT_OF_PHASE:
        yield fetch(f"{house.table}/v1/tables/b1/{path}", house.keys["operator"], body=b"{}")


def written_down(data: Path) -> Iterator[Answer]:
    """Every log that the house keeps."""
    for path in sorted(data.rglob("*.log")):
        yield Answer(asked=str(path), status=200, text=path.read_bytes())


async def sealed_seed(data: Path) -> bytes:
    """Take what the database keeps of the first shoe's seed, as its superuser."""
    place = data / "postgres"
    sockets = (place / "cluster" / "postmaster.pid").read_text().splitlines()[4]
    password = (place / "password").read_text().strip()
    connection = await asyncpg.connect(
        host=sockets, port=PORT, user="postgres", password=password, database="shoelog_table"
    )
    try:
        return bytes(
            await connection.fetchval("select sealed from journal.chapter where stream = 'table/b1' and shoe = 1")
        )
    finally:
        await connection.close()


def entries(house: Opened) -> list[bytes]:
    return fetch(f"{house.table}/v1/log/entries?after=-1&limit=1000", house.keys["auditor"]).text.splitlines()


def events(house: Opened) -> list[dict[str, Any]]:
    """Every event of the log so far."""
    return [json.loads(line)["event"] for line in entries(house)]


def scanner_of(house: Opened, data: Path) -> Scanner:
    """Know the shoe as nobody may know it yet, and everything else that is secret in a house."""
    told = events(house)
    committed = next(event for event in told if event["type"] == "shoe-committed")
    mixed = [
        (event["source"], bytes.fromhex(event["value"])) for event in told if event["type"] == "entropy-contributed"
    ]
    sealed = asyncio.run(sealed_seed(data))
    seed = unseal(
        load_key(data / "seed.key"),
        shoe_id="b1/1",
        commitment=bytes.fromhex(committed["seed_commitment"]),
        sealed=sealed,
    )
    assert seed_commitment("b1/1", seed).hex() == committed["seed_commitment"]
    shoe = derive(seed=seed, shoe_id="b1/1", decks=1, mix=mix(mixed))
    opened = {event["position"]: event for event in told if event["type"] in ("card-dealt", "cards-burned")}
    assert all((shoe.cards[at], shoe.salts[at].hex()) == (e["card"], e["salt"]) for at, e in opened.items())
    undealt = [at for at in range(52) if at not in opened]
    raw = {f"salt {at}": shoe.salts[at] for at in undealt} | {"seed": seed, "sealed seed": sealed}
    raw |= {"seed key": bytes.fromhex((data / "seed.key").read_text().split()[0])}
    raw |= {"log key": keyfile.private_key(keyfile.read_secret(data / "log.key"))}
    words = {f"key of {role}": key for role, key in house.keys.items()}
    words |= {"PostgreSQL's password": (data / "postgres" / "password").read_text().strip()}
    return Scanner(raw, words, [shoe.cards[at] for at in undealt if at > max(opened)])


def planted(scanner: Scanner) -> Iterator[tuple[str, bytes]]:
    """Every secret in every form, in the midst of something else."""
    for secret, name in scanner._raw.items():  # noqa: SLF001
        for lead in (b"", b"x", b"xy", b"xyz"):
            yield name, b'{"seed":"' + base64.b64encode(lead + secret + b"more") + b'"}'
        yield name, b"--" + base64.urlsafe_b64encode(secret) + b"--"
        yield name, b"salt=" + secret.hex().encode() + b" "
        yield name, b"salt=a" + secret.hex().upper().encode() + b"0"
        yield name, b"\0\1" + secret + b"\2"
    for word, name in scanner._words.items():  # noqa: SLF001
        yield name, b'detail":"' + word + b'"'
    for row, name in scanner._rows.items():  # noqa: SLF001
        yield name, b'["As","' + row.replace(b" ", b'","') + b'"]'


def leaks(scanner: Scanner, given: Sequence[Answer]) -> list[tuple[str, set[str]]]:
    """Say what was found, and where."""
    return [
        (answer.asked, found)
        for answer in given
        if (found := scanner.found(answer.text) | scanner.found(answer.headers))
    ]


@pytest.fixture
def data() -> Iterator[Path]:
    with scratch_directory() as directory:
        yield directory / "house"


def played(house: Opened) -> None:
    """Play into the middle of a coup."""
    table, key = f"{house.table}/v1/tables", house.keys["operator"]
    ask(table, key, OPENING | PEOPLE)
    ask(f"{house.table}/v1/patrons/ada/account", key, {"currency": "EUR"})
    ask(f"{house.table}/v1/patrons/ada/deposit", key, {"amount": 90_000, "means": "cash"})
    ask(f"{house.table}/v1/patrons/ada/to-table", key, {"table": "b1", "amount": 80_000})
    ask(f"{table}/b1/shoes", key, {})
    ask(f"{table}/b1/shoes/current/entropy", key, {"source": "patron:ada", "value": "0badcafe"})
    ask(f"{table}/b1/shoes/current/shuffle", key, {})
    for part in ("coup", "close"):
        ask(f"{table}/b1/rounds", key, {})
        ask(f"{table}/b1/rounds/current/bets", key, {"patron": "ada", "bet": "banker", "amount": 1_000})
        ask(f"{table}/b1/rounds/current/{part}", key, {})
    for _ in range(2):
        ask(f"{table}/b1/rounds/current/card", key, {})
    assert fetch(f"{house.table}/v1/log/checkpoint", key, body=b"{}").status == 200


def test_nobody_is_given_what_is_to_come_nor_any_key(data: Path) -> None:
    house = start(data, SHOELOG_TABLE_LOG_LEVEL="debug", SHOELOG_LEDGER_LOG_LEVEL="debug")
    try:
        played(house)
        scanner = scanner_of(house, data)
        last, position = leaf(entries(house)[-1]).hex(), len(events(house)) - 1
        given = list(given_out(house, last, position))
        assert [name for name, text in planted(scanner) if name not in scanner.found(text)] == []
        assert leaks(scanner, given) == []
        assert {answer.status for answer in given} >= {200, 400, 401, 403, 404, 409}
        assert any(answer.text.count(b"PK\1\2") == 5 for answer in given)  # bundles were among it

        (data / "seed.key").write_text(f"{os.urandom(32).hex()}\n")
        os.kill(child(house.process.pid, "table serve"), signal.SIGKILL)
        tables = f"{house.table}/v1/tables/b1"
        eventually(lambda: answers(tables, house.keys["auditor"]), "the table service again")
        refused = fetch(f"{tables}/rounds/current/card", house.keys["operator"], body=b"{}")
        assert events(house)[-1]["type"] == "shoe-frozen", refused
        last, position = leaf(entries(house)[-1]).hex(), len(events(house)) - 1
        assert leaks(scanner, [refused, *given_out(house, last, position)]) == []
        assert leaks(scanner, list(written_down(data))) == []
    finally:
        said = stop(house)
    assert scanner.found(said.encode()) == set()
