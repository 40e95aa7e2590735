/** What a bundle says of itself. A verifier believes none of it, and compares. */

import { textOf } from "./bytes.js";
import { Unreadable } from "./zip.js";

const [OF_A_SHOE, OF_A_ROUND] = ["shoe-bundle/v1", "round-bundle/v1"];
const INTEGER_KEYS = { shoe: 1, round: 1, first_version: 1, last_version: 1, entries: 0 };
const KEYS = ["format", "table", "shoe", "origin", "first_version", "last_version", "entries", "complete"];

/** Read a manifest: exactly its keys, each once. White space and order do not matter. Throws Unreadable. */
export function readManifest(bytes, { isRounds }) {
  const text = textOf(bytes);
  const manifest = parsed(text);
  const form = isRounds ? { format: OF_A_ROUND, keys: [...KEYS, "round"] } : { format: OF_A_SHOE, keys: KEYS };
  const complaint = complaintOf(manifest, text, form);
  if (complaint) throw new Unreadable(`manifest.json cannot be read: ${complaint}`);
  return manifest;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function complaintOf(manifest, text, { format, keys: belonging }) {
  if (typeof manifest !== "object" || manifest === null || Array.isArray(manifest)) return "it is no JSON object";
  const keys = Object.keys(manifest);
  if (keysWritten(text) !== keys.length) return "a key stands twice";
  const odd = belonging.find((key) => !keys.includes(key)) ?? keys.find((key) => !belonging.includes(key));
  if (odd !== undefined) return `the key ${JSON.stringify(odd.slice(0, 64))} is missing, or does not belong`;
  if (manifest.format !== format) return `it is not of the format ${format}`;
  const wrong = belonging.find((key) => !isRight(key, manifest[key]));
  return wrong ? `${wrong} is not as it should be` : null;
}

/** How many keys the text writes, in any object. Only strings can hide a colon, so they are read whole. */
function keysWritten(text) {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/g)].filter(([, colon]) => colon).length;
}

function isRight(key, value) {
  if (key in INTEGER_KEYS) return Number.isSafeInteger(value) && value >= INTEGER_KEYS[key];
  if (key === "format") return true;
  if (key === "complete") return typeof value === "boolean";
  if (typeof value !== "string") return false;
  return key === "table" ? /^[a-z0-9-]{1,64}$/.test(value) : value.length >= 1 && [...value].length <= 255;
}
