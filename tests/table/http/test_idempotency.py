"""A command is done once under its key, however often it is sent."""

import concurrent.futures

import httpx

from tests.table.http.service import Desk, Service, new_key, open_round
from tests.table.http.test_bad_input import BET, told

KEY_REUSED = "idempotency-key-reused"


def test_a_repeat_gets_the_first_answer_and_changes_nothing(desk: Desk) -> None:
    at = open_round(desk)
    key = new_key()
    first = desk.post(f"{at}/rounds/current/bets", BET, Idempotency_Key=key)
    desk.tell(f"{at}/rounds/current/bets", BET)
    desk.tell(f"{at}/rounds/current/close")
    before = desk.ask(at)

    again = desk.post(f"{at}/rounds/current/bets", BET, Idempotency_Key=key)

    assert (again.status_code, again.content) == (first.status_code, first.content) == (201, again.content)
    assert desk.ask(at) == before


def test_a_key_used_for_another_request_is_refused(desk: Desk) -> None:
    at = open_round(desk)
    key = new_key()
    desk.tell(f"{at}/rounds/current/bets", BET, Idempotency_Key=key)
    before = desk.ask(at)

    told(desk.post(f"{at}/rounds/current/bets", {**BET, "amount": 500}, Idempotency_Key=key), 422, KEY_REUSED)
    told(desk.post(f"{at}/rounds/current/close", Idempotency_Key=key), 422, KEY_REUSED)

    assert desk.ask(at) == before


def test_a_key_is_an_actors_own(desk: Desk) -> None:
    at = open_round(desk)
    key = new_key()

    for actor in ("dealer:anna", "patron:p1", "patron:p2"):
        desk.tell(f"{at}/rounds/current/bets", BET, Idempotency_Key=key, Shoelog_Actor=actor)

    assert desk.ask(at)["stacks"]["p1"] == 997_000


def test_a_command_with_two_keys_or_by_two_actors_is_not_done(desk: Desk) -> None:
    at = open_round(desk)
    before = desk.ask(at)
    actors = [("Shoelog-Actor", "dealer:anna"), ("Shoelog-Actor", "patron:p1")]
    keys = [("Idempotency-Key", new_key()), ("Idempotency-Key", new_key())]

    def bet(*headers: tuple[str, str]) -> httpx.Response:
        return desk.http.post(f"/v1{at}/rounds/current/bets", json=BET, headers=headers)

    told(bet(*keys), 400, "idempotency-key-malformed")
    told(bet(keys[0], *actors), 400, "malformed")

    assert desk.ask(at) == before


def test_a_refusal_is_not_remembered(desk: Desk) -> None:
    at = open_round(desk, chips=500)
    key = new_key()
    told(desk.post(f"{at}/rounds/current/bets", BET, Idempotency_Key=key), 422, "stack-too-small")
    desk.tell(f"{at}/chips/buy", {"patron": "p1", "amount": 500})

    assert desk.tell(f"{at}/rounds/current/bets", BET, Idempotency_Key=key)["stack"] == 0


def post_at_once(desks: list[Desk], path: str, *, key: str, amounts: list[int]) -> list[httpx.Response]:
    """Let everybody bet at the same moment under the same key."""

    def post(desk: Desk, amount: int) -> httpx.Response:
        return desk.post(path, {**BET, "amount": amount}, Idempotency_Key=key)

    with concurrent.futures.ThreadPoolExecutor(len(desks)) as crowd:
        return list(crowd.map(post, desks, amounts))


def test_repeats_in_flight_wait_for_the_first_and_get_its_answer(desk: Desk, shared_service: Service) -> None:
    at = open_round(desk)
    desks = [shared_service.client() for _ in range(8)]

    for _ in range(10):
        answers = post_at_once(desks, f"{at}/rounds/current/bets", key=new_key(), amounts=[1000] * 8)
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.content for answer in answers}) == 1

    assert desk.ask(at)["stacks"]["p1"] == 990_000


def test_different_requests_in_flight_under_one_key_are_done_once(desk: Desk, shared_service: Service) -> None:
    at = open_round(desk)
    desks, amounts = [shared_service.client() for _ in range(4)], [1000, 2000, 3000, 4000]

    answers = post_at_once(desks, f"{at}/rounds/current/bets", key=new_key(), amounts=amounts)

    assert sorted(answer.status_code for answer in answers) == [201, 422, 422, 422]
    staked = next(amount for answer, amount in zip(answers, amounts, strict=True) if answer.is_success)
    assert desk.ask(at)["stacks"]["p1"] == 1_000_000 - staked
