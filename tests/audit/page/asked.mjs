/** Answers a test's questions: a JSON list of [name, …arguments] comes in, a list of answers goes out. */

import { readFileSync } from "node:fs";
import { bytesOfHex, hexOf, utf8Of } from "../../../services/audit/page/bytes.js";
import { HmacDrbg } from "../../../services/audit/page/drbg.js";
import { isSignedByArithmetic } from "../../../services/audit/page/ed25519.js";
import { readLine } from "../../../services/audit/page/entry.js";
import { factsOf } from "../../../services/audit/page/facts.js";
import { fractionOf, roundedShare } from "../../../services/audit/page/fraction.js";
import { keyOf } from "../../../services/audit/page/note.js";
import { judge, readPolicy } from "../../../services/audit/page/policy.js";
import { sha256 } from "../../../services/audit/page/sha256.js";
import { sha512 } from "../../../services/audit/page/sha512.js";
import { deriveShoe } from "../../../services/audit/page/shoe.js";
import { nextHand } from "../../../services/audit/page/tableau.js";
import { isIncluded } from "../../../services/audit/page/tree.js";

const ANSWERS = {
  drbg({ entropy, nonce, pers, additional, bytes }) {
    const drbg = new HmacDrbg({
      entropy: bytesOfHex(entropy),
      nonce: bytesOfHex(nonce),
      personalization: bytesOfHex(pers),
    });
    return additional.map((one) => hexOf(drbg.generate(bytes, bytesOfHex(one)))).at(-1);
  },
  shoe({ shoeId, decks, seed, contributions }) {
    const given = contributions.map(([source, value]) => ({ source, value: bytesOfHex(value) }));
    const made = deriveShoe({ shoeId, decks, seed: bytesOfHex(seed), contributions: given });
    const [commitment, mix, root] = [made.commitment, made.mix, made.root].map(hexOf);
    const [salts, leaves] = [made.salts.map(hexOf), made.leaves.map(hexOf)];
    return { commitment, mix, root, salts, leaves, cards: made.cards, rejected: made.rejected };
  },
  line(hex) {
    const { leaf, complaint, isNewer } = readLine(bytesOfHex(hex));
    return { leaf: hexOf(leaf), complaint, isNewer };
  },
  hand: (player, banker) => nextHand({ player, banker }),
  facts: (player, banker) => factsOf({ player, banker }),
  share: (amount, fraction, mode, unit) => String(roundedShare(BigInt(amount), fractionOf(fraction), { mode, unit })),
  hashes: (hex) => [hexOf(sha256(bytesOfHex(hex))), hexOf(sha512(bytesOfHex(hex)))],
  signed: (key, message, signature) =>
    isSignedByArithmetic(bytesOfHex(key), bytesOfHex(message), bytesOfHex(signature)),
  key: (vkey) => keyOf(vkey).id,
  judge: async (policy, note) => (await judge(readPolicy(utf8Of(policy)), utf8Of(note))).findings,
  included: (leaf, index, size, hashes, root) =>
    isIncluded({
      leaf: bytesOfHex(leaf),
      index: BigInt(index),
      size: BigInt(size),
      hashes: hashes.map(bytesOfHex),
      root: bytesOfHex(root),
    }),
};

const answers = [];
for (const [name, ...asked] of JSON.parse(readFileSync(0, "utf8"))) answers.push(await ANSWERS[name](...asked));
process.stdout.write(JSON.stringify(answers));
