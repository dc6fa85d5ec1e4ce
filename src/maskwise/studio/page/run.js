/**
 * A search as the page follows it: its stage, the curve of the search that goes on, its end.
 *
 * @typedef {{step: number, attribute: string|null, requirements: number[], information_kept: number,
 *   class_entropy: number|null}} Point
 */

import { call, errorText } from "./api.js";
import { announce } from "./dom.js";

/** What the stages of a run are called on the page. */
export const STAGES = {
  read: "The table is opened", profile: "Columns are counted", compress: "Equal rows are counted",
  learn: "A classifier is trained", load: "Compiled code is loaded", search: "Searching",
  compare: "Searches are compared", attack: "Attacks are tried", explain: "Reasons are found out",
  check: "Released columns are looked at", mask: "The release is prepared", verify: "The release is recounted",
  assess: "The risk that is left is counted", evaluate: "Classifiers are trained",
};

const COMPILING = "Loops are compiled, which only the first search after an installation does";
/** The kinds of events that end a run; a kind that is not known here ends nothing. */
const ENDS = new Set(["done", "failed", "cancelled"]);

export class Run {
  /** @param {string} id @param {() => void} changed @param {string} [name] */
  constructor(id, changed, name = "The search") {
    this.id = id;
    this.name = name;
    this.changed = changed;
    this.stage = "read";
    this.number = 1;
    this.of = 1;
    this.seconds = 0;
    this.isCompiling = false;
    /** @type {Point[]} */
    this.points = [];
    this.state = "running";
    this.error = null;
    this.isStopping = false;
    /** The event that ended it, with what was asked for. */
    this.last = null;
    /** What was searched with. */
    this.doc = null;
    this.after = 0;
    this.gone = new AbortController();
  }

  get isRunning() {
    return this.state === "running";
  }

  /** Listen to the server until the run is over. */
  async listen() {
    while (this.isRunning && !this.gone.signal.aborted) {
      try {
        const { events } = await call("events", { run: this.id, after: this.after }, this.gone.signal);
        for (const event of events) this.take(event);
      } catch (error) {
        if (this.gone.signal.aborted) return;
        this.end("failed", error.message);
      }
      this.changed();
    }
  }

  /** @param {Object} event */
  take(event) {
    this.after = Math.max(this.after, event.n);
    if (event.kind === "stage") this.enter(event);
    else if (event.kind === "step") this.points.push(event.point);
    else if (event.kind === "working") this.seconds = event.seconds;
    else if (event.kind === "compiling") this.compile();
    else if (ENDS.has(event.kind)) this.end(event.kind, event.error ? errorText(event.error) : null, event);
  }

  enter(event) {
    // Every search begins a curve of its own.
    if (event.stage === "search") this.points = [];
    this.stage = event.stage;
    this.number = event.number ?? 1;
    this.of = event.of ?? 1;
    this.seconds = 0;
    this.isCompiling = false;
    announce(this.stageText());
  }

  compile() {
    if (!this.isCompiling) announce(COMPILING);
    this.isCompiling = true;
  }

  end(state, error, last = null) {
    this.state = state;
    this.error = error;
    this.last = last;
    announce({ done: `${this.name} is done.`, cancelled: `${this.name} was cancelled.` }[state] ?? error);
  }

  stageText() {
    if (this.isCompiling) return COMPILING;
    const which = this.of > 1 ? `, ${this.number} of ${this.of}` : "";
    return `${STAGES[this.stage] ?? this.stage}${which}`;
  }

  /** Keep what is found so far. */
  async stop() {
    this.isStopping = true;
    this.changed();
    await call("stop", { run: this.id });
  }

  /** Give it up. */
  async cancel() {
    await call("cancel", { run: this.id });
  }

  /** Listen no longer. */
  forget() {
    this.gone.abort();
  }
}
