/** The shapes of schema 1: every event's fields, in order, as the tables of the format page have them. */

const NAME = "[a-z0-9-]{1,64}";
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const count = whole(0, INTEGER_MAX);
const ordinal = whole(1, INTEGER_MAX);
const name = words(NAME);
const actor = words("[a-z-]{1,32}:[a-z0-9-]{1,64}");
const betName = words("[a-z][a-z0-9-]{0,31}");
const hash = words("[0-9a-f]{64}");
const hand = oneOf("player", "banker", "left", "right");
const rounding = oneOf("floor", "half-up", "half-even");
const fact = (value) => typeof value === "string" || count(value);
const WHITE = "\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const KEY_NAME = `[^+${WHITE}]{1,255}`;
const BEACON = "drand:[0-9a-f]{64}:[1-9][0-9]{0,15}";

/** What the fields below are of. A type tells whether a value fits; `inOrder`: to the letter, its keys in order. */
const TYPES = {
  count,
  ordinal,
  name,
  actor,
  hash,
  hand,
  money: count,
  amount: ordinal,
  bet: betName,
  reason: name,
  table: name,
  patron: name,
  slip: name,
  shoe: ordinal,
  round: ordinal,
  balance: count,
  card: words("[A2-9TJQK][cdhs]"),
  salt: words("[0-9a-f]{32}"),
  position: whole(0, 12 * 52 - 1),
  total: whole(0, 9),
  currency: words("[A-Z]{3}"),
  title: text(1, 64),
  origin: text(1, 255),
  note: text(1, 32768),
  means: oneOf("cash", "account", "voucher", "marker"),
  winner: oneOf("player", "banker", "tie"),
  choice: oneOf("draw", "stand"),
  provenance: oneOf("committed", "scanned"),
  isTrue: (value) => value === true,
  base64: words("[A-Za-z0-9+/]*={0,2}"),
  final: words(`none|signer:${KEY_NAME}\\+[0-9a-f]{8}\\+[A-Za-z0-9+/=]{44}|${BEACON}`),
  giver: words(`(?:patron|staff):${NAME}|signer:${KEY_NAME}|${BEACON}`),
  id: words("[0-9a-f]{32}"),
  stream: words(`log|(?:table|patron)/${NAME}`),
  at: isTime,
  command: words("[A-Za-z0-9._~-]{1,64}"),
  event: (value) => typeof value === "string",
  body: isObject,
  contribution: words("(?:[0-9a-f]{2}){1,256}"),
  actors: listOf(actor),
  chips: listOf((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(ordinal)),
  decks: whole(1, 12),
  rulesName: betName,
  game: oneOf("house", "dining-room", "chemin-de-fer", "banque"),
  seats: whole(1, 64),
  seat: whole(1, 64),
  seconds: whole(0, 86400),
  start: whole(1, 1000),
  truth: (value) => typeof value === "boolean",
  high: oneOf("king", "ace"),
  unable: oneOf("richest", "close"),
  absent: oneOf("out", "player", "banker"),
  tie: oneOf("stay", "return"),
  mode: oneOf("tableau", "options", "free"),
  base: oneOf("gross", "net"),
  cells: listOf(words("[0-7]-(?:[0-9]|stand)")),
  leaving: oneOf("left", "eliminated"),
  burn: oneOf("none", "one", "first-card", "decks"),
  cut: whole(6, 12 * 52),
  afterCut: oneOf("finish", "one-more"),
  collect: oneOf("at-once", "marked"),
  rounding,
  ratio: words("(?:0|[1-9][0-9]{0,15})/[1-9][0-9]{0,15}"),
  needs: listOf(betName, 1),
  ladder: listOf(
    mapOf(
      () => true,
      (value) => fact(value) || listOf(fact)(value),
    ),
    1,
  ),
};
TYPES.procedure = object("decks burn cut after_cut:afterCut");
TYPES.winnings = object("mode:rounding unit:ordinal");
TYPES.commission = object("collect mode:rounding unit:ordinal");
TYPES.bets = mapOf(betName, object("commission?:ratio needs? ladder"), 1);
TYPES.levy = object("rate:ratio on:base mode:rounding unit:ordinal");
TYPES.bank = object("high? unable? withdraw?:truth add?:truth");
TYPES.stakes = object(
  "unit?:ordinal start? absent? late_banco?:truth suivi?:truth tie? bystanders?:truth",
);
TYPES.play = object("mode cells?");
TYPES.clocks = object("bank:seconds turn:seconds decide:seconds");
TYPES.rules = object(
  "name:rulesName version:ordinal game seats? procedure winnings commission? levy? bank? stakes? play? bets clocks?",
);
TYPES.sitting = listOf(object("seat patron"), 2, 64);
TYPES.winners = object("left:winner right:winner");
TYPES.betLimits = mapOf(betName, object("min:ordinal max:ordinal"), 1);
TYPES.limits = object("bets:betLimits patron?:ordinal table?:ordinal differential?:ordinal");
TYPES.carriedRow = object("patron chips:money owed:money");
TYPES.carried = listOf(TYPES.carriedRow, 0, 200);
TYPES.moreCarried = listOf(TYPES.carriedRow, 1, 200);
TYPES.lines = listOf(object("patron bet stake:amount won:money commission:money returned:money marked?:money"), 0, 200);

const SLIP = "slip amount chips requested_by:actor issued_by:actor received_by:actor";
const END = "shoe reason seed?:hash dealt:count burned:count remaining:count";
const TABLE_EVENTS = {
  "table-opened": "table name:title currency rules limits float:chips counted_by:actor verified_by:actor",
  "table-suspended": "reason",
  "table-resumed": "",
  "table-closed": "float:chips counted_by:actor verified_by:actor",
  "dealer-changed": "dealer:actor",
  "limits-changed": "limits",
  "chips-filled": SLIP,
  "chips-credited": SLIP,
  "chips-bought": "patron amount means",
  "chips-cashed": "patron amount means",
  "commission-collected": "patron amount",
  "commission-waived": "patron amount reason approved_by:actors",
  "shoe-committed":
    "shoe decks source:provenance currency rules limits carried seed_commitment?:hash final_source?:final",
  "chips-carried": "carried:moreCarried",
  "entropy-contributed": "shoe source:giver value:contribution",
  "shoe-shuffled": "shoe mix:hash root:hash leaves:base64",
  "cards-burned": "shoe count:ordinal position card salt?",
  "cut-card-reached": "shoe position",
  "shoe-frozen": "shoe reason",
  "shoe-closed": END,
  "shoe-voided": END,
  "round-opened": "shoe round free?:isTrue",
  "bet-placed": "round patron bet amount",
  "bet-withdrawn": "round patron bet",
  "bets-closed": "round count digest:hash",
  "card-dealt": "round hand card position? salt?",
  "decision-made": "round hand choice",
  "lines-settled": "round lines",
  "round-settled": "round player?:total left?:total right?:total banker:total winner? winners? lines",
  "round-voided": "round reason approved_by:actors",
  "settlement-reversed": "round reason approved_by:actors",
  "seat-taken": "seat patron",
  "seat-left": "seat patron reason:leaving",
  "card-drawn": "shoe seat card position? salt?",
  "seats-set":
    "round seats:sitting turn?:seat banker?:seat standing?:amount suivi?:seat right?:seat left?:seat tied?:isTrue",
  "turn-passed": "round patron",
  "bet-asked": "round patron bet amount",
  "bet-agreed": "round patron bet amount",
  "bet-refused": "round patron bet amount",
  "bank-broken": "round patron due:amount paid:money",
};
const OTHER_EVENTS = {
  "account-opened": "currency",
  "funds-deposited": "amount means balance",
  "funds-withdrawn": "amount means balance",
  "funds-to-table": "table amount balance",
  "funds-from-table": "table amount balance",
  "log-succeeded": "origin checkpoint:note reason",
};
const EVENTS = new Map(
  Object.entries({ ...TABLE_EVENTS, ...OTHER_EVENTS }).map(([type, fields]) => [
    type,
    fieldsOf(`type:event ${fields}`),
  ]),
);
const ENVELOPE = fieldsOf("id stream version:ordinal at actor command schema:ordinal prev:hash event:body");

/** Whether the type is one that belongs on a table's stream. */
export function isTableEvent(type) {
  return Object.hasOwn(TABLE_EVENTS, type);
}

/** What is wrong with an entry's keys, whatever its event; null when nothing is. `inOrder`: their order counts too. */
export function envelopeComplaint(value, inOrder) {
  return isObject(value) ? complaintOf(ENVELOPE, value, inOrder) : "an entry is an object";
}

/** What is wrong with an event of schema 1; null when nothing is. */
export function eventComplaint(event, inOrder) {
  const fields = typeof event.type === "string" ? EVENTS.get(event.type) : undefined;
  if (!fields) return `${JSON.stringify(event.type)?.slice(0, 64) ?? "nothing"} is the type of no event of schema 1`;
  const complaint = complaintOf(fields, event, inOrder) ?? tableauxComplaint(event);
  return complaint && `${event.type}: ${complaint}`;
}

/** A settlement tells of one tableau, or of two. */
function tableauxComplaint({ type, ...event }) {
  if (type !== "round-settled") return null;
  const told = ["player", "winner", "left", "right", "winners"].map((key) => Object.hasOwn(event, key));
  const isOne = told.every((isTold, at) => isTold === at < 2);
  return isOne || told.every((isTold, at) => isTold === at >= 2) ? null : "tells neither of one tableau nor of two";
}

/** Fields as written above: `key`, `key:type` when the type is called otherwise, `key?` when it may be absent. */
function fieldsOf(written) {
  return written
    .split(" ")
    .filter(Boolean)
    .map((word) => {
      const [, key, optional, type] = /^([a-z_]+)(\??)(?::([a-zA-Z0-9]+))?$/.exec(word);
      const fits = TYPES[type ?? key];
      if (!fits) throw new Error(`no type ${word}`);
      return { key, isOptional: Boolean(optional), fits };
    });
}

function complaintOf(fields, value, inOrder) {
  for (const { key, isOptional, fits } of fields) {
    if (!Object.hasOwn(value, key)) {
      if (!isOptional) return `the field ${key} is missing`;
    } else if (!fits(value[key], inOrder)) {
      return `the field ${key} is not as its schema says`;
    }
  }
  const keys = Object.keys(value);
  const known = fields.filter(({ key }) => Object.hasOwn(value, key));
  const stranger = keys.find((key) => !known.some((field) => field.key === key));
  if (stranger !== undefined) return `the field ${JSON.stringify(stranger.slice(0, 64))} is not known`;
  return !inOrder || known.every(({ key }, at) => keys[at] === key) ? null : "the fields do not stand in order";
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A time; `inOrder`: one that the calendar has, too. */
function isTime(value, inOrder) {
  const found = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.[0-9]{6}Z$/.exec(value);
  if (typeof value !== "string" || !found) return false;
  if (!inOrder) return true;
  const [year, month, day, hour, minute, second] = found.slice(1).map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : DAYS[month - 1];
  return year >= 1 && day >= 1 && day <= days && hour < 24 && minute < 60 && second < 60;
}

function whole(least, most) {
  return (value) => Number.isSafeInteger(value) && value >= least && value <= most;
}

function words(pattern) {
  const whole = new RegExp(`^(?:${pattern})$`, "u");
  return (value) => typeof value === "string" && whole.test(value);
}

function oneOf(...choices) {
  return (value) => choices.includes(value);
}

function text(least, most) {
  return (value) => typeof value === "string" && [...value].length >= least && [...value].length <= most;
}

function listOf(item, least = 0, most = Infinity) {
  return (value, inOrder) =>
    Array.isArray(value) && value.length >= least && value.length <= most && value.every((one) => item(one, inOrder));
}

function mapOf(key, item, least = 0) {
  return (value, inOrder) => {
    if (!isObject(value)) return false;
    const keys = Object.keys(value);
    return keys.length >= least && keys.every((one) => key(one) && item(value[one], inOrder));
  };
}

function object(written) {
  const fields = fieldsOf(written);
  return (value, inOrder) => isObject(value) && complaintOf(fields, value, inOrder) === null;
}
