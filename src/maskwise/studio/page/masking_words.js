/** How a column is masked, in words. */

/** The ways to mask a column that the page has words for, and the levels that one may begin with. */
export const RULES = [
  ["prefix", "first characters", "3, 2, 1", "How many characters are shown"],
  ["suffix", "last characters", "3, 2, 1", "How many characters are shown"],
  ["steps", "steps", "5, 10, 20", "How wide the steps are"],
  ["rounded", "rounded numbers", "10, 100", "To what is rounded"],
  ["calendar", "parts of a date", "month, year", "Which parts are shown"],
  ["network", "networks", "24, 16, 8", "How many bits of an address are shown"],
  ["domain", "domains", "2, 1", "How many parts of a name are shown"],
];

/** By what the values of a column are put together, where a tree is made of the table. */
export const GROW = [["frequency", "about equally many records"], ["similarity", "alike spellings"], ["classes", "alike classes"]];

const MADE = { grow: "groups of its values", from_column: "another column" };

/**
 * Which way of masking an entry is.
 * @param {import("./policy_doc.js").Doc} doc @param {string} name
 * @returns {string} `tree`, `interval`, `suppress`, `default`, `grow`, `from_column`, the key of a rule, or `other`
 */
export function kindOfMasking(doc, name) {
  if (doc.trees.has(name)) return "tree";
  const entry = doc.entries.get(name);
  if (entry === undefined) return "default";
  const keys = typeof entry === "string" ? [entry] : Object.keys(entry);
  const known = ["interval", "suppress", ...Object.keys(MADE), ...RULES.map(([key]) => key)];
  return known.find((key) => keys.includes(key)) ?? "other";
}

/** @param {import("./policy_doc.js").Doc} doc @param {string} name @returns {string} */
export function masksText(doc, name) {
  const kind = kindOfMasking(doc, name);
  const words = { tree: "tree", interval: "ranges", suppress: "shown or hidden", default: "as its type asks", other: "a rule", ...MADE };
  return words[kind] ?? RULES.find(([key]) => key === kind)[1];
}
