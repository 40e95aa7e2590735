/** What a check found: passed, failed with every finding, or not made and why. */

export const MOST_FINDINGS = 10000; // a file of a million wrong lines must not fill the memory: the rest is counted
const MOST_LETTERS = 400;

export class Check {
  constructor(name) {
    this.name = name;
    this.found = [];
    this.leftOut = 0;
    this.reason = null;
  }

  /** A finding. Version 0 is for what concerns no single entry. */
  fail(version, what) {
    if (this.found.length < MOST_FINDINGS) this.found.push({ version, what: what.slice(0, MOST_LETTERS) });
    else this.leftOut++;
  }

  /** The check cannot be made in full. What it has found all the same counts for more; the first reason stands. */
  skip(reason) {
    this.reason ??= reason;
  }

  get result() {
    return this.found.length ? "failed" : this.reason ? "not-checked" : "passed";
  }

  report() {
    const findings = this.result === "not-checked" ? [{ version: 0, what: this.reason }] : [...this.found];
    if (this.leftOut) findings.push({ version: 0, what: `${this.leftOut} more findings, not listed` });
    return { check: this.name, result: this.result, findings };
  }
}
