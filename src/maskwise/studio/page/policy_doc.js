/**
 * What the user decides, as one plain value: roles, how columns are masked, what is asked, how to search.
 * The policy that maskwise reads is derived from it. Names of columns are keys of Maps, since a column may be
 * called `__proto__`, or `10`, which an object would sort to the front.
 *
 * @typedef {import("./tree_model.js").TreeNode} TreeNode
 * @typedef {"identifier"|"quasi-identifier"|"sensitive"|"class"|"released"|"person"} Role
 * @typedef {Object} Doc
 * @property {Map<string, Role>} roles Of all columns.
 * @property {Map<string, *>} entries How columns are masked; a tree stands in `trees` instead.
 * @property {Map<string, TreeNode>} trees
 * @property {Object[]} requirements In the form of a policy file.
 * @property {Object} rest Other keys of the policy.
 * @property {Object} options Of the search.
 */

import { fromNested, toNested } from "./tree_model.js";

/** @type {[Role, string, string, string][]} Each with its label, and how one and many of them are called. */
export const ROLES = [
  ["identifier", "identifier (removed)", "identifier", "identifiers"],
  ["quasi-identifier", "quasi-identifier (masked)", "quasi-identifier", "quasi-identifiers"],
  ["sensitive", "sensitive (protected)", "sensitive column", "sensitive columns"],
  ["class", "class (predicted)", "class", "classes"],
  ["released", "released as it is", "released as it is", "released as they are"],
  ["person", "person (counted)", "column of persons", "columns of persons"],
];

const OWN_KEYS = new Set(["class", "person", "attributes", "requirements", "drop", "keep"]);

/**
 * The proposals, as a first document.
 * @param {{columns: Array, suggested_policy: Object|null}} found What `columns` answered.
 * @param {Object|null} policy The policy that comes with the table, if there is one; it says more than proposals.
 * @returns {Doc}
 */
export function proposedDoc(found, policy) {
  const doc = { roles: new Map(), entries: new Map(), trees: new Map() };
  const base = policy ?? found.suggested_policy ?? {};
  const attributes = new Map(Object.entries(base.attributes ?? {}));
  for (const { name, suggestion } of found.columns) {
    doc.roles.set(name, policy ? "released" : suggestion?.role ?? "released");
    keepEntry(doc, name, attributes.get(name) ?? suggestion?.entry ?? null);
  }
  if (policy) takeRoles(doc.roles, policy);
  const rest = Object.entries(base).filter(([key]) => !OWN_KEYS.has(key));
  return { ...doc, requirements: base.requirements ?? [], rest: Object.fromEntries(rest),
    options: { method: "tdr" } };
}

function takeRoles(roles, policy) {
  const give = (names, role) => {
    for (const name of names) if (roles.has(name)) roles.set(name, role);
  };
  const asked = policy.requirements ?? [];
  give(asked.flatMap(sensitiveOf), "sensitive");
  give(asked.flatMap(qidOf), "quasi-identifier");
  give(policy.drop ?? [], "identifier");
  if (typeof policy.class === "string") give([policy.class], "class");
}

function keepEntry(doc, name, entry) {
  if (entry === null) return;
  const nested = entry.taxonomy;
  if (nested && typeof nested === "object" && Object.keys(entry).length === 1) doc.trees.set(name, fromNested(nested));
  else doc.entries.set(name, entry);
}

/** The roles of columns for which a policy may say how their dates or numbers are written. */
const FORM_ROLES = { dates: new Set(["quasi-identifier"]), numbers: new Set(["quasi-identifier", "sensitive", "class"]) };

/**
 * The policy as maskwise reads it.
 * @param {Doc} doc
 * @returns {Object}
 */
export function policyOf(doc) {
  const named = (role) => [...doc.roles.keys()].filter((name) => doc.roles.get(name) === role);
  const masked = named("quasi-identifier").filter((name) => entryOf(doc, name) !== undefined);
  const grouped = named("sensitive").filter((name) => groupsValues(doc, name));
  const policy = {
    attributes: Object.fromEntries([...masked, ...grouped].map((name) => [name, entryOf(doc, name)])),
    requirements: doc.requirements, drop: named("identifier"), ...doc.rest,
  };
  // Once no sentence bounds a share there is nothing to guard, and a policy that says so is refused.
  if (!hasShares(doc)) delete policy.minimality;
  // Of other columns cells are counted, or released, as they are written.
  for (const [key, roles] of Object.entries(FORM_ROLES)) {
    const forms = Object.entries(doc.rest[key] ?? {}).filter(([name]) => roles.has(doc.roles.get(name)));
    delete policy[key];
    if (forms.length) policy[key] = Object.fromEntries(forms);
  }
  const [predicted] = named("class");
  const [person] = named("person");
  if (predicted !== undefined) policy.class = predicted;
  if (person !== undefined) policy.person = person;
  return policy;
}

/** Whether a sentence bounds a share. @param {Doc} doc */
export function hasShares(doc) {
  return doc.requirements.some((one) => one.confidence !== undefined);
}

/** Whether the tree of a sensitive column says which of its values are alike, for what a requirement asks of it. */
function groupsValues(doc, name) {
  const entry = entryOf(doc, name);
  const isTree = entry !== undefined && typeof entry === "object" && !("interval" in entry) && !("suppress" in entry);
  return isTree && doc.requirements.some((one) => sensitiveOf(one).includes(name));
}

/** @param {Doc} doc @param {string} name @returns {*} The entry of a column in the policy; undefined is none. */
export function entryOf(doc, name) {
  const tree = doc.trees.get(name);
  return tree ? { taxonomy: toNested(tree) } : doc.entries.get(name);
}

/** @param {Doc} doc @param {Role} role @returns {string[]} */
export function columnsOf(doc, role) {
  return [...doc.roles.keys()].filter((name) => doc.roles.get(name) === role);
}

/**
 * Change the roles of columns, and what is asked of them.
 * @param {Doc} doc @param {string[]} names @param {Role} role
 * @param {number} k For the first requirement of all.
 * @returns {Doc}
 */
export function setRoles(doc, names, role, k) {
  const chosen = role === "class" || role === "person" ? names.slice(0, 1) : names;
  const roles = new Map(doc.roles);
  if (chosen !== names || names.length === 1) {
    // There is one class and one column of persons: the one before steps back.
    if (role === "class") for (const name of columnsOf(doc, "class")) roles.set(name, "released");
    if (role === "person") for (const name of columnsOf(doc, "person")) roles.set(name, "identifier");
  }
  for (const name of chosen) roles.set(name, role);
  const isMasked = (name) => roles.get(name) === "quasi-identifier";
  const isSensitive = (name) => roles.get(name) === "sensitive";
  const before = columnsOf(doc, "quasi-identifier");
  const added = chosen.filter((name) => isMasked(name) && doc.roles.get(name) !== "quasi-identifier");
  const widened = doc.requirements.map((one) => (isAboutAll(one, before) ? withColumns(one, added, roles) : one));
  let requirements = widened.map((one) => keepColumns(one, roles, isMasked)).filter((one) => isAsking(one, isSensitive));
  const asked = new Set(requirements.flatMap(qidOf));
  const unasked = added.filter((name) => !asked.has(name));
  if (unasked.length) requirements = askFor(requirements, unasked, k);
  return { ...doc, roles, requirements };
}

/** The quasi-identifiers that a requirement is about. @param {Object} requirement @returns {string[]} */
export function qidOf(requirement) {
  return requirement.qid ?? requirement.lkc?.attributes ?? [];
}

/** Whether a sentence is about every quasi-identifier, so that it is about further ones too. */
function isAboutAll(requirement, masked) {
  const named = new Set(qidOf(requirement));
  return masked.length > 0 && masked.every((name) => named.has(name));
}

/** A requirement about some columns more, in the order of the table if its columns were in that order. */
function withColumns(requirement, added, roles) {
  const places = new Map([...roles.keys()].map((name, at) => [name, at]));
  const old = qidOf(requirement);
  const isInOrder = old.every((name, i) => i === 0 || places.get(old[i - 1]) < places.get(name));
  const all = [...old, ...added.filter((name) => !old.includes(name))];
  const names = isInOrder ? all.toSorted((a, b) => places.get(a) - places.get(b)) : all;
  return requirement.qid ? { ...requirement, qid: names } : { ...requirement, lkc: { ...requirement.lkc, attributes: names } };
}

function keepColumns(requirement, roles, isMasked) {
  const kept = (list) => list.filter((name) => !roles.has(name) || isMasked(name));
  if (requirement.qid) return { ...requirement, qid: kept(requirement.qid) };
  if (requirement.lkc) return { ...requirement, lkc: { ...requirement.lkc, attributes: kept(requirement.lkc.attributes) } };
  return requirement;
}

function isAsking(requirement, isSensitive) {
  const list = qidOf(requirement);
  return (list.length > 0 || !(requirement.qid || requirement.lkc)) && sensitiveOf(requirement).every(isSensitive);
}

/** The sensitive columns that a requirement protects. @param {Object} requirement @returns {string[]} */
export function sensitiveOf(requirement) {
  const said = requirement.sensitive;
  if (said === undefined || said === null) return [];
  return typeof said === "string" ? [said] : Object.keys(said);
}

function askFor(requirements, names, k) {
  const at = requirements.findIndex((one) => one.qid && one.k !== undefined);
  if (at < 0) return [{ qid: names, k }, ...requirements];
  const first = requirements[at];
  return requirements.with(at, { ...first, qid: [...first.qid, ...names.filter((name) => !first.qid.includes(name))] });
}

/** @param {Doc} doc @param {string} name @param {*} entry @returns {Doc} */
export function setEntry(doc, name, entry) {
  const entries = new Map(doc.entries);
  const trees = new Map(doc.trees);
  trees.delete(name);
  if (entry === undefined) entries.delete(name);
  else entries.set(name, entry);
  return { ...doc, entries, trees };
}

/**
 * How the dates or numbers of a column are written; empty where they are written in the usual way.
 * @param {Doc} doc @param {"dates" | "numbers"} key @param {string} name
 */
export function formOf(doc, key, name) {
  return new Map(Object.entries(doc.rest[key] ?? {})).get(name) ?? "";
}

/** @param {Doc} doc @param {"dates" | "numbers"} key @param {string} name @param {string} form Empty for the usual way. @returns {Doc} */
export function setForm(doc, key, name, form) {
  const forms = new Map(Object.entries(doc.rest[key] ?? {}));
  if (form) forms.set(name, form);
  else forms.delete(name);
  return { ...doc, rest: { ...doc.rest, [key]: Object.fromEntries(forms) } };
}

/** @param {Doc} doc @param {string} name @param {TreeNode} tree @returns {Doc} */
export function setTree(doc, name, tree) {
  return { ...doc, trees: new Map(doc.trees).set(name, tree) };
}

/**
 * The document as a draft that can be saved.
 * @param {Doc} doc
 * @param {{name: string}} source
 */
export function toDraft(doc, source) {
  const trees = [...doc.trees].map(([name, tree]) => [name, toNested(tree)]);
  return { ...doc, source: source.name, roles: [...doc.roles], entries: [...doc.entries], trees };
}

/**
 * A saved draft as a document, if it was about these columns.
 * @param {Object|null} draft
 * @param {{name: string}} source
 * @param {string[]} names
 * @returns {Doc|null}
 */
export function fromDraft(draft, source, names) {
  if (!draft || draft.source !== source.name || !Array.isArray(draft.roles)) return null;
  const roles = new Map(draft.roles);
  if (roles.size !== names.length || !names.every((name) => roles.has(name))) return null;
  const trees = new Map(draft.trees.map(([name, nested]) => [name, fromNested(nested)]));
  const { requirements, rest, options } = draft;
  return { roles, entries: new Map(draft.entries), trees, requirements, rest, options };
}
