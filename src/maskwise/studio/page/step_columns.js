/** The second step: what each column is. */

import { button, choice, field, loading, pager, table } from "./controls.js";
import { count, data, el, plural, rebuild, sentence } from "./dom.js";
import { masksText } from "./masking_words.js";
import { ROLES, columnsOf } from "./policy_doc.js";
import { errorBox, otherRemarks } from "./remarks.js";

const SIZE = 50;
const SHOWN_VALUES = 3;
const MISSING = [["keep", "is kept: empty is a value of its own"], ["drop", "is left out of the release"], ["error", "is refused"]];

export class ColumnsStep {
  /** @param {HTMLElement} root @param {import("./studio.js").Studio} studio @param {(step: string) => void} go */
  constructor(root, studio, go) {
    Object.assign(this, { root, studio, go });
    this.filter = "";
    this.start = 0;
    this.role = "released";
  }

  draw() {
    const { studio } = this;
    if (!studio.columns) {
      rebuild(this.root, [studio.error && errorBox(studio.error), loading(`${studio.busy ?? "Counting"} …`)]);
      return;
    }
    const wanted = this.filter.toLowerCase();
    const listed = studio.columns.filter((column) => column.name.toLowerCase().includes(wanted));
    const page = listed.slice(this.start, this.start + SIZE);
    rebuild(this.root, [
      studio.error && errorBox(studio.error),
      studio.isRestored && this.restored(),
      el("p", {}, "Could somebody who knows a person know this column? Then it is a quasi-identifier and is masked. ",
        "What nobody must learn is sensitive. The roles below are proposals: read the reason of each."),
      el("p", { class: "summary" }, this.summary()),
      otherRemarks(studio, "columns"),
      this.missing(),
      studio.columns.length > SIZE && this.bulk(listed),
      table("Columns and their roles", ["Column", "Is, and why that is proposed", "Masked by", ["Values"], "Most frequent"],
        page.map((column) => this.row(column)), { class: "columns" }),
      listed.length > SIZE && pager("columns", { start: this.start, size: SIZE, n: listed.length }, (start) => this.turn(start)),
    ]);
  }

  restored() {
    return el("div", { class: "remark note box" }, "Your draft of the last time is here again. ",
      button("Start again from the proposals", () => this.studio.startAgain()));
  }

  summary() {
    const { doc } = this.studio;
    return ROLES.map(([role, , one, many]) => [columnsOf(doc, role).length, one, many])
      .filter(([n]) => n).map(([n, one, many]) => plural(n, one, many)).join(" · ");
  }

  /** What becomes of records that lack a masked cell, where there are some. */
  missing() {
    const { columns, doc } = this.studio;
    if (!columns.some((column) => column.n_missing > 0 && doc.roles.get(column.name) === "quasi-identifier")) return null;
    return el("label", { class: "field" }, el("span", {}, "A record with an empty cell in a masked column"),
      choice(MISSING, doc.rest.missing ?? "keep", (way) => this.studio.edit({ ...doc, rest: { ...doc.rest, missing: way } }),
        { "data-key": "missing" }));
  }

  bulk(listed) {
    return el("div", { class: "bulk" },
      field("Filter by name", this.filter, (text) => { this.filter = text; this.turn(0); }),
      el("label", { class: "field" }, el("span", {}, "Role"),
        choice(ROLES, this.role, (role) => { this.role = role; }, { "data-key": "bulk role" })),
      button(`Set it for ${plural(listed.length, "listed column")}`,
        () => this.studio.setRoles(listed.map((column) => column.name), this.role), { "data-key": "bulk set" }));
  }

  turn(start) {
    this.start = start;
    this.studio.changed();
  }

  row(column) {
    const role = this.studio.doc.roles.get(column.name);
    const id = `reason-${this.studio.columns.indexOf(column)}`;
    return el("tr", { "data-role": role },
      el("th", { scope: "row" }, data(column.name), el("span", { class: "type" }, column.type)),
      el("td", { class: "is" }, choice(ROLES, role, (chosen) => this.studio.setRoles([column.name], chosen),
        { "aria-label": `Role of ${column.name}`, "aria-describedby": id, "data-key": `role ${column.name}` }),
      el("div", { class: "reason", id }, this.reason(column, role))),
      el("td", {}, role === "quasi-identifier" && this.masking(column.name)),
      el("td", { class: "number" }, count(column.n_distinct),
        column.n_missing > 0 && el("span", { class: "type" }, `${count(column.n_missing)} missing`)),
      el("td", { class: "values" }, frequent(column)));
  }

  /** Why a role is proposed; where another one is chosen, which one it was. */
  reason(column, role) {
    const proposed = column.suggestion;
    if (!proposed) return "";
    const other = proposed.role === role ? "" : `Proposed: ${ROLES.find(([key]) => key === proposed.role)[1]}, because `;
    return [other, sentence(proposed.reason)];
  }

  masking(name) {
    return button(masksText(this.studio.doc, name), () => {
      this.studio.treeColumn = name;
      this.go("trees");
    }, { "data-key": `masking ${name}`, "aria-label": `${masksText(this.studio.doc, name)}: change how ${name} is masked` });
  }
}

function frequent(column) {
  if (!column.frequent) return el("span", { class: "quiet" }, "hidden");
  const shown = column.frequent.slice(0, SHOWN_VALUES).flatMap(([value], i) => (i ? [", ", data(value)] : [data(value)]));
  return el("div", { class: "clip" }, ...shown, column.frequent.length > SHOWN_VALUES && ", …");
}
