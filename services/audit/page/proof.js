/** Proofs of inclusion as text (C2SP tlog-proof). */

import { bytesOfBase64, octetsOf } from "./bytes.js";
import { MAX_NOTE_BYTES, Unacceptable } from "./note.js";

const MAGIC = "c2sp.org/tlog-proof@v1";
const MAX_INDEX = 2n ** 63n - 2n;
const MAX_HASHES = 63;

/** `{index, hashes, checkpoint}`: a BigInt, hashes from the leaf's sibling up, a note's bytes. Throws Unacceptable. */
export function readProof(bytes) {
  if (bytes.length > 2 * MAX_NOTE_BYTES) throw new Unacceptable(`a proof is at most ${2 * MAX_NOTE_BYTES} bytes long`);
  const text = octetsOf(bytes);
  const border = text.indexOf("\n\n");
  if (border < 0) throw new Unacceptable("a proof has a blank line before its checkpoint");
  const [magic, ...lines] = text.slice(0, border).split("\n");
  if (magic !== MAGIC) throw new Unacceptable(`a proof begins with ${MAGIC}`);
  if (lines[0]?.startsWith("extra ") && !bytesOfBase64(lines.shift().slice(6))) {
    throw new Unacceptable("the extra line of the proof is not base64");
  }
  const index = /^index (0|[1-9][0-9]{0,18})$/.exec(lines.shift() ?? "")?.[1];
  if (index === undefined || BigInt(index) > MAX_INDEX) {
    throw new Unacceptable("a proof says the index of its entry, a number from 0 to 2^63-2");
  }
  if (lines.length > MAX_HASHES) throw new Unacceptable(`a proof has at most ${MAX_HASHES} hashes`);
  const hashes = lines.map(bytesOfBase64);
  if (!hashes.every((hash) => hash?.length === 32)) {
    throw new Unacceptable("each hash of a proof is 32 bytes in base64");
  }
  return { index: BigInt(index), hashes, checkpoint: bytes.subarray(border + 2) };
}
