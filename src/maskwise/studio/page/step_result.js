/** The sixth step: what each state of the search would release; one of them is chosen. */

import { call } from "./api.js";
import { loading } from "./controls.js";
import { CostPanel } from "./cost_panel.js";
import { curve, curveTable } from "./curve.js";
import { announce, el, rebuild, sentence } from "./dom.js";
import { askedOf, figureName } from "./figures.js";
import { verdictWarnings } from "./guard.js";
import { errorBox, outOfDate, remarkList } from "./remarks.js";
import { askedTable, attributeTable, groupSizes, reasonList, riskPart } from "./result_parts.js";
import { rowsPart } from "./rows_table.js";

const PAUSE = 200;
const ROWS = 12;

export class ResultStep {
  /** @param {HTMLElement} root @param {import("./studio.js").Studio} studio */
  constructor(root, studio) {
    Object.assign(this, { root, studio });
    this.cost = new CostPanel(studio, () => this.studio.changed());
    this.begin(null);
  }

  /** Look at another run, or at none. @param {import("./run.js").Run|null} run */
  begin(run) {
    this.run = run;
    this.requirement = 0;
    this.result = null;
    this.reasons = null;
    this.rows = null;
    this.view = { start: 0, column: 0 };
    this.error = null;
    this.loading = 0;
    this.cost.forget();
  }

  draw() {
    const { run } = this.studio;
    if (run?.state !== "done") {
      this.begin(null);
      rebuild(this.root, [el("p", { class: "empty" }, run?.isRunning ? "The search is not over yet." : "There is no result yet. Search first.")]);
      return;
    }
    if (this.run !== run) {
      this.begin(run);
      this.load(null);
    }
    rebuild(this.root, [
      this.studio.isOutOfDate && outOfDate(),
      this.error && errorBox(this.error),
      this.result ? this.parts() : this.error ? null : loading("Masking and recounting …"),
    ]);
  }

  parts() {
    const { result } = this;
    const isLoading = this.loading > 0;
    return el("div", { class: isLoading ? "result waiting" : "result", "aria-busy": String(isLoading) },
      el("p", { class: "lead" }, ...result.summary.flatMap((text, i) => [i ? " " : "", sentence(text)])),
      verdictWarnings(this.studio, result),
      el("div", { class: "two" },
        el("section", {}, el("h2", {}, "Trade-off"), ...this.tradeOff()),
        el("section", {}, el("h2", {}, "What was asked, and what is reached"), askedTable(result.requirements),
          el("h2", {}, "Group sizes"), groupSizes(result.requirements[this.requirement], result.n_records))),
      el("section", {}, el("h2", {}, "Before and after"),
        rowsPart(this.rows, this.view, ROWS, (view) => this.turn(view))),
      el("div", { class: "two" },
        el("section", {}, el("h2", {}, "Why values stayed masked"), this.reasons ? reasonList(this.reasons) : loading("Finding out …")),
        el("section", {}, el("h2", {}, "How columns are shown"), attributeTable(result.attributes))),
      el("div", { class: "two" },
        el("section", {}, el("h2", {}, "Risk that is left"), riskPart(result.risk)),
        el("section", {}, el("h2", {}, "Notes"), notesOf(result))),
      el("section", {}, el("h2", {}, "Cost for a classifier"), this.cost.element(this.run, result.step)));
  }

  tradeOff() {
    const { result } = this;
    const { requirements } = this.run.doc;
    const texts = result.requirements.map((one) => one.text);
    const view = { points: result.curve, requirement: this.requirement, name: figureName(requirements[this.requirement]),
      asked: askedOf(requirements[this.requirement]), chosen: this.step, choose: result.can_step_back ? (step) => this.choose(step) : null };
    return [
      texts.length > 1 && el("fieldset", { class: "radios" }, el("legend", {}, "Show the figure of"), ...texts.map((text, i) =>
        el("label", { class: "tick" }, el("input", { type: "radio", name: "requirement", checked: i === this.requirement, "data-key": `radio ${i}`,
          on: { change: () => { this.requirement = i; this.studio.changed(); } } }), `sentence ${i + 1}`))),
      curve(view),
      el("p", { class: "quiet" }, result.can_step_back
        ? `Step ${this.step} of ${result.n_steps} is chosen. Click a point, or use the arrow keys on the curve: every step is safe to release.`
        : "A search from below is safe at its end only, so no other step can be chosen."),
      el("p", {}, sentence(result.ending)),
      curveTable(view),
    ];
  }

  /** Choose another state of the search. @param {number} step */
  choose(step) {
    this.step = step;
    this.studio.changed();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(step), PAUSE);
  }

  /** Load what a step releases, then its rows, then the reasons. @param {number|null} step */
  async load(step) {
    const { run } = this;
    const mine = (this.loading += 1);
    this.error = null;
    this.reasons = null;
    try {
      const result = await call("result", { run: run.id, step });
      if (run !== this.run || mine !== this.loading) return;
      this.result = result;
      this.step = result.step;
      this.studio.chosenStep = result.step;
      this.studio.chosenResult = result;
      announce(`Step ${result.step}: ${result.summary[0] ?? ""}`);
      await this.loadRows();
      if (mine !== this.loading) return;
      this.reasons = await call("why", { run: run.id, step: result.step });
    } catch (error) {
      this.error = error.message;
      this.reasons ??= { reasons: [], changes: [] };
    }
    if (mine === this.loading) this.loading = 0;
    this.studio.changed();
  }

  async loadRows() {
    this.rows = await call("rows", { run: this.run.id, step: this.step, start: this.view.start, n: ROWS });
    this.studio.changed();
  }

  /** @param {{start: number, column: number}} view */
  async turn(view) {
    const isSameRows = view.start === this.view.start;
    this.view = view;
    if (isSameRows) this.studio.changed();
    else await this.loadRows();
  }
}

/** What is worth knowing beside the warnings, which stand above. */
function notesOf(result) {
  const notes = result.messages.filter((one) => one.level !== "warning");
  return notes.length ? remarkList(notes) : el("p", { class: "quiet" }, "Nothing to note.");
}
