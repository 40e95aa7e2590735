"""A key that a body says twice is refused wherever it is, for readers differ in which one they take."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType

from services.door.bodies import decoder, refuse_repetition
from services.door.problems import Declined, Problem


class Bet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nothing but texts and numbers, all of which are needed."""

    patron: str
    amount: int


class Round(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A shape with other shapes in it."""

    name: str | UnsetType = UNSET
    bets: tuple[Bet, ...] | UnsetType = UNSET
    limits: dict[str, dict[str, int]] | UnsetType = UNSET


ONE_OR_MANY = decoder(Bet | tuple[Bet, ...])
NESTED = decoder(Round)


def refused(decode: Any, body: str) -> Problem:
    with pytest.raises(Declined) as told:
        decode(body.encode())
    return told.value.problem


@pytest.mark.parametrize(
    ("decode", "body", "where"),
    [
        (ONE_OR_MANY, '{"patron":"p1","amount":1,"amount":2}', "$.amount"),
        (ONE_OR_MANY, '{"amount":1,"patron":"p1","amount":1}', "$.amount"),
        (ONE_OR_MANY, '{"patron":"p1","amount":1,"p\\u0061tron":"p1"}', "$.patron"),
        (ONE_OR_MANY, '{"patron":"p1","patron":"\\"","amount":1}', "$.patron"),
        (ONE_OR_MANY, '[{"patron":"p1","amount":1},{"patron":"p2","amount":1, "amount" : 3}]', "$[1].amount"),
        (NESTED, '{"name":"a","name":"b"}', "$.name"),
        (NESTED, '{"bets":[{"patron":"p1","amount":1,"amount":2}]}', "$.bets[0].amount"),
        (NESTED, '{"limits":{"tie":{"min":1},"tie":{"min":2}}}', "$.limits.tie"),
        (NESTED, '{"limits":{"tie":{"min":1,"min":2}}}', "$.limits.tie.min"),
        (decoder(Any), f'{{"{"x" * 99}":1,"{"x" * 99}":2}}', f"$.{'x' * 64}"),
    ],
)
def test_a_key_that_is_said_twice_is_refused_and_named(decode: Any, body: str, where: str) -> None:
    problem = refused(decode, body)

    assert (problem.status, problem.type) == (400, "urn:shoelog:problem:said-twice")
    assert problem.where == f"body {where}"
    assert str(problem.would_be_right).endswith(" once")


@pytest.mark.parametrize(
    ("decode", "body"),
    [
        (ONE_OR_MANY, ' { "amount" : 1 ,\n"patron":"p1" } '),
        (ONE_OR_MANY, '{"patron":"\\"amount\\":1,","amount":1}'),
        (ONE_OR_MANY, "[]"),
        (ONE_OR_MANY, '[{"patron":"amount","amount":1},{"patron":"p1","amount":1}]'),
        (NESTED, '{"bets":[{"patron":"p1","amount":1},{"patron":"p1","amount":1}],"limits":{"a":{"min":1},"b":{}}}'),
    ],
)
def test_a_key_that_is_said_once_in_each_object_is_read(decode: Any, body: str) -> None:
    assert msgspec.json.decode(msgspec.json.encode(decode(body.encode()))) == json.loads(body)


@given(
    patrons=st.lists(st.text(max_size=4), min_size=1, max_size=3),
    again=st.none() | st.tuples(st.integers(0, 2), st.sampled_from(["patron", "amount"])),
    is_ascii=st.booleans(),
)
def test_counting_quotation_marks_tells_as_reading_does(
    patrons: list[str], again: tuple[int, str] | None, *, is_ascii: bool
) -> None:
    bets = [json.dumps({"patron": patron, "amount": 7}, ensure_ascii=is_ascii) for patron in patrons]
    is_repeated = again is not None and again[0] < len(bets)
    if again is not None and is_repeated:
        value = {"patron": '"x"', "amount": "8"}[again[1]]
        bets[again[0]] = f'{bets[again[0]][:-1]}, "{again[1]}": {value}}}'
    body = f"[{','.join(bets)}]".encode()

    for read in (ONE_OR_MANY, refuse_repetition):
        if is_repeated:
            with pytest.raises(Declined):
                read(body)
        else:
            read(body)
