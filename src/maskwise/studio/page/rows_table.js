/** Records before and after masking, some rows and some columns at a time. */

import { loading, pager, table } from "./controls.js";
import { data, el } from "./dom.js";

const COLUMNS = 30;
const LONG = 40;

/**
 * @param {Object|null} found What `rows` answered.
 * @param {{start: number, column: number}} view
 * @param {number} n Rows at a time.
 * @param {(view: {start: number, column: number}) => void} turn
 */
export function rowsPart(found, view, n, turn) {
  if (!found) return loading("Loading rows …");
  const names = found.names.slice(view.column, view.column + COLUMNS);
  const place = new Map(found.released.map((name, i) => [name, i]));
  const rows = found.rows.map((row) => el("tr", {}, ...names.map((name, i) => cell(row, view.column + i, place.get(name)))));
  return el("div", {},
    el("p", { class: "quiet" }, "A cell that changed shows what it was, struck through, and what it is now. For your eyes only."),
    pager("records", { start: view.start, size: n, n: found.n_all }, (start) => turn({ ...view, start })),
    found.names.length > COLUMNS
      && pager("columns of the table", { start: view.column, size: COLUMNS, n: found.names.length }, (column) => turn({ ...view, column })),
    table("Records before and after masking", names.map((name) => data(name)), rows, { class: "records" }));
}

function cell(row, at, released) {
  const before = row.before[at];
  const isLong = before !== null && before.length > LONG;
  const td = (isChanged, ...parts) => el("td", { class: [isLong && "long", isChanged && "changed"].filter(Boolean).join(" ") || null }, ...parts);
  if (released === undefined) return td(true, el("span", { class: "quiet" }, "removed"));
  if (row.after === null) return td(true, was(before), " left out");
  const after = row.after[released];
  if (after === before) return td(false, data(before));
  return td(true, was(before), " ", el("strong", {}, data(after)));
}

function was(before) {
  return el("s", {}, el("span", { class: "unseen" }, "was "), data(before));
}
