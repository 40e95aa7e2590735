"""The tether: who hangs on it hears the death signal, whatever his parent was deaf to."""

import os
import subprocess
import sys

from tests.style.checkout import ROOT

TETHER = [sys.executable, "-I", "-S", str(ROOT / "services" / "house" / "tether.py")]
LISTEN = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"


def test_a_child_of_a_job_in_a_shells_background_hears_the_death_signal() -> None:
    deaf = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"]
    tethered = [*TETHER, str(os.getpid()), "-", "-", sys.executable, "-c", LISTEN]

    said = subprocess.run([*deaf, *tethered], capture_output=True, text=True, check=True).stdout

    assert said == "True\n"


def test_a_child_whose_parent_is_gone_does_not_start() -> None:
    tethered = [*TETHER, str(os.getpid() + 1), "-", "-", sys.executable, "-c", LISTEN]

    said = subprocess.run(tethered, capture_output=True, text=True, check=True).stdout

    assert said == ""
