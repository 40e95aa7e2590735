"""`shoelog verify`: check bundles, say every finding, and exit with the worst verdict."""

import re
from pathlib import Path
from typing import NoReturn

import click
import msgspec

from schemas.note import ED25519, NoteError, Verifier, parse_vkey
from schemas.policy import MAX_BYTES, Policy, UnreadablePolicyError, parse
from services.audit.log import Trust
from services.audit.receipt import judge_receipt
from services.audit.telling import told
from services.audit.usage import StrictCommand, refuse_usage
from services.audit.verdict import UNREAD, judge_all, worst


@click.command("verify", cls=StrictCommand)
@click.option("--policy", "policy_file", metavar="FILE", help="A C2SP tlog-policy got elsewhere: whom you believe.")
@click.option("--log-key", metavar="VKEY", help="The log's key, got elsewhere.")
@click.option("--signer", "signer_keys", metavar="VKEY", multiple=True, help="A key that may give a last ingredient.")
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON, with every finding.")
@click.option("--receipt", "receipt_file", metavar="PROOF", help="Check the proof of one entry, in place of FILES.")
@click.option("--entry", "entry_file", metavar="FILE", help="With --receipt: the entry, as the log has it.")
@click.option("--leaf", metavar="HEX", help="With --receipt: the entry's leaf hash, if that is all you have.")
@click.argument("files", metavar="FILE...", nargs=-1)
def verify_command(  # noqa: PLR0913  # one for each word of the command line
    *,
    policy_file: str | None,
    log_key: str | None,
    signer_keys: tuple[str, ...],
    receipt_file: str | None,
    entry_file: str | None,
    leaf: str | None,
    files: tuple[str, ...],
    as_json: bool,
) -> None:
    """Check bundles, the folder of a whole log, or a receipt, offline, trusting nothing but the key or policy given.

    Exit status: 0 everything passed; 1 something failed; 2 nothing failed, but a shoe is open or no key was given;
    3 a file could not be read; 64 wrong usage.
    """
    if policy_file is not None and log_key is not None:
        refuse_usage("give --policy or --log-key, not both")
    trust = Trust(
        policy=None if policy_file is None else _policy(Path(policy_file)),
        log_key=None if log_key is None else _key("--log-key", log_key),
        signers=tuple(_key("--signer", key) for key in signer_keys),
    )
    if receipt_file is None:
        if not files or entry_file is not None or leaf is not None:
            refuse_usage("give one FILE or more, or --receipt with --entry or --leaf")
        judgements = judge_all([Path(file) for file in files], trust)
    else:
        if files or (entry_file is None) == (leaf is None):
            refuse_usage("--receipt needs either --entry or --leaf, and no FILE beside")
        entry = None if entry_file is None else Path(entry_file)
        judgements = [judge_receipt(Path(receipt_file), trust, entry=entry, leaf=_hash(leaf))]
    if as_json:
        click.echo(msgspec.json.encode([judgement.report for judgement in judgements]))
    else:
        for judgement in judgements:
            click.echo(told(judgement))
    raise SystemExit(worst(judgement.exit_code for judgement in judgements))


def _hash(text: str | None) -> bytes:
    if text is None:
        return b""
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        refuse_usage("--leaf: a leaf hash is 64 hex digits")
    return bytes.fromhex(text)


def _key(option: str, vkey: str) -> Verifier:
    try:
        key = parse_vkey(vkey)
    except NoteError as error:
        refuse_usage(f"{option}: {error}")
    if key.algorithm != ED25519:
        refuse_usage(f"{option}: {key.name} is a witness's key")
    return key


def _policy(path: Path) -> Policy:
    """Read the policy given; one that cannot be read is input that cannot be read."""
    try:
        with path.open("rb") as file:
            policy = parse(file.read(MAX_BYTES + 1))
    except (OSError, UnreadablePolicyError) as error:
        _give_up(path, str(error))
    if not policy.logs:
        _give_up(path, "the policy names no log")
    return policy


def _give_up(path: Path, why: str) -> NoReturn:
    click.echo(f"{path}: {why}", err=True)
    raise SystemExit(UNREAD)
