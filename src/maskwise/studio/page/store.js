/** A value with everything that it was before: unlimited undo and redo. Values are never changed in place. */

const TOGETHER = 1500;

/** @template T */
export class History {
  /** @param {T} first @param {() => number} [clock] Milliseconds. */
  constructor(first, clock = () => performance.now()) {
    this.listeners = new Set();
    this.clock = clock;
    this.reset(first);
  }

  /** Begin with another value; what was before is forgotten. @param {T} value */
  reset(value) {
    this.past = [];
    this.future = [];
    this.present = value;
    this.last = { key: null, at: 0 };
    this.tell();
  }

  /**
   * Change the value. Letters typed into one field shortly after one another are undone together.
   * @param {T} value
   * @param {string|null} [key] The field, where changes may be joined.
   */
  set(value, key = null) {
    if (value === this.present) return;
    const now = this.clock();
    const isJoined = key !== null && key === this.last.key && now - this.last.at < TOGETHER;
    if (!isJoined) this.past.push(this.present);
    this.future = [];
    this.present = value;
    this.last = { key, at: now };
    this.tell();
  }

  /** What is typed from now on is undone by itself. */
  separate() {
    this.last = { key: null, at: 0 };
  }

  undo() {
    this.go(this.past, this.future);
  }

  redo() {
    this.go(this.future, this.past);
  }

  /** @param {T[]} from @param {T[]} to */
  go(from, to) {
    if (!from.length) return;
    to.push(this.present);
    this.present = from.pop();
    this.separate();
    this.tell();
  }

  /** @param {() => void} listener */
  subscribe(listener) {
    this.listeners.add(listener);
  }

  tell() {
    for (const listener of this.listeners) listener();
  }
}
