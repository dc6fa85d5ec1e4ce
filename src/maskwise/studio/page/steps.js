/** The seven steps in their order, and how far each is. */

/** @type {[string, string][]} */
export const STEPS = [
  ["open", "Open"], ["columns", "Columns"], ["trees", "Masking"], ["requirements", "Requirements"],
  ["search", "Search"], ["result", "Result"], ["export", "Export"],
];

const COLUMN_KEYS = new Set(["class", "drop", "keep", "missing", "person"]);

/**
 * The step on which a remark belongs.
 * @param {{place: Array}} remark
 */
export function stepOf(remark) {
  const [key] = remark.place ?? [];
  if (["attributes", "dates", "numbers"].includes(key)) return "trees";
  return COLUMN_KEYS.has(key) ? "columns" : "requirements";
}

/**
 * How far a step is: `to do`, `done`, `has a note`, `has mistakes`, `has warnings`, `out of date` or `running`.
 * @param {string} step
 * @param {import("./studio.js").Studio} studio
 * @param {Set<string>} visited
 */
export function stateOf(step, studio, visited) {
  const { run } = studio;
  if (step === "open" && studio.source?.notes.length) return "has a note";
  if (step === "open") return studio.source ? "done" : studio.error ? "has mistakes" : "to do";
  if (!studio.columns) return "to do";
  if (["search", "result"].includes(step) && studio.isOutOfDate) return "out of date";
  if (step === "search" && studio.isMended) return "to do";
  if (step === "search") return !run ? "to do" : { running: "running", done: "done", cancelled: "to do" }[run.state] ?? "has mistakes";
  if (step === "result") return run?.state === "done" && visited.has("result") ? "done" : "to do";
  if (step === "export") return studio.exported ? "done" : "to do";
  if (studio.remarks.some((remark) => remark.level === "mistake" && stepOf(remark) === step)) return "has mistakes";
  if (!visited.has(step)) return "to do";
  return step === "trees" && hasWarning(studio) ? "has warnings" : "done";
}

/** Whether a quasi-identifier is masked in a way that shows hardly anything of it. */
function hasWarning(studio) {
  return studio.remarks.some((remark) => remark.level === "warning" && stepOf(remark) === "trees");
}
