/** Trust policies (C2SP tlog-policy): whose checkpoints hold. */

import { octetsOf, textOf } from "./bytes.js";
import { LOG_KEY, Unacceptable, WITNESS_KEY, isSigned, keyOf, readCheckpoint, readNote } from "./note.js";

export const MAX_POLICY_BYTES = 1 << 18;
const NONE = "none";

/** The policy that asks for this log's signature and no more. */
export function policyOfLog(key) {
  return { logs: [key], witnesses: [], groups: [], quorum: NONE };
}

/** Read a policy from its bytes: `{logs, witnesses, groups, quorum}`. Throws Unacceptable. */
export function readPolicy(bytes) {
  if (bytes.length > MAX_POLICY_BYTES) throw new Unacceptable(`a policy is at most ${MAX_POLICY_BYTES} bytes long`);
  const text = octetsOf(bytes); // names are octets, not letters
  if (/[^\t\n\x20-\x7e\x80-\xff]/.test(text)) throw new Unacceptable("a policy has control characters in it");
  const policy = { logs: [], witnesses: [], groups: [], quorum: null };
  text.split("\n").forEach((line, at) => {
    const [word, ...items] = line.replace(/^[ \t]+|[ \t]+$/g, "").split(/[ \t]+/);
    if (!word || word.startsWith("#")) return;
    try {
      takeLine(policy, word, items);
    } catch (error) {
      if (error instanceof Unacceptable) throw new Unacceptable(`line ${at + 1} of the policy: ${error.message}`);
      throw error;
    }
  });
  if (policy.quorum === null) throw new Unacceptable("a policy has exactly one quorum line, this one has none");
  return policy;
}

function takeLine(policy, word, items) {
  if (word === "log" && (items.length === 1 || items.length === 2)) {
    policy.logs.push(newKey(policy.logs, items[0], LOG_KEY));
  } else if (word === "witness" && (items.length === 2 || items.length === 3)) {
    const key = newKey(
      policy.witnesses.map((witness) => witness.key),
      items[1],
      WITNESS_KEY,
    );
    policy.witnesses.push({ name: newName(policy, items[0]), key });
  } else if (word === "group" && items.length >= 3) {
    const [name, threshold, ...members] = items;
    policy.groups.push({
      name: newName(policy, name),
      threshold: thresholdOf(threshold, members),
      members: known(policy, members, name),
    });
  } else if (word === "quorum" && items.length === 1) {
    if (policy.quorum !== null) throw new Unacceptable("a second quorum line");
    policy.quorum = items[0] === NONE ? NONE : known(policy, items)[0];
  } else {
    throw new Unacceptable(`not a line of a policy: ${JSON.stringify(word.slice(0, 32))} with ${items.length} items`);
  }
}

function newKey(others, octets, kind) {
  const vkey = textOf(Uint8Array.from(octets, (octet) => octet.charCodeAt(0)));
  if (vkey === null) throw new Unacceptable("a key's name is UTF-8");
  const key = keyOf(vkey);
  if (key.kind !== kind) throw new Unacceptable(`a key of kind ${key.kind}, where ${kind} belongs`);
  const isSame = (other) => other.publicKey.every((byte, at) => byte === key.publicKey[at]);
  if (others.some(isSame)) throw new Unacceptable("a key that stands above already");
  return key;
}

function namesOf({ witnesses, groups }) {
  return [...witnesses, ...groups].map(({ name }) => name);
}

function newName(policy, name) {
  if (name === NONE || namesOf(policy).includes(name)) {
    throw new Unacceptable(`the name ${JSON.stringify(name)} is taken`);
  }
  return name;
}

function known(policy, names, but) {
  const stranger = names.find((name) => name === but || !namesOf(policy).includes(name));
  if (stranger !== undefined) throw new Unacceptable(`no witness or group ${JSON.stringify(stranger)} stands above`);
  if (new Set(names).size !== names.length) throw new Unacceptable("a member is named twice");
  return names;
}

function thresholdOf(text, members) {
  if (text === "any") return 1;
  if (text === "all") return members.length;
  if (!/^[1-9][0-9]{0,5}$/.test(text) || Number(text) > members.length) {
    throw new Unacceptable(`a group asks for any, all, or 1 to ${members.length} of its members`);
  }
  return Number(text);
}

/** What a policy makes of a note: `{checkpoint, cosigned, findings}`; it holds when there are no findings. */
export async function judge(policy, bytes) {
  const findings = [];
  const note = attempt(() => readNote(bytes), findings);
  if (!note) return { checkpoint: null, cosigned: [], findings };
  const checkpoint = attempt(() => readCheckpoint(note.text), findings);
  const signed = await signersOf(policy, note, findings);
  const cosigned = policy.witnesses.filter(({ key }) => signed.has(key)).map(({ name }) => name);
  const named = policy.logs.filter(({ name }) => name === checkpoint?.origin);
  if (checkpoint && !named.length) findings.push(`the policy has no log ${checkpoint.origin}`);
  else if (checkpoint && !named.some((key) => signed.has(key))) {
    findings.push(`the log ${checkpoint.origin} did not sign the checkpoint with a key of the policy`);
  }
  if (!isMet(policy, cosigned)) {
    findings.push(`the quorum ${policy.quorum} is not met: cosigned by ${cosigned.join(", ") || "no known witness"}`);
  }
  return { checkpoint, cosigned, findings };
}

function attempt(reading, findings) {
  try {
    return reading();
  } catch (error) {
    if (!(error instanceof Unacceptable)) throw error;
    findings.push(error.message);
    return null;
  }
}

/** The known keys that signed. A known key in whose name somebody else signed too is none of them. */
async function signersOf({ logs, witnesses }, note, findings) {
  const keys = [...logs, ...witnesses.map(({ key }) => key)];
  const signed = new Set();
  const forged = new Set();
  for (const signature of note.signatures) {
    const key = keys.find(({ name, id }) => name === signature.name && id === signature.id);
    if (!key) continue;
    ((await isSigned(note.text, signature, key)) ? signed : forged).add(key);
  }
  for (const key of forged) {
    findings.push(`the signature by ${key.name} (${key.id}) is not by that key`);
    signed.delete(key);
  }
  return signed;
}

function isMet({ groups, quorum }, cosigned) {
  const agreed = new Set([NONE, ...cosigned]);
  for (const { name, threshold, members } of groups) {
    if (members.filter((member) => agreed.has(member)).length >= threshold) agreed.add(name);
  }
  return agreed.has(quorum);
}
