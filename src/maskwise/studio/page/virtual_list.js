/** A list of any length of which only the rows in sight are elements. */

const MORE = 8;

export class VirtualList {
  /**
   * @param {HTMLElement} host What scrolls.
   * @param {number} height Of a row, in pixels.
   * @param {(index: number) => HTMLElement} draw
   */
  constructor(host, height, draw) {
    Object.assign(this, { host, height, draw });
    this.n = 0;
    this.inner = document.createElement("div");
    this.inner.className = "rows";
    this.inner.setAttribute("role", "presentation");
    host.replaceChildren(this.inner);
    host.addEventListener("scroll", () => this.refresh(), { passive: true });
    new ResizeObserver(() => this.refresh()).observe(host);
  }

  /** @param {number} n How many rows there are. */
  setLength(n) {
    this.n = n;
    this.inner.style.height = `${n * this.height}px`;
    this.refresh();
  }

  /** Draw the rows in sight. */
  refresh() {
    const first = Math.max(0, Math.floor(this.host.scrollTop / this.height) - MORE);
    const last = Math.min(this.n, Math.ceil((this.host.scrollTop + this.host.clientHeight) / this.height) + MORE);
    const rows = [];
    for (let i = first; i < last; i += 1) {
      const row = this.draw(i);
      row.style.top = `${i * this.height}px`;
      rows.push(row);
    }
    this.inner.replaceChildren(...rows);
  }

  /** Scroll as little as needed to show a row. @param {number} index */
  reveal(index) {
    const top = index * this.height;
    if (top < this.host.scrollTop) this.host.scrollTop = top;
    const bottom = top + this.height - this.host.clientHeight;
    if (bottom > this.host.scrollTop) this.host.scrollTop = bottom;
    this.refresh();
  }
}
