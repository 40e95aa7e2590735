"""No leftovers, no machine's paths, no registry's address; the lock is hashed and current. Each rule can fail."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.style.checkout import read, text_files, told
from tests.style.texts import findings

LOCK = Path("requirements.lock")


def test_no_file_holds_what_none_may() -> None:
    found = [finding for path in text_files() for finding in findings(path, read(path))]

    assert not found, told(found)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("services/table/a.py", "# TO" + "DO: deal\n", "leftover mark"),
        ("README.md", "a\nFIX" + "ME\n", "README.md:2"),
        ("services/table/a.py", "<" * 7 + " HEAD\n", "leftover mark"),
        ("deploy/compose.yaml", "volumes: /ro" + "ot/data\n", "path of one machine"),
        ("README.md", "cd /ho" + "me/anna/shoelog\n", "path of one machine"),
        ("README.md", "https://py" + "pi.org/simple\n", "registry's address"),
        ("requirements.lock", "click==8.1.0 --index" + "-url https:x\n", "not places"),
        ("requirements.lock", "-f wheels\n", "not places"),
        ("requirements.lock", "click @ git+ssh:x\n", "not places"),
    ],
)
def test_what_no_file_may_hold_is_found(path: str, text: str, said: str) -> None:
    found = findings(Path(path), text)

    assert len(found) == 1, told(found)
    assert said in found[0]


def test_every_locked_package_has_a_hash() -> None:
    found = [f"{LOCK}: {name} has no hash; make lock" for name in unhashed(read(LOCK))]

    assert not found, told(found)


def test_a_package_without_a_hash_is_found() -> None:
    assert unhashed("click==8.1.0 \\\n    --hash=sha256:00\nrich==15.0.0\n    # via click\n") == ["rich"]


def test_the_lock_satisfies_what_the_project_requires() -> None:
    found = unsatisfied(requirements_of(read(Path("pyproject.toml"))), read(LOCK))

    assert not found, told(found)


def test_a_requirement_that_the_lock_does_not_satisfy_is_found() -> None:
    found = unsatisfied(["click>=9", "rich>=1", "Msg_Spec>=1"], "click==8.1.0 \\\nrich==15.0.0 \\\n")

    assert found == [
        "requirements.lock: click>=9 is wanted and 8.1.0 locked; make lock",
        "requirements.lock: Msg_Spec>=1 is wanted and nothing locked; make lock",
    ]


def pins(lock: str) -> list[tuple[str, str, str]]:
    """Each locked package: its name, its version, and the text up to the next one."""
    return re.findall(r"^([\w.-]+)==([\w.+!]+)((?:.|\n(?=\s))*)", lock, re.MULTILINE)


def unhashed(lock: str) -> list[str]:
    """The locked packages that any file of that name would pass for."""
    return [name for name, _, rest in pins(lock) if "--hash=sha256:" not in rest]


def requirements_of(project: str) -> list[str]:
    """All that pyproject.toml asks for: base, extras, the dev group, and what builds the project."""
    said = tomllib.loads(project)
    extras = [one for extra in said["project"]["optional-dependencies"].values() for one in extra]
    groups = [one for group in said["dependency-groups"].values() for one in group]
    return [*said["project"]["dependencies"], *extras, *groups, *said["build-system"]["requires"]]


def unsatisfied(wanted: list[str], lock: str) -> list[str]:
    """The requirements that the lock does not meet."""
    locked = {canonicalize_name(name): version for name, version, _ in pins(lock)}
    return [
        f"{LOCK}: {one} is wanted and {locked.get(canonicalize_name(one.name), 'nothing')} locked; make lock"
        for one in map(Requirement, wanted)
        if not one.specifier.contains(locked.get(canonicalize_name(one.name), "0.dev0"))
    ]
