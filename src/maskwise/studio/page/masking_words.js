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
  ["phone", "first digits of a phone number", "6, 3", "How many digits are shown"],
  ["weekday", "days of the week", "day, part", "Which parts are shown"],
  ["season", "months and seasons", "month, season", "Which parts are shown"],
  ["time_of_day", "hours of the day", "hour, shift", "Which parts are shown"],
  ["icd10", "diagnoses by ICD-10", "code, category, block, chapter", "Which levels are shown"],
  ["isco", "occupations by ISCO", "unit, minor, submajor, major", "Which levels are shown"],
  ["nace", "economic activities by NACE", "class, group, division, section", "Which levels are shown"],
  ["naics", "industries by NAICS", "national, industry, group, subsector, sector", "Which levels are shown"],
  ["un", "countries and regions of the world", "country, subregion, region", "Which levels are shown"],
];

/** How dates are written, where they are not ISO dates: the forms that maskwise reads. */
export const DATE_FORMS = ["DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD-MM-YYYY", "MM-DD-YYYY", "YYYY/MM/DD", "YYYY.MM.DD"];

/** How the number 1234 and a half is written, where it is not written 1234.5: the forms that maskwise reads. */
export const NUMBER_FORMS = ["1234,5", "1.234,5", "1 234,5", "1'234,5", "1,234.5", "1 234.5", "1'234.5"];

/** The levels of a rule as they are typed; a rule may say more than its levels. @param {*} said */
export function levelsText(said) {
  return [Array.isArray(said) ? said : said?.levels ?? said].flat().join(", ");
}

/** The same rule with other levels. @param {*} said What the policy says of it. @param {string} text */
export function withLevels(said, text) {
  const levels = text.split(",").map((part) => part.trim()).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return said && typeof said === "object" && !Array.isArray(said) ? { ...said, levels } : levels;
}

/** An entry that the page has no fields for, in words. @param {*} entry */
export function entryText(entry) {
  const words = (value) => (value && typeof value === "object" && !Array.isArray(value) && !value.levels ? "a tree" : levelsText(value));
  const said = Object.entries(entry).map(([key, value]) => `${key.replaceAll("_", " ")}: ${words(value)}`);
  return said.join("; ");
}

/** The range of an entry, and whether its last interval has no end. @param {*} entry */
export function rangeOf(entry) {
  const said = entry?.interval ?? null;
  const [low, high] = (Array.isArray(said) ? said : said?.range) ?? ["", ""];
  return { low: String(low), high: String(high), isOpen: Boolean(entry?.clamp?.[1]) };
}

/**
 * An entry with another range; what else it says of the column stays.
 * @param {*} entry @param {{low: string, high: string, isOpen: boolean}} range
 */
export function withRange(entry, { low, high, isOpen }) {
  const { interval, clamp, ...others } = typeof entry === "string" ? { interval: null } : entry;
  const grid = interval && !Array.isArray(interval) ? interval.on : undefined;
  const range = low || high ? [low, high] : null;
  const said = grid === undefined ? range : { on: grid, ...(range && { range }) };
  const lowest = clamp?.[0] ?? null;
  const ends = isOpen && high ? [lowest, high] : lowest === null ? null : [lowest, null];
  const entryNow = { interval: said, ...(ends && { clamp: ends }), ...others };
  return said === null && Object.keys(entryNow).length === 1 ? "interval" : entryNow;
}

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
