"""A scanner for secrets: finds them in whatever a house gives out, raw, in hex or in base64, in zips, anywhere."""

import base64
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence

WIDTH = 16  # every secret of bytes is known by its first sixteen
CARDS_IN_A_ROW = 8  # so many undealt cards in their order are no chance: one in 52^8
_HEX = re.compile(rb"[0-9a-fA-F]{32,}")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{22,}")
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_CARD = re.compile(rb"(?<![A-Za-z0-9])[A2-9TJQK][cdhs](?![A-Za-z0-9])")


class Scanner:
    """`raw`: secrets of sixteen bytes or more, by name; `words`: those of letters; `cards`: undealt, in their order."""

    def __init__(self, raw: Mapping[str, bytes], words: Mapping[str, str], cards: Sequence[str]) -> None:
        self._raw = {secret[:WIDTH]: name for name, secret in raw.items()}
        self._words = {secret.encode(): name for name, secret in words.items()}
        rows = range(len(cards) - CARDS_IN_A_ROW + 1)
        self._rows = {" ".join(cards[at : at + CARDS_IN_A_ROW]).encode(): f"undealt cards from {at}" for at in rows}

    def found(self, text: bytes) -> set[str]:
        """Give the names of all secrets that are in a text, or in a zip."""
        return {name for part in _parts(text) for name in self._found_in(part)}

    def _found_in(self, text: bytes) -> Iterator[str]:
        for blob in (text, *_decoded(text)):
            windows = {blob[at : at + WIDTH] for at in range(len(blob) - WIDTH + 1)}
            yield from (self._raw[secret] for secret in windows & self._raw.keys())
        yield from (name for word, name in self._words.items() if word in text)
        cards = _CARD.findall(text)
        rows = {b" ".join(cards[at : at + CARDS_IN_A_ROW]) for at in range(len(cards) - CARDS_IN_A_ROW + 1)}
        yield from (self._rows[row] for row in rows & self._rows.keys())


def _parts(text: bytes) -> Iterable[bytes]:
    """Give a text itself, and if it is a zip its members too."""
    yield text
    if text.startswith(b"PK\3\4"):
        with zipfile.ZipFile(io.BytesIO(text)) as opened:
            yield from (opened.read(name) for name in opened.namelist())


def _decoded(text: bytes) -> Iterator[bytes]:
    """Give what every run of hex digits and of base64 letters may stand for, wherever it begins."""
    for run in _HEX.findall(text):
        yield from (bytes.fromhex(run[at : at + (len(run) - at) // 2 * 2].decode()) for at in (0, 1))
    for run in _BASE64.findall(text):
        letters = run.translate(_URL_SAFE)
        for at in range(4):
            yield base64.b64decode(letters[at : at + (len(letters) - at) // 4 * 4])
            rest = letters[at:]
            yield base64.b64decode(rest + b"A" * (-len(rest) % 4))
