/** Who could have known the shoe's order: the grade of its entropy, and what is wrong with its last ingredient. */

import { bytesOfHex } from "./bytes.js";
import { isSignedBy } from "./ed25519.js";
import { Unacceptable, LOG_KEY, keyOf } from "./note.js";
import { finalMessage, mixOf } from "./shoe.js";

const SIGNATURE_HEX = 2 * 64;

/**
 * `{grade, reason, failure, forgery, falsely}` of a shoe.
 *
 * `contributions` are `{source, value}` in order, values in hex; `signers` the keys that the verifier's user gave. The
 * failure is of a named last ingredient that is missing, or not last, which counts once the shoe is shuffled; the
 * forgery of one that is not genuine. Absent or null when there is none. `falsely`: other contributions that a signer
 * did not sign, though they are in his name.
 */
export async function gradeOf({ shoeId, commitment, finalSource, contributions, signers }) {
  const falsely = await falselySigned({ shoeId, commitment, finalSource, contributions, signers });
  return { ...(await graded({ shoeId, commitment, finalSource, contributions, signers })), falsely };
}

/** The contributions in the name of a signer whose key was given that are not signed by it; the last, named, apart. */
async function falselySigned({ shoeId, commitment, finalSource, contributions, signers }) {
  const named = finalSource.startsWith("signer:") ? contributions.length - 1 : -1;
  const falsely = [];
  for (const [number, { source, value }] of contributions.entries()) {
    const key = signers.findLast(({ name }) => source === `signer:${name}`);
    if (!key || number === named || value.length !== SIGNATURE_HEX) continue;
    const message = finalMessage(shoeId, bytesOfHex(commitment), mixBefore(contributions, number));
    if (!(await isSignedBy(key.publicKey, message, bytesOfHex(value)))) falsely.push(contributions[number]);
  }
  return falsely;
}

function mixBefore(contributions, number) {
  return mixOf(contributions.slice(0, number).map(({ source, value }) => ({ source, value: bytesOfHex(value) })));
}

async function graded({ shoeId, commitment, finalSource, contributions, signers }) {
  const byPatron = contributions.some(({ source }) => source.startsWith("patron:"));
  const plain = byPatron
    ? { grade: "patron", reason: "a patron contributed; the house may have been the last to", failure: null }
    : { grade: "operator-only", reason: "nobody but the house is shown to have contributed", failure: null };
  if (finalSource === "none") return plain;
  if (finalSource.startsWith("drand:")) return beacon(plain, finalSource, contributions);
  return signed(plain, { shoeId, commitment, finalSource, contributions, signers });
}

function beacon(plain, finalSource, contributions) {
  if (contributions.at(-1)?.source !== finalSource) {
    return { ...plain, failure: `the last ingredient should be ${finalSource}` };
  }
  return { ...plain, reason: `${plain.reason}; the beacon's signature is not checked here` };
}

async function signed(plain, { shoeId, commitment, finalSource, contributions, signers }) {
  const key = keyIn(finalSource.slice("signer:".length));
  if (!key) return { ...plain, failure: "the named signer is no key" };
  const last = contributions.at(-1);
  if (last?.source !== `signer:${key.name}`) {
    return { ...plain, failure: `the last ingredient should be by ${key.name}` };
  }
  const message = finalMessage(shoeId, bytesOfHex(commitment), mixBefore(contributions, contributions.length - 1));
  if (!(await isSignedBy(key.publicKey, message, bytesOfHex(last.value)))) {
    return { ...plain, forgery: `the last ingredient is not signed by ${key.name}` };
  }
  if (signers.some((given) => given.vkey === key.vkey)) {
    return { grade: "independent", reason: `${key.name} gave the last ingredient`, failure: null };
  }
  return { ...plain, reason: `${plain.reason}; the key of ${key.name}, who gave the last ingredient, was not given` };
}

function keyIn(vkey) {
  try {
    const key = keyOf(vkey);
    return key.kind === LOG_KEY ? key : null;
  } catch (error) {
    if (error instanceof Unacceptable) return null;
    throw error;
  }
}
