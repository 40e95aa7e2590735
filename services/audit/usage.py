"""Usage: how the auditor's commands say that they were called wrongly, which is exit status 64 and not click's 2."""

from typing import Any, NoReturn

import click


class WrongUsage(click.UsageError):
    """Wrong usage, with its own exit status (EX_USAGE of sysexits.h)."""

    exit_code = 64


class StrictCommand(click.Command):
    """A command for which 2 is a verdict, so that wrong usage needs a status of its own."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments."""
        try:
            return super().make_context(info_name, args, parent=parent, **extra)
        except click.UsageError as error:
            raise WrongUsage(error.format_message(), error.ctx) from None


def refuse_usage(why: str) -> NoReturn:
    """Say that a command was called wrongly."""
    raise WrongUsage(why, click.get_current_context(silent=True))
