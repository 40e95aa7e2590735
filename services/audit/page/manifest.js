/** What a bundle says of itself. A verifier believes none of it, and compares. */

import { textOf } from "./bytes.js";
import { Unreadable } from "./zip.js";

const FORMAT = "shoe-bundle/v1";
const INTEGER_KEYS = { shoe: 1, first_version: 1, last_version: 1, entries: 0 };
const KEYS = ["format", "table", "shoe", "origin", "first_version", "last_version", "entries", "complete"];

/**
 * `{manifest, complaint}`: a manifest that has exactly its keys, each once, white space and order not mattering; or
 * null, and what is wrong with it. Throws Unreadable for a format that is another.
 */
export function readManifest(bytes) {
  if (!bytes?.length) return { manifest: null, complaint: "there is no manifest" };
  const text = textOf(bytes);
  const manifest = parsed(text);
  const format = manifest?.format;
  if (format !== undefined && format !== FORMAT) {
    throw new Unreadable(`the bundle is of the format ${JSON.stringify(format).slice(0, 64)}, not of ${FORMAT}`);
  }
  const complaint = complaintOf(manifest, text);
  return complaint
    ? { manifest: null, complaint: `manifest.json cannot be read: ${complaint}` }
    : { manifest, complaint };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function complaintOf(manifest, text) {
  if (typeof manifest !== "object" || manifest === null || Array.isArray(manifest)) return "it is no JSON object";
  const keys = Object.keys(manifest);
  if (keysWritten(text) !== keys.length) return "a key stands twice";
  const odd = KEYS.find((key) => !keys.includes(key)) ?? keys.find((key) => !KEYS.includes(key));
  if (odd !== undefined) return `the key ${JSON.stringify(odd.slice(0, 64))} is missing, or does not belong`;
  const wrong = KEYS.find((key) => !isRight(key, manifest[key]));
  return wrong ? `${wrong} is not as it should be` : null;
}

/** How many keys the text writes, in any object. Only strings can hide a colon, so they are read whole. */
function keysWritten(text) {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/g)].filter(([, colon]) => colon).length;
}

function isRight(key, value) {
  if (key in INTEGER_KEYS) return Number.isSafeInteger(value) && value >= INTEGER_KEYS[key];
  if (key === "format") return value === FORMAT;
  if (key === "complete") return typeof value === "boolean";
  if (typeof value !== "string") return false;
  return key === "table" ? /^[a-z0-9-]{1,64}$/.test(value) : value.length >= 1 && [...value].length <= 255;
}
