/** Parts of a result, each a table or a list. */

import { table } from "./controls.js";
import { count, data, el, sentence } from "./dom.js";

const MOST = 40;
const FEW = 6;
const LABELS = 12;

/** @param {Object[]} requirements */
export function askedTable(requirements) {
  const rows = requirements.map((one, i) => el("tr", {},
    el("th", { scope: "row" }, `${i + 1}. `, sentence(one.text, true)),
    el("td", {}, one.asked), el("td", {}, one.reached),
    el("td", {}, el("span", { class: one.is_met ? "met" : "unmet" }, one.is_met ? "✓ met" : "✗ not met"))));
  return table("What was asked and what is reached", ["Sentence", "Asked", "Reached", "Recount"], rows, { class: "figures" });
}

/**
 * @param {{histogram: [number, number|null, number, number][], unit: string}} requirement
 * @param {number} nRecords Of the release.
 */
export function groupSizes(requirement, nRecords) {
  const isRepeated = requirement.histogram.reduce((sum, row) => sum + row[3], 0) > nRecords;
  const most = Math.max(1, ...requirement.histogram.map((row) => row[3]));
  const rows = requirement.histogram.map(([low, high, groups, records]) => el("tr", {},
    el("th", { scope: "row" }, high === null ? `${count(low)} and more` : `${count(low)} to ${count(high)}`),
    el("td", { class: "number" }, count(groups)),
    el("td", { class: "number" }, count(records)),
    el("td", { class: "bar-cell" }, bar(records / most))));
  return el("div", {},
    table("Group sizes", ["In a group", ["Groups"], [requirement.unit === "person" ? "Persons" : "Records"], "Drawn"], rows, { class: "figures" }),
    isRepeated && el("p", { class: "quiet" }, "Groups are counted for every choice of columns that somebody may know, so each record counts several times."));
}

function bar(share) {
  const inner = el("span", { class: "bar" });
  inner.style.inlineSize = `${100 * share}%`;
  return inner;
}

/** @param {{reasons: Object[], changes: Object[]}} said */
export function reasonList(said) {
  const more = said.reasons.length - MOST;
  return el("div", {},
    said.reasons.length ? shortList("reasons", said.reasons) : el("p", { class: "quiet" }, "Every value is shown as it is."),
    more > 0 && el("p", { class: "quiet" }, `${count(more)} more stand in the owner's report.`),
    said.changes.length > 0 && el("div", {}, el("h3", {}, "What would show more"),
      el("ul", { class: "reasons" }, ...said.changes.map((one) => el("li", {}, sentence(one.text, true))))));
}

/** The first lines of a list; the others are unfolded. */
function shortList(what, list) {
  const items = (some) => el("ul", { class: "reasons" }, ...some.map((one) =>
    el("li", {}, el("strong", {}, data(one.attribute)), " “", data(one.shown), "”: ", sentence(one.text, true))));
  const others = list.slice(FEW, MOST);
  return el("div", {}, items(list.slice(0, FEW)),
    others.length > 0 && el("details", { "data-key": `more ${what}` }, el("summary", {}, `${count(others.length)} more`), items(others)));
}

/** @param {Object[]} attributes */
export function attributeTable(attributes) {
  const rows = attributes.map((one) => el("tr", {}, el("th", { scope: "row" }, data(one.name)),
    el("td", { class: "labels" }, ...labels(one.labels))));
  return table("How columns are shown", ["Column", "Values in the release"], rows, { class: "figures" });
}

function labels(list) {
  const shown = list.slice(0, LABELS).flatMap((label, i) => (i ? [" · ", data(label)] : [data(label)]));
  return list.length > LABELS ? [...shown, ` · and ${count(list.length - LABELS)} more`] : shown;
}

/** @param {{sentences: string[]}|null} risk */
export function riskPart(risk) {
  if (!risk) return el("p", { class: "quiet" }, "Not counted for this policy.");
  return el("ul", {}, ...risk.sentences.map((text) => el("li", {}, sentence(text, true))));
}
