"""The laboratory: whether cards and raw numbers are as even as chance makes them, and what others' test suites say."""

import contextlib
import math
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from services.table.game.shoe import Shoe

SUSPECT = 1e-6
RAW_BYTES = 1 << 21
RNGTEST_BYTES = 2500 * 1000 + 4  # a thousand blocks of 20,000 bits, behind the word that rngtest starts with
RNGTEST_MOST_FAILED = 12  # of a thousand blocks: about one in 1,250 fails by chance
DIEHARDER_TESTS = ("0", "2", "8", "100", "101")  # birthdays, ranks, ones in bytes, monobit, runs: of little input
DIEHARDER_MOST_BYTES = 1 << 32
TOOL_SECONDS = 900
_PRECISION, _MOST_STEPS = 1e-15, 100_000

Raw = Callable[[int], Iterable[bytes]]


class Finding(Struct, frozen=True, kw_only=True):
    """What one test says. `p`: how likely chance is to do as bad or worse; None where the test gives another answer."""

    name: str
    what: str
    statistic: float | None = None
    freedom: int | None = None
    p: float | None = None
    is_suspect: bool = False
    said: str = ""

    @property
    def verdict(self) -> str:
        """The finding in a few words."""
        word = "SUSPECT" if self.is_suspect else "as by chance"
        if self.p is not None:
            return f"p = {self.p:.6f}  {word}"
        return self.said or word


def examine(shoes: Iterable["Shoe"], *, raw: Raw, decks: int) -> list[Finding]:
    """Make every test. `raw` gives so many bytes of the generator's own output, piece by piece."""
    from services.table.game.cards import code_of

    size, count = 52 * decks, 0
    places = [[0] * 52 for _ in range(size)]
    firsts: Counter[tuple[int, int]] = Counter()
    neighbours: Counter[bool] = Counter()
    for shoe in shoes:
        count += 1
        codes = list(map(code_of, shoe.cards))
        for place, code in zip(places, codes, strict=True):
            place[code] += 1
        firsts[codes[0] % 13, codes[1] % 13] += 1
        neighbours.update(a % 13 == b % 13 for a, b in pairwise(codes))
    sample = b"".join(raw(RAW_BYTES))
    return [
        position_by_card(places, shoes=count),
        first_two_ranks(firsts, shoes=count, decks=decks),
        equal_neighbours(neighbours[True], shoes=count, decks=decks),
        even_bytes(sample),
        even_bits(sample),
        *of_others(raw),
    ]


def position_by_card(places: Sequence[Sequence[int]], *, shoes: int) -> Finding:
    """Whether each card comes to each position equally often.

    A shoe has each card as often as decks, and each position one card: of its N x 52 counts (N - 1) x 51 are free, and
    their scatter is N / (N - 1) times that of independent draws.
    """
    size, expected = len(places), shoes / 52
    squares = math.fsum((seen - expected) ** 2 for place in places for seen in place) / expected
    statistic, freedom = squares * (size - 1) / size, (size - 1) * 51
    return _by_chi_square("position by card", f"{size} positions, 52 cards, {shoes:,} shoes", statistic, freedom)


def first_two_ranks(seen: Counter[tuple[int, int]], *, shoes: int, decks: int) -> Finding:
    """Whether the ranks of a shoe's first two cards come together as often as they should."""
    size = 52 * decks
    statistic = 0.0
    for first in range(13):
        for second in range(13):
            left = 4 * decks - (first == second)
            expected = shoes * (1 / 13) * left / (size - 1)
            statistic += (seen[first, second] - expected) ** 2 / expected
    return _by_chi_square("first two ranks", f"169 pairs, {shoes:,} shoes", statistic, 168)


def equal_neighbours(seen: int, *, shoes: int, decks: int) -> Finding:
    """Whether two cards of one rank follow one another as often as they should; by the normal approximation."""
    size, of_a_rank = 52 * decks, 4 * decks
    likely = (of_a_rank - 1) / (size - 1)
    expected = shoes * (of_a_rank - 1)
    deviation = (seen - expected) / math.sqrt(shoes * _scatter(size, of_a_rank))
    p = math.erfc(abs(deviation) / math.sqrt(2))
    return Finding(
        name="equal neighbours",
        what=f"{seen:,} neighbouring pairs are of one rank, {expected:,} expected (one in {1 / likely:.3f})",
        statistic=deviation,
        p=p,
        is_suspect=p < SUSPECT,
    )


def _scatter(size: int, of_a_rank: int) -> float:
    """Give the variance of the number of equal neighbours in one shoe: over pairs alone, overlapping, and apart."""
    one = (of_a_rank - 1) / (size - 1)
    overlapping = one * (of_a_rank - 2) / (size - 2)
    others = (size // of_a_rank - 1) * of_a_rank * (of_a_rank - 1)
    apart = one * ((of_a_rank - 2) * (of_a_rank - 3) + others) / ((size - 2) * (size - 3))
    return (
        (size - 1) * one * (1 - one)
        + 2 * (size - 2) * (overlapping - one * one)
        + (size - 2) * (size - 3) * (apart - one * one)
    )


def even_bytes(raw: bytes) -> Finding:
    """Whether all 256 bytes come equally often."""
    counts, expected = Counter(raw), len(raw) / 256
    statistic = math.fsum((counts[value] - expected) ** 2 for value in range(256)) / expected
    return _by_chi_square("raw bytes", f"{len(raw):,} bytes before any card is drawn", statistic, 255)


def even_bits(raw: bytes) -> Finding:
    """Whether ones and zeros come equally often (the monobit test of SP 800-22)."""
    ones, bits = int.from_bytes(raw, "big").bit_count(), 8 * len(raw)
    deviation = (2 * ones - bits) / math.sqrt(bits)
    p = math.erfc(abs(deviation) / math.sqrt(2))
    return Finding(
        name="raw bits",
        what=f"{ones:,} ones in {bits:,} bits",
        statistic=deviation,
        p=p,
        is_suspect=p < SUSPECT,
    )


def of_others(raw: Raw) -> list[Finding]:
    """What rngtest and dieharder say, where they are installed."""
    return [_rngtest(raw), _dieharder(raw)]


def _rngtest(raw: Raw) -> Finding:
    """FIPS 140-2 over a thousand blocks."""
    what = "FIPS 140-2 over 1,000 blocks of 20,000 bits"
    if shutil.which("rngtest") is None:
        return Finding(name="rngtest", what=what, said="not installed")
    said = _run(["rngtest", "--blockcount=1000"], raw(RNGTEST_BYTES))
    failures = [int(line.rpartition(" ")[2]) for line in said.splitlines() if "FIPS 140-2 failures:" in line]
    if len(failures) != 1:
        return Finding(name="rngtest", what=what, is_suspect=True, said=f"said nothing of failures: {said[-200:]}")
    return Finding(
        name="rngtest",
        what=what,
        is_suspect=failures[0] > RNGTEST_MOST_FAILED,
        said=f"{failures[0]} blocks of 1,000 failed; about one does by chance",
    )


def _dieharder(raw: Raw) -> Finding:
    """The tests of dieharder that need little input, each on a stream of its own."""
    what = f"tests {', '.join(DIEHARDER_TESTS)} on raw bytes"
    if shutil.which("dieharder") is None:
        return Finding(name="dieharder", what=what, said="not installed")
    words: list[str] = []
    for test in DIEHARDER_TESTS:
        said = _run(["dieharder", "-g", "200", "-d", test], raw(DIEHARDER_MOST_BYTES))
        words += [line.rpartition("|")[2].strip() for line in said.splitlines()]
    passed, weak, failed = (words.count(word) for word in ("PASSED", "WEAK", "FAILED"))
    return Finding(
        name="dieharder",
        what=what,
        is_suspect=failed > 0 or not passed,
        said=f"{passed} passed, {weak} weak, {failed} failed",
    )


def _run(words: list[str], pieces: Iterable[bytes]) -> str:
    """Run somebody else's test on raw bytes, as many as it reads, and give all that it says."""
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with contextlib.suppress(BrokenPipeError):  # it has read enough
            for piece in pieces:
                process.stdin.write(piece)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        said = process.stdout.read().decode(errors="replace")
        process.wait(TOOL_SECONDS)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    return said


def _by_chi_square(name: str, what: str, statistic: float, freedom: int) -> Finding:
    """Judge on both sides: what is too even is no chance either."""
    above = upper_gamma(freedom / 2, statistic / 2)
    suspect = min(above, 1 - above) < SUSPECT
    return Finding(name=name, what=what, statistic=statistic, freedom=freedom, p=above, is_suspect=suspect)


def upper_gamma(shape: float, x: float) -> float:
    """Give the regularised upper incomplete gamma function Q(shape, x), to some twelve places.

    That a chi-square of `2 * shape` degrees of freedom comes out above `2 * x`. The series below the shape, Lentz's
    continued fraction above it (Numerical Recipes, 6.2).
    """
    if shape <= 0 or x < 0:
        raise ValueError("the shape is positive and x is not negative")
    if x == 0:
        return 1.0
    scale = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    return 1 - scale * _series(shape, x) if x < shape + 1 else scale * _fraction(shape, x)


def _series(shape: float, x: float) -> float:
    term = total = 1 / shape
    for step in range(1, _MOST_STEPS):
        term *= x / (shape + step)
        total += term
        if term < total * _PRECISION:
            return total
    raise ArithmeticError("the series does not come to an end")


def _fraction(shape: float, x: float) -> float:
    tiny = 1e-300
    b = x + 1 - shape
    c, d = 1 / tiny, 1 / b
    total = d
    for step in range(1, _MOST_STEPS):
        a = -step * (step - shape)
        b += 2
        d = 1 / (a * d + b or tiny)
        c = b + a / c or tiny
        total *= d * c
        if abs(d * c - 1) < _PRECISION:
            return total
    raise ArithmeticError("the fraction does not come to an end")


def page(findings: Sequence[Finding], *, shoes: int, decks: int) -> str:
    """Write the report."""
    rows = [
        f"| {one.name} | {one.what} | {_number(one.statistic)} | {one.freedom or ''} | {one.verdict} |"
        for one in findings
    ]
    return "\n".join(
        [
            "# The shuffle, tested",
            "",
            f"{shoes:,} shoes of {decks} decks, each from a seed of its own out of the operating system's generator,",
            "by the code that shuffles in play: HMAC_DRBG with SHA-256, Fisher and Yates, no bias by division.",
            f"A p-value says how likely chance is to do as bad or worse; below {SUSPECT:g} it is suspect, and so is a",
            "chi-square that is as near to 1: too even is no chance either.",
            "",
            "| test | of what | statistic | degrees of freedom | result |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
