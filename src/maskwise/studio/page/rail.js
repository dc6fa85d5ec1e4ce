/** The rail of steps and the header: where one is, what is open, undo and redo. */

import { button } from "./controls.js";
import { count, data, el, refresh } from "./dom.js";
import { STEPS, stateOf } from "./steps.js";

const SIGNS = { "to do": "", done: "✓", "has a note": "i", "has mistakes": "!", "has warnings": "!", "out of date": "↻", running: "…" };

/**
 * @param {import("./studio.js").Studio} studio
 * @param {string} current
 * @param {Set<string>} visited
 * @param {(step: string) => void} go
 */
export function drawRail(studio, current, visited, go) {
  const items = STEPS.map(([step, title], i) => {
    const state = stateOf(step, studio, visited);
    const isHere = step === current;
    return el("li", {},
      el("button", { type: "button", class: "step", "aria-current": isHere ? "step" : null, "data-key": `step ${step}`,
        "data-state": state, on: { click: () => go(step) } },
      el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[state]),
      el("span", { class: "step-title" }, `${i + 1} ${title}`),
      el("span", { class: "step-state" }, state)));
  });
  refresh(document.getElementById("rail"), [el("ol", {}, ...items)]);
}

/** @param {import("./studio.js").Studio} studio */
export function drawHeader(studio) {
  const { source, history } = studio;
  refresh(document.getElementById("header"), [
    el("p", { class: "brand" }, "maskwise studio"),
    el("p", { class: "source" },
      source ? data(source.name) : "no table yet",
      source && ` · ${count(source.n_records)} records · ${count(source.n_columns)} columns`),
    el("div", { class: "tools" },
      el("span", { class: "quiet", id: "draft-state" }, studio.draftState),
      button("Undo", () => history.undo(), { disabled: !history.past.length, "aria-keyshortcuts": "Control+Z", title: "Ctrl+Z" }),
      button("Redo", () => history.redo(),
        { disabled: !history.future.length, "aria-keyshortcuts": "Control+Shift+Z", title: "Ctrl+Shift+Z" }),
      button("Close the studio", () => studio.close(), { disabled: studio.isClosed })),
  ]);
}
