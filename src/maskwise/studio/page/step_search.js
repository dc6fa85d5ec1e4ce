/** The fifth step: the search, how far it is, and how to end it. */

import { button, choice, field, loading } from "./controls.js";
import { curve, curveTable } from "./curve.js";
import { el, percent, plural, rebuild } from "./dom.js";
import { figureName, askedOf } from "./figures.js";
import { errorBox, outOfDate } from "./remarks.js";

const METHODS = [["tdr", "top-down: from the most masked table, as long as it is safe"],
  ["bug", "bottom-up: from the raw values, until it is safe"]];
const CRITERIA = [["", "what fits: with a class, information that is not shown yet"],
  ["conditional", "information that is not shown yet, for privacy lost"],
  ["score", "information gained for privacy lost"], ["infogain", "information gained"]];

export class SearchStep {
  /** @param {HTMLElement} root @param {import("./studio.js").Studio} studio @param {(step: string) => void} go */
  constructor(root, studio, go) {
    Object.assign(this, { root, studio, go });
    this.error = null;
    this.status = el("div", {});
    this.chart = el("div", {});
    this.frame = null;
  }

  draw() {
    const { studio } = this;
    const { run } = studio;
    if (!studio.columns && !run) {
      rebuild(this.root, [el("p", { class: "empty" }, "Open a table first.")]);
      return;
    }
    const mistakes = studio.remarks.filter((remark) => remark.level === "mistake").length;
    // While the search goes on only its figures change; its buttons stay what they are.
    const frame = JSON.stringify([run?.id, run?.state, run?.isStopping, run?.error, mistakes, studio.error, this.error,
      studio.isOtherTabSearching, studio.isOutOfDate, studio.isMended, studio.doc.options]);
    if (frame !== this.frame || !this.root.contains(this.chart)) this.build(run, mistakes);
    this.frame = frame;
    rebuild(this.status, run?.isRunning ? this.progress(run) : []);
    rebuild(this.chart, run?.points.length ? [this.picture(run)] : []);
  }

  build(run, mistakes) {
    const { studio } = this;
    rebuild(this.root, [
      el("p", {}, "The search shows as much as the sentences allow. It can be stopped at any time: every state on its way is safe."),
      studio.error && errorBox(studio.error),
      this.error && errorBox(this.error),
      studio.isOutOfDate && outOfDate(),
      studio.isOtherTabSearching && el("div", { class: "remark warning box" }, el("strong", {}, "Another tab is searching. "),
        "One search runs at a time: wait for its end, or stop it."),
      run?.isRunning ? el("div", {}, this.ends(run), this.status) : this.start(mistakes),
      run && !run.isRunning && this.ending(run),
      this.chart,
    ]);
  }

  start(mistakes) {
    const { options } = this.studio.doc;
    const set = (changes, key = null) => this.studio.edit({ ...this.studio.doc, options: { ...options, ...changes } }, key);
    const number = (label, key) => field(label, String(options[key] ?? ""),
      (text) => set({ [key]: /\d/.test(text) ? Number(text.replace(/\D/g, "")) : undefined }, key), { inputmode: "numeric", "data-key": key });
    return el("div", {},
      mistakes > 0 && el("div", { class: "remark mistake box" }, el("strong", {}, `${plural(mistakes, "mistake")} in the policy. `),
        "The search would be refused; the rail says on which step."),
      el("div", { class: "bulk" },
        button(this.studio.run ? "Search again" : "Search", () => this.search(), { class: "primary", "data-key": "search", "data-first": "" })),
      el("details", { "data-key": "options" }, el("summary", {}, "How to search"),
        el("div", { class: "stack" },
          el("label", { class: "field" }, el("span", {}, "Direction"),
            choice(METHODS, options.method, (method) => set({ method, criterion: undefined }), { "data-key": "method" })),
          options.method === "tdr" && el("label", { class: "field" }, el("span", {}, "What is shown next is chosen by"),
            choice(CRITERIA, options.criterion ?? "", (criterion) => set({ criterion: criterion || undefined }), { "data-key": "criterion" })),
          number("Stop after so many seconds (empty: no limit)", "time_limit"),
          number("Stop after so many steps (empty: no limit)", "max_steps"),
          number("Seed, which makes the order of records repeatable", "seed"))));
  }

  async search() {
    this.error = null;
    await this.studio.search();
  }

  progress(run) {
    return [
      loading(`${run.stageText()} …`, run.seconds),
      run.of > 1 && el("progress", { value: run.number - 1, max: run.of, "aria-label": "Searches done" }),
      el("p", {}, run.points.length ? `${plural(run.points.at(-1).step, "step")}, ${percent(run.points.at(-1).information_kept)} of the information kept` : "No step yet."),
    ];
  }

  ends(run) {
    return el("div", { class: "buttons" },
      button("Stop and keep what is found", () => this.attempt(() => run.stop()), { class: "primary", disabled: run.isStopping, "data-first": "" }),
      button("Cancel", () => this.attempt(() => run.cancel())));
  }

  async attempt(work) {
    try {
      await work();
    } catch (error) {
      this.error = error.message;
      this.studio.changed();
    }
  }

  ending(run) {
    if (run.state === "failed" && run.isStopping) return el("p", { class: "remark note box" }, run.error);
    if (this.studio.isMended) return el("p", { class: "remark note box" }, "The policy has changed since a search for it failed. Search again.");
    if (run.state === "failed") return errorBox(run.error);
    if (run.state === "cancelled") return el("p", { class: "remark note box" }, "The search was cancelled; nothing of it is kept.");
    return el("div", { class: "remark done box" }, el("strong", {}, run.isStopping ? "Stopped: what was found is kept. " : "The search is done. "),
      button("Look at the result", () => this.go("result"), { class: "primary" }));
  }

  picture(run) {
    const [first] = run.doc.requirements;
    const view = { points: run.points, requirement: 0, name: figureName(first), asked: askedOf(first), chosen: null, choose: null };
    return el("section", {}, el("h2", {}, run.of > 1 ? `Search ${run.number} of ${run.of}` : "The curve"), curve(view), curveTable(view));
  }
}
