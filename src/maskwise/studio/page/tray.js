/** The values that have no place in the tree yet. */

import { button, field } from "./controls.js";
import { letDrag } from "./dragging.js";
import { count, data, el, plural } from "./dom.js";
import { KeyList } from "./key_list.js";

export class Tray {
  /** @param {(values: string[]) => void} place Put values into the tree. */
  constructor(place) {
    this.place = place;
    this.filter = "";
    this.values = [];
    this.counts = new Map();
    this.title = el("h3", {}, "No place yet");
    this.target = el("bdi", {});
    this.put = el("button", { type: "button", on: { click: () => this.placeChosen() } }, "Put under ", this.target);
    this.putAll = button("Put all listed there", () => this.place(this.list.labels));
    this.host = el("div", { class: "tray list", role: "listbox", "aria-label": "Values without a place" });
    this.host.addEventListener("keydown", (event) => event.key === "Enter" && this.placeChosen());
    this.list = new KeyList(this.host, (label) => this.row(label), () => {});
    letDrag(this.list, "tray");
    this.search = field("Find a value", "", (text) => { this.filter = text; this.draw(); });
    this.empty = el("p", { class: "quiet" }, "Every value of the column has its place.");
    this.element = el("div", { class: "tray-box" }, this.title, this.empty, this.search, this.host,
      el("div", { class: "buttons" }, this.put, this.putAll));
  }

  /**
   * @param {string[]} values
   * @param {Map<string, number>} counts
   * @param {string} target The group that they would be put under.
   */
  show(values, counts, target) {
    this.values = values;
    this.counts = counts;
    this.target.textContent = target;
    this.draw();
  }

  draw() {
    const isEmpty = !this.values.length;
    this.title.textContent = isEmpty ? "No place yet: none" : `No place yet: ${plural(this.values.length, "value")}`;
    this.empty.hidden = !isEmpty;
    for (const part of [this.search, this.host, this.put, this.putAll]) part.hidden = isEmpty;
    const wanted = this.filter.toLowerCase();
    this.list.setLabels(wanted ? this.values.filter((value) => value.toLowerCase().includes(wanted)) : this.values);
  }

  placeChosen() {
    this.place(this.list.subject);
  }

  row(label) {
    return el("div", { role: "option", draggable: true }, el("span", { class: "label" }, data(label)),
      el("span", { class: "number" }, count(this.counts.get(label))));
  }
}
