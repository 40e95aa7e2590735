"""Become another program that dies with its parent: `python tether.py PARENT USER GROUP PROGRAM [ARGUMENT …]`.

A process of its own, since the order matters: the kernel forgets the death signal when the user changes, and the
program must not start when the parent is gone already. USER and GROUP are numbers, or `-` to stay who one is.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def become(parent: int, user: str, group: str, command: list[str]) -> None:
    """Drop to the user, ask for SIGINT (PostgreSQL's fast stop) at the parent's death, and run the program."""
    if user != "-":
        os.setgroups([])
        os.setgid(int(group))
        os.setuid(int(user))
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a job in a shell's background ignores it, and so would its children
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGINT))
    if os.getppid() == parent:
        os.execv(command[0], command)  # noqa: S606  # the point of this module


if __name__ == "__main__":
    become(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
