/** What a check found: passed, failed with every finding, or not made and why. */

export class Check {
  constructor(name) {
    this.name = name;
    this.found = [];
    this.reason = null;
  }

  /** A finding. Version 0 is for what concerns no single entry. */
  fail(version, what) {
    this.found.push({ version, what });
  }

  /** The check cannot be made in full. What it has found all the same counts for more; the first reason stands. */
  skip(reason) {
    this.reason ??= reason;
  }

  get result() {
    return this.found.length ? "failed" : this.reason ? "not-checked" : "passed";
  }

  report() {
    const findings = this.result === "not-checked" ? [{ version: 0, what: this.reason }] : this.found;
    return { check: this.name, result: this.result, findings };
  }
}
