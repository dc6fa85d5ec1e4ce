/** What maskwise remarks on the policy, beside the field that it is about. */

import { el, sentence } from "./dom.js";
import { stepOf } from "./steps.js";

const WORDS = { mistake: "Mistake", warning: "Warning", note: "Note" };

/**
 * The remarks on one place of the policy and what is inside it.
 * @param {import("./studio.js").Studio} studio
 * @param {Array} place
 * @param {string} id So that fields can name it as their description.
 */
export function remarksAt(studio, place, id) {
  const found = studio.remarks.filter((remark) => place.every((part, i) => String(remark.place[i]) === String(part)));
  return remarkList(found, id);
}

/** Whether there is a mistake at a place. @param {import("./studio.js").Studio} studio @param {Array} place */
export function hasMistake(studio, place) {
  return studio.remarks.some((remark) => remark.level === "mistake"
    && place.every((part, i) => String(remark.place[i]) === String(part)));
}

/**
 * The remarks of a step that no field shows.
 * @param {import("./studio.js").Studio} studio
 * @param {string} step
 * @param {(place: Array) => boolean} isShown Whether a field shows the remarks of a place.
 */
export function otherRemarks(studio, step, isShown = () => false) {
  return remarkList(studio.remarks.filter((remark) => stepOf(remark) === step && !isShown(remark.place)), `${step}-remarks`);
}

/** @param {{level: string, text: string, remedy?: string}[]} remarks @param {string} [id] */
export function remarkList(remarks, id = undefined) {
  return el("ul", { class: "remarks", id, hidden: !remarks.length }, ...remarks.map(remarkItem));
}

function remarkItem(remark) {
  const said = [remark.text, remark.remedy].filter(Boolean).join(" ");
  return el("li", { class: `remark ${remark.level}` }, el("strong", {}, `${WORDS[remark.level] ?? "Note"}: `), sentence(said));
}

/** An error in the words of the server. @param {string} text */
export function errorBox(text) {
  return el("div", { class: "remark mistake box", role: "alert" }, el("strong", {}, "This did not work: "), sentence(text));
}

/** What is said where the policy has changed since the search. */
export function outOfDate() {
  return el("div", { class: "remark warning box" }, el("strong", {}, "Out of date: "),
    "the policy has changed since this search. What you see here is what was found before; search again for the new one.");
}
