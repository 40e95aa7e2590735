/** The page: takes bundles and keys in, shows a sheet for each. */

import { utf8Of } from "./bytes.js";
import { Unacceptable } from "./note.js";
import { element, sheet, unreadSheet } from "./sheet.js";
import { examine, readOptions } from "./verdict.js";
import { Unreadable } from "./zip.js";

const part = (id) => document.getElementById(id);
let chosen = [];
let turn = 0; // a newer choice puts an end to an older one

/** What the user trusts: a text of one line is a log's key, a longer one a policy. */
function optionsAsked() {
  const trust = part("trust").value.trim();
  const signers = part("signers")
    .value.split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  if (/\s/.test(trust)) return readOptions({ policy: utf8Of(`${trust}\n`), signers });
  return readOptions({ logKey: trust || undefined, signers });
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
  for (const [at, file] of chosen.entries()) {
    const onProgress = (share) => {
      part("progress").value = (at + share) / chosen.length;
    };
    onProgress(0);
    const made = await sheetOf(file, { ...options, file: file.name, onProgress });
    if (mine !== turn) return;
    part("verdicts").append(made);
  }
  part("wait").hidden = true;
  if (!options.trusted) part("keys").open = true;
  part("verdicts").querySelector("h2")?.focus();
}

async function sheetOf(file, options) {
  await new Promise((resolve) => setTimeout(resolve)); // let the page show that it is at work
  try {
    const started = performance.now();
    const verdict = await examine(new Uint8Array(await file.arrayBuffer()), options);
    return sheet(verdict, (performance.now() - started) / 1000);
  } catch (error) {
    if (error instanceof Unreadable || error instanceof DOMException) return unreadSheet(file.name, error.message);
    return element(
      "article",
      {},
      element("h2", {}, file.name),
      `This page itself failed, and says nothing of the bundle: ${error}`,
    );
  }
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
  for (const id of ["trust", "signers"]) part(id).addEventListener("input", tryOptions);
}

listen();
