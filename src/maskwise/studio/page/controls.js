/** Controls with their labels: buttons, fields, choices, tables that scroll, lists in pages. */

import { count, data, el } from "./dom.js";

/**
 * A button.
 * @param {import("./dom.js").Child} label
 * @param {() => void} press
 * @param {Object<string, *>} [props]
 */
export function button(label, press, props = {}) {
  return el("button", { type: "button", "data-key": `button ${label}`, ...props, on: { click: press } }, label);
}

/**
 * A text field with its label above it.
 * @param {string} label
 * @param {string} value
 * @param {(text: string) => void} change Called at every letter.
 * @param {Object<string, *>} [props]
 */
export function field(label, value, change, props = {}) {
  return el("label", { class: "field" }, el("span", {}, label), textInput(value, change, { "data-key": label, ...props }));
}

/**
 * A text field alone; its label is an attribute.
 * @param {string} value
 * @param {(text: string) => void} change
 * @param {Object<string, *>} [props]
 */
export function textInput(value, change, props = {}) {
  return el("input", { type: "text", autocomplete: "off", spellcheck: "false", value, ...props,
    on: { input: (event) => change(event.target.value) } });
}

/**
 * A choice of one.
 * @param {[string, string][]} options Value and what is shown.
 * @param {string} value
 * @param {(value: string) => void} change
 * @param {Object<string, *>} [props]
 */
export function choice(options, value, change, props = {}) {
  const shown = options.map(([key, label]) => el("option", { value: key, selected: key === value }, label));
  return el("select", { ...props, value, on: { change: (event) => change(event.target.value) } }, ...shown);
}

/**
 * A box to tick.
 * @param {import("./dom.js").Child} label
 * @param {boolean} checked
 * @param {(checked: boolean) => void} change
 * @param {Object<string, *>} [props]
 */
export function tick(label, checked, change, props = {}) {
  return el("label", { class: "tick" },
    el("input", { type: "checkbox", checked, ...props, on: { change: (event) => change(event.target.checked) } }), label);
}

/**
 * A table in a box that scrolls sideways.
 * @param {string} caption
 * @param {(string|Node|[string])[]} head In a list of its own: the head of a column of numbers.
 * @param {HTMLElement[]} rows
 * @param {Object<string, *>} [props]
 */
export function table(caption, head, rows, props = {}) {
  const cells = head.map((name) => (Array.isArray(name) ? el("th", { scope: "col", class: "number" }, name[0]) : el("th", { scope: "col" }, name)));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption, "data-scroll": caption },
    el("table", props, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, ...cells)),
      el("tbody", {}, ...rows)));
}

/**
 * Buttons to turn the pages of a list.
 * @param {string} what What is listed, such as `columns`.
 * @param {{start: number, size: number, n: number}} at
 * @param {(start: number) => void} turn
 */
export function pager(what, at, turn) {
  const last = Math.min(at.start + at.size, at.n);
  return el("div", { class: "pager" },
    button("Previous", () => turn(Math.max(0, at.start - at.size)),
      { disabled: at.start === 0, "data-key": `previous ${what}`, "aria-label": `Previous ${what}` }),
    button("Next", () => turn(at.start + at.size),
      { disabled: last >= at.n, "data-key": `next ${what}`, "aria-label": `Next ${what}` }),
    el("span", {}, at.n ? `${what} ${count(at.start + 1)} to ${count(last)} of ${count(at.n)}` : `no ${what}`));
}

/**
 * Boxes to tick for columns; long lists have a filter and show the first ones only.
 * @param {string} key Distinguishes this chooser from others.
 * @param {string[]} names
 * @param {string[]} chosen
 * @param {{text: string}} filter What was typed into the filter; kept by the caller.
 * @param {(names: string[]) => void} change
 * @param {() => void} redraw Called after the filter changed.
 */
export function columnChooser(key, names, chosen, filter, change, redraw) {
  const most = 40;
  const isChosen = new Set(chosen);
  const matching = names.filter((name) => name.toLowerCase().includes(filter.text.toLowerCase()));
  const boxes = matching.slice(0, most).map((name) =>
    tick(data(name), isChosen.has(name),
      (on) => change(on ? names.filter((n) => n === name || isChosen.has(n)) : chosen.filter((n) => n !== name)),
      { "data-key": `${key} ${name}` }));
  const left = matching.length - boxes.length;
  return el("div", { class: "chooser" },
    names.length > most && field("Filter by name", filter.text, (text) => { filter.text = text; redraw(); },
      { "data-key": `${key} filter` }),
    el("div", { class: "ticks" }, ...boxes),
    left > 0 && el("p", { class: "quiet" }, `${count(left)} more: type a part of the name.`));
}

/**
 * What is said while something is loaded; after two seconds also for how long, which is not read aloud again and again.
 * @param {string} text
 * @param {number} [seconds] How long it takes already, where that is known.
 */
export function loading(text, seconds = secondsOf(text)) {
  return el("p", { class: "loading", role: "status", "data-text": text }, el("span", { class: "spinner", "aria-hidden": "true" }), text,
    el("span", { class: "elapsed", "aria-hidden": "true" }, elapsed(seconds)));
}

const SINCE = new Map();

/** Since when a text is shown. @param {string} text */
function secondsOf(text) {
  if (!SINCE.has(text)) SINCE.set(text, performance.now());
  return (performance.now() - SINCE.get(text)) / 1000;
}

function elapsed(seconds) {
  return seconds >= 2 ? `${count(Math.floor(seconds))} s` : "";
}

/** Say of everything that is being loaded for how long it takes already; to be called every second. */
export function countSeconds() {
  const shown = [...document.querySelectorAll(".loading")];
  for (const text of SINCE.keys()) if (!shown.some((one) => one.dataset.text === text)) SINCE.delete(text);
  for (const one of shown) if (SINCE.has(one.dataset.text)) one.querySelector(".elapsed").textContent = elapsed(secondsOf(one.dataset.text));
}
