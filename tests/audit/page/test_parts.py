"""The page's parts against what others published, and against the rules as they are told."""

import hashlib
import json
import random
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from schemas.checkpoint import Checkpoint, sign
from schemas.entry import leaf
from schemas.note import COSIGNATURE, Signer, cosign
from schemas.tree import inclusion_proof, leaf_nodes, root
from tests.audit.page.node import NEEDS_NODE, ask

pytestmark = NEEDS_NODE
DATA = Path("tests/data")
GOLDEN = Path("schemas/golden")
HASHES = [bytes([number]) * 32 for number in range(17)]
# RFC 8032, 7.1: key, message, signature.
ED25519 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
]
ORDER = 2**252 + 27742317777372353535851937790883648493


def published(name: str) -> Any:
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def test_the_generator_gives_the_bytes_that_nist_published() -> None:
    vectors = published("hmac_drbg_sha256.json")
    plain = [vector | {"additional_input": ["", ""]} for vector in vectors["sha256_no_reseed"]]
    vectors = [*plain, *vectors["sha256_no_reseed_additional_input"]]

    given = ask(
        *(
            (
                "drbg",
                {
                    "entropy": vector["entropy"],
                    "nonce": vector["nonce"],
                    "pers": vector["pers"],
                    "additional": vector["additional_input"],
                    "bytes": len(vector["returned_bits"]) // 2,
                },
            )
            for vector in vectors
        )
    )

    assert given == [vector["returned_bits"] for vector in vectors]


def test_a_seed_makes_the_published_shoes_the_rejected_word_and_nine_decks_too() -> None:
    vectors = published("shoe_vectors.json")["vectors"]

    made = ask(*(("shoe", {"shoeId": told["shoe_id"]} | told) for told in vectors))

    for shoe, told in zip(made, vectors, strict=True):
        assert (shoe["commitment"], shoe["mix"], shoe["root"]) == (
            told["seed_commitment"],
            told["mix"],
            told["deck_root"],
        )
        assert hashlib.sha256(bytes(shoe["cards"])).hexdigest() == told["cards_sha256"]
        assert (shoe["salts"][0], shoe["salts"][-1]) == (told["salt_0"], told["salt_last"])
        assert (shoe["leaves"][0], shoe["rejected"]) == (told["leaf_0"], told["rejected_words"])


def test_every_golden_entry_passes_the_byte_check_and_has_its_golden_leaf() -> None:
    leaves = dict(line.split("  ")[::-1] for line in (GOLDEN / "leaves.txt").read_text().splitlines())

    read = ask(*(("line", (GOLDEN / name).read_bytes().rstrip(b"\n").hex()) for name in leaves))

    assert read == [{"leaf": hashed, "complaint": None, "isNewer": False} for hashed in leaves.values()]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"amount":500', b'"amount": 500'),
        (b'"amount":500', b'"amount":500.0'),
        (b'"amount":500', b'"amount":5e2'),
        (b'"amount":500', b'"amount":0500'),
        (b'"amount":500', b'"amount":-0'),
        (b'"amount":500', b'"amount":null'),
        (b'"amount":500', b'"amount":9007199254740992'),
        (b'"amount":500', b'"amount":"500"'),
        (b'"amount":500', b'"amount":500,"amount":500'),
        (b'"amount":500', b'"amount":500,"more":1'),
        (b'"amount":500', b'"amount":500,"__proto__":{}'),
        (b'"bet":"banker"', b'"bet":"\\u0062anker"'),
        (b'"bet":"banker"', b'"bet":"banker\xff"'),
        (b'"bet":"banker"', b'"bet":"\\ud800"'),
        (b'"bet":"banker","amount":500', b'"amount":500,"bet":"banker"'),
        (b"2026-11-30T", b"2026-11-31T"),
        (b'{"id"', b'\xef\xbb\xbf{"id"'),
        (b'"amount":500', b'"amount":' + b"[" * 30000 + b"]" * 30000),
        (b"}}", b"}} "),
    ],
)
def test_a_line_written_otherwise_fails_the_byte_check(before: bytes, after: bytes) -> None:
    line = (GOLDEN / "bet-placed-1.json").read_bytes().rstrip(b"\n")

    read = ask(("line", line.replace(before, after).hex()))[0]

    assert read["complaint"]


def test_an_entry_of_a_later_schema_is_not_judged() -> None:
    line = (GOLDEN / "bet-placed-1.json").read_bytes().rstrip(b"\n").replace(b'"schema":1', b'"schema":2')

    assert ask(("line", line.hex())) == [{"leaf": leaf(line).hex(), "complaint": None, "isNewer": True}]


def test_hashes_are_those_of_the_standard_library() -> None:
    chance = random.Random(1)
    messages = [chance.randbytes(length) for length in (*range(260), 1000, 70_000)]

    hashed = ask(*(("hashes", message.hex()) for message in messages))

    assert hashed == [
        [hashlib.sha256(message).hexdigest(), hashlib.sha512(message).hexdigest()] for message in messages
    ]


def test_signatures_are_checked_without_webcrypto_too() -> None:
    key, message, signature = ED25519[1]
    raised = int.from_bytes(bytes.fromhex(signature[64:]), "little") + ORDER
    own = Ed25519PrivateKey.generate()
    public = own.public_key().public_bytes_raw().hex()

    told = ask(
        *(("signed", *vector) for vector in ED25519),
        ("signed", public, b"shoe".hex(), own.sign(b"shoe").hex()),
        ("signed", public, b"sho".hex(), own.sign(b"shoe").hex()),
        ("signed", key, message, signature[:64] + raised.to_bytes(32, "little").hex()),
        ("signed", "ff" * 32, message, signature),
        ("signed", key, message, signature[:-2]),
    )

    assert told == [True, True, True, False, False, False, False]


def test_a_checkpoint_holds_when_the_quorum_cosigned_it_and_not_before() -> None:
    log = Signer("casino.example/log/1", bytes(32))
    witnesses = [Signer(f"w{number}.example", bytes([number]) * 32, algorithm=COSIGNATURE) for number in (1, 2, 3)]
    names = [f"witness w{number} {witness.verifier.vkey}" for number, witness in enumerate(witnesses)]
    policy = "\n".join([f"log {log.verifier.vkey}", *names, "group two 2 w0 w1 w2", "quorum two\n"])
    note = sign(Checkpoint(origin=log.verifier.name, size=7, root=bytes(32)), log)
    once = cosign(note, witnesses[0], timestamp=1_700_000_000)
    twice = cosign(once, witnesses[2], timestamp=1_700_000_001)

    judged = ask(*(("judge", policy, text.decode()) for text in (note, once, twice, twice.replace(b"\n7\n", b"\n8\n"))))

    assert [bool(findings) for findings in judged] == [True, True, False, True]


def test_every_leaf_is_included_by_its_proof_and_by_no_other() -> None:
    questions = []
    for size in range(1, len(HASHES) + 1):
        nodes = leaf_nodes(HASHES[:size])
        top = root(HASHES[:size]).hex()
        for index in range(size):
            proof = [node.hex() for node in inclusion_proof(index, size, nodes)]
            questions += [(HASHES[at].hex(), index, size, proof, top) for at in (index, (index + 1) % len(HASHES))]

    included = ask(*(("included", *question) for question in questions))

    assert included == [number % 2 == 0 for number in range(len(questions))]


# One card of each value, 0 to 9, and one pair of cards for each total.
CARDS = ["Kc", "Ac", "2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c"]
PAIRS = [["Kd", card] for card in CARDS]


def banker_draws(total: int, third: int) -> bool:
    """The rule as it is told in words."""
    return total <= 2 or (
        third in {3: {0, 1, 2, 3, 4, 5, 6, 7, 9}, 4: {2, 3, 4, 5, 6, 7}, 5: {4, 5, 6, 7}, 6: {6, 7}}.get(total, set())
    )


def test_banker_draws_as_the_tableau_says_in_all_88_cells() -> None:
    cells = list(product(range(8), range(10)))
    drawn = [("hand", [*PAIRS[0], CARDS[third]], PAIRS[total]) for total, third in cells]
    stood = [("hand", PAIRS[7], PAIRS[total]) for total in range(8)]

    answers = ask(*drawn, *stood)

    assert answers[:80] == ["banker" if banker_draws(total, third) else None for total, third in cells]
    assert answers[80:] == ["banker"] * 6 + [None] * 2


def test_player_draws_to_five_and_a_natural_ends_the_coup() -> None:
    answers = ask(*(("hand", PAIRS[player], PAIRS[banker]) for player, banker in product(range(10), repeat=2)))

    for (player, banker), hand in zip(product(range(10), repeat=2), answers, strict=True):
        due = "player" if player <= 5 else "banker" if banker <= 5 else None
        assert hand == (None if max(player, banker) >= 8 else due)


def test_facts_are_told_as_the_format_names_them() -> None:
    told = ask(
        ("facts", ["8c", "Kd"], ["9h", "9s"]),
        ("facts", ["3c", "3c", "2d"], ["3h", "3s", "Ah"]),
        ("facts", ["9c", "Kc"], ["Td", "9d"]),
    )

    assert [fact["natural"] for fact in told] == ["both", "none", "both"]
    assert [fact["pairs"] for fact in told] == ["one", "alike", "none"]
    assert [(fact["player_pair"], fact["banker_pair"]) for fact in told] == [
        ("none", "mixed"),
        ("suited", "mixed"),
        ("none", "none"),
    ]
    assert [(fact["winner"], fact["margin"], fact["cards"]) for fact in told] == [
        ("tie", 0, 4),
        ("player", 1, 6),
        ("tie", 0, 4),
    ]


def test_shares_are_rounded_exactly() -> None:
    chance = random.Random(2)
    asked = [
        (chance.choice((chance.randrange(50), 2**53 - 1 - chance.randrange(99))), fraction, mode, unit)
        for fraction, mode, unit in product(
            ("1/20", "1/2", "27/50", "200/1", "9999999999999999/9999999999999998"),
            ("floor", "half-up", "half-even"),
            (1, 5, 25),
        )
        for _ in range(4)
    ]

    shares = ask(*(("share", *question) for question in asked))

    due = [rounded(Fraction(ratio) * amount, mode, unit) for amount, ratio, mode, unit in asked]
    assert list(map(int, shares)) == due


def rounded(exact: Fraction, mode: str, unit: int) -> int:
    """Round as the format says, by fractions."""
    if mode == "half-even":
        return unit * round(exact / unit)
    return unit * ((exact / unit + (Fraction(1, 2) if mode == "half-up" else 0)) // 1)
