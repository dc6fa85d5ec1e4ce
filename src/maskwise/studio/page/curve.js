/** The trade-off curve: a drawing on which a step is chosen by mouse or keys, and the same as a table. */

import { table } from "./controls.js";
import { count, data, el, percent, svg } from "./dom.js";

const [WIDTH, HEIGHT] = [560, 280];
const [LEFT, RIGHT, TOP, BOTTOM] = [58, 34, 32, 48];
const MOST_ROWS = 60;
const MOST_LINES = 5;
const SHARES = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25];

/**
 * @typedef {Object} CurveView
 * @property {import("./run.js").Point[]} points
 * @property {number} requirement Whose figure is shown to the right.
 * @property {string} name What that figure is.
 * @property {number|null} asked What the requirement asks for.
 * @property {number|null} chosen The step that is chosen, or null where none can be.
 * @property {((step: number) => void)|null} choose
 */

/** @param {CurveView} view */
export function curve(view) {
  const { points, chosen } = view;
  const scale = scales(view);
  const parts = [...grid(scale, view), line(points, view.requirement, scale),
    ...points.map((point) => dot(point, view, scale))];
  const props = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", "data-key": "curve" };
  if (!view.choose) return svg("svg", { ...props, role: "img", "aria-label": `The curve so far: ${describe(points.at(-1), view)}` }, ...parts);
  const keys = (event) => {
    const at = points.findIndex((point) => point.step === chosen);
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5, Home: -Infinity, End: Infinity };
    if (!(event.key in steps)) return;
    event.preventDefault();
    view.choose(points[Math.max(0, Math.min(at + steps[event.key], points.length - 1))].step);
  };
  const click = (event) => view.choose(nearest(view, scale, event).step);
  const current = points.find((point) => point.step === chosen);
  return svg("svg", { ...props, role: "slider", tabindex: "0", "aria-label": "Step of the search", "aria-valuemin": points[0].step,
    "aria-valuemax": points.at(-1).step, "aria-valuenow": chosen, "aria-valuetext": describe(current, view), on: { keydown: keys, click } }, ...parts);
}

/** @param {import("./run.js").Point|undefined} point @param {CurveView} view @returns {string} */
export function describe(point, view) {
  if (!point) return "nothing yet";
  return `step ${point.step}: ${view.name} ${figure(point.requirements[view.requirement])}, ${percent(point.information_kept)} of the information kept`;
}

function figure(value) {
  return value === null || value === undefined ? "none" : Number(value).toLocaleString("en", { maximumFractionDigits: 3 });
}

function scales({ points, requirement, asked }) {
  const values = [...points.map((point) => point.requirements[requirement]), asked].filter((value) => value !== null && value !== undefined);
  const isLog = values.every((value) => value >= 1);
  const of = (value) => (isLog ? Math.log10(value) : value);
  const [low, high] = [Math.min(...values.map(of)), Math.max(...values.map(of))];
  const span = high - low || 1;
  const most = Math.max(0.01, ...points.map((point) => point.information_kept));
  const step = SHARES.find((share) => most / share <= MOST_LINES);
  const top = Math.ceil(most / step - 1e-9) * step;
  return {
    isLog, low, span, top, step,
    // A figure without bound stands at the end.
    x: (value) => LEFT + (value === null || value === undefined ? 1 : (of(value) - low) / span) * (WIDTH - LEFT - RIGHT),
    y: (share) => HEIGHT - BOTTOM - (share / top) * (HEIGHT - TOP - BOTTOM),
  };
}

function grid(scale, view) {
  const shares = Array.from({ length: Math.round(scale.top / scale.step) + 1 }, (_, i) => i * scale.step);
  const figures = [0, 0.25, 0.5, 0.75, 1].map((part) => scale.low + part * scale.span).map((at) => (scale.isLog ? 10 ** at : at));
  const parts = shares.flatMap((share) => [
    svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: scale.y(share), y2: scale.y(share), class: "grid" }),
    svg("text", { x: LEFT - 8, y: scale.y(share) + 4, class: "axis end" }, percent(share)),
  ]);
  parts.push(...figures.map((value) => svg("text", { x: scale.x(value), y: HEIGHT - BOTTOM + 18, class: "axis middle" },
    scale.isLog && value >= 10 ? count(Math.round(value)) : figure(value))));
  parts.push(svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, class: "axis middle" }, view.name),
    svg("text", { x: 8, y: 16, class: "axis" }, "information kept"));
  if (view.asked !== null) {
    const x = scale.x(view.asked);
    parts.push(svg("line", { x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM, class: "asked" }),
      svg("text", { x: x + 6, y: HEIGHT - BOTTOM - 8, class: "axis asked-text" }, `asked: ${figure(view.asked)}`));
  }
  return parts;
}

function line(points, requirement, scale) {
  const path = points.map((point) => `${scale.x(point.requirements[requirement])},${scale.y(point.information_kept)}`).join(" ");
  return svg("polyline", { points: path, class: "line" });
}

function dot(point, view, scale) {
  const isChosen = point.step === view.chosen;
  const [cx, cy] = [scale.x(point.requirements[view.requirement]), scale.y(point.information_kept)];
  return svg("circle", { cx, cy, r: isChosen ? 7 : 3.5, class: isChosen ? "dot chosen" : "dot", "data-step": point.step },
    svg("title", {}, describe(point, view)));
}

/** The point nearest to a click: points may lie close together, so none has to be hit. */
function nearest({ points, requirement }, scale, event) {
  const box = event.currentTarget.getBoundingClientRect();
  const [x, y] = [((event.clientX - box.left) / box.width) * WIDTH, ((event.clientY - box.top) / box.height) * HEIGHT];
  const distance = (point) => Math.hypot(scale.x(point.requirements[requirement]) - x, scale.y(point.information_kept) - y);
  return points.reduce((best, point) => (distance(point) < distance(best) ? point : best));
}

/** The curve as a table; of long ones every so many steps and the chosen one. @param {CurveView} view */
export function curveTable(view) {
  const every = Math.ceil(view.points.length / MOST_ROWS);
  const shown = view.points.filter((point, i) => i % every === 0 || point.step === view.chosen || i === view.points.length - 1);
  const rows = shown.map((point) => el("tr", { "aria-current": point.step === view.chosen ? "true" : null },
    el("th", { scope: "row" }, view.choose
      ? el("button", { type: "button", class: "link", "data-key": `row ${point.step}`, on: { click: () => view.choose(point.step) } }, `step ${point.step}`)
      : `step ${point.step}`),
    el("td", {}, point.attribute === null ? "start" : data(point.attribute)),
    el("td", { class: "number" }, figure(point.requirements[view.requirement])),
    el("td", { class: "number" }, percent(point.information_kept))));
  return el("details", { "data-key": "curve table" }, el("summary", {}, "The curve as a table"),
    table("The curve", ["Step", "Refined", [view.name], ["Information kept"]], rows, { class: "figures" }));
}
