/** One line of the log: its bytes, its leaf, and what it says. */

import { textOf } from "./bytes.js";
import { NotWrittenSo, readStrictly } from "./json.js";
import { envelopeComplaint, eventComplaint, isObject } from "./shapes.js";
import { leafOf } from "./tree.js";

const MAX_BYTES = 65535;
const KNOWN_SCHEMA = 1;

/**
 * A line as it was read.
 *
 * `leaf`; `complaint`, why this is no entry written the one way, or null; `isNewer`, of a schema that this reader does not
 * know. `entry` is what the line says, made out as far as it can be, so that one broken byte does not hide the rest: null
 * when it is not even JSON. Its `event` is null when it has not the shape of a known one.
 */
export function readLine(line) {
  const leaf = leafOf(line);
  const [value, unwritten] = valueOf(line);
  if (!isObject(value)) return { leaf, complaint: unwritten ?? "an entry is an object", entry: null, isNewer: false };
  const inOrder = unwritten === null;
  const envelope = envelopeComplaint(value, inOrder);
  const isNewer = !envelope && value.schema !== KNOWN_SCHEMA;
  const event = isNewer || !isObject(value.event) ? null : eventComplaint(value.event, inOrder);
  const isKnown = !isNewer && isObject(value.event) && !(event && eventComplaint(value.event, false));
  const entry = { ...value, event: isKnown ? value.event : null };
  return { leaf, complaint: unwritten ?? envelope ?? event, entry, isNewer };
}

/** The line's value, read strictly or, with a complaint, as any JSON reader would. */
function valueOf(line) {
  if (line.length > MAX_BYTES) return [undefined, `${line.length} bytes long, more than ${MAX_BYTES}`];
  if (!line.length) return [undefined, "an empty line"];
  const text = textOf(line);
  if (text === null) return [undefined, "not UTF-8"];
  try {
    return [readStrictly(text), null];
  } catch (error) {
    if (!(error instanceof NotWrittenSo)) throw error;
    return [anyJson(text), error.message];
  }
}

function anyJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
