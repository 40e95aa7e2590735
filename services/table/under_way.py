"""Under way: a command that is being carried out, and what its repeats wait for."""

import asyncio
from typing import Generic, TypeVar

Result = TypeVar("Result")


class UnderWay(Generic[Result]):
    """A command that is being carried out, and what its repeats wait for; hardly any has one."""

    __slots__ = ("_promise", "request")

    def __init__(self, request: bytes) -> None:
        self.request = request
        self._promise: asyncio.Future[Result] | None = None

    @property
    def promise(self) -> asyncio.Future[Result]:
        """What a repeat waits for."""
        if self._promise is None:
            self._promise = asyncio.get_running_loop().create_future()
        return self._promise

    def keep(self, result: Result) -> None:
        """Tell the repeats that it is done."""
        if self._promise is not None:
            self._promise.set_result(result)

    def fail(self, error: Exception) -> None:
        """Tell the repeats why it is not."""
        if self._promise is not None:
            self._promise.set_exception(error)
            self._promise.exception()  # whoever waits beside raises it too; nobody has to
