/** Check `chain`: the lines are one stretch of a stream, each linked to the one before, as the manifest says. */

import { hexOf } from "./bytes.js";
import { Check } from "./findings.js";

const ENDS = ["shoe-closed", "shoe-voided"];
const NO_LINK = "0".repeat(64);
const TOLD = { table: "table", shoe: "shoe", first_version: "first version", last_version: "last version" };

export class ChainCheck extends Check {
  /** `isRounds`: of one round, which tells neither the shoe's number nor whether the shoe is over. */
  constructor({ isRounds = false } = {}) {
    super("chain");
    this.isRounds = isRounds;
    this.said = { table: "", shoe: null, first_version: 0, last_version: 0, entries: 0, complete: false };
    this.leaf = null;
    this.at = "";
  }

  /** Take in a line as `readLine` gives it. One whose place cannot be read is counted, and its leaf linked to. */
  take({ place, entry, leaf }) {
    const { said } = this;
    const isFirst = !said.entries++;
    if (place) this.compare(place, isFirst);
    else said.last_version++;
    if (isFirst && entry?.event.type === "shoe-committed" && !this.isRounds) said.shoe = entry.event.shoe;
    said.complete = ENDS.includes(place?.event.type);
    this.leaf = hexOf(leaf);
  }

  compare({ stream, version, prev, at }, isFirst) {
    const { said } = this;
    if (isFirst) {
      said.table = stream.replace(/^table\//, "");
      said.first_version = version;
      if (!stream.startsWith("table/")) this.fail(version, `of the stream ${stream}, which is no table's`);
      if ((prev === NO_LINK) !== (version === 1)) this.fail(version, "a stream's first entry alone links to nothing");
    } else {
      if (stream !== `table/${said.table}`)
        this.fail(version, `of the stream ${stream}, among entries of ${said.table}`);
      if (version !== said.last_version + 1) this.fail(version, `follows version ${said.last_version}`);
      if (prev !== this.leaf) this.fail(version, "its link is not the hash of the line before it");
      if (at < this.at) this.fail(version, `its time is before ${this.at}`);
    }
    said.last_version = version;
    this.at = at;
  }

  get stream() {
    return `table/${this.said.table}`;
  }

  /** Compare with the manifest. */
  end(manifest) {
    if (this.reason) return;
    for (const key of Object.keys(this.said)) this.compareWith(manifest, key);
  }

  compareWith(manifest, key) {
    const counted = this.said[key];
    if (counted === null || counted === manifest[key]) return;
    this.fail(0, `the manifest says ${TOLD[key] ?? key} ${manifest[key]}, the entries say ${counted}`);
  }
}
