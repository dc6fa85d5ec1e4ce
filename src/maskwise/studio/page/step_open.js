/** The first step: a path, a dropped file, the Adult data, or a table of a database. */

import { button, field, loading } from "./controls.js";
import { el, refresh } from "./dom.js";
import { errorBox, remarkList } from "./remarks.js";

export class OpenStep {
  /** @param {HTMLElement} root @param {import("./studio.js").Studio} studio @param {(step: string) => void} go */
  constructor(root, studio, go) {
    Object.assign(this, { root, studio, go });
    this.path = "";
    this.engine = "";
    this.table = "";
  }

  draw() {
    const { studio } = this;
    // Not built anew without need: a file may be being chosen for one of its controls.
    refresh(this.root, [
      el("p", {}, "Which table is to be released? It stays on this machine: the studio answers this browser only."),
      studio.error && errorBox(studio.error),
      !studio.busy && studio.source?.notes.length > 0 && remarkList(studio.source.notes, "table-notes"),
      studio.busy ? loading(`${studio.busy} …`) : this.ways(),
    ]);
  }

  ways() {
    return el("div", { class: "cards" },
      el("section", { class: "card" }, el("h2", {}, "A file on this machine"),
        this.form(() => this.open({ path: this.path }), "Open the file",
          field("Path of a CSV or Parquet file", this.path, (text) => { this.path = text; }, { "data-first": "", required: true })),
        this.dropPlace()),
      el("section", { class: "card" }, el("h2", {}, "An example"),
        el("p", {}, "The Adult data: 48,842 answers to a census, with trees for its columns."),
        button("Try it on Adult", () => this.open({ example: "adult" }))),
      el("section", { class: "card" }, el("h2", {}, "A table of a database"),
        this.form(() => this.open({ engine: this.engine, table: this.table }), "Open the table",
          field("Address, such as postgres://user@host/database", this.engine, (text) => { this.engine = text; }, { required: true }),
          field("Table", this.table, (text) => { this.table = text; }, { required: true }))));
  }

  form(submit, label, ...fields) {
    return el("form", { on: { submit: (event) => { event.preventDefault(); submit(); } } }, ...fields,
      el("button", { type: "submit", "data-key": label }, label));
  }

  dropPlace() {
    const choose = el("input", { type: "file", "data-key": "file", on: { change: (event) => this.openFile(event.target.files[0]) } });
    const place = el("label", { class: "drop", on: {
      dragover: (event) => { event.preventDefault(); place.classList.add("over"); },
      dragleave: () => place.classList.remove("over"),
      drop: (event) => { event.preventDefault(); this.openFile(event.dataTransfer.files[0]); },
    } }, el("span", {}, "Or drop a file here, or choose one:"), choose);
    return place;
  }

  async openFile(file) {
    if (!file) return;
    await this.studio.openFile(file);
    this.goOn();
  }

  async open(where) {
    await this.studio.open(where);
    this.goOn();
  }

  goOn() {
    if (!this.studio.error && !this.studio.source.notes.length) this.go("columns");
  }
}
