"""Run in the foreign witness's environment: its client feeds our witness what it reads, and tells each outcome."""

import base64
import importlib
import json
import sys


def main() -> None:
    """Feed one submission after the other, each with the proofs that its log can give."""
    feeder = importlib.import_module("aics_witness.feeder")
    with feeder.WitnessClient(*sys.argv[1:3]) as client:
        for each in json.load(sys.stdin):
            proofs = {old: [base64.b64decode(line) for line in lines] for old, lines in each["proofs"].items()}
            try:
                outcome = "cosigned", client.submit(each["note"], lambda old, _, proofs=proofs: proofs[str(old)])
            except feeder.FeederError as error:
                outcome = type(error).__name__, str(error)
            sys.stdout.write(json.dumps(outcome) + "\n")


if __name__ == "__main__":
    main()
