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
export function readLine(line) {
  const leaf = leafOf(line);
  const [value, unwritten] = valueOf(line);
  if (!isObject(value)) {
    return { leaf, complaint: unwritten ?? "an entry is an object", isNewer: false, entry: null, place: placeOf(line) };
  }
  const strictly = complaintOf(value, true);
  const loosely = strictly && complaintOf(value, false);
  const isNewer = value.schema !== KNOWN_SCHEMA && !loosely;
  const entry = isNewer || loosely ? null : value;
  return { leaf, complaint: unwritten ?? strictly, isNewer, entry, place: entry ?? placeOf(line) };
}

/** What is wrong with an entry's shape; nothing is known of an event of another schema. */
function complaintOf(value, inOrder) {
  const envelope = envelopeComplaint(value, inOrder);
  return envelope ?? (value.schema === KNOWN_SCHEMA ? eventComplaint(value.event, inOrder) : null);
}

/** Where a line stands: what any JSON reader makes of it, if it tells its stream, version, link, time and type. */
function placeOf(line) {
  const value = anyJson(textOf(line));
  if (!isObject(value) || !isObject(value.event) || !isText(value.event.type)) return null;
  return Number.isInteger(value.version) && PLACE.every((key) => isText(value[key])) ? value : null;
}

function anyJson(text) {
  const wellFormed = (key, value) => {
    if (isText(value) && /\p{Surrogate}/u.test(value)) throw new SyntaxError("a lone surrogate");
    return value;
  };
  try {
    return JSON.parse(text, wellFormed);
  } catch {
    return null;
  }
}

/** The line's value, read strictly or, with a complaint, loosely. */
function valueOf(line) {
  if (line.length > MAX_BYTES) return [undefined, `${line.length} bytes long, more than ${MAX_BYTES}`];
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
