/** Requirements as policy files have them, and the kinds that the page has sentences for. */

/** @typedef {"k"|"confidence"|"distinct"|"closeness"|"lkc"|"other"} RequirementKind */

/** @type {[RequirementKind, string][]} */
export const KINDS = [
  ["k", "Enough people share each combination"],
  ["confidence", "A value cannot be inferred"],
  ["distinct", "Different values in each group"],
  ["closeness", "Groups look like the whole table"],
  ["lkc", "Attackers know only a few columns"],
];

/**
 * Which sentence fits a requirement; `other` is shown as it is written.
 * @param {Object} requirement
 * @returns {RequirementKind}
 */
export function kindOf(requirement) {
  const keys = Object.keys(requirement).sort().join(" ");
  if (keys === "k qid") return "k";
  if (keys === "confidence qid sensitive" && listedValues(requirement)) return "confidence";
  if (keys === "diversity qid sensitive" && Object.keys(requirement.diversity).join() === "distinct") return "distinct";
  if (keys === "closeness qid sensitive") return "closeness";
  if (keys === "k lkc") return "lkc";
  return "other";
}

/** The one sensitive column of a template with a list of values; null for other forms. */
export function listedValues(requirement) {
  const parts = Object.entries(requirement.sensitive ?? {});
  if (typeof requirement.sensitive === "string" || parts.length !== 1 || !Array.isArray(parts[0][1])) return null;
  return { column: parts[0][0], values: parts[0][1] };
}

/**
 * A new requirement of a kind.
 * @param {RequirementKind} kind
 * @param {string[]} masked The quasi-identifiers.
 * @param {string[]} sensitive
 * @param {number} k
 * @returns {Object}
 */
export function newRequirement(kind, masked, sensitive, k) {
  const [column = ""] = sensitive;
  if (kind === "confidence") return { qid: masked, sensitive: Object.fromEntries([[column, []]]), confidence: "0.2" };
  if (kind === "distinct") return { qid: masked, sensitive: column, diversity: { distinct: 3 } };
  if (kind === "closeness") return { qid: masked, sensitive: column, closeness: "0.2" };
  if (kind === "lkc") return { lkc: { attributes: masked, L: 2 }, k };
  return { qid: masked, k };
}

/** What was typed as a number, if it is a whole one; otherwise the text, of which maskwise says what is wrong. */
export function wholeNumber(text) {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text) : text;
}

/**
 * What the policy leaves open, in sentences of the page's own.
 * @param {import("./policy_doc.js").Doc} doc
 * @param {(requirement: Object) => string[]} sensitiveOf
 * @returns {{unasked: string[], unprotected: string[]}}
 */
export function openEnds(doc, sensitiveOf) {
  const asked = new Set(doc.requirements.flatMap((one) => one.qid ?? one.lkc?.attributes ?? []));
  const protectedNames = new Set(doc.requirements.flatMap(sensitiveOf));
  const of = (role) => [...doc.roles.keys()].filter((name) => doc.roles.get(name) === role);
  return {
    unasked: of("quasi-identifier").filter((name) => !asked.has(name)),
    unprotected: of("sensitive").filter((name) => !protectedNames.has(name)),
  };
}
