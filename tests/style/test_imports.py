"""Imports go only upward through the house: the import table, and that each of its rules can fail."""

from pathlib import Path

import pytest

from tests.style.checkout import ROOMS, python_files, read, told
from tests.style.imports import burdens, findings, module_of

BASE_INSTALL = ("services.house.cli", "services.audit")  # what must run without web framework and driver


def test_every_module_imports_only_what_its_room_may() -> None:
    found = [finding for path in python_files(*ROOMS) for finding in findings(path, read(path))]

    assert not found, told(found)


@pytest.mark.parametrize("start", BASE_INSTALL)
def test_the_command_line_and_the_audit_draw_in_only_the_base_install(start: str) -> None:
    sources = {module_of(path): read(path) for path in python_files(*ROOMS)}
    starts = [module for module in sources if module == start or module.startswith(f"{start}.")]

    found = [burden for module in starts for burden in burdens(module, sources)]

    assert not found, told(found)


@pytest.mark.parametrize(
    ("path", "line", "said"),
    [
        ("schemas/tree.py", "import litestar", "schemas may import of packages"),
        ("schemas/tree.py", "from services.table import journal", "schemas may import of rooms"),
        ("services/table/game/shoe.py", "import asyncpg", "services.table.game may import of packages"),
        ("services/table/game/shoe.py", "import cryptography", "services.table.game may import of packages"),
        (
            "services/table/game/shoe.py",
            "from services.table import journal",
            "services.table.game may import of rooms",
        ),
        ("services/table/http.py", "from services.ledger.book import chart", "services.table may import of rooms"),
        ("services/table/http.py", "import requests", "services.table may import of packages"),
        ("services/table/http.py", "from services.table import config", "only app.py imports config"),
        ("services/table/http.py", "from services.table.config import Config", "only app.py imports config"),
        ("services/table/http.py", "from services.house import postgres", "nobody imports the house"),
        ("services/table/http.py", "from . import journal", "a relative import"),
        (
            "services/ledger/book/chart.py",
            "from services.ledger import books",
            "services.ledger.book may import of rooms",
        ),
        ("services/audit/checks.py", "from services.table import journal", "services.audit may import of rooms"),
        ("services/audit/checks.py", "import asyncpg", "services.audit may import of packages"),
        ("services/door/keys.py", "from services.table import journal", "services.door may import of rooms"),
        ("services/dashboard/pages.py", "import asyncpg", "services.dashboard may import of packages"),
        ("services/house/cli.py", "from services.audit import checks", "inside the command that needs it"),
        ("services/house/cli.py", "def f():\n    from services.table import config", "only app.py imports config"),
        ("services/cellar/wine.py", "import json", "is in no room"),
    ],
)
def test_a_forbidden_import_is_found(path: str, line: str, said: str) -> None:
    found = findings(Path(path), f'"""Spoiled."""\n\n{line}\n')

    assert len(found) == 1, told(found)
    assert said in found[0]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("schemas/note.py", "from cryptography.hazmat.primitives import hashes"),
        ("services/table/app.py", "from services.table import config, http, journal"),
        ("services/table/play.py", "from services.table.game import tableau"),
        ("services/audit/checks.py", "from services.ledger.book import chart"),
        ("services/house/demo.py", "import httpx\nfrom schemas import entry\nfrom services.house import postgres"),
        ("services/house/cli.py", "def verify():\n    from services.audit import checks"),
    ],
)
def test_an_allowed_import_passes(path: str, line: str) -> None:
    assert not findings(Path(path), f"{line}\n")


def test_a_driver_behind_two_modules_is_found() -> None:
    sources = {
        "services.house.cli": "from services.house import up",
        "services.house.up": "def deal():\n    import litestar\nfrom services.house.roles import prepare",
        "services.house.roles": "import asyncpg\nimport click",
    }

    found = burdens("services.house.cli", sources)

    assert len(found) == 1, told(found)
    assert "draws in asyncpg, by way of services.house.roles" in found[0]
