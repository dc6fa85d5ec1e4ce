/** What a way of masking makes of a column: its tree, to look at. */

import { call } from "./api.js";
import { loading } from "./controls.js";
import { el, plural } from "./dom.js";
import { errorBox } from "./remarks.js";
import { fromNested } from "./tree_model.js";
import { TreeView } from "./tree_view.js";

const PAUSE = 300;
const FEW = 12;

export class TreePreview {
  /** @param {() => void} changed Called when there is something else to be seen. */
  constructor(changed) {
    this.changed = changed;
    this.key = null;
    this.element = el("div", { class: "made" });
  }

  /**
   * Look at what an entry makes of a column; the server is asked only if something has changed.
   * @param {string} column
   * @param {*} entry
   * @param {Object} policy All of it: a tree that is made of the table may follow from the rest.
   */
  show(column, entry, policy) {
    const key = JSON.stringify([column, entry, policy.class, policy.requirements, policy.dates, policy.numbers]);
    if (key === this.key) return;
    const isOther = this.column !== column;
    Object.assign(this, { key, column });
    if (isOther) this.element.replaceChildren(loading("Making the tree …"));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(key, { column, entry, policy }), isOther ? 0 : PAUSE);
  }

  async load(key, asked) {
    let parts;
    try {
      parts = draw(asked.column, await call("tree", asked));
    } catch (error) {
      parts = [errorBox(error.message)];
    }
    if (key === this.key) this.element.replaceChildren(...parts);
    this.changed();
  }
}

function draw(column, { tree, counts, n_outside: nOutside }) {
  const view = new TreeView(`What ${column} is shown as`, () => {});
  const top = fromNested(tree);
  if (top.children.length <= FEW) view.expanded = new Set([top, ...top.children].map((one) => one.label));
  view.show(top, new Map(), new Map(Object.entries(counts)));
  return [
    el("p", { class: "quiet" }, "What this makes of the column, with the records of each value. The search shows each record by one of these lines."),
    nOutside > 0 ? el("p", {}, `${plural(nOutside, "value")} of the column ${nOutside === 1 ? "has" : "have"} no place in it.`) : "",
    view.host,
  ];
}
