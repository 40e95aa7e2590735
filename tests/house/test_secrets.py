"""Nothing secret is told before its time: a whole shoe is played while everybody reads all there is to read."""

import base64
import io
import json
import re
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx
import pytest

from services.house.party import Party
from services.house.runner import Runner
from services.table.game import shoe
from services.table.game.cards import code_of
from tests.databases import scratch_directory
from tests.house.opened import Opened, start, stop
from tests.style.checkout import ROOT

TABLE = "mini"
ROLES = ("operator", "auditor", "dashboard", "nobody")
NAMES = {
    "table": TABLE,
    "shoe": "1",
    "round": "1",
    "patron": f"{TABLE}-3",
    "name": TABLE,
    "log": "1",
    "level": "0",
    "number": "000.p/1",
    "leaf": "0" * 64,
    "mark": "0" * 64,
}
OFTEN_COUPS = 16  # between two readings of everything
_HEX = re.compile(rb"[0-9a-f]{32,}")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{22}==")
_CARD = re.compile(rb'"card":"(..)","position":(\d+)')


class Heard(NamedTuple):
    """Something that was told, and how many cards had left the shoe by then, at most."""

    where: str
    content: bytes
    position: int


def views(*services: str) -> Iterator[tuple[str, str]]:
    """Every path that may be read of each service, with names in it that are there."""
    for service in services:
        document = json.loads((ROOT / f"schemas/json/{service}.openapi.json").read_text())
        for path, item in document["paths"].items():
            if "get" in item and not path.endswith("/stream"):
                yield service, path.format(**NAMES)


class Listener:
    """Reads with every key and without one, hears the stream of events, and looks into every log."""

    def __init__(self, house: Opened, data: Path) -> None:
        self.heard: list[Heard] = []
        self._urls = {"table": house.table, "ledger": house.ledger}
        self._desks = [
            (role, httpx.Client(headers={"Authorization": f"Bearer {house.keys[role]}"} if role in house.keys else {}))
            for role in ROLES
        ]
        self._data = data
        self._read: dict[Path, int] = {}
        self._stream = bytearray()
        self._thread = threading.Thread(target=self._listen, args=(house.keys["auditor"],))
        self._thread.start()

    def read_all(self) -> None:
        """Read everything there is, and make some mistakes."""
        told = [
            (f"{role} {path}", contents_of(desk.get(self._urls[service] + path)))
            for role, desk in self._desks
            for service, path in [*views("table", "ledger"), ("table", "/metrics"), ("ledger", "/metrics")]
        ]
        told += [(f"{role}'s mistake", answer.content) for role, desk in self._desks for answer in self._err(desk)]
        self.keep(*told, *self._look_into_logs(), ("the stream", bytes(self._stream)))

    def keep(self, *told: tuple[str, bytes]) -> None:
        """Keep what was told, with the place in the shoe that nothing of it can be ahead of."""
        _, desk = self._desks[0]
        view = desk.get(f"{self._urls['table']}/v1/tables/{TABLE}").json()
        position = view.get("shoe", {}).get("position", 0)
        self.heard += [Heard(where, content, position) for where, content in told]

    def close(self) -> None:
        """Hear no more; the house is closed by now."""
        self._thread.join()
        for _, desk in self._desks:
            desk.close()

    def _err(self, desk: httpx.Client) -> Iterator[httpx.Response]:
        at = f"{self._urls['table']}/v1/tables/{TABLE}"
        for path, body in (
            ("/rounds/current/card", {}),
            ("/shoes/current/shuffle", {}),
            ("/rounds/current/bets", {"patron": "nobody", "bet": "player", "amount": 10**9}),
            ("/shoes", {"seed": 1}),
            ("/shoes/current/close", {}),
        ):
            yield desk.post(at + path, json=body, headers={"Idempotency-Key": f"mistake-{len(self.heard)}-{path[-5:]}"})
        yield desk.get(f"{at}/shoes/2")

    def _look_into_logs(self) -> Iterator[tuple[str, bytes]]:
        for path in (*self._data.glob("*.log"), self._data / "postgres" / "postgres.log"):
            with path.open("rb") as file:
                file.seek(self._read.get(path, 0))
                yield path.name, file.read()
                self._read[path] = file.tell()

    def _listen(self, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        address = f"{self._urls['table']}/v1/log/stream?after=-1"
        with httpx.stream("GET", address, headers=headers, timeout=None) as stream:  # noqa: S113  # it ends with the house
            for piece in stream.iter_raw():
                self._stream += piece


def contents_of(answer: httpx.Response) -> bytes:
    """What an answer holds, unpacked."""
    if answer.headers.get("content-type") != "application/zip":
        return answer.content
    with zipfile.ZipFile(io.BytesIO(answer.content)) as bundle:
        return b"\n".join(bundle.read(name) for name in bundle.namelist())


async def play(house: Opened, listener: Listener) -> None:
    """Play a whole shoe, as the demo does; everybody reads before the first card, and every few coups."""
    async with Runner(house.table, house.keys["operator"]) as runner:
        party = Party(runner, TABLE, rules=TABLE, patrons=3, seed="secrets")
        await party.open()
        await runner.tell(f"/v1/tables/{TABLE}/shoes", {})
        await anyio.to_thread.run_sync(listener.read_all)
        coups = 0
        while not is_nearly_over(await runner.ask(f"/v1/tables/{TABLE}")):
            await party.play()
            coups += 1
            if coups % OFTEN_COUPS == 1:
                await anyio.to_thread.run_sync(listener.read_all)
        await anyio.to_thread.run_sync(listener.read_all)
        while await party.play():
            pass


def is_nearly_over(view: Any) -> bool:
    """Whether the next coup may be the shoe's last."""
    return bool(view["phase"] == "between") and bool(view["shoe"]["position"] >= view["shoe"]["cards"] - 20)


def lines_of(house: Opened) -> list[bytes]:
    """Every entry of the log."""
    key = {"Authorization": f"Bearer {house.keys['auditor']}"}
    lines: list[bytes] = []
    while page := httpx.get(f"{house.table}/v1/log/entries?after={len(lines) - 1}", headers=key).content:
        lines += page.splitlines()
    return lines


@pytest.fixture(scope="module")
def told() -> tuple[list[Heard], bytes, list[Any]]:
    """What was heard before the shoe ended; its seed, and its entries."""
    with scratch_directory() as scratch:
        house = start(scratch / "house", "--witnesses", "1")
        listener = Listener(house, scratch / "house")
        try:
            anyio.run(play, house, listener)
            lines = lines_of(house)
        finally:
            stop(house)
            listener.close()
    entries = [json.loads(line)["event"] for line in lines]
    [closed] = [event for event in entries if event["type"] == "shoe-closed"]
    return listener.heard, bytes.fromhex(closed["seed"]), entries


def cards_of(seed: bytes, entries: list[Any]) -> shoe.Shoe:
    words = [
        (event["source"], bytes.fromhex(event["value"])) for event in entries if event["type"] == "entropy-contributed"
    ]
    return shoe.derive(seed=seed, shoe_id=f"{TABLE}/1", decks=8, mix=shoe.mix(words))


def windows(token: bytes) -> Iterator[bytes]:
    yield from (token[at : at + 32] for at in range(len(token) - 31))


def test_no_seed_is_told_before_the_shoe_ends(told: tuple[list[Heard], bytes, list[Any]]) -> None:
    heard, seed, _ = told
    forms = (seed, seed.hex().encode(), base64.b64encode(seed), base64.urlsafe_b64encode(seed).rstrip(b"="))

    assert len(heard) > 500
    assert [each.where for each in heard if any(form in each.content for form in forms)] == []


def test_no_salt_is_told_before_its_card_falls(told: tuple[list[Heard], bytes, list[Any]]) -> None:
    heard, seed, entries = told
    salts = cards_of(seed, entries).salts
    places = {form: at for at, salt in enumerate(salts) for form in (salt.hex().encode(), base64.b64encode(salt))}
    opened_ever = {event["position"] for event in entries if "salt" in event}
    ahead, opened = [], 0

    for each in heard:
        tokens = [*_HEX.findall(each.content), *_BASE64.findall(each.content)]
        for window in (window for token in tokens for window in (windows(token) if len(token) >= 32 else (token,))):
            if (at := places.get(window)) is not None:
                opened += 1
                ahead += [each.where] if at >= each.position or at not in opened_ever else []
        ahead += [each.where for at in range(each.position, len(salts)) if salts[at] in each.content]

    assert opened > 1000, "what was opened is told"
    assert ahead == []


def test_no_card_is_told_before_it_falls(told: tuple[list[Heard], bytes, list[Any]]) -> None:
    heard, seed, entries = told
    cards = cards_of(seed, entries).cards
    ahead, opened = [], 0

    for each in heard:
        places = [int(at) for _, at in _CARD.findall(each.content)]
        opened += len(places)
        following = cards[each.position : each.position + 8]
        listed, coded = '","'.join(following).encode(), bytes(code_of(card) for card in following)
        if any(at >= each.position for at in places) or listed in each.content or coded in each.content:
            ahead.append(each.where)

    assert opened > 1000, "what fell is told"
    assert ahead == []
