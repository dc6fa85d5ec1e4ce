/**
 * Trees of values as plain values: every change gives a new tree that shares what did not change.
 * A label stands once in a tree, so labels name places.
 *
 * @typedef {{readonly label: string, readonly children: readonly TreeNode[]}} TreeNode
 */

/** Why a change is refused, in a sentence. */
export class TreeProblem extends Error {}

/** @param {string} label @param {readonly TreeNode[]} [children] @returns {TreeNode} */
export function node(label, children = []) {
  return { label, children };
}

/**
 * Read the nested form of a policy: one label with what is below it.
 * @param {Object} nested
 * @returns {TreeNode}
 */
export function fromNested(nested) {
  return below(nested)[0];
}

function below(nested) {
  if (nested === null || nested === undefined) return [];
  if (Array.isArray(nested)) return nested.flatMap(below);
  if (typeof nested === "object") return Object.entries(nested).map(([label, part]) => node(label, below(part)));
  return [node(String(nested))];
}

/**
 * Write the nested form. Lists keep the order even of labels that look like numbers.
 * @param {TreeNode} tree
 */
export function toNested(tree) {
  return { [tree.label]: tree.children.map((child) => (child.children.length ? toNested(child) : child.label)) };
}

/** @type {WeakMap<TreeNode, Map<string, {node: TreeNode, parent: TreeNode|null, at: number, depth: number}>>} */
const PLACES = new WeakMap();

/**
 * Where each label stands.
 * @param {TreeNode} tree
 */
export function places(tree) {
  const known = PLACES.get(tree);
  if (known) return known;
  const found = new Map([[tree.label, { node: tree, parent: null, at: 0, depth: 0 }]]);
  const open = [tree];
  while (open.length) {
    const parent = open.pop();
    const depth = found.get(parent.label).depth + 1;
    parent.children.forEach((child, at) => {
      found.set(child.label, { node: child, parent, at, depth });
      if (child.children.length) open.push(child);
    });
  }
  PLACES.set(tree, found);
  return found;
}

/**
 * The labels that are shown one under the other, if some groups are open.
 * @param {TreeNode} tree
 * @param {Set<string>} expanded
 * @returns {TreeNode[]}
 */
export function visible(tree, expanded) {
  const rows = [];
  const open = [tree];
  while (open.length) {
    const one = open.pop();
    rows.push(one);
    if (expanded.has(one.label)) for (let i = one.children.length - 1; i >= 0; i -= 1) open.push(one.children[i]);
  }
  return rows;
}

/** @type {WeakMap<Map<string, number>, WeakMap<TreeNode, number>>} */
const SUMS = new WeakMap();

/**
 * How many records are at or below a node.
 * @param {TreeNode} one
 * @param {Map<string, number>} counts Of the values of the column.
 * @returns {number}
 */
export function records(one, counts) {
  if (!one.children.length) return counts.get(one.label) ?? 0;
  if (!SUMS.has(counts)) SUMS.set(counts, new WeakMap());
  const sums = SUMS.get(counts);
  if (!sums.has(one)) sums.set(one, one.children.reduce((sum, child) => sum + records(child, counts), 0));
  return sums.get(one);
}

/**
 * The values of a column that are not in a tree.
 * @param {TreeNode} tree
 * @param {Map<string, number>} counts
 * @returns {string[]}
 */
export function unplaced(tree, counts) {
  const at = places(tree);
  return [...counts.keys()].filter((value) => !at.has(value) || at.get(value).node.children.length > 0);
}

/** Whether a label is a value: nothing is below it. @param {TreeNode} tree @param {string} label */
export function isLeaf(tree, label) {
  return places(tree).get(label).node.children.length === 0;
}

/** @param {TreeNode} one @param {string} label @param {(node: TreeNode) => TreeNode} change @returns {TreeNode} */
function changeAt(one, label, change) {
  const steps = [];
  for (let at = places(one).get(label); at.parent; at = places(one).get(at.parent.label)) steps.push(at);
  let changed = change(places(one).get(label).node);
  for (const step of steps) changed = node(step.parent.label, step.parent.children.with(step.at, changed));
  return changed;
}

/** @param {TreeNode} one @param {Set<string>} gone @returns {TreeNode} */
function without(one, gone) {
  if (!one.children.length) return one;
  const kept = one.children.filter((child) => !gone.has(child.label)).map((child) => without(child, gone));
  const isSame = kept.length === one.children.length && kept.every((child, i) => child === one.children[i]);
  return isSame ? one : node(one.label, kept);
}

/** A label that is not in the tree. @param {TreeNode} tree @param {string} wish */
export function freeLabel(tree, wish) {
  const at = places(tree);
  let label = wish;
  for (let i = 2; at.has(label); i += 1) label = `${wish} ${i}`;
  return label;
}

/**
 * Rename a group; a value keeps its name, since it is a cell of the table.
 * @param {TreeNode} tree @param {string} label @param {string} name @param {Map<string, number>} counts
 */
export function rename(tree, label, name, counts) {
  if (name === label) return tree;
  if (!name.trim()) throw new TreeProblem("A group needs a name.");
  if (isLeaf(tree, label) && counts.has(label)) {
    throw new TreeProblem(`\`${label}\` is a value of the table and keeps its name. Group it to show another one.`);
  }
  if (places(tree).has(name) || counts.has(name)) throw new TreeProblem(`There is a value \`${name}\` already.`);
  return changeAt(tree, label, (one) => node(name, one.children));
}

/** Of some labels those that stand below no other of them, in the order of the tree. */
function outermost(tree, labels) {
  const at = places(tree);
  const chosen = new Set(labels);
  chosen.delete(tree.label);
  const isBelow = (label) => {
    for (let up = at.get(label).parent; up; up = at.get(up.label).parent) if (chosen.has(up.label)) return true;
    return false;
  };
  const order = new Map([...visible(tree, new Set(at.keys()))].map((one, i) => [one.label, i]));
  return [...chosen].filter((label) => !isBelow(label)).sort((a, b) => order.get(a) - order.get(b));
}

/**
 * Move labels with all that is below them.
 * @param {TreeNode} tree @param {string[]} labels
 * @param {string} parent Where to.
 * @param {number} [position] Before which of its children; the end unless given.
 */
export function move(tree, labels, parent, position = Infinity) {
  const moved = outermost(tree, labels);
  if (!moved.length) throw new TreeProblem("The top of the tree stays where it is.");
  const at = places(tree);
  for (let up = at.get(parent); up.parent; up = at.get(up.parent.label)) {
    if (moved.includes(up.node.label)) throw new TreeProblem(`\`${up.node.label}\` cannot go below itself.`);
  }
  const gone = new Set(moved);
  const nodes = moved.map((label) => at.get(label).node);
  const before = at.get(parent).node.children.slice(0, position).filter((child) => gone.has(child.label)).length;
  return changeAt(without(tree, gone), parent, (one) =>
    node(parent, one.children.toSpliced(Math.min(position - before, one.children.length), 0, ...nodes)));
}

/** Move a label among its neighbours. @param {TreeNode} tree @param {string} label @param {1|-1} by */
export function shift(tree, label, by) {
  const { parent, at } = places(tree).get(label);
  const to = at + by;
  if (!parent || to < 0 || to >= parent.children.length) throw new TreeProblem("It cannot go any further.");
  return move(tree, [label], parent.label, by > 0 ? to + 1 : to);
}

/** Move a label one level up, after the group that it was in. @param {TreeNode} tree @param {string} label */
export function outdent(tree, label) {
  const { parent } = places(tree).get(label);
  const above = parent && places(tree).get(parent.label);
  if (!above?.parent) throw new TreeProblem("It is directly below the top already.");
  return move(tree, [label], above.parent.label, above.at + 1);
}

/** Move a label into the group above it. @param {TreeNode} tree @param {string} label */
export function indent(tree, label) {
  const { parent, at } = places(tree).get(label);
  const into = parent?.children[at - 1];
  if (!into?.children.length) throw new TreeProblem("There is no group directly above it. Make one with Ctrl+G.");
  return move(tree, [label], into.label);
}

/**
 * Put labels into a new group, where the first of them stands.
 * @param {TreeNode} tree @param {string[]} labels @param {string} name
 */
export function group(tree, labels, name) {
  const moved = outermost(tree, labels);
  if (!moved.length) throw new TreeProblem("Choose values below the top to group them.");
  const at = places(tree);
  const { parent, at: position } = at.get(moved[0]);
  const gone = new Set(moved);
  const nodes = moved.map((label) => at.get(label).node);
  const before = parent.children.slice(0, position).filter((child) => gone.has(child.label)).length;
  return changeAt(without(tree, gone), parent.label, (one) =>
    node(one.label, one.children.toSpliced(position - before, 0, node(name, nodes))));
}

/**
 * Dissolve a group; what was in it stands in its place. A value goes back to the tray.
 * @param {TreeNode} tree @param {string} label
 */
export function ungroup(tree, label) {
  const { node: gone, parent, at } = places(tree).get(label);
  if (!parent) throw new TreeProblem("The top of the tree cannot be removed.");
  return changeAt(tree, parent.label, (one) => node(one.label, one.children.toSpliced(at, 1, ...gone.children)));
}

/** Add values below a group. @param {TreeNode} tree @param {string[]} values @param {string} parent */
export function add(tree, values, parent) {
  const taken = values.find((value) => places(tree).has(value));
  if (taken !== undefined) throw new TreeProblem(`A group is called \`${taken}\` already. Rename it first.`);
  return changeAt(tree, parent, (one) => node(parent, [...one.children, ...values.map((value) => node(value))]));
}

/** A group to put values into: the label itself, or for a value the group it is in. @param {TreeNode} tree */
export function groupOf(tree, label) {
  const { node: one, parent } = places(tree).get(label);
  return one.children.length || !parent ? one.label : parent.label;
}
