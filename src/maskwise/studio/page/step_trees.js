/** The third step: how each quasi-identifier is masked, and the trees. */

import { call } from "./api.js";
import { button, choice, columnChooser, field, loading, tick } from "./controls.js";
import { announce, count, data, el, rebuild } from "./dom.js";
import {
  DATE_FORMS, GROW, NUMBER_FORMS, RULES, entryText, kindOfMasking, levelsText, masksText, rangeOf, withLevels, withRange,
} from "./masking_words.js";
import { columnsOf, entryOf, formOf, policyOf, setEntry, setForm, setTree } from "./policy_doc.js";
import { errorBox, otherRemarks, remarksAt } from "./remarks.js";
import { TreeEditor } from "./tree_editor.js";
import { importPanel } from "./tree_import.js";
import { fromNested, node } from "./tree_model.js";
import { TreePreview } from "./tree_preview.js";

const PIECE = 20_000;
const CHUNK = 1000;
const LISTED = 200;
/** A tree of more values is nothing to be edited by hand. */
const MOST = 200_000;

export class TreesStep {
  /** @param {HTMLElement} root @param {import("./studio.js").Studio} studio */
  constructor(root, studio) {
    Object.assign(this, { root, studio });
    /** @type {Map<string, Map<string, number>>} The values of columns with their records. */
    this.values = new Map();
    this.editor = null;
    this.error = null;
    this.preview = null;
    this.redraw = () => this.studio.changed();
    this.made = new TreePreview(this.redraw);
    this.filter = { text: "" };
    this.picker = el("div", { class: "picker" });
    this.top = el("div", { class: "top" });
    this.place = el("div", {});
    this.bottom = el("div", {});
  }

  get column() {
    const masked = columnsOf(this.studio.doc, "quasi-identifier");
    return masked.includes(this.studio.treeColumn) ? this.studio.treeColumn : masked[0];
  }

  draw() {
    const { studio, column } = this;
    if (column === undefined) {
      rebuild(this.root, [el("p", { class: "empty" }, studio.columns
        ? "No column is a quasi-identifier, so none is masked. Choose them in the step Columns."
        : "Open a table first.")]);
      return;
    }
    if (studio.source !== this.source) this.forget();
    if (!this.root.contains(this.place)) {
      this.root.replaceChildren(
        el("p", {}, "How is each quasi-identifier shown less exactly? Numbers and dates become ranges. For other values a tree ",
          "(taxonomy) says what may replace them; its top (root) shows nothing of a value. The search hides no more than it must."),
        el("div", { class: "trees" }, this.picker, el("div", {}, this.top, this.place, this.bottom)));
    }
    rebuild(this.picker, [this.columnList()]);
    rebuild(this.top, this.settings(column));
    this.drawTree(column);
    rebuild(this.bottom, [this.imports(column)]);
  }

  forget() {
    this.source = this.studio.source;
    this.values.clear();
    this.editor = null;
    this.preview = null;
    this.made.key = null;
  }

  columnList() {
    const { studio, column } = this;
    const masked = columnsOf(studio.doc, "quasi-identifier");
    const at = Math.max(0, Math.min(masked.indexOf(column) - LISTED / 2, masked.length - LISTED));
    return el("ul", { "aria-label": "Masked columns" }, ...masked.slice(at, at + LISTED).map((name) =>
      el("li", {}, el("button", { type: "button", "data-key": `tree of ${name}`, "aria-current": name === column ? "true" : null,
        on: { click: () => this.choose(name) } }, data(name), el("span", { class: "quiet" }, masksText(studio.doc, name))))));
  }

  choose(name) {
    this.studio.treeColumn = name;
    this.preview = null;
    this.error = null;
    this.studio.changed();
  }

  settings(column) {
    const { studio } = this;
    const kind = kindOfMasking(studio.doc, column);
    const ways = [["tree", "values of a tree"], ["interval", "ranges of numbers or dates"], ["suppress", "itself, or hidden"],
      ["default", "as its type asks"], ...RULES.map(([key, label]) => [key, label]), ["grow", "groups that are made of its values"],
      ["from_column", "what another column says of it"]];
    if (kind === "other") ways.push(["other", "a rule of its own"]);
    return [
      el("h2", {}, data(column)),
      el("div", { class: "bulk" },
        el("label", { class: "field" }, el("span", {}, "A cell is shown as"),
          choice(ways, kind, (way) => this.setWay(column, way), { "data-key": "way", "data-first": "" })),
        ...this.fields(column, kind), this.dateForm(column), this.numberForm(column)),
      remarksAt(studio, ["attributes", column], "tree-remarks"),
      ...["dates", "numbers"].map((key) => remarksAt(studio, [key, column], `${key}-remarks`)),
      otherRemarks(studio, "trees", (place) => place.length > 1),
      this.error && errorBox(this.error),
    ];
  }

  fields(column, kind) {
    const entry = this.studio.doc.entries.get(column);
    if (kind === "interval") {
      const range = rangeOf(entry);
      const set = (changes) => this.edit(column, withRange(entry, { ...range, ...changes }));
      return [field("Lowest", range.low, (low) => set({ low })), field("Highest", range.high, (high) => set({ high })),
        tick("The last range has no end, so that later rows may lie above it", range.isOpen, (isOpen) => set({ isOpen }),
          { "data-key": "open end", disabled: !range.high }),
        el("p", { class: "quiet" }, "Left empty, the range is that of the data, which tells its ends.")];
    }
    const edit = button("Make it a tree to edit", () => this.makeTree(column, true));
    const rule = RULES.find(([key]) => key === kind);
    if (rule) {
      return [field(rule[3], levelsText(entry[kind]), (text) => this.edit(column, { ...entry, [kind]: withLevels(entry[kind], text) }),
        { "data-key": "levels" }), edit];
    }
    if (kind === "grow") {
      return [el("label", { class: "field" }, el("span", {}, "Values are put together by"),
        choice(GROW, entry.grow, (by) => this.edit(column, { ...entry, grow: by }), { "data-key": "grow" })),
      edit];
    }
    if (kind === "from_column") return [this.sources(column, entry), edit];
    if (kind === "other") return [el("p", {}, "As the policy says: ", entryText(entry), ".")];
    return [];
  }

  /** How the dates of a column are written, where they may not be ISO dates. @param {string} column */
  dateForm(column) {
    const proposed = this.suggestionOf(column)?.date_forms ?? [];
    return this.formField(column, "dates", "Its dates are written (D day, M month, Y year)", proposed, DATE_FORMS, "as 2024-03-09, or no dates");
  }

  /** How the numbers of a column are written, where they may have a decimal comma or marks. @param {string} column */
  numberForm(column) {
    const proposed = this.suggestionOf(column)?.number_forms ?? [];
    return this.formField(column, "numbers", "It writes the number 1234 and a half as", proposed, NUMBER_FORMS, "1234.5, or no numbers");
  }

  suggestionOf(column) {
    return this.studio.columns.find((one) => one.name === column)?.suggestion;
  }

  formField(column, key, label, proposed, known, usual) {
    const { studio } = this;
    const form = formOf(studio.doc, key, column);
    if (!proposed.length && !form) return null;
    const first = proposed.length > 1 && !form ? "please choose" : usual;
    const ways = [["", first], ...[...new Set([...proposed, ...known])].map((one) => [one, one])];
    const choose = (chosen) => { this.values.delete(column); studio.edit(setForm(studio.doc, key, column, chosen)); };
    return el("label", { class: "field" }, el("span", {}, label),
      choice(ways, form, choose, { "data-key": key === "dates" ? "date form" : "number form" }));
  }

  /** The columns that say what a value belongs to, such as a county of a city; the one with the smallest groups comes first. */
  sources(column, entry) {
    const values = new Map(this.studio.columns.map((one) => [one.name, one.n_distinct]));
    const chosen = [entry.from_column].flat();
    const others = [...values.keys()].filter((name) => name !== column).toSorted((a, b) => values.get(b) - values.get(a));
    const choose = (names) => this.edit(column, { ...entry, from_column: names });
    return el("fieldset", {}, el("legend", {}, "Columns that say what a value belongs to, such as the county of a city"),
      columnChooser("source", others, chosen, this.filter, choose, this.redraw),
      el("p", { class: "quiet" }, "They must be left out of the release: make them identifiers in the step Columns."));
  }

  edit(column, entry) {
    this.studio.edit(setEntry(this.studio.doc, column, entry), `entry ${column}`);
  }

  /** @param {string} column @param {string} way */
  setWay(column, way) {
    const rule = RULES.find(([key]) => key === way);
    const { doc } = this.studio;
    if (way === "tree") this.makeTree(column, RULES.some(([key]) => key === kindOfMasking(doc, column)));
    else if (way === "grow") this.studio.edit(setEntry(doc, column, { grow: "frequency" }));
    else if (way === "from_column") this.studio.edit(setEntry(doc, column, { from_column: [] }));
    else if (rule) this.studio.edit(setEntry(doc, column, { [way]: withLevels(null, rule[2]), other: "under other values" }));
    else this.studio.edit(setEntry(doc, column, way === "default" ? undefined : way));
  }

  /**
   * Give a column a tree to edit.
   * @param {string} column
   * @param {boolean} isAsMade Whether it begins with what is made of the column now; otherwise all values stand below the top.
   */
  async makeTree(column, isAsMade) {
    const { studio } = this;
    await this.attempt(async () => {
      const counts = await this.load(column);
      const tree = isAsMade
        ? fromNested((await call("tree", { column, entry: entryOf(studio.doc, column), policy: policyOf(studio.doc) })).tree)
        : node("Any", [...counts.keys()].filter((value) => value !== "Any").map((value) => node(value)));
      studio.edit(setTree(studio.doc, column, tree));
      announce(`${column} has a tree.`);
    });
  }

  async attempt(work) {
    this.error = null;
    try {
      await work();
    } catch (error) {
      this.error = error.message;
      announce(error.message);
    }
    this.studio.changed();
  }

  /** Whether the way of masking that is chosen has a tree to look at. @param {string} column */
  hasTree(column) {
    const kind = kindOfMasking(this.studio.doc, column);
    return kind === "grow" || kind === "other" || RULES.some(([key]) => key === kind)
      || (kind === "from_column" && this.studio.doc.entries.get(column).from_column.length > 0);
  }

  /** All values of a column with their records. @param {string} column */
  async load(column) {
    if (this.values.has(column)) return this.values.get(column);
    const found = new Map();
    for (let all = Infinity; found.size < all;) {
      const form = formOf(this.studio.doc, "dates", column) || formOf(this.studio.doc, "numbers", column) || null;
      const { n_all: n, values } = await call("values", { column, start: found.size, n: PIECE, filter: "", form });
      if (n > MOST) throw new Error(`\`${column}\` has ${count(n)} values, too many for a tree by hand. Choose another way to show it.`);
      for (const [value, records] of values) found.set(value, records);
      all = values.length ? n : 0;
    }
    this.values.set(column, found);
    return found;
  }

  drawTree(column) {
    const tree = this.studio.doc.trees.get(column);
    if (!tree) {
      this.editor = null;
      if (!this.hasTree(column)) this.place.replaceChildren();
      else {
        this.made.show(column, entryOf(this.studio.doc, column), policyOf(this.studio.doc));
        if (!this.place.contains(this.made.element)) this.place.replaceChildren(this.made.element);
      }
      return;
    }
    const counts = this.values.get(column);
    if (!counts) {
      this.place.replaceChildren(this.error ? "" : loading("Counting values …"));
      this.editor = null;
      if (!this.error) this.attempt(() => this.load(column));
      return;
    }
    if (this.editor?.column !== column) {
      this.editor = new TreeEditor(column, (changed) => this.studio.edit(setTree(this.studio.doc, column, changed)));
      this.editor.column = column;
      this.place.replaceChildren(this.editor.element);
    }
    if (this.editor.tree !== tree) this.editor.show(tree, counts);
  }

  imports(column) {
    return importPanel(column, this.preview, {
      read: (file) => this.attempt(async () => { this.preview = await readTree(column, file); }),
      replace: () => {
        const tree = fromNested(this.preview.tree);
        this.preview = null;
        this.editor = null;
        this.attempt(async () => {
          await this.load(column);
          this.studio.edit(setTree(this.studio.doc, column, tree));
          announce("The tree was replaced.");
        });
      },
      keep: () => {
        this.preview = null;
        this.studio.changed();
      },
    });
  }
}

async function readTree(column, file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += CHUNK) text += String.fromCharCode(...bytes.subarray(i, i + CHUNK));
  return { name: file.name, ...await call("import", { column, name: file.name, text: btoa(text) }) };
}
