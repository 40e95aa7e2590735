/** A receipt: that one entry, known by its bytes or by its hash alone, stands in a log that one believes. */

import { bytesOfHex } from "./bytes.js";
import { readLine } from "./entry.js";
import { Check } from "./findings.js";
import { checkInclusion, readBytes } from "./log.js";
import { Unacceptable, readCheckpoint, readNote } from "./note.js";
import { judge } from "./policy.js";
import { readProof } from "./proof.js";

const MAGIC = "c2sp.org/tlog-proof@v1\n";
const CHECKS = ["bytes", "chain", "log", "shoe", "rules", "money", "ledger"];
const [PASSED, FAILED, INCOMPLETE] = [0, 1, 2];
const LF = 10;

/** Whether a file is a proof, and not a bundle. */
export function isProof(bytes) {
  return [...MAGIC].every((letter, at) => bytes[at] === letter.charCodeAt(0));
}

/**
 * `{report, status, of}`: the report on a proof, the exit status, and what it is a receipt for, if that is known.
 *
 * `entry` are the entry's bytes, as the log has them, a LF behind them or none; without them `leaf` is its hash in hex.
 */
export async function examineReceipt(proofBytes, { entry = null, leaf = "", trusted = null, file = "" }) {
  const bytes = new Check("bytes");
  const log = new Check("log");
  const read = entry && readLine(entry.at(-1) === LF ? entry.subarray(0, -1) : entry);
  if (read?.complaint) bytes.fail(0, read.complaint);
  if (read?.isNewer) bytes.skip("the entry is of a schema that is not known here");
  await prove(log, proofBytes, { leaf: read ? read.leaf : bytesOfHex(leaf), trusted });
  const made = read ? [bytes, log] : [log];
  const told = read && !read.complaint ? read.entry : null;
  const report = {
    file,
    table: told?.stream.startsWith("table/") ? told.stream.slice("table/".length) : null,
    shoe: null,
    complete: true,
    entropy: null,
    checks: CHECKS.map((name) => made.find((check) => check.name === name) ?? notMade(name)).map((one) => one.report()),
  };
  return { report, status: statusOf(made), of: told && `${told.stream}, version ${told.version}` };
}

function notMade(name) {
  const check = new Check(name);
  check.skip("a receipt is about one entry");
  return check;
}

/** The leaf is under a checkpoint of the log. Without a key its own word is all there is. */
async function prove(check, proofBytes, { leaf, trusted }) {
  if (!trusted) check.skip("no key was given: whether the log signed the checkpoint is not known");
  const proof = readBytes(check, proofBytes, readProof);
  if (!proof) return;
  const checkpoint = trusted ? await judged(check, proof, trusted) : readBytes(check, proof.checkpoint, itsOwnWord);
  if (checkpoint) checkInclusion(check, { checkpoint, proof, leaf, what: "the entry" });
}

async function judged(check, proof, trusted) {
  const { checkpoint, findings } = await judge(trusted, proof.checkpoint);
  for (const what of findings) check.fail(0, what);
  return checkpoint;
}

function itsOwnWord(bytes) {
  return readCheckpoint(readNote(bytes).text);
}

function statusOf(made) {
  const results = made.map(({ result }) => result);
  return results.includes("failed") ? FAILED : results.includes("not-checked") ? INCOMPLETE : PASSED;
}

/** The leaf hash that a user typed. Throws Unacceptable. */
export function leafTold(text) {
  const leaf = text.trim();
  if (leaf && !/^[0-9a-f]{64}$/.test(leaf)) throw new Unacceptable("a leaf hash is 64 hex digits");
  return leaf;
}
