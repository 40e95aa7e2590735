/** A chapter under audit: the entries of one shoe, or of one round, shown to every check in one pass. */

import { lineEnd } from "./bytes.js";
import { ChainCheck } from "./chain.js";
import { readLine } from "./entry.js";
import { Check, MOST_FINDINGS } from "./findings.js";
import { MoneyCheck } from "./money.js";
import { RulesCheck } from "./phases.js";
import { ShoeCheck } from "./sealed.js";
import { Story } from "./story.js";

const SLICE_MILLISECONDS = 40;

export class Chapter {
  /** `isRounds`: of one round alone; `onFirst` is told of the first line, before it is shown to anybody. */
  constructor(signers, { isRounds = false, onFirst = () => {} } = {}) {
    this.checks = {
      bytes: new Check("bytes"),
      chain: new ChainCheck({ isRounds }),
      shoe: new ShoeCheck(signers, { isRounds }),
      rules: new RulesCheck(),
      money: new MoneyCheck(),
    };
    this.story = new Story();
    this.onFirst = onFirst;
    this.leaf = null; // of the last line
    this.last = null; // what the last line is, as far as it could be read
    this.isStopped = false; // a line could not be read, and shoe, rules and money are told no more
    this.isGivenUp = false; // so many lines are no entries that reading on would tell nothing
  }

  /** Show every line to every check, a stretch at a time, so that a page stays alive meanwhile. */
  async read(lines, onProgress) {
    let at = 0;
    let due = Date.now() + SLICE_MILLISECONDS;
    while (at < lines.length && !this.isGivenUp) {
      const end = lineEnd(lines, at);
      this.show(readLine(lines.subarray(at, end < 0 ? lines.length : end)));
      if (end < 0 && !this.isGivenUp) this.checks.bytes.fail(0, "the last line has no LF behind it");
      at = end < 0 ? lines.length : end + 1;
      if (Date.now() < due) continue;
      onProgress(at / lines.length);
      await new Promise((resolve) => setTimeout(resolve));
      due = Date.now() + SLICE_MILLISECONDS;
    }
  }

  /** Show one line to every check. */
  show(read) {
    const { place, entry, complaint, isNewer, leaf } = read;
    const { chain, bytes, rules } = this.checks;
    if (place && !chain.said.entries) this.onFirst(read);
    chain.take(read);
    const version = place?.version ?? chain.said.last_version;
    if (complaint) bytes.fail(version, complaint);
    if (isNewer) bytes.skip(`version ${version} is of a schema that is not known here`);
    if (place) rules.takeCommand(version, place);
    if (!entry) {
      this.stop(`version ${version} cannot be read, and nothing behind it was checked`);
      this.story.isCut = true;
    } else if (!this.isStopped) this.tell(entry, leaf);
    this.leaf = leaf;
    this.last = place?.event.type ?? null;
    if (bytes.found.length >= MOST_FINDINGS) this.giveUp();
  }

  /** Tell the checks that know what an entry says, and the story. */
  tell({ version, stream, at, actor, command, event }, leaf) {
    const { shoe, rules, money } = this.checks;
    for (const check of [shoe, rules, money, this.story]) {
      check.take({ version, stream, at, actor, command, event, leaf });
    }
  }

  stop(why) {
    this.isStopped = true;
    for (const name of ["shoe", "rules", "money"]) this.checks[name].skip(why);
  }

  giveUp() {
    this.isGivenUp = true;
    this.stop(`the entries were not read to their end: ${MOST_FINDINGS} of them are none`);
    this.checks.chain.skip(this.checks.rules.reason);
    this.checks.chain.said.complete = false;
  }

  /** Judge what the end shows; gives the entropy's grade. */
  async end(manifest) {
    const { chain, rules, money, shoe } = this.checks;
    for (const check of [chain, rules, money]) check.end(manifest);
    return shoe.end();
  }
}
