/** Check `chain`: the lines are one stretch of one table's stream, each linked to the one before it. */

import { hexOf } from "./bytes.js";
import { Check } from "./findings.js";
import { isObject } from "./shapes.js";

export class ChainCheck extends Check {
  constructor(manifest) {
    super("chain");
    this.manifest = manifest;
    this.lines = 0;
    this.before = null;
    this.lastType = null;
  }

  /** Take in a line as `readLine` gives it; what cannot be made out of it is left out of account. */
  take({ entry, leaf, isClear }) {
    this.lines++;
    const version = entry?.version;
    if (Number.isSafeInteger(version)) this.compare(entry, version);
    else this.fail(0, `line ${this.lines} has no version`);
    if (isClear && entry.event.type === "shoe-committed" && entry.event.shoe !== this.manifest.shoe) {
      this.fail(version, `the manifest says shoe ${this.manifest.shoe}, the entry shoe ${entry.event.shoe}`);
    }
    this.before = { leaf: hexOf(leaf), version, at: entry?.at ?? this.before?.at };
    if (isObject(entry?.event)) this.lastType = entry.event.type;
  }

  compare(entry, version) {
    const { manifest, before } = this;
    if (entry.stream !== `table/${manifest.table}`) {
      this.fail(version, `stands on ${entry.stream}, not on table/${manifest.table}`);
    }
    if (!before) {
      if (version !== manifest.first_version) {
        this.fail(version, `the manifest says that version ${manifest.first_version} is the first`);
      }
      return;
    }
    if (entry.prev !== before.leaf) this.fail(version, "its link is not the hash of the line before it");
    if (Number.isSafeInteger(before.version) && version !== before.version + 1) {
      this.fail(version, `follows version ${before.version}`);
    }
    if (typeof before.at === "string" && entry.at < before.at) this.fail(version, `its time is before ${before.at}`);
  }

  /** Whether the last line that can be made out says that the shoe is over. */
  get isEnded() {
    return ["shoe-closed", "shoe-voided"].includes(this.lastType);
  }

  end() {
    const { manifest, isEnded } = this;
    if (this.lines !== manifest.entries) {
      this.fail(0, `${this.lines} lines, where the manifest says ${manifest.entries}`);
    }
    if (this.before?.version !== manifest.last_version) {
      this.fail(
        0,
        `the manifest says that version ${manifest.last_version} is the last, not ${this.before?.version ?? "none"}`,
      );
    }
    if (isEnded !== manifest.complete) {
      this.fail(
        0,
        manifest.complete
          ? "the manifest says complete, and the shoe is not ended"
          : "the manifest says incomplete, and the shoe is ended",
      );
    }
  }
}
