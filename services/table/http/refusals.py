"""How the table's own kinds of no are told as problems."""

from typing import Any

from litestar import Request, Response

from services.door.problems import Problem, problem, response
from services.table.command import OutrunError, UnavailableError
from services.table.croupier import KeyReusedError, UnknownTableError
from services.table.game.refusal import RefusedError
from services.table.game.rules import RulesError
from services.table.gauges import Gauges
from services.table.notary import UnprovableError
from services.table.outsiders import AwayError
from services.table.shelf import MismatchError
from services.table.witnesses import UnwitnessedError

# A no of the moment, which another command may turn into a yes; the others are about what was asked.
OF_THE_MOMENT = frozenset({"wrong-phase", "table-suspended", "shoe-over", "shoe-source", "cards-known", "whole-coup"})
AGAIN = {"Retry-After": "1"}

Asking = Request[Any, Any, Any]


def told(gauges: Gauges) -> dict[type[Exception] | int, Any]:
    """Give what tells each kind of no; those of the rules are counted."""

    def counted(asking: Asking, error: RefusedError) -> Response[Problem]:
        gauges.count_refusal(error.code)
        return refused(asking, error)

    return {
        RefusedError: counted,
        RulesError: unsound,
        KeyReusedError: key_reused,
        UnknownTableError: unknown_table,
        OutrunError: outrun,
        UnavailableError: unavailable,
        MismatchError: mismatch,
        AwayError: away,
        UnwitnessedError: unwitnessed,
        UnprovableError: unprovable,
    }


def refused(_: Asking, error: RefusedError) -> Response[Problem]:
    """The rules of the house say no."""
    status = 409 if error.code in OF_THE_MOMENT else 422
    values: dict[str, Any] = {} if error.values is None else {"values": dict(error.values)}
    return response(
        problem(
            status, error.detail, code=error.code, where=error.where or "phase", would_be_right=error.right, **values
        )
    )


def unsound(_: Asking, error: RulesError) -> Response[Problem]:
    """A rule set is not known, or does not make sense."""
    return response(
        problem(
            422,
            str(error),
            code="rules-unsound",
            where="/rules",
            would_be_right="a rule set that GET /v1/rules lists, or one whose parts agree",
        )
    )


def key_reused(_: Asking, __: KeyReusedError) -> Response[Problem]:
    """The idempotency key stands for another request."""
    return response(
        problem(
            422,
            "this idempotency key was used for another request",
            code="idempotency-key-reused",
            where="header Idempotency-Key",
            would_be_right="a new key, or the very request that was sent first",
        )
    )


def unknown_table(_: Asking, error: UnknownTableError) -> Response[Problem]:
    """No such table was ever opened."""
    return response(
        problem(
            404,
            f"there is no table {error.table}",
            code="unknown-table",
            where="table",
            would_be_right="a table that GET /v1/tables lists",
        )
    )


def outrun(_: Asking, __: OutrunError) -> Response[Problem]:
    """Others wrote first, time and again."""
    return response(problem(503, "others were faster, time and again; nothing was done", code="outrun"), AGAIN)


def unavailable(_: Asking, __: UnavailableError) -> Response[Problem]:
    """The database is away; whether the command was done, its repetition tells."""
    return response(
        problem(
            503,
            "the log cannot be reached; repeated under the same idempotency key, a command is done once",
            code="unavailable",
            would_be_right="the same request again",
        ),
        AGAIN,
    )


def away(_: Asking, error: AwayError) -> Response[Problem]:
    """Whoever gives the last ingredient of a shuffle does not answer."""
    told = problem(503, str(error), code="outsider-away", would_be_right="the same request again, or its contribution")
    return response(told, AGAIN)


def unwitnessed(_: Asking, error: UnwitnessedError) -> Response[Problem]:
    """Strict play: the first card is held."""
    detail = f"{error}; no card was dealt, and bets that are closed stay closed"
    return response(problem(503, detail, code="unwitnessed", would_be_right="the same request again"), AGAIN)


def mismatch(_: Asking, __: MismatchError) -> Response[Problem]:
    """The log is not what was signed: nothing is written behind it."""
    return response(problem(503, "the log is not what was signed; people must look at it", code="log-mismatch"))


def unprovable(_: Asking, error: UnprovableError) -> Response[Problem]:
    """The entry stands in a log that ended before a checkpoint covered it."""
    return response(
        problem(
            409,
            str(error),
            code="unprovable",
            would_be_right="its lines, from the log's pages: the links of later entries of the same table prove them",
        )
    )
