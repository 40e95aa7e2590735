/** One line of the log: its bytes, its leaf, and what it says. */

import { textOf } from "./bytes.js";
import { NotWrittenSo, readLoosely, readStrictly } from "./json.js";
import { envelopeComplaint, eventComplaint, isObject } from "./shapes.js";
import { leafOf } from "./tree.js";

const MAX_BYTES = 65535;
const KNOWN_SCHEMA = 1;
const isText = (value) => typeof value === "string";
const PLACE = ["stream", "at", "actor", "command", "prev"];

/**
 * A line as it was read.
 *
 * `leaf`; `complaint`, why this is no entry written the one way, or null; `isNewer`, of a schema not known here;
 * `entry`, what it says, or null unless all of it can be made out: an entry that is only written otherwise, or in
 * another order, still can; `place`, the same for where it stands and of what type it is, whatever else is wrong.
 */
export function readLine(whole) {
  const line = whole.subarray(0, MAX_BYTES + 1); // no entry is as long: nothing of it is read, and its end not hashed
  const leaf = leafOf(line);
  const [value, unwritten] = valueOf(line);
  if (!isObject(value)) {
    return { leaf, complaint: unwritten ?? "an entry is an object", isNewer: false, entry: null, place: null };
  }
  const strictly = complaintOf(value, true);
  const loosely = strictly && complaintOf(value, false);
  const isNewer = value.schema !== KNOWN_SCHEMA && !loosely;
  const entry = isNewer || loosely ? null : value;
  return { leaf, complaint: unwritten ?? strictly, isNewer, entry, place: entry ?? placeIn(value) };
}

/** What is wrong with an entry's shape; nothing is known of an event of another schema. */
function complaintOf(value, inOrder) {
  const envelope = envelopeComplaint(value, inOrder);
  return envelope ?? (value.schema === KNOWN_SCHEMA ? eventComplaint(value.event, inOrder) : null);
}

/** Where a line stands, if it tells its stream, version, link, time and type, whatever else it tells. */
function placeIn(value) {
  if (!isObject(value.event) || !isText(value.event.type)) return null;
  return Number.isInteger(value.version) && PLACE.every((key) => isText(value[key])) ? value : null;
}

/** The line's value, read strictly or, with a complaint, loosely. */
function valueOf(line) {
  if (line.length > MAX_BYTES) return [undefined, `more than ${MAX_BYTES} bytes long`];
  if (!line.length) return [undefined, "an empty line"];
  const text = textOf(line);
  if (text === null) return [undefined, "not UTF-8"];
  try {
    return [readStrictly(text), null];
  } catch (error) {
    if (!(error instanceof NotWrittenSo)) throw error;
    return [loosely(text), error.message];
  }
}

function loosely(text) {
  try {
    return readLoosely(text);
  } catch (error) {
    if (!(error instanceof NotWrittenSo)) throw error;
    return undefined;
  }
}
