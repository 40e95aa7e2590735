/** Signed notes and checkpoints (C2SP signed-note, tlog-checkpoint, tlog-cosignature), and the keys that sign them. */

import { areSame, bytesOfBase64, concat, hexOf, textOf, u8, utf8Of } from "./bytes.js";
import { isSignedBy } from "./ed25519.js";
import { sha256 } from "./sha256.js";
import { emptyRoot } from "./tree.js";

export const LOG_KEY = 0x01;
export const WITNESS_KEY = 0x04;
export const MAX_NOTE_BYTES = 1 << 20;
const MAX_SIGNATURES = 100;
const MAX_SIZE = 2n ** 63n - 1n;
const SIGNATURE_LINE = /^\u2014 ([^ ]+) ([A-Za-z0-9+/]+={0,2})$/u;
const VKEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u;
const WHITE_SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/u;

/** Something is not what it should be; the message says what. */
export class Unacceptable extends Error {}

/** The key that a vkey spells: `{name, id, kind, publicKey, vkey}`. Throws Unacceptable. */
export function keyOf(vkey) {
  const found = VKEY.exec(vkey);
  if (!found || WHITE_SPACE.test(found[1])) {
    throw new Unacceptable("a key is name+id+base64, the name without white space");
  }
  const [, name, id, encoded] = found;
  const bytes = bytesOfBase64(encoded);
  if (!bytes || bytes.length !== 33) throw new Unacceptable(`the key of ${name} is not 33 bytes in base64`);
  if (bytes[0] !== LOG_KEY && bytes[0] !== WITNESS_KEY) {
    throw new Unacceptable(`the key of ${name} is of no known kind`);
  }
  const expected = sha256(utf8Of(name), u8(10), bytes).subarray(0, 4);
  if (hexOf(expected) !== id) throw new Unacceptable(`the id ${id} does not belong to the key of ${name}`);
  return { name, id, kind: bytes[0], publicKey: bytes.subarray(1), vkey };
}

/** A note's text (bytes, its last LF included) and its signatures `{name, id, signature}`. Throws Unacceptable. */
export function readNote(bytes) {
  if (bytes.length > MAX_NOTE_BYTES) throw new Unacceptable(`a note is at most ${MAX_NOTE_BYTES} bytes long`);
  const note = textOf(bytes);
  if (note === null) throw new Unacceptable("a note is UTF-8");
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note)) throw new Unacceptable("a note has control characters in it");
  const border = note.lastIndexOf("\n\n");
  if (border < 0 || !note.endsWith("\n")) throw new Unacceptable("a note has a blank line before its signatures");
  const lines = note
    .slice(border + 2)
    .split("\n")
    .slice(0, -1);
  if (!lines.length) throw new Unacceptable("a note has a signature");
  if (lines.length > MAX_SIGNATURES) throw new Unacceptable(`a note has at most ${MAX_SIGNATURES} signatures`);
  return { text: utf8Of(note.slice(0, border + 1)), signatures: lines.map(signatureOf) };
}

function signatureOf(line) {
  const found = SIGNATURE_LINE.exec(line);
  const bytes = found && bytesOfBase64(found[2]);
  const name = found?.[1] ?? "";
  if (!bytes || bytes.length < 5 || name.includes("+") || WHITE_SPACE.test(name)) {
    throw new Unacceptable("a line of signatures is not one");
  }
  return { name, id: hexOf(bytes.subarray(0, 4)), signature: bytes.subarray(4) };
}

/** Whether the signature, which names this key, is by it. */
export async function isSigned(text, { signature }, { kind, publicKey }) {
  if (kind === LOG_KEY) return signature.length === 64 && isSignedBy(publicKey, text, signature);
  if (signature.length !== 72) return false;
  const seconds = BigInt(`0x${hexOf(signature.subarray(0, 8))}`);
  if (seconds > MAX_SIZE) return false; // a time is a signed 64-bit number
  const head = utf8Of(`cosignature/v1\ntime ${seconds}\n`);
  return isSignedBy(publicKey, concat(head, text), signature.subarray(8));
}

/** What a checkpoint says: `{origin, size, root}`, the size a BigInt. Throws Unacceptable. */
export function readCheckpoint(text) {
  const lines = textOf(text).split("\n");
  const [origin, size, encoded] = lines;
  if (lines.pop() !== "" || lines.length < 3 || lines.includes("")) {
    throw new Unacceptable("a checkpoint has three lines or more, none empty: origin, size, root");
  }
  if (!/^(?:0|[1-9][0-9]{0,18})$/.test(size) || BigInt(size) > MAX_SIZE) {
    throw new Unacceptable("the size of a tree is a number from 0 to 2^63-1");
  }
  const root = bytesOfBase64(encoded);
  if (!root || root.length !== 32) throw new Unacceptable("the root of a tree is 32 bytes in base64");
  if (size === "0" && !areSame(root, emptyRoot())) {
    throw new Unacceptable("the root of an empty tree is the hash of nothing");
  }
  return { origin, size: BigInt(size), root };
}
