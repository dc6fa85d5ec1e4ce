/** The last step: a folder, what is written there and who may see it, and the command that writes the same. */

import { call } from "./api.js";
import { button, field, loading, table, tick } from "./controls.js";
import { announce, data, el, rebuild, sentence } from "./dom.js";
import { verdictWarnings } from "./guard.js";
import { errorBox, outOfDate } from "./remarks.js";
import { Run } from "./run.js";

const FILES = [["solution", "Solution, to mask later rows alike", true], ["trace", "Trace of the search", true],
  ["report", "Report for recipients", false], ["owner_report", "Report for the owner", true]];

export class ExportStep {
  /** @param {HTMLElement} root @param {import("./studio.js").Studio} studio */
  constructor(root, studio) {
    Object.assign(this, { root, studio });
    this.folder = "";
    this.name = "release.csv";
    this.files = { solution: true, trace: true, report: true, owner_report: true };
    this.isOrderKept = false;
    this.run = null;
    this.error = null;
    this.copied = "";
  }

  draw() {
    const { run, exported, source } = this.studio;
    if (source !== this.source) Object.assign(this, { source, folder: source?.export_folder ?? "", error: null });
    if (run?.state !== "done") {
      rebuild(this.root, [el("p", { class: "empty" }, "There is nothing to export yet. Search first.")]);
      return;
    }
    rebuild(this.root, [
      el("p", {}, "The release is recounted once more and written only if every sentence holds. All files appear together, or none."),
      this.studio.isOutOfDate && outOfDate(),
      this.studio.chosenResult && verdictWarnings(this.studio, this.studio.chosenResult),
      this.error && errorBox(this.error),
      el("form", { class: "stack", on: { submit: (event) => { event.preventDefault(); this.write(); } } },
        field("Folder on this machine", this.folder, (text) => { this.folder = text; }, { "data-first": "", required: true }),
        field("Name of the release (.csv or .parquet)", this.name, (text) => { this.name = text; }, { required: true }),
        el("fieldset", {}, el("legend", {}, "Files beside it"), ...FILES.map(([key, label, isPrivate]) =>
          tick([label, " ", badge(isPrivate)], this.files[key], (on) => { this.files[key] = on; }, { "data-key": key }))),
        tick("Keep the order of the records (it may tell who is who)", this.isOrderKept, (on) => { this.isOrderKept = on; }, { "data-key": "order" }),
        el("div", { class: "buttons" },
          el("button", { type: "submit", class: "primary", disabled: this.run !== null, "data-key": "export" }, "Export"))),
      this.run && loading(`${this.run.stageText()} …`, this.run.seconds),
      exported && this.written(exported),
    ]);
  }

  async write() {
    const { studio } = this;
    Object.assign(this, { error: null, copied: "" });
    studio.exported = null;
    try {
      const { run } = await call("export", { run: studio.run.id, step: studio.chosenStep ?? null, folder: this.folder, name: this.name,
        files: this.files, keep_order: this.isOrderKept });
      this.run = new Run(run, () => studio.changed(), "The export");
      studio.changed();
      await this.run.listen();
      this.error = this.run.error;
      if (this.run.state === "done") studio.exported = this.run.last;
    } catch (error) {
      this.error = error.message;
      announce(error.message);
    }
    this.run = null;
    studio.changed();
    await studio.catchUp();
  }

  written({ files, command, note }) {
    const rows = files.map((file) => el("tr", {}, el("th", { scope: "row" }, data(file.path)), el("td", {}, sentence(file.what)), el("td", {}, badge(file.is_private))));
    return el("section", {},
      el("h2", {}, "Written"),
      table("Files that were written", ["File", "What it is", "For"], rows, { class: "figures" }),
      el("h2", {}, "The same by command"),
      el("pre", { tabindex: "0", "aria-label": "Command" }, el("code", {}, command)),
      el("div", { class: "buttons" }, button("Copy the command", () => this.copy(command)), el("span", { role: "status" }, this.copied)),
      note && el("p", { class: "quiet" }, note));
  }

  async copy(command) {
    try {
      await navigator.clipboard.writeText(command);
      this.copied = "Copied.";
    } catch {
      this.copied = "The browser did not allow it: mark the text and copy it.";
    }
    this.studio.changed();
  }
}

function badge(isPrivate) {
  return el("span", { class: isPrivate ? "badge private" : "badge public" }, isPrivate ? "private" : "public");
}
