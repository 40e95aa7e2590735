"""Every link of a page leads somewhere, and the README leads to every page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.style.checkout import ROOT, kept_files, read, told

PAGES = [path for path in kept_files() if path.suffix == ".md"]


def links(page: str) -> Iterator[str]:
    """Where a page's links lead, those to other hosts left out."""
    prose = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    return (to for to in re.findall(r"\]\(([^)\s]+)\)", prose) if "://" not in to)


def anchors(page: str) -> set[str]:
    """The names that a page's headings have in links."""
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def dead(path: Path, page: str) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for link in links(page):
        place, _, anchor = link.partition("#")
        target = (ROOT / path.parent / place).resolve() if place else ROOT / path
        if not target.exists() or (anchor and anchor not in anchors(target.read_text("utf-8"))):
            found.append(f"{path}: leads to {link}, which is not there")
    return found


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_leads_somewhere(page: Path) -> None:
    found = dead(page, read(page))

    assert not found, told(found)


def test_the_readme_leads_to_every_page() -> None:
    linked = {(ROOT / link.partition("#")[0]).resolve() for link in links(read(Path("README.md")))}

    assert [str(page) for page in PAGES if page.name != "README.md" and (ROOT / page).resolve() not in linked] == [
        "CHANGELOG.md"
    ]


def test_a_dead_link_and_a_dead_anchor_are_found() -> None:
    page = "[a](LICENCE-OF-NOBODY) [b](README.md#no-such-heading) [c](README.md#what-to-type) [d](https://c2sp.org)\n"

    assert len(dead(Path("page.md"), page)) == 2
