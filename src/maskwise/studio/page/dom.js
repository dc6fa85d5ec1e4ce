/**
 * Elements made from plain values. Text only ever becomes a text node, so no cell can become markup.
 *
 * @typedef {string|number|Node|null|undefined|false} Child
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with its attributes, listeners and children.
 * @param {string} tag
 * @param {Object<string, *>} [props] `on` holds listeners; `value`, `checked`, `disabled` and the like are set as
 *   properties; anything else is an attribute.
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/**
 * An element of a drawing.
 * @param {string} tag
 * @param {Object<string, *>} [props]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "indeterminate", "draggable", "open", "hidden"]);

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (PROPERTIES.has(name)) {
      continue;
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  put(element, children);
  // A select knows its value only once it has its options.
  for (const [name, value] of Object.entries(props)) if (PROPERTIES.has(name)) element[name] = value;
  if ("value" in props) element.modelValue = props.value;
  return element;
}

/**
 * Append children; texts become text nodes, nothing else is read from them.
 * @param {Element} element
 * @param {Child[]} children
 */
export function put(element, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

const LONGEST = 300;

/**
 * A value of the data or a name of a column, isolated from the direction of the text around it.
 * @param {string|null} value
 * @returns {HTMLElement}
 */
export function data(value) {
  if (value === null || value === undefined) return el("span", { class: "missing" }, "(missing)");
  const text = String(value);
  return el("bdi", {}, text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${count(text.length)} characters)` : text);
}

/**
 * Names of columns in a row, with commas.
 * @param {string[]} names
 * @param {number} [most] How many at most.
 * @returns {Child[]}
 */
export function nameList(names, most = 12) {
  const shown = names.slice(0, most).flatMap((name, i) => (i ? [", ", data(name)] : [data(name)]));
  return names.length > most ? [...shown, ` and ${count(names.length - most)} more`] : shown;
}

/**
 * A sentence of maskwise: what stands in backticks is a name or a value.
 * @param {string} text
 * @param {boolean} [isMixed] Whether values stand in it without backticks, so that it must not turn what is around it.
 * @returns {HTMLElement}
 */
export function sentence(text, isMixed = false) {
  const parts = String(text).split("`");
  return el("span", {}, ...parts.map((part, i) => (i % 2 ? el("code", {}, data(part)) : isMixed ? el("bdi", {}, part) : part)));
}

/** @param {number} n @returns {string} A whole number with separators. */
export function count(n) {
  return Number(n).toLocaleString("en");
}

/** @param {number} share @returns {string} */
export function percent(share) {
  return `${(100 * share).toLocaleString("en", { maximumFractionDigits: 1 })} %`;
}

/** @param {number} n @param {string} one @param {string} [many] @returns {string} */
export function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Say something to those who listen to the page instead of looking at it. @param {string} text */
export function announce(text) {
  document.getElementById("announcements").textContent = text;
}

/**
 * Build the content of an element anew; whoever types or stands on a control in it stays there.
 * @param {Element} root
 * @param {Child[]} children
 */
export function rebuild(root, children) {
  const active = document.activeElement;
  const key = root.contains(active) ? active.dataset.key : undefined;
  const typed = isText(active) ? [active.selectionStart, active.selectionEnd] : null;
  const open = new Set([...root.querySelectorAll("details[data-key][open]")].map((d) => d.dataset.key));
  const scrolled = new Map([...root.querySelectorAll("[data-scroll]")].map((e) => [e.dataset.scroll, e.scrollLeft]));
  root.replaceChildren();
  put(root, children);
  for (const d of root.querySelectorAll("details[data-key]")) if (open.has(d.dataset.key)) d.open = true;
  for (const e of root.querySelectorAll("[data-scroll]")) e.scrollLeft = scrolled.get(e.dataset.scroll) ?? 0;
  if (key === undefined) return;
  const again = root.querySelector(`[data-key=${CSS.escape(key)}]`) ?? root.querySelector("[data-first]") ?? root;
  again.focus({ preventScroll: true });
  if (!typed || !isText(again)) return;
  // What was typed but says nothing yet, such as an empty last line, stays.
  if (again.modelValue === active.modelValue) again.value = active.value;
  again.setSelectionRange(...typed);
}

/**
 * Build the content anew only where it looks different, so that no button is exchanged while it is being pressed.
 * Its listeners must not depend on when they were made.
 * @param {Element} root
 * @param {Child[]} children
 */
export function refresh(root, children) {
  const made = el("div");
  put(made, children);
  const isSame = made.childNodes.length === root.childNodes.length
    && [...made.childNodes].every((child, i) => child.isEqualNode(root.childNodes[i]));
  if (!isSame) rebuild(root, [...made.childNodes]);
}

function isText(element) {
  return element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && element.type === "text");
}
