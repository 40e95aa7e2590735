/** One line of the log: its bytes, its leaf, and what it says. */

import { textOf } from "./bytes.js";
import { NotWrittenSo, readLoosely, readStrictly } from "./json.js";
import { envelopeComplaint, eventComplaint, isObject } from "./shapes.js";
import { leafOf } from "./tree.js";

const MAX_BYTES = 65535;
const KNOWN_SCHEMA = 1;

/**
 * A line as it was read.
 *
 * `leaf`; `complaint`, why this is no entry written the one way, or null; `isNewer`, of a schema not known here.
 * `entry` is what the line says, null when it is not even JSON, and `isClear` whether all of it can be made out: an
 * entry that is only written otherwise, or in another order, is still clear.
 */
export function readLine(line) {
  const leaf = leafOf(line);
  const [value, unwritten] = valueOf(line);
  if (!isObject(value)) {
    return { leaf, complaint: unwritten ?? "an entry is an object", entry: null, isNewer: false, isClear: false };
  }
  const strictly = complaintOf(value, true);
  const loosely = strictly && complaintOf(value, false);
  const isNewer = value.schema !== KNOWN_SCHEMA && !loosely;
  return { leaf, complaint: unwritten ?? strictly, entry: value, isNewer, isClear: !isNewer && !loosely };
}

/** What is wrong with an entry's shape; nothing is known of an event of another schema. */
function complaintOf(value, inOrder) {
  const envelope = envelopeComplaint(value, inOrder);
  return envelope ?? (value.schema === KNOWN_SCHEMA ? eventComplaint(value.event, inOrder) : null);
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
