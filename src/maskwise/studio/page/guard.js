/** Attackers who know that the search shows as much as the sentences allow, and the guard against them. */

import { button, tick } from "./controls.js";
import { el, sentence } from "./dom.js";
import { hasShares } from "./policy_doc.js";

const GUARD = "guard";

/** Whether the policy guards against them. @param {import("./policy_doc.js").Doc} doc */
function isGuarded(doc) {
  return doc.rest.minimality === GUARD;
}

/** @param {import("./studio.js").Studio} studio @param {boolean} on */
function setGuard(studio, on) {
  const { minimality, ...rest } = studio.doc.rest;
  studio.edit({ ...studio.doc, rest: on ? { ...rest, minimality: GUARD } : rest });
}

/** A box to tick, where a sentence bounds a share. @param {import("./studio.js").Studio} studio */
export function guardTick(studio) {
  if (!hasShares(studio.doc)) return null;
  return tick("Shares must hold also for those who know how the search works (minimality guard; shows less)",
    isGuarded(studio.doc), (on) => setGuard(studio, on), { "data-key": "guard" });
}

/**
 * The warnings of a result, beside its verdict; what helps against a successful attack on shares is offered.
 * @param {import("./studio.js").Studio} studio
 * @param {{messages: {level: string, text: string}[], attacks: {attack: string, result: string}[]}} result
 */
export function verdictWarnings(studio, result) {
  const warnings = result.messages.filter((one) => one.level === "warning");
  const isBroken = result.attacks.some((one) => one.attack === "minimality" && one.result === "failed");
  if (!warnings.length) return null;
  return el("div", { class: "remark warning box", "data-key": "warnings" },
    el("strong", {}, isBroken ? "Each sentence holds in a recount, but: " : "Look at this before you release it: "),
    el("ul", {}, ...warnings.map((one) => el("li", {}, sentence(one.text)))),
    isBroken && !isGuarded(studio.doc) && button("Guard against it, and search again", () => {
      setGuard(studio, true);
      return studio.search();
    }));
}
