/** The tree editor: a tree, its tray, the commands by keys, buttons and dragging, and what they answer. */

import { button } from "./controls.js";
import { letDrag, letDrop } from "./dragging.js";
import { el, plural, sentence } from "./dom.js";
import { Tray } from "./tray.js";
import * as model from "./tree_model.js";
import { TreeView } from "./tree_view.js";

export class TreeEditor {
  /**
   * @param {string} column
   * @param {(tree: model.TreeNode) => void} change
   */
  constructor(column, change) {
    this.change = change;
    this.view = new TreeView(`Tree of ${column}`, () => this.moved());
    this.tray = new Tray((values) => this.placeValues(values));
    this.message = el("p", { class: "message", role: "status" });
    this.name = el("input", { type: "text", "aria-label": "Name of the group", autocomplete: "off", "data-key": "group name",
      on: { keydown: (event) => this.pressInName(event) } });
    this.element = el("div", { class: "tree-editor" },
      el("div", { class: "tree-box" }, this.toolbar(), this.view.host, this.message, help()),
      this.tray.element);
    this.view.host.addEventListener("keydown", (event) => this.press(event));
    letDrag(this.view.list, "tree");
    letDrop(this.view.host, (dragged, row) => this.drop(dragged, row));
    letDrop(this.tray.element, (dragged) => dragged.from === "tree" && this.remove(dragged.labels));
  }

  toolbar() {
    const commands = [["Group", "Ctrl+G", () => this.group()], ["Ungroup", "Delete", () => this.remove(this.view.list.subject)],
      ["Up", "Alt+↑", () => this.shift(-1)], ["Down", "Alt+↓", () => this.shift(1)],
      ["Out", "Alt+←", () => this.outdent()], ["In", "Alt+→", () => this.indent()]];
    return el("div", { class: "toolbar", role: "group", "aria-label": "Commands for the tree" },
      this.name, button("Rename", () => this.rename(), { title: "F2, then Enter" }),
      ...commands.map(([label, keys, command]) => button(label, command, { title: keys })));
  }

  /** @param {model.TreeNode} tree @param {Map<string, number>} counts Of the values of the column. */
  show(tree, counts) {
    this.tree = tree;
    this.counts = counts;
    this.view.show(tree, counts);
    this.moved();
  }

  moved() {
    const label = this.view.list.activeLabel;
    this.name.value = label;
    this.name.readOnly = model.isLeaf(this.tree, label) && this.counts.has(label);
    const group = model.groupOf(this.tree, label);
    this.tray.show(model.unplaced(this.tree, this.counts), this.counts, group);
  }

  /**
   * Make a change, or say why it is refused.
   * @param {() => model.TreeNode} make
   * @param {string} said What to say of it.
   * @param {string} [next] Which label is the active one afterwards.
   */
  apply(make, said, next = undefined) {
    try {
      const tree = make();
      this.change(tree);
      if (next !== undefined) this.view.goTo(next);
      this.say(said);
      return true;
    } catch (error) {
      if (!(error instanceof model.TreeProblem)) throw error;
      this.say(error.message);
      return false;
    }
  }

  say(text) {
    this.message.replaceChildren(sentence(text));
  }

  press(event) {
    const moves = { ArrowUp: () => this.shift(-1), ArrowDown: () => this.shift(1), ArrowLeft: () => this.outdent(),
      ArrowRight: () => this.indent() };
    if (event.altKey && event.key in moves) moves[event.key]();
    else if (event.key === "F2") this.beginRename();
    else if (event.key === "Delete") this.remove(this.view.list.subject);
    else if (event.key.toLowerCase() === "g" && (event.ctrlKey || event.metaKey)) this.group();
    else return;
    event.preventDefault();
  }

  beginRename() {
    this.name.focus();
    this.name.select();
  }

  pressInName(event) {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    if (event.key === "Escape") this.moved();
    else if (!this.rename()) return;
    this.view.host.focus();
  }

  rename() {
    const label = this.view.list.activeLabel;
    const name = this.name.value.trim();
    const isOpen = this.view.expanded.has(label);
    return this.apply(() => {
      const tree = model.rename(this.tree, label, name, this.counts);
      if (isOpen) this.view.expanded.add(name);
      return tree;
    }, `Renamed to \`${name}\`.`, name);
  }

  group() {
    const name = model.freeLabel(this.tree, "New group");
    const labels = this.view.list.subject;
    const isDone = this.apply(() => {
      const tree = model.group(this.tree, labels, name);
      this.view.expanded.add(name);
      return tree;
    }, `A group of ${plural(labels.length, "value")}. Type its name.`, name);
    if (!isDone) return;
    this.view.list.clear();
    this.beginRename();
  }

  /** Dissolve groups; values go to the tray. @param {string[]} labels */
  remove(labels) {
    const { parent } = model.places(this.tree).get(labels[0]);
    this.apply(() => labels.reduce((tree, label) => model.ungroup(tree, label), this.tree),
      labels.length > 1 ? `${plural(labels.length, "row")} removed.` : `\`${labels[0]}\` removed.`, parent?.label);
  }

  shift(by) {
    const label = this.view.list.activeLabel;
    this.apply(() => model.shift(this.tree, label, by), "Moved.", label);
  }

  outdent() {
    const label = this.view.list.activeLabel;
    this.apply(() => model.outdent(this.tree, label), "Moved one level up.", label);
  }

  indent() {
    const label = this.view.list.activeLabel;
    this.apply(() => model.indent(this.tree, label), "Moved into the group above.", label);
  }

  /** @param {{from: string, labels: string[]}} dragged @param {HTMLElement|null} row */
  drop({ from, labels }, row) {
    const onto = row ? this.view.list.labels[Number(row.dataset.index)] : this.tree.label;
    const parent = model.groupOf(this.tree, onto);
    if (from === "tray") this.placeValues(labels, parent);
    else this.apply(() => model.move(this.tree, labels, parent), `Moved under \`${parent}\`.`, labels[0]);
  }

  /** @param {string[]} values @param {string} [parent] */
  placeValues(values, parent = model.groupOf(this.tree, this.view.list.activeLabel)) {
    if (!values.length) return;
    this.tray.list.selected.clear();
    this.view.expanded.add(parent);
    this.apply(() => model.add(this.tree, values, parent), `${plural(values.length, "value")} put under \`${parent}\`.`);
  }
}

function help() {
  const keys = [["Arrows, Home, End", "go through the tree"], ["letters", "find a value"], ["Space, Shift+arrows", "choose several"],
    ["Ctrl+G", "put them into a group"], ["F2", "rename a group"], ["Alt+arrows", "move"],
    ["Delete", "dissolve a group, or take a value out"]];
  return el("details", { class: "help" }, el("summary", {}, "Keys"),
    el("dl", {}, ...keys.flatMap(([key, does]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, does)])));
}
