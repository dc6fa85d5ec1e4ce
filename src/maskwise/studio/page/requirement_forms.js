/** Requirements as policy files have them, and the kinds that the page has sentences for. */

import { columnsOf, qidOf } from "./policy_doc.js";

/** @typedef {"k"|"confidence"|"distinct"|"closeness"|"lkc"|"other"} RequirementKind */

/** @type {[RequirementKind, string][]} */
export const KINDS = [
  ["k", "Enough records share each combination (k-anonymity)"],
  ["confidence", "A value cannot be inferred (template)"],
  ["distinct", "Different values in each group (diversity)"],
  ["closeness", "Groups look like the whole table (closeness)"],
  ["lkc", "Attackers know only a few columns (LKC)"],
];

/** What sentences count: people, where a column says whom each record is about, else records. */
export function unitOf(doc) {
  return columnsOf(doc, "person").length ? "people" : "records";
}

/**
 * Which sentence fits a requirement; for `other` maskwise itself has one, without fields.
 * @param {Object} requirement
 * @returns {RequirementKind}
 */
export function kindOf(requirement) {
  const keys = Object.keys(requirement).sort().join(" ");
  if (keys === "k qid") return "k";
  if (keys === "confidence qid sensitive" && listedValues(requirement)) return "confidence";
  const isDiverse = ["diversity qid sensitive", "by diversity qid sensitive"].includes(keys);
  if (isDiverse && Object.keys(requirement.diversity).join() === "distinct") return "distinct";
  if (keys === "closeness qid sensitive") return "closeness";
  if (keys === "k lkc") return "lkc";
  return "other";
}

/**
 * The one sensitive column of a template with a list of values, each by itself or all together; null for other forms.
 * @returns {{column: string, values: string[], isTogether: boolean}|null}
 */
export function listedValues(requirement) {
  const parts = Object.entries(requirement.sensitive ?? {});
  if (typeof requirement.sensitive === "string" || parts.length !== 1) return null;
  const [[column, said]] = parts;
  const isTogether = Object.keys(said ?? {}).join() === "any";
  const values = isTogether ? said.any : said;
  const isList = Array.isArray(values) && values.every((value) => typeof value === "string" || typeof value === "number");
  return isList ? { column, values: values.map(String), isTogether } : null;
}

/** A template about other values, or another column. */
export function withValues(requirement, { column, values, isTogether }) {
  return { ...requirement, sensitive: Object.fromEntries([[column, isTogether ? { any: values } : values]]) };
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

/** By what values can count as one: as a policy file says it, and as the page does. @type {[string, string][]} */
const GROUPINGS = [["prefix 1", "first character"], ["prefix 2", "first 2 characters"], ["prefix 3", "first 3 characters"],
  ["level 1", "group just below the top of the tree"], ["level 2", "group 2 levels below the top of the tree"]];

/** Those that can be chosen, the one that is chosen among them. @param {string} chosen */
export function groupings(chosen) {
  return GROUPINGS.some(([by]) => by === chosen) ? GROUPINGS : [...GROUPINGS, [chosen, chosen]];
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
  const asked = new Set(doc.requirements.flatMap(qidOf));
  const protectedNames = new Set(doc.requirements.flatMap(sensitiveOf));
  return {
    unasked: columnsOf(doc, "quasi-identifier").filter((name) => !asked.has(name)),
    unprotected: columnsOf(doc, "sensitive").filter((name) => !protectedNames.has(name)),
  };
}
