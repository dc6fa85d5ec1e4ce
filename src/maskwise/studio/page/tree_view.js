/** A tree on the screen: its rows, which groups are open, and the keys to walk through it. */

import { count, data, el } from "./dom.js";
import { KeyList } from "./key_list.js";
import { places, records, visible } from "./tree_model.js";

const FEW = 40;

export class TreeView {
  /**
   * @param {string} name For those who hear the page.
   * @param {() => void} moved
   */
  constructor(name, moved) {
    this.host = el("div", { class: "tree list", role: "tree", "aria-label": name });
    this.host.addEventListener("keydown", (event) => this.press(event));
    this.list = new KeyList(this.host, (label) => this.row(label), moved);
    this.host.addEventListener("click", (event) => event.target.classList.contains("twist") && this.toggle(this.list.activeLabel));
    this.expanded = null;
    this.tree = null;
    this.counts = new Map();
  }

  /**
   * @param {import("./tree_model.js").TreeNode} tree
   * @param {Map<string, number>} counts Of the values of the column.
   * @param {Map<string, number>|null} [totals] The records at or below every label, where they are known.
   */
  show(tree, counts, totals = null) {
    this.tree = tree;
    this.counts = counts;
    this.totals = totals;
    this.expanded ??= firstOpen(tree);
    if (places(tree).size > 1) this.expanded.add(tree.label);
    this.list.setLabels(visible(tree, this.expanded).map((one) => one.label));
  }

  /** Open everything above a label and go there. @param {string} label */
  goTo(label) {
    const at = places(this.tree);
    for (let up = at.get(label)?.parent; up; up = at.get(up.label).parent) this.expanded.add(up.label);
    this.show(this.tree, this.counts, this.totals);
    this.list.goToLabel(label);
  }

  /** Open or close a group. @param {string} label */
  toggle(label) {
    if (!this.expanded.delete(label)) this.expanded.add(label);
    this.show(this.tree, this.counts, this.totals);
  }

  row(label) {
    const { node, parent, at, depth } = places(this.tree).get(label);
    const isGroup = node.children.length > 0;
    const isOpen = isGroup && this.expanded.has(label);
    const n = this.totals ? this.totals.get(label) ?? 0 : records(node, this.counts);
    const row = el("div", { role: "treeitem", "aria-level": depth + 1, "aria-setsize": parent?.children.length ?? 1,
      "aria-posinset": at + 1, "aria-expanded": isGroup ? isOpen : null, draggable: Boolean(parent) && !this.totals },
    el("span", { class: isGroup ? "twist" : "twist leaf", "aria-hidden": "true" }, isGroup ? (isOpen ? "▾" : "▸") : "·"),
    el("span", { class: "label" }, data(label)),
    el("span", { class: n ? "number" : "number none" }, n ? count(n) : "no records"));
    row.style.paddingInlineStart = `${0.5 + depth * 1.1}rem`;
    return row;
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.shiftKey) return;
    const label = this.list.activeLabel;
    const { node, parent } = places(this.tree).get(label);
    const isOpen = this.expanded.has(label) && node.children.length > 0;
    if (event.key === "ArrowRight" && node.children.length) {
      if (isOpen) this.list.goToLabel(node.children[0].label);
      else this.toggle(label);
    } else if (event.key === "ArrowLeft" && (isOpen || parent)) {
      if (isOpen) this.toggle(label);
      else this.list.goToLabel(parent.label);
    } else return;
    event.preventDefault();
  }
}

/** Small trees are open at first, of large ones only the top. */
function firstOpen(tree) {
  const at = places(tree);
  return new Set(at.size <= FEW ? at.keys() : [tree.label]);
}
