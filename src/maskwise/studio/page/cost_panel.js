/** On request: what masking costs a classifier that is trained on the release. */

import { call } from "./api.js";
import { button, loading, table } from "./controls.js";
import { data, el, plural, sentence } from "./dom.js";
import { errorBox } from "./remarks.js";
import { Run } from "./run.js";

export class CostPanel {
  /** @param {import("./studio.js").Studio} studio @param {() => void} changed */
  constructor(studio, changed) {
    Object.assign(this, { studio, changed });
    this.forget();
  }

  /** Another result is looked at. */
  forget() {
    this.run?.forget();
    this.run = null;
    this.step = null;
    this.error = null;
  }

  /** @param {Run} run @param {number} step The step whose cost is asked for. */
  element(run, step) {
    const isOld = this.run !== null && this.step !== step && !this.run.isRunning;
    return el("div", {},
      el("p", {}, "Classifiers are trained on the raw and on the masked table, and their errors compared. This takes a while."),
      this.error && errorBox(this.error),
      this.run?.error && errorBox(this.run.error),
      this.run?.isRunning
        ? el("div", {}, loading(`${this.run.stageText()} …`), button("Stop measuring", () => this.run.cancel()))
        : button(`Measure the cost of step ${step}`, () => this.measure(run, step), { "data-key": "measure" }),
      this.run?.last?.cost && el("div", {}, isOld && el("p", {}, `These are the figures of step ${this.step}:`), costTable(this.run.last.cost)));
  }

  async measure(run, step) {
    this.error = null;
    try {
      const started = await call("cost", { run: run.id, step });
      this.run = new Run(started.run, () => this.changed(), "The evaluation");
      this.step = step;
      this.run.listen().then(() => this.studio.catchUp());
    } catch (error) {
      this.error = error.message;
    }
    this.changed();
  }
}

const MEASURES = { BE: "the raw table", AE: "the masked table", SE: "the masked table", UE: "the table without its quasi-identifiers",
  RE: "the table without its sensitive columns" };

function costTable(cost) {
  const rows = cost.errors.map((one) => el("tr", {}, el("th", { scope: "row" }, MEASURES[one.measure] ?? one.measure),
    el("td", {}, one.classifier), el("td", {}, one.protocol), el("td", { class: "number" }, inPercent(one.error)),
    el("td", { class: "number" }, `${inPercent(one.low)} to ${inPercent(one.high)}`)));
  return el("div", {},
    el("p", {}, "Wrong predictions of ", data(cost.class), `, on ${plural(cost.tested, "record")} that were not learned from:`),
    table("Errors of classifiers", ["Learned from", "Classifier", "Tested by", ["Wrong"], ["95 % interval"]], rows, { class: "figures" }),
    cost.notes.length > 0 && el("p", { class: "quiet" }, cost.notes.map(sentence).join(" ")));
}

function inPercent(figure) {
  return figure === null ? "–" : `${figure.toFixed(1)} %`;
}
