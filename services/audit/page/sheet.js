/** A verdict as a sheet to read: the banner, the checks with their findings, the entropy, the shoe, the coups. */

const MOST_FINDINGS = 200;
const GRADES = ["operator-only", "patron", "independent", "beacon"];
const MARKS = { passed: "✓", failed: "✗", "not-checked": "–" };
const SAID = { passed: "passed", failed: "failed", "not-checked": "not checked" };
const STATUSES = [
  ["passed", "Everything passed. The shoe is complete, and the key that you gave is the log's."],
  ["failed", "Something failed."],
  ["not-checked", "Nothing failed, but the evidence is incomplete."],
  ["not-checked", "This could not be read."],
];
const MEANING = {
  bytes: "every line is written the one way, in the shape of its schema",
  chain: "versions without gap, links that hold, times that never fall, counts as the manifest says",
  log: "the last entry is in the log, and the log has signed for it",
  shoe: "the seed makes the order, the salts and the root; each card is the next of the shoe",
  rules: "bets in time and within limits, draws as the rules demand, totals, winner, whose turn, burn, cut card",
  money: "each settlement to the cent, no stack ever below nothing",
  ledger: "balances as the house's ledger says",
};
const SUITS = { c: "♣", d: "♦", h: "♥", s: "♠" };

/** An element; text is only ever set as text. `attributes` of undefined are left out. */
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The sheet of a file that could not be read. */
export function unreadSheet(file, why) {
  return element("article", {}, heading(file), banner(3, why));
}

/** The sheet of a receipt, as `examineReceipt` gives it. */
export function receiptSheet({ report, status, of }) {
  const said = status ? undefined : "Everything passed. The entry is in the log whose key you gave.";
  const failed = report.checks.filter(({ result }) => result === "failed").map(({ check }) => check);
  return element(
    "article",
    {},
    heading(report.file),
    element("p", { class: "faint" }, `A receipt${of ? ` for ${of}` : ""}.`),
    banner(status, failed.length ? `Failed: ${failed.join(", ")}.` : "", said),
    checksTable(report),
    copyButton(report),
  );
}

/** The sheet of a verdict, as `examine` gives it; `seconds` is how long it took. */
export function sheet({ report, status, story, grade, seen, seconds, round }) {
  const alone = round ? `, round ${round} alone` : "";
  const summary = `${counted(story.entries)} entries, checked in ${seconds.toFixed(2)} s`;
  return element(
    "article",
    {},
    heading(report.file),
    element("p", { class: "faint" }, `Table ${report.table}, shoe ${report.shoe}${alone}. ${summary}.`),
    banner(status, why(report)),
    checksTable(report),
    entropyPart(grade),
    shoePart(report, story, seen),
    coupsPart(report, story),
    copyButton(report),
  );
}

function heading(file) {
  return element("h2", { tabindex: "-1" }, file);
}

function banner(status, more, instead) {
  const [kind, usual] = STATUSES[status];
  const said = instead ?? usual;
  const text = element("span", {}, said, more ? element("span", { class: "faint" }, ` ${more}`) : null);
  return element(
    "p",
    { class: `banner ${kind}` },
    element("span", { class: "mark", "aria-hidden": "true" }, MARKS[kind]),
    text,
  );
}

function why({ checks }) {
  const named = (result) =>
    checks.filter((check) => check.result === result && check.check !== "ledger").map(({ check }) => check);
  const [failed, open] = [named("failed"), named("not-checked")];
  if (failed.length) return `Failed: ${failed.join(", ")}.`;
  return open.length ? `Not checked: ${open.join(", ")}.` : "";
}

function checksTable({ checks }) {
  const rows = checks.map(({ check, result, findings }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, check),
      element(
        "td",
        { class: check === "ledger" ? "result faint" : `result ${result}` },
        `${MARKS[result]} ${SAID[result]}`,
      ),
      element("td", {}, element("span", { class: "faint meaning" }, MEANING[check]), findingsList(findings)),
    ),
  );
  return table("What was checked", ["Check", "Result", "Says that"], rows);
}

function findingsList(findings) {
  if (!findings.length) return null;
  const shown = findings
    .slice(0, MOST_FINDINGS)
    .map(({ version, what }) =>
      element("li", {}, version ? element("span", { class: "where" }, `version ${version}`) : null, what),
    );
  const more = findings.length - shown.length;
  if (more) shown.push(element("li", { class: "faint" }, `and ${counted(more)} more`));
  return element("ul", { class: "findings" }, ...shown);
}

function table(caption, columns, rows) {
  const head = columns.map((column) =>
    element("th", { scope: "col", class: column.startsWith("#") ? "number" : undefined }, column.replace("#", "")),
  );
  const made = element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, made);
}

function entropyPart({ grade, reason }) {
  const grades = GRADES.map((name) => element("li", { "aria-current": name === grade ? "true" : undefined }, name));
  return element(
    "section",
    {},
    element("h3", {}, "Who could have known the order"),
    grade
      ? element("ol", { class: "grades", "aria-label": `From least to most; this shoe: ${grade}` }, ...grades)
      : null,
    element("p", {}, `${reason[0].toUpperCase()}${reason.slice(1)}.`),
  );
}

function shoePart(report, story, seen) {
  const { committed, ended } = story;
  const facts = [
    ["Entries", `${counted(story.entries)}, ${report.complete ? "the whole shoe" : "the shoe is open"}`],
    ["From", toSecond(story.firstAt)],
    ["To", toSecond(story.lastAt)],
    ...(committed ? rulesFacts(committed) : []),
    ["Contributions", story.contributions.join(", ") || "none"],
    ["Cards", `${counted(story.dealt)} dealt, ${counted(story.burned)} burned`],
    ...(ended ? [["Ended", `${ended.reason}; ${counted(ended.remaining)} cards remain`]] : []),
    ["In the log", seen.size === undefined ? "unknown" : `entry ${seen.index} of ${seen.size}`],
    ...(seen.cosigned.length ? [["Cosigned by", seen.cosigned.join(", ")]] : []),
    ["Log", seen.origin ?? "unknown"],
    ["Key that the bundle itself names", seen.keys.join(" ") || "none", "long"],
    ...(committed?.seed_commitment ? [["Commitment", committed.seed_commitment, "long"]] : []),
    ...(ended?.seed ? [["Seed", ended.seed, "long"]] : []),
  ];
  const list = facts
    .filter(([, value]) => value)
    .map(([name, value, kind]) => element("div", { class: kind }, element("dt", {}, name), element("dd", {}, value)));
  return element("section", {}, element("h3", {}, "The shoe"), element("dl", {}, ...list));
}

function rulesFacts({ rules, decks, source, currency }) {
  const { burn, cut, after_cut: after } = rules.procedure;
  return [
    ["Rules", `${rules.name}, version ${rules.version}`],
    ["Decks", `${decks}, ${source}`],
    ["Procedure", `burn ${burn}, cut ${cut}, ${after}`],
    ["Currency", currency],
  ];
}

function coupsPart(report, story) {
  if (!story.coups.length) return null;
  const spoiled = report.checks.flatMap(({ findings }) => findings.map(({ version }) => version));
  const money = moneyWriter(story.committed?.currency);
  const rows = story.coups.map((coup) => coupRow(coup, spoiled, money));
  const columns = ["#Coup", "Player", "Banker", "Result", "#Bets", "#Staked", "#Returned", "#Versions"];
  const cut = story.isCut ? element("p", {}, "An entry could not be read; what stands behind it is not told.") : null;
  return element(
    "section",
    {},
    element("h3", {}, "The coups"),
    cut,
    table("Cards as they fell, and what was paid", columns, rows),
  );
}

function coupRow(coup, spoiled, money) {
  const isSpoiled = spoiled.some((version) => version >= coup.first && version <= coup.last);
  const number = (text) => element("td", { class: "number" }, text);
  return element(
    "tr",
    { class: isSpoiled ? "spoiled" : undefined },
    element("th", { scope: "row", class: "number" }, `${coup.round}`),
    coup.right.length ? sidesCell(coup) : handCell(coup.player, coup.playerTotal, coup.how === "player"),
    handCell(coup.banker, coup.bankerTotal, coup.how === "banker"),
    element(
      "td",
      { class: "how" },
      `${resultOf(coup)}${coup.isCut ? ", cut card" : ""}${isSpoiled ? ", see the findings" : ""}`,
    ),
    number(counted(coup.bets)),
    number(money(coup.staked)),
    number(money(coup.returned)),
    number(`${coup.first}–${coup.last}`),
  );
}

function resultOf({ how, reason }) {
  if (how === "void") return `void: ${reason}`;
  return { player: "Player wins", banker: "Banker wins", tie: "tie" }[how] ?? how;
}

function handCell(cards, total, hasWon) {
  const faces = cards.flatMap((card) => [face(card), " "]);
  const sum = total === undefined ? "" : `= ${total}`;
  return element("td", { class: `cards${hasWon ? " winner" : ""}` }, ...faces, sum);
}

/** Both hands against the bank, the right one first. */
function sidesCell({ right, left }) {
  const [ofRight, ofLeft] = [right, left].map((cards) => cards.flatMap((card) => [face(card), " "]));
  return element("td", { class: "cards" }, ...ofRight, "| ", ...ofLeft);
}

function face(card) {
  return element(card[1] === "d" || card[1] === "h" ? "i" : "span", {}, card[0].replace("T", "10") + SUITS[card[1]]);
}

function toSecond(time) {
  return time && `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}

function counted(number) {
  return number.toLocaleString("en");
}

/** Minor units as people write the currency. */
function moneyWriter(currency) {
  const digits = digitsOf(currency);
  const form = new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return (amount) => form.format(amount / 10 ** digits);
}

function digitsOf(currency) {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits;
  } catch {
    return 2;
  }
}

function copyButton(report) {
  const button = element("button", { type: "button" }, "Copy as JSON");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(JSON.stringify([report]));
    button.textContent = "Copied";
  });
  return button;
}
