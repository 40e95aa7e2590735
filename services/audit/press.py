"""The press: verify.html, one file that needs nothing beside it, printed from its parts in `page/`.

A browser that opens a page from disk loads no modules, so each module becomes a function of its own, run in order, and
an import becomes a look into what an earlier one gave. The page's own security policy names the script and the style by
their hashes and forbids everything else, the network above all.

    python -m services.audit.press
"""

import base64
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

PARTS = Path(__file__).parent / "page"
PRINTED = Path(__file__).parent / "verify.html"
FIRST = "page.js"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([a-z0-9_]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function\*?|class|const) ([A-Za-z0-9_]+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*|</script|<!--", re.MULTILINE)


class UnprintableError(ValueError):
    """A part that the press cannot set; the message says which and why."""


def printed(parts: Path = PARTS) -> str:
    """Give the whole page."""
    script = "\n" + "".join(_set(name, source) for name, source in _in_order(FIRST, parts, {}))
    style = "\n" + (parts / "style.css").read_text(encoding="utf-8")
    allowed = f"script-src '{_hash(script)}'; style-src '{_hash(style)}'"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    page = (parts / "index.html").read_text(encoding="utf-8")
    for mark, text in (("{{policy}}", policy), ("{{style}}", style), ("{{script}}", script)):
        before, found, after = page.partition(mark)
        if not found:
            raise UnprintableError(f"index.html has no place for {mark}")
        page = before + text + after
    return page


def _in_order(name: str, parts: Path, done: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Give the modules that one needs, itself last, each once."""
    source = done[name] = (parts / name).read_text(encoding="utf-8")
    for _, needed in _IMPORT.findall(source):
        if f"{needed}.js" not in done:
            yield from _in_order(f"{needed}.js", parts, done)
    yield name, source


def _set(name: str, source: str) -> str:
    """Make a function of a module: what it exports is what it returns."""
    given = ", ".join(_EXPORT.findall(source))
    text = _EXPORT.sub("", _IMPORT.sub(_taken, source))
    if left := _LEFT.search(text):
        raise UnprintableError(f"{name}: the press cannot set `{left[0]}`")
    return f"const {_module(name)} = (() => {{\n{text}return {{ {given} }};\n}})();\n"


def _taken(found: re.Match[str]) -> str:
    words = " ".join(found[1].split()).replace(" as ", ": ")
    return f"const {{ {words.removesuffix(',')} }} = {_module(found[2])};\n"


def _module(name: str) -> str:
    return f"${name.removesuffix('.js')}"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


if __name__ == "__main__":
    PRINTED.write_text(printed(), encoding="utf-8")
