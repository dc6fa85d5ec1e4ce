/** The page: takes the token, draws the rail and the step that the address names. */

import { takeToken } from "./api.js";
import { button, countSeconds } from "./controls.js";
import { el, refresh } from "./dom.js";
import { drawHeader, drawRail } from "./rail.js";
import { ColumnsStep } from "./step_columns.js";
import { ExportStep } from "./step_export.js";
import { OpenStep } from "./step_open.js";
import { RequirementsStep } from "./step_requirements.js";
import { ResultStep } from "./step_result.js";
import { SearchStep } from "./step_search.js";
import { STEPS } from "./steps.js";
import { TreesStep } from "./step_trees.js";
import { Studio } from "./studio.js";

const CLASSES = { open: OpenStep, columns: ColumnsStep, trees: TreesStep, requirements: RequirementsStep, search: SearchStep,
  result: ResultStep, export: ExportStep };

const studio = new Studio();
const visited = new Set();
const main = document.getElementById("main");
const heading = el("h1", { tabindex: "-1" });
const content = el("div", { id: "content" });
const onward = el("div", { class: "onward" });
const steps = new Map(STEPS.map(([step]) => [step, new CLASSES[step](content, studio, go)]));
let current = null;

function draw() {
  drawHeader(studio);
  drawRail(studio, current, visited, go);
  if (studio.isClosed) {
    heading.textContent = "The studio is closed";
    content.replaceChildren(el("p", {}, "You can close this tab. Drafts are kept; start again with ", el("code", {}, "maskwise studio"), "."));
    onward.replaceChildren();
    return;
  }
  steps.get(current).draw();
  const next = STEPS[STEPS.findIndex(([step]) => step === current) + 1];
  refresh(onward, [next && button(`Continue to ${next[1]}`, () => go(next[0]), { disabled: !studio.columns, "data-key": "onward" })]);
}

/** @param {string} step */
function go(step) {
  location.hash = step;
}

function show() {
  const named = location.hash.slice(1);
  if (named === current || !steps.has(named)) return;
  const isFirst = current === null;
  current = named;
  studio.history.separate();
  visited.add(named);
  const at = STEPS.findIndex(([step]) => step === named);
  heading.textContent = STEPS[at][1];
  document.title = `${STEPS[at][1]} · maskwise studio`;
  content.replaceChildren();
  draw();
  main.scrollTop = 0;
  if (!isFirst) heading.focus();
}

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  event.preventDefault();
  if (event.shiftKey) studio.history.redo();
  else studio.history.undo();
});
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  heading.focus();
});
window.addEventListener("hashchange", show);
setInterval(countSeconds, 1000);

takeToken();
main.replaceChildren(heading, content, onward);
studio.subscribe(draw);
if (!steps.has(location.hash.slice(1))) history.replaceState(null, "", "#open");
main.setAttribute("aria-busy", "true");
show();
await studio.begin();
if (current === "open" && studio.columns && !studio.source.notes.length) go("columns");
main.setAttribute("aria-busy", "false");
