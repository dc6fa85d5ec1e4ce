/** A windowed list that is walked through and chosen from by keys and mouse; trees and trays are such lists. */

import { VirtualList } from "./virtual_list.js";

const HEIGHT = 30;
const TYPING = 800;
const PAGE = 10;
const NOTHING = { text: "", at: -Infinity };

let lists = 0;

export class KeyList {
  /**
   * @param {HTMLElement} host With its role and name; it takes the focus for all rows.
   * @param {(label: string, index: number) => HTMLElement} drawRow
   * @param {() => void} moved Called when another row is the active one, or others are chosen.
   */
  constructor(host, drawRow, moved) {
    Object.assign(this, { host, drawRow, moved });
    this.id = `list${(lists += 1)}`;
    /** @type {string[]} */
    this.labels = [];
    this.active = 0;
    this.selected = new Set();
    this.typed = NOTHING;
    host.tabIndex = 0;
    host.setAttribute("aria-multiselectable", "true");
    this.list = new VirtualList(host, HEIGHT, (index) => this.row(index));
    host.addEventListener("keydown", (event) => this.press(event));
    host.addEventListener("click", (event) => this.click(event));
  }

  /** @returns {string|undefined} */
  get activeLabel() {
    return this.labels[this.active];
  }

  /** What a command is about: the chosen labels, or else the active one. @returns {string[]} */
  get subject() {
    if (this.selected.size) return this.labels.filter((label) => this.selected.has(label));
    return this.activeLabel === undefined ? [] : [this.activeLabel];
  }

  /** @param {string[]} labels */
  setLabels(labels) {
    const was = this.activeLabel;
    this.labels = labels;
    const known = new Set(labels);
    this.selected = new Set([...this.selected].filter((label) => known.has(label)));
    const again = labels.indexOf(was);
    this.active = again >= 0 ? again : Math.max(0, Math.min(this.active, labels.length - 1));
    this.list.setLength(labels.length);
    this.mark();
  }

  row(index) {
    const label = this.labels[index];
    const row = this.drawRow(label, index);
    row.id = `${this.id}-${index}`;
    row.dataset.index = String(index);
    row.classList.add("row");
    row.setAttribute("aria-selected", String(this.selected.has(label)));
    if (index === this.active) row.classList.add("active");
    return row;
  }

  mark() {
    if (this.labels.length) this.host.setAttribute("aria-activedescendant", `${this.id}-${this.active}`);
    else this.host.removeAttribute("aria-activedescendant");
  }

  /** @param {number} index @param {boolean} [isExtending] Choose all rows between. */
  goTo(index, isExtending = false) {
    const to = Math.max(0, Math.min(index, this.labels.length - 1));
    if (isExtending) {
      const [low, high] = [Math.min(to, this.active), Math.max(to, this.active)];
      for (let i = low; i <= high; i += 1) this.selected.add(this.labels[i]);
    }
    this.active = to;
    this.list.reveal(to);
    this.mark();
    this.moved();
  }

  /** @param {string} label */
  goToLabel(label) {
    const index = this.labels.indexOf(label);
    if (index >= 0) this.goTo(index);
  }

  /** Choose a row or take it out of the choice. @param {number} index */
  toggle(index) {
    const label = this.labels[index];
    if (!this.selected.delete(label)) this.selected.add(label);
    this.goTo(index);
  }

  clear() {
    this.selected.clear();
    this.list.refresh();
    this.moved();
  }

  press(event) {
    if (event.altKey || !this.labels.length) return;
    const steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -PAGE, PageDown: PAGE, Home: -Infinity, End: Infinity };
    if (event.key in steps && !event.ctrlKey) this.goTo(this.active + steps[event.key], event.shiftKey);
    else if (event.key === " " && !this.goesOnTyping()) this.toggle(this.active);
    else if (event.key === "Escape") this.clear();
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) this.selectAll();
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.type(event.key);
      return;
    } else return;
    event.preventDefault();
    this.typed = NOTHING;
  }

  selectAll() {
    this.selected = new Set(this.labels);
    this.goTo(this.active);
  }

  /** Whether a space belongs to a label that is being typed. */
  goesOnTyping() {
    const text = `${this.typed.text} `;
    return performance.now() - this.typed.at < TYPING && this.labels.some((label) => label.toLowerCase().startsWith(text));
  }

  /** Go to the next row that begins with what was typed. @param {string} letter */
  type(letter) {
    const now = performance.now();
    const text = (now - this.typed.at < TYPING ? this.typed.text : "") + letter.toLowerCase();
    this.typed = { text, at: now };
    const n = this.labels.length;
    const from = text.length > 1 ? this.active : this.active + 1;
    for (let i = 0; i < n; i += 1) {
      const at = (from + i) % n;
      if (this.labels[at].toLowerCase().startsWith(text)) {
        this.goTo(at);
        return;
      }
    }
  }

  click(event) {
    const row = event.target.closest("[data-index]");
    if (!row) return;
    const index = Number(row.dataset.index);
    if (event.ctrlKey || event.metaKey) {
      // The row that was clicked first belongs to the choice.
      if (!this.selected.size) this.selected.add(this.activeLabel);
      this.toggle(index);
    } else {
      if (!event.shiftKey) this.selected.clear();
      this.goTo(index, event.shiftKey);
    }
  }
}
