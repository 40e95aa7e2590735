"""What a test laboratory is given: generator and shuffle of play, and statistics that can tell even from odd."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import pvariance

import pytest
from click.testing import CliRunner

from services.house import laboratory
from services.house.cli import main
from services.house.laboratory import even_bits, even_bytes, examine, position_by_card, upper_gamma
from services.house.rng import raw, shoes
from services.table.game.cards import CARDS
from services.table.game.shoe import HmacDrbg, derive, mix

SEED = bytes(range(32))


def seeds() -> Iterator[bytes]:
    """Seeds that are the same in every run."""
    return (number.to_bytes(32, "big") for number in itertools.count(1))


def test_raw_bytes_are_what_the_shuffle_is_given_first() -> None:
    personalization = b"shoe-shuffle/v1\n\x00\x05rng/1\x08"
    drbg = HmacDrbg(entropy=SEED, nonce=mix(()), personalization=personalization)

    given = b"".join(raw(3000, decks=8, draw=lambda: SEED))

    assert len(given) == 3000
    assert given[:2048] == drbg.generate(2048)


def test_shoes_are_those_of_play() -> None:
    first, second = shoes(2, decks=6, draw=lambda: SEED)

    assert first == derive(seed=SEED, shoe_id="rng/1", decks=6, mix=mix(()))
    assert second == derive(seed=SEED, shoe_id="rng/2", decks=6, mix=mix(()))


def test_raw_bytes_are_dumped_to_the_last_one(tmp_path: Path) -> None:
    said = CliRunner().invoke(main, ["rng", "dump-raw", "--bytes", "5001", "--out", str(tmp_path / "raw")])
    again = CliRunner().invoke(main, ["rng", "dump-raw", "--bytes", "5001", "--out", str(tmp_path / "again")])

    assert (said.exit_code, again.exit_code) == (0, 0)
    assert (tmp_path / "raw").stat().st_size == 5001
    assert (tmp_path / "raw").read_bytes() != (tmp_path / "again").read_bytes()


@pytest.mark.parametrize("decks", [1, 8, 12])
def test_every_shoe_that_is_dumped_has_all_its_cards(decks: int, tmp_path: Path) -> None:
    words = ["rng", "dump-shoes", "--shoes", "3", "--decks", str(decks), "--out", str(tmp_path / "shoes")]

    assert CliRunner().invoke(main, words).exit_code == 0
    lines = (tmp_path / "shoes").read_text().splitlines()
    assert [Counter(line.split(",")) for line in lines] == [Counter(CARDS * decks)] * 3
    assert CliRunner().invoke(main, [*words, "--format", "bytes"]).exit_code == 0
    dumped = (tmp_path / "shoes").read_bytes()
    size = 52 * decks
    for start in range(0, 3 * size, size):
        assert Counter(dumped[start : start + size]) == Counter(list(range(52)) * decks)
    assert len(dumped) == 3 * size


@pytest.mark.parametrize(
    ("shape", "x", "known"),
    [
        (0.5, 3.841458820694124 / 2, 0.05),  # a chi-square of one degree of freedom
        (5, 18.307038053275146 / 2, 0.05),  # of ten
        (50, 124.342113404004 / 2, 0.05),  # of a hundred
        (1, 2.5, math.exp(-2.5)),
        (3, 0, 1),
    ],
)
def test_the_gamma_function_comes_to_its_known_values(shape: float, x: float, known: float) -> None:
    assert upper_gamma(shape, x) == pytest.approx(known, rel=1e-10)


@pytest.mark.parametrize(("shape", "x"), [(7, 3.5), (7, 9.25), (500, 470.0), (10_582, 10_480.0), (10_582, 10_800.0)])
def test_the_gamma_function_is_poissons_sum(shape: int, x: float) -> None:
    poisson = math.fsum(math.exp(k * math.log(x) - x - math.lgamma(k + 1)) for k in range(shape))

    assert upper_gamma(shape, x) == pytest.approx(poisson, rel=1e-8)


def test_the_scatter_of_equal_neighbours_is_that_of_all_arrangements() -> None:
    cards = [rank for rank in range(3) for _ in range(2)]
    counts = [sum(a == b for a, b in itertools.pairwise(order)) for order in itertools.permutations(cards)]

    assert laboratory._scatter(6, 2) == pytest.approx(pvariance(counts))  # noqa: SLF001


def test_a_fair_shuffle_is_as_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    drawn = seeds()

    findings = examine(
        shoes(600, decks=1, draw=lambda: next(drawn)),
        raw=lambda count: raw(count, decks=1, draw=lambda: next(drawn)),
        decks=1,
    )

    assert [finding.name for finding in findings if finding.is_suspect] == []
    assert [finding.said for finding in findings[-2:]] == ["not installed", "not installed"]


def test_a_card_that_comes_too_often_to_one_place_is_suspect() -> None:
    drawn = seeds()
    places = [[0] * 52 for _ in range(52)]
    for shoe in shoes(520, decks=1, draw=lambda: next(drawn)):
        for place, card in zip(places, shoe.cards, strict=True):
            place[CARDS.index(card)] += 1
    assert not position_by_card(places, shoes=520).is_suspect

    places[0][0] += 150
    places[1][0] -= places[1][0]

    assert position_by_card(places, shoes=520).is_suspect


def test_counts_that_are_too_even_are_suspect() -> None:
    assert position_by_card([[100] * 52 for _ in range(52)], shoes=5_200).is_suspect


def test_a_shoe_that_is_never_shuffled_is_suspect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    one = derive(seed=SEED, shoe_id="rng/1", decks=1, mix=mix(()))

    findings = examine([one] * 400, raw=lambda count: [bytes(count)], decks=1)

    suspect = {finding.name for finding in findings if finding.is_suspect}
    assert suspect >= {"position by card", "first two ranks", "raw bytes", "raw bits"}


def test_numbers_that_are_too_even_are_no_chance_either() -> None:
    assert even_bytes(bytes(range(256)) * 100).is_suspect
    assert not even_bits(bytes(range(256)) * 100).is_suspect


def test_the_report_is_a_page_with_every_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    out = tmp_path / "build" / "rng.md"

    said = CliRunner().invoke(main, ["rng", "report", "--shoes", "300", "--decks", "1", "--out", str(out)])

    assert said.exit_code in (0, 1), said.output  # once in a million runs
    page = out.read_text()
    for name in ("position by card", "first two ranks", "equal neighbours", "raw bytes", "raw bits", "rngtest"):
        assert f"| {name} |" in page
    assert "300 shoes of 1 decks" in page
