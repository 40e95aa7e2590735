/** Check `log`: the last line is proved to be in a log, at a checkpoint that those whom one believes have signed. */

import { areSame } from "./bytes.js";
import { Check } from "./findings.js";
import { Unacceptable } from "./note.js";
import { judge, policyOfLog, readPolicy } from "./policy.js";
import { readProof } from "./proof.js";
import { isIncluded } from "./tree.js";

/**
 * `{check, seen}`: the check made, and what the log says of itself, for a reader to compare.
 *
 * `members` are the bundle's files; `trusted`, a policy got elsewhere, may be null, and so may `lastLeaf`, when the
 * entries were not read to their end.
 */
export async function checkLog({ members, manifest, lastLeaf, trusted }) {
  const check = new Check("log");
  const proof = readMember(check, members, "last.tlog-proof", readProof);
  const own = readMember(check, members, "policy", readPolicy);
  const note = readMember(check, members, "checkpoint", (bytes) => bytes);
  if (proof && note && !areSame(proof.checkpoint, note))
    check.fail(0, "the checkpoint is not the one inside the proof");
  const verdict = note ? await judgeAll(check, note, { manifest, own, trusted }) : null;
  const checkpoint = verdict?.checkpoint ?? null;
  if (!lastLeaf) check.skip("the entries were not read to their end");
  else if (checkpoint && proof) checkInclusion(check, { checkpoint, proof, leaf: lastLeaf, what: "the last entry" });
  if (own && trusted) compareKeys(check, own, trusted);
  if (!trusted) check.skip("no key was given to compare with; by its own policy the proof holds");
  const cosigned = verdict?.cosigned ?? [];
  const keys = own?.logs.map(({ vkey }) => vkey) ?? [];
  return { check, seen: { ...checkpoint, index: proof?.index, cosigned, keys, note, own, checkpoint } };
}

/** What both policies, the bundle's own and the one got elsewhere, make of a checkpoint. */
async function judgeAll(check, note, { manifest, own, trusted }) {
  const verdicts = [];
  for (const policy of [own, trusted].filter(Boolean)) verdicts.push(await judge(policy, note));
  for (const what of new Set(verdicts.flatMap(({ findings }) => findings))) check.fail(0, what);
  const checkpoint = verdicts.find((verdict) => verdict.checkpoint)?.checkpoint ?? null;
  if (checkpoint && checkpoint.origin !== manifest.origin) {
    check.fail(0, `the manifest says the log ${manifest.origin}, the checkpoint ${checkpoint.origin}`);
  }
  return { checkpoint, cosigned: verdicts.at(-1)?.cosigned ?? [] };
}

/** The checkpoint that a note holds, or null; what is wrong with it is told. */
export async function judgeNote(check, note, policies) {
  return (await judgeAll(check, note, policies)).checkpoint;
}

export function readMember(check, members, name, reading) {
  const bytes = members.get(name);
  if (!bytes.length) {
    check.fail(0, `${name} is empty`);
    return null;
  }
  return readBytes(check, bytes, reading);
}

/** What a reading makes of bytes; null, and a finding, when it cannot accept them. */
export function readBytes(check, bytes, reading) {
  try {
    return reading(bytes);
  } catch (error) {
    if (!(error instanceof Unacceptable)) throw error;
    check.fail(0, error.message);
    return null;
  }
}

export function checkInclusion(check, { checkpoint, proof, leaf, what }) {
  const { index, hashes } = proof;
  const { size, root } = checkpoint;
  if (!isIncluded({ leaf, index, size, hashes, root })) {
    check.fail(0, `${what} is not at ${index} in the log of size ${size}`);
  }
}

function compareKeys(check, own, trusted) {
  const stranger = own.logs.find(({ vkey }) => !trusted.logs.some((key) => key.vkey === vkey));
  if (stranger || !own.logs.length) {
    check.fail(0, `the bundle's policy has another log key: ${stranger?.vkey ?? "none"}`);
  }
}
