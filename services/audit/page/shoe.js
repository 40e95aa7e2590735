/** The committed shoe, version 1: seed and contributions make the order, the salts, the leaves and the root. */

import { concat, u16be, u32be, u8, utf8Of, withLength } from "./bytes.js";
import { DECK_CARDS } from "./cards.js";
import { HmacDrbg } from "./drbg.js";
import { sha256 } from "./sha256.js";
import { leafOf, rootOf } from "./tree.js";

const SALT_BYTES = 16;
const [SEED, MIX, SHUFFLE, CARD] = ["shoe-seed/v1\n", "shoe-mix/v1\n", "shoe-shuffle/v1\n", "shoe-card/v1\n"].map(
  utf8Of,
);
const FINAL = utf8Of("shoe-final/v1\n");

export function commitmentOf(shoeId, seed) {
  return sha256(SEED, withLength(utf8Of(shoeId)), seed);
}

/** The mix of contributions `{source, value}`, the value in bytes, in the log's order. */
export function mixOf(contributions) {
  const parts = contributions.flatMap(({ source, value }) => [withLength(utf8Of(source)), withLength(value)]);
  return sha256(MIX, u32be(contributions.length), ...parts);
}

/** The leaf that seals one card. */
export function sealOf(shoeId, position, code, salt) {
  return leafOf(concat(CARD, withLength(utf8Of(shoeId)), u16be(position), u8(code), salt));
}

/** What an independent signer signs as the last ingredient. */
export function finalMessage(shoeId, commitment, mix) {
  return concat(FINAL, withLength(utf8Of(shoeId)), commitment, mix);
}

/** Everything that follows from a seed: `{commitment, mix, cards, salts, leaves, root, rejected}`; cards are codes. */
export function deriveShoe({ shoeId, decks, seed, contributions }) {
  const mix = mixOf(contributions);
  const drbg = new HmacDrbg({
    entropy: seed,
    nonce: mix,
    personalization: concat(SHUFFLE, withLength(utf8Of(shoeId)), u8(decks)),
  });
  const words = new Words(drbg, decks > 8 ? 4096 : 2048);
  const cards = shuffled(decks * DECK_CARDS, words);
  const salted = drbg.generate(SALT_BYTES * cards.length);
  const salts = cards.map((_, position) => salted.subarray(SALT_BYTES * position, SALT_BYTES * (position + 1)));
  const leaves = cards.map((code, position) => sealOf(shoeId, position, code, salts[position]));
  const commitment = commitmentOf(shoeId, seed);
  return { commitment, mix, cards, salts, leaves, root: rootOf(leaves), rejected: words.rejected };
}

/** Fisher and Yates, from the last card down. */
function shuffled(count, words) {
  const cards = Array.from({ length: count }, (_, position) => position % DECK_CARDS);
  for (let at = count - 1; at > 0; at--) {
    const other = words.below(at + 1);
    [cards[at], cards[other]] = [cards[other], cards[at]];
  }
  return cards;
}

class Words {
  constructor(drbg, chunkBytes) {
    this.drbg = drbg;
    this.chunkBytes = chunkBytes;
    this.rejected = 0;
    this.refill();
  }

  /** A fair number below `bound`: words from the last, incomplete stretch are passed over. */
  below(bound) {
    const fair = 2 ** 32 - (2 ** 32 % bound);
    for (;;) {
      const word = this.take();
      if (word < fair) return word % bound;
      this.rejected++;
    }
  }

  take() {
    if (this.at === this.chunkBytes) this.refill();
    this.at += 4;
    return this.view.getUint32(this.at - 4);
  }

  refill() {
    this.view = new DataView(this.drbg.generate(this.chunkBytes).buffer);
    this.at = 0;
  }
}
