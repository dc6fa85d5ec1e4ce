/** The fourth step: what is asked, as sentences with fields in them. */

import { button, choice, columnChooser, loading, textInput } from "./controls.js";
import { el, nameList, rebuild, sentence as words } from "./dom.js";
import { guardTick } from "./guard.js";
import { columnsOf, qidOf, sensitiveOf } from "./policy_doc.js";
import { hasMistake, otherRemarks, remarkList, remarksAt } from "./remarks.js";
import { KINDS, groupings, kindOf, listedValues, newRequirement, openEnds, unitOf, wholeNumber, withValues } from "./requirement_forms.js";

export class RequirementsStep {
  /** @param {HTMLElement} root @param {import("./studio.js").Studio} studio */
  constructor(root, studio) {
    Object.assign(this, { root, studio });
    this.filters = new Map();
    this.kind = "k";
  }

  draw() {
    const { studio } = this;
    if (!studio.columns) {
      rebuild(this.root, [el("p", { class: "empty" }, "Open a table first.")]);
      return;
    }
    const { doc } = studio;
    const isShown = (place) => place[0] === "requirements" && place[1] in doc.requirements;
    rebuild(this.root, [
      el("p", {}, "What must hold in the release? Every sentence (requirement) is recounted before anything is written."),
      doc.requirements.length ? el("ol", { class: "sentences" }, ...doc.requirements.map((one, i) => this.item(one, i)))
        : el("p", { class: "empty" }, "Nothing is asked yet. Add a sentence."),
      this.openEnds(),
      otherRemarks(studio, "requirements", isShown),
      this.adding(),
      guardTick(studio),
      studio.isChecked ? null : loading("Checking …"),
    ]);
  }

  openEnds() {
    const { unasked, unprotected } = openEnds(this.studio.doc, sensitiveOf);
    const quoted = (names) => names.slice(0, 5).map((name) => `\`${name}\``).join(", ") + (names.length > 5 ? " and others" : "");
    const said = [];
    if (unasked.length) {
      said.push({ level: "warning", text: `In no sentence, so released as it is: ${quoted(unasked)}.`, remedy: "Add it to a sentence." });
    }
    if (unprotected.length) {
      said.push({ level: "warning", text: `Sensitive, but no sentence protects it: ${quoted(unprotected)}.`,
        remedy: "Add a sentence about it." });
    }
    return remarkList(said, "open-ends");
  }

  adding() {
    return el("div", { class: "bulk" },
      el("label", { class: "field" }, el("span", {}, "Another sentence"),
        choice(KINDS, this.kind, (kind) => { this.kind = kind; }, { "data-key": "kind" })),
      button("Add it", () => this.add()));
  }

  add() {
    const { doc, suggestedK } = this.studio;
    const added = newRequirement(this.kind, columnsOf(doc, "quasi-identifier"), columnsOf(doc, "sensitive"), suggestedK);
    this.studio.edit({ ...doc, requirements: [...doc.requirements, added] });
  }

  set(i, requirement, key = null) {
    const { doc } = this.studio;
    this.studio.edit({ ...doc, requirements: doc.requirements.with(i, requirement) }, key && `${i} ${key}`);
  }

  remove(i) {
    const { doc } = this.studio;
    this.studio.edit({ ...doc, requirements: doc.requirements.toSpliced(i, 1) });
  }

  item(requirement, i) {
    const place = ["requirements", i];
    const id = `requirement-${i}`;
    return el("li", { class: hasMistake(this.studio, place) ? "wrong" : null },
      el("div", { class: "sentence" }, ...this.sentence(requirement, i)),
      remarksAt(this.studio, place, id),
      el("div", { class: "sentence-tools" }, this.columnsOf(requirement, i),
        button("Remove", () => this.remove(i), { "data-key": `remove ${i}`, "aria-label": `Remove sentence ${i + 1}` })));
  }

  /** A field inside a sentence. */
  input(i, key, label, value, change, props = {}) {
    return textInput(String(value ?? ""), (text) => change(text), { "aria-label": label, "data-key": `${i} ${key}`,
      "aria-describedby": `requirement-${i}`, "aria-invalid": String(hasMistake(this.studio, ["requirements", i])),
      class: "inline", ...props });
  }

  sentence(requirement, i) {
    const kind = kindOf(requirement);
    const number = (key, label, value, change) =>
      this.input(i, key, label, value, (text) => this.set(i, change(text), key), { inputmode: "decimal" });
    const qid = nameList(qidOf(requirement));
    const unit = unitOf(this.studio.doc);
    const whole = (key, label) => number(key, label, requirement[key], (text) => ({ ...requirement, [key]: wholeNumber(text) }));
    if (kind === "k") return ["At least ", whole("k", "How many share each combination"), ` ${unit} share each combination of `, ...qid, "."];
    if (kind === "confidence") return this.template(requirement, i, number, qid);
    if (kind === "distinct") {
      return ["In every group on ", ...qid, " the column ", this.sensitive(requirement, i), " has at least ",
        number("distinct", "How many different values", requirement.diversity.distinct,
          (text) => ({ ...requirement, diversity: { distinct: wholeNumber(text) } })), " different values",
        ...(requirement.by === undefined ? [] : [", where values count as one that have the same ",
          choice(groupings(requirement.by), requirement.by, (by) => this.set(i, { ...requirement, by }),
            { "aria-label": "What alike values have in common", "data-key": `${i} by`, class: "inline" })]),
        "."];
    }
    if (kind === "closeness") {
      return ["In every group on ", ...qid, " the shares of ", this.sensitive(requirement, i),
        " differ from those of the whole table by at most ",
        number("closeness", "Largest distance", requirement.closeness, (text) => ({ ...requirement, closeness: text })), "."];
    }
    if (kind === "lkc") {
      return ["Whoever knows any ",
        number("L", "How many columns an attacker knows", requirement.lkc.L,
          (text) => ({ ...requirement, lkc: { ...requirement.lkc, L: wholeNumber(text) } })), " of ", ...qid,
        " finds at least ", whole("k", "How many share each combination"), ` ${unit}.`];
    }
    return [words(this.studio.sentences[i] ?? "This sentence is not understood yet."), " ",
      el("span", { class: "quiet" }, "(It has no fields here; remove it, or change it in the policy file.)")];
  }

  template(requirement, i, number, qid) {
    const listed = listedValues(requirement);
    const { column, values, isTogether } = listed;
    const set = (text) => withValues(requirement, { ...listed, values: text.split("\n").filter(Boolean) });
    const move = (name) => this.set(i, withValues(requirement, { ...listed, column: name }));
    const box = el("textarea", { rows: Math.min(Math.max(values.length, 2), 8), "aria-label": "Values, one in a line", "data-key": `${i} values`, value: values.join("\n"),
      on: { input: (event) => this.set(i, set(event.target.value), "values") } });
    return ["In no group on ", ...qid, " may more than a share of ",
      number("confidence", "Largest share", requirement.confidence, (text) => ({ ...requirement, confidence: text })),
      " have in ", this.sensitive(requirement, i, column, move),
      isTogether ? " any of the values, all counted together (one in a line; a * at the end stands for all that begin so) "
        : " one of the values (one in a line) ", box];
  }

  sensitive(requirement, i, column = requirement.sensitive,
    change = (name) => this.set(i, { ...requirement, sensitive: name })) {
    const names = columnsOf(this.studio.doc, "sensitive");
    if (!names.length) return el("em", {}, "(no column is sensitive yet)");
    return choice(names.map((name) => [name, name]), column, change,
      { "aria-label": "Sensitive column", "data-key": `${i} sensitive`, class: "inline" });
  }

  columnsOf(requirement, i) {
    const chosen = qidOf(requirement);
    if (!chosen.length && !requirement.qid && !requirement.lkc) return null;
    if (!this.filters.has(i)) this.filters.set(i, { text: "" });
    const change = (names) => this.set(i, requirement.qid ? { ...requirement, qid: names }
      : { ...requirement, lkc: { ...requirement.lkc, attributes: names } });
    return el("details", { "data-key": `columns ${i}` },
      el("summary", {}, `Columns of sentence ${i + 1}: ${chosen.length} of ${columnsOf(this.studio.doc, "quasi-identifier").length}`),
      columnChooser(String(i), columnsOf(this.studio.doc, "quasi-identifier"), chosen, this.filters.get(i), change, () => this.studio.changed()));
  }
}
