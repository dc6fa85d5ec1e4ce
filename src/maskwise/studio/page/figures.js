/** What the figure of a requirement is called, and what is asked of it. */

import { kindOf } from "./requirement_forms.js";

const NAMES = { k: "smallest group", lkc: "smallest group", confidence: "largest share", distinct: "fewest values",
  closeness: "largest distance", other: "figure" };

/** @param {Object|undefined} requirement @returns {string} */
export function figureName(requirement) {
  return NAMES[requirement ? kindOf(requirement) : "other"];
}

/** @param {Object|undefined} requirement @returns {number|null} */
export function askedOf(requirement) {
  const asked = Number(requirement?.k ?? requirement?.confidence ?? requirement?.diversity?.distinct ?? requirement?.closeness);
  return Number.isFinite(asked) ? asked : null;
}
