/** Check `shoe`: every card that left the shoe is the one sealed in its place, and the seed makes all of them. */

import { areSame, bytesOfBase64, bytesOfHex, hexOf } from "./bytes.js";
import { DECK_CARDS, codeOf } from "./cards.js";
import { gradeOf } from "./entropy.js";
import { Check } from "./findings.js";
import { deriveShoe, mixOf, sealOf } from "./shoe.js";
import { rootOf } from "./tree.js";

const NO_BEGINNING = "the bundle does not begin with shoe-committed";
const A_ROUND_ALONE = "a round alone: its cards open the leaves that were published; the shoe's bundle shows the seed";
const MOST_CONTRIBUTIONS = 10000; // each signature is over everything before it: a hostile file must not take hours
const HASH_BYTES = 32;
const SIGNATURE_HEX = 2 * 64;
const ENDS = ["shoe-closed", "shoe-voided"];

export class ShoeCheck extends Check {
  /** `table`, when it is not that of the first entry shown; `isRounds`: the contributions are not in the bundle. */
  constructor(signers, { table = null, isRounds = false } = {}) {
    super("shoe");
    this.table = table;
    this.isRounds = isRounds;
    this.signers = signers;
    this.committed = null;
    this.shuffled = null;
    this.leaves = null;
    this.unopened = []; // cards that came to light before any leaves were published, to be compared at the end
    this.hasPlayed = false;
    this.contributions = [];
    this.hasTooMany = false;
    this.next = 0;
    this.dealt = 0;
    this.burned = 0;
    this.seen = new Map();
    this.ended = null;
    this.revealed = null;
  }

  take({ version, stream, event }) {
    if (!this.committed && event.type !== "shoe-committed") this.skip(NO_BEGINNING);
    if (this.reason === NO_BEGINNING) return;
    this.table ??= stream.replace(/^table\//, "");
    READINGS[event.type]?.call(this, version, event);
  }

  get isScanned() {
    return this.committed?.source === "scanned";
  }

  get shoeId() {
    return `${this.table}/${this.committed.shoe}`;
  }

  commit(version, event) {
    if (this.committed) return;
    this.committed = event;
    const hasBoth = event.seed_commitment !== undefined && event.final_source !== undefined;
    const hasOne = event.seed_commitment !== undefined || event.final_source !== undefined;
    if (this.isScanned && hasOne) this.fail(version, "a scanned shoe has no seed to commit to");
    if (!this.isScanned && !hasBoth) {
      this.fail(version, "a committed shoe commits to its seed, and names its last ingredient");
    }
  }

  contribute(version, { source, value }) {
    if (this.isScanned) this.fail(version, "real cards take no contributions");
    if (source.startsWith("signer:") && value.length !== SIGNATURE_HEX)
      this.fail(version, "is no signature of 64 bytes");
    if (this.shuffled) this.fail(version, "contributes to a shoe that is shuffled");
    else if (/[^\0-\x7f]/.test(source)) this.fail(version, "its source is not ASCII, so no mix can hold it");
    else if (this.contributions.length === MOST_CONTRIBUTIONS) {
      this.hasTooMany = true;
      this.skip(`more than ${MOST_CONTRIBUTIONS} contributions: the mix was not computed`);
    } else this.contributions.push({ version, source, value });
  }

  play(version) {
    if (!this.shuffled && !this.isScanned) this.fail(version, "bets are taken before every card is sealed");
    this.hasPlayed = true;
  }

  shuffle(version, event) {
    if (this.hasPlayed) this.fail(version, "is sealed after play began");
    if (this.shuffled) return this.fail(version, "shuffles a shoe that is shuffled");
    this.shuffled = { version, ...event };
    if (this.isScanned) return this.fail(version, "a scanned shoe has no leaves");
    if (!this.isRounds && !this.hasTooMany) this.compareMix(version, event);
    const bytes = bytesOfBase64(event.leaves);
    const count = this.committed.decks * DECK_CARDS;
    if (!bytes || bytes.length !== count * HASH_BYTES) {
      return this.fail(version, `the leaves are not ${count} hashes in base64`);
    }
    this.leaves = Array.from({ length: count }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
    if (hexOf(rootOf(this.leaves)) !== event.root) this.fail(version, "the root is not that of the leaves");
  }

  compareMix(version, event) {
    const mix = mixOf(this.contributions.map(({ source, value }) => ({ source, value: bytesOfHex(value) })));
    if (hexOf(mix) !== event.mix) this.fail(version, "the mix is not that of the contributions");
  }

  /** Go on within the shoe, before the card of this position; what came before is not known. */
  takeUp(position) {
    this.next = position ?? 0;
    this.skip(A_ROUND_ALONE);
  }

  burn(version, event) {
    const { position, ...card } = event;
    this.open(version, this.isScanned ? card : event);
    if (this.isScanned && position !== 0) this.fail(version, `burned from ${position}, where a shoe begins at 0`);
    this.burned += event.count;
    this.next += event.count;
  }

  deal(version, event) {
    this.open(version, event);
    this.dealt++;
    this.next++;
  }

  /** A card comes into sight: it must be the next of the shoe. */
  open(version, { card, salt, position }) {
    const count = this.committed.decks * DECK_CARDS;
    if (this.next >= count) this.fail(version, `the shoe holds ${count} cards, and they are all out`);
    if (this.isScanned) this.scan(version, { card, salt }, position);
    else this.unseal(version, { card, salt, position });
  }

  scan(version, { card, salt }, position) {
    if (salt !== undefined) this.fail(version, "a scanned card has no salt");
    if (position !== undefined) this.fail(version, "a scanned card has no position");
    const times = (this.seen.get(card) ?? 0) + 1;
    this.seen.set(card, times);
    if (times > this.committed.decks) {
      this.fail(version, `${card} comes for the ${times}th time out of ${this.committed.decks} decks`);
    }
  }

  unseal(version, { card, salt, position }) {
    if (position === undefined || salt === undefined) {
      return this.fail(version, "a sealed card is opened with its position and salt");
    }
    if (position !== this.next) this.fail(version, `is at ${position}, where the next card is at ${this.next}`);
    if (this.leaves) this.compareSeal(version, { card, salt, position });
    else this.unopened.push([version, { card, salt, position }]);
  }

  compareSeal(version, { card, salt, position }) {
    const seal = this.leaves[position];
    if (!seal || !areSame(sealOf(this.shoeId, position, codeOf(card), bytesOfHex(salt)), seal)) {
      this.fail(version, `${card} is not the card sealed at ${position}`);
    }
  }

  finish(version, event) {
    if (this.ended) return this.fail(version, "the shoe ends a second time");
    this.ended = event;
    this.revealed = { version, shoeId: this.shoeId, seed: event.seed };
    const remaining = this.committed.decks * DECK_CARDS - this.dealt - this.burned;
    for (const [what, counted] of Object.entries({ dealt: this.dealt, burned: this.burned, remaining })) {
      if (event[what] !== counted) this.fail(version, `says ${event[what]} ${what}, and ${counted} were counted`);
    }
    if (this.isScanned) {
      if (event.seed !== undefined) this.fail(version, "a scanned shoe has no seed");
    } else if (event.seed === undefined) this.fail(version, "the seed is not revealed");
    else this.derive(version, bytesOfHex(event.seed));
  }

  derive(version, seed) {
    const contributions = this.contributions.map(({ source, value }) => ({ source, value: bytesOfHex(value) }));
    const made = deriveShoe({ shoeId: this.shoeId, decks: this.committed.decks, seed, contributions });
    if (hexOf(made.commitment) !== this.committed.seed_commitment) {
      this.fail(version, "the seed is not the one committed to");
    }
    if (this.hasTooMany) return;
    this.leaves ??= made.leaves;
    for (const opened of this.unopened) this.compareSeal(...opened);
    if (!this.shuffled) return;
    if (hexOf(made.root) !== this.shuffled.root) {
      this.fail(version, "the seed makes another root than the one published");
    }
    const other = this.leaves?.findIndex((leaf, at) => !areSame(leaf, made.leaves[at])) ?? -1;
    if (other >= 0) this.fail(version, `the seed makes another leaf at ${other} than the one published`);
  }

  /** The grade is known when all is read: `{grade, reason}`, the grade null where there is none to give. */
  async end() {
    const { committed, contributions, signers } = this;
    if (!committed) {
      this.skip(NO_BEGINNING);
      return { grade: null, reason: NO_BEGINNING };
    }
    if (!this.ended) this.skip("the shoe is open: its seed is not revealed yet");
    if (this.isScanned) return { grade: null, reason: "real cards, read by a scanner" };
    if (this.isRounds) return { grade: "operator-only", reason: "a round's bundle does not show the contributions" };
    const graded = await gradeOf({
      shoeId: this.shoeId,
      commitment: committed.seed_commitment ?? "",
      finalSource: committed.final_source ?? "none",
      contributions,
      signers,
    });
    if (graded.failure && this.shuffled) this.fail(this.shuffled.version, graded.failure);
    for (const { version, source } of graded.falsely) this.fail(version, `is not signed by ${source.slice(7)}`);
    if (graded.forgery) this.fail(contributions.at(-1).version, graded.forgery);
    return graded;
  }
}

const READINGS = {
  "round-opened": ShoeCheck.prototype.play,
  "shoe-committed": ShoeCheck.prototype.commit,
  "entropy-contributed": ShoeCheck.prototype.contribute,
  "shoe-shuffled": ShoeCheck.prototype.shuffle,
  "cards-burned": ShoeCheck.prototype.burn,
  "card-dealt": ShoeCheck.prototype.deal,
  ...Object.fromEntries(ENDS.map((type) => [type, ShoeCheck.prototype.finish])),
};
