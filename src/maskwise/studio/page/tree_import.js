/** A tree from a file: what it would cover is shown before it replaces anything. */

import { button, table } from "./controls.js";
import { count, data, el, plural } from "./dom.js";
import { fromNested, places } from "./tree_model.js";

const EXAMPLES = 8;

/**
 * @param {string} column
 * @param {Object|null} preview What the server made of the file.
 * @param {{read: (file: File) => void, replace: () => void, keep: () => void}} verbs
 */
export function importPanel(column, preview, verbs) {
  const choose = el("input", { type: "file", "data-key": "import", accept: ".csv,.yaml,.yml,.json,.txt,.xml,.tsv,.ttl,.obo",
    on: { change: (event) => event.target.files[0] && verbs.read(event.target.files[0]) } });
  return el("details", { class: "import", "data-key": "imports", open: preview !== null },
    el("summary", {}, "Import a tree from a file"),
    el("label", { class: "field" }, el("span", {}, "A tree of maskwise, or a hierarchy of ARX"), choose),
    preview && whatItCovers(column, preview, verbs));
}

function whatItCovers(column, preview, verbs) {
  const n = places(fromNested(preview.tree)).size;
  const nOutside = preview.n_outside ?? preview.outside.length;
  const covered = preview.counts[Object.keys(preview.tree)[0]] ?? 0;
  const rows = [
    ["Format", preview.format ?? ""], ["Labels in the tree", count(n)], ["Records that have a place", count(covered)],
    [`Values of ${column} without a place`, count(nOutside)], ["Values of the tree that no record has", count(preview.unused.length)],
  ].map(([what, figure]) => el("tr", {}, el("th", { scope: "row" }, what), el("td", {}, figure)));
  return el("div", { class: "preview", "data-key": "preview", tabindex: "-1" },
    el("h3", {}, "What ", data(preview.name), " would cover"),
    table("What the file would cover", ["What", "Figure"], rows),
    nOutside > 0 && el("p", {}, `Without a place, ${plural(nOutside, "value")}: `, ...examples(preview.outside)),
    el("div", { class: "buttons" }, button("Replace the tree", verbs.replace, { class: "primary" }),
      button("Keep the present one", verbs.keep)));
}

function examples(outside) {
  const shown = outside.slice(0, EXAMPLES).flatMap(([value], i) => (i ? [", ", data(value)] : [data(value)]));
  return outside.length > EXAMPLES ? [...shown, " …"] : shown;
}
