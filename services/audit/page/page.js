/** The page: takes bundles and keys in, shows a sheet for each. */

import { utf8Of } from "./bytes.js";
import { Unacceptable } from "./note.js";
import { examineReceipt, isProof, leafTold } from "./receipt.js";
import { element, receiptSheet, sheet, unreadSheet } from "./sheet.js";
import { compareSeeds, examine, readOptions } from "./verdict.js";
import { Unreadable } from "./zip.js";

const part = (id) => document.getElementById(id);
const ENTRY_BYTES = 65536; // an entry at its longest, and its LF; of a longer one no more is read
let chosen = [];
let turn = 0; // a newer choice puts an end to an older one

/** What the user trusts: a text of one line is a log's key, a longer one a policy. */
function optionsAsked() {
  const trust = part("trust").value.trim();
  const signers = part("signers")
    .value.split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const told = /\s/.test(trust) ? { policy: utf8Of(`${trust}\n`) } : { logKey: trust || undefined };
  return { ...readOptions({ ...told, signers }), leaf: leafTold(part("leaf").value) };
}

function tryOptions() {
  part("complaint").textContent = "";
  try {
    return optionsAsked();
  } catch (error) {
    if (!(error instanceof Unacceptable)) throw error;
    part("keys").open = true;
    part("complaint").textContent = `A key or a policy cannot be read: ${error.message}.`;
    return null;
  }
}

async function check() {
  const mine = ++turn;
  const options = tryOptions();
  if (!options || !chosen.length) return;
  part("again").disabled = false;
  part("verdicts").replaceChildren();
  part("wait").hidden = false;
  const judged = [];
  const { files, entry } = await sorted();
  for (const [at, file] of files.entries()) {
    const onProgress = (share) => {
      part("progress").value = (at + share) / files.length;
    };
    onProgress(0);
    judged.push(await verdictOf(file, { ...options, entry, file: file.name, onProgress }));
    if (mine !== turn) return;
  }
  part("verdicts").append(...compareSeeds(judged).map(sheetOf));
  part("wait").hidden = true;
  if (!options.trusted) part("keys").open = true;
  part("verdicts").querySelector("h2")?.focus();
}

/** The files to judge, and beside a receipt the one that is its entry: neither a proof nor a zip. */
async function sorted() {
  const heads = await Promise.all(chosen.map(async (file) => new Uint8Array(await file.slice(0, 64).arrayBuffer())));
  const others = chosen.filter((_, at) => !isProof(heads[at]) && !isZip(heads[at]));
  if (!heads.some(isProof) || others.length !== 1) return { files: chosen, entry: null };
  const entry = new Uint8Array(await others[0].slice(0, ENTRY_BYTES).arrayBuffer());
  return { files: chosen.filter((file) => file !== others[0]), entry };
}

function isZip(head) {
  return head[0] === 0x50 && head[1] === 0x4b;
}

/** A receipt's verdict. One whose entry is not known cannot be judged. */
async function receiptOf(bytes, { entry, leaf, trusted, file }) {
  if (!entry && !leaf) throw new Unreadable("a receipt is about one entry: choose it beside, or tell its leaf hash");
  return { isReceipt: true, ...(await examineReceipt(bytes, { entry, leaf, trusted, file })) };
}

/** What `examine` gives, and how long it took; or the complaint that it could not be read. */
async function verdictOf(file, options) {
  await new Promise((resolve) => setTimeout(resolve)); // let the page show that it is at work
  try {
    const started = performance.now();
    const bytes = new Uint8Array(await file.arrayBuffer());
    const verdict = await (isProof(bytes) ? receiptOf(bytes, options) : examine(bytes, options));
    return { ...verdict, seconds: (performance.now() - started) / 1000 };
  } catch (error) {
    if (error instanceof Unreadable || error instanceof DOMException) return { file, unread: error.message };
    return { file, broken: `This page itself failed, and says nothing of the bundle: ${error}` };
  }
}

function sheetOf(verdict) {
  if (verdict.broken)
    return element("article", {}, element("h2", { tabindex: "-1" }, verdict.file.name), verdict.broken);
  if (verdict.isReceipt) return receiptSheet(verdict);
  return verdict.unread ? unreadSheet(verdict.file.name, verdict.unread) : sheet(verdict);
}

function take(files) {
  chosen = [...files];
  check();
}

function listen() {
  const drop = part("drop");
  const over = (isOver) => (event) => {
    event.preventDefault();
    drop.classList.toggle("over", isOver);
  };
  part("files").addEventListener("change", (event) => take(event.target.files));
  document.addEventListener("dragover", over(true));
  document.addEventListener("dragleave", over(false));
  document.addEventListener("drop", (event) => {
    over(false)(event);
    take(event.dataTransfer.files);
  });
  part("asked").addEventListener("submit", (event) => {
    event.preventDefault();
    check();
  });
  for (const id of ["trust", "signers", "leaf"]) part(id).addEventListener("input", tryOptions);
}

listen();
