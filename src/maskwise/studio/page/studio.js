/**
 * What the page knows: the table, its columns, the document with its history, what maskwise remarks on it, and the
 * search. Steps read it and call its verbs; `changed` redraws the step that is shown.
 */

import { askAbout, call, errorText, upload } from "./api.js";
import { announce, plural } from "./dom.js";
import { fromDraft, policyOf, proposedDoc, setRoles, toDraft } from "./policy_doc.js";
import { Run } from "./run.js";
import { History } from "./store.js";

const EMPTY = { roles: new Map(), entries: new Map(), trees: new Map(), requirements: [], rest: {}, options: {} };
const PAUSE = 350;
const BUSY = 409;

export class Studio {
  constructor() {
    this.history = new History(EMPTY);
    this.source = null;
    this.columns = null;
    this.suggestedK = 10;
    this.remarks = [];
    /** What maskwise says each requirement asks. */
    this.sentences = [];
    this.isChecked = false;
    this.run = null;
    this.isOtherTabSearching = false;
    this.error = null;
    this.busy = null;
    this.draftState = "";
    this.isRestored = false;
    this.isOpening = false;
    this.exported = null;
    this.isClosed = false;
    /** The column whose tree is looked at, and the step of the search that is released. */
    this.treeColumn = null;
    this.chosenStep = null;
    this.chosenResult = null;
    this.toldRoles = null;
    this.listeners = new Set();
    this.history.subscribe(() => this.docChanged());
  }

  /** @returns {import("./policy_doc.js").Doc} */
  get doc() {
    return this.history.present;
  }

  /** @param {() => void} listener */
  subscribe(listener) {
    this.listeners.add(listener);
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  /** Ask the server how things stand: after a reload nothing is lost. */
  async begin() {
    await this.during("Connecting to the studio", async () => {
      let state = await call("state");
      this.isOtherTabSearching = Boolean(state.is_other_tab_searching);
      this.error = state.error ? errorText(state.error) : null;
      if (!state.source) return;
      if (state.run?.is_running) {
        await this.waitFor(state);
        state = await call("state");
      }
      const isUsed = await this.useSource(state);
      if (isUsed && state.run?.kind === "search") this.follow(state.run.id);
    });
  }

  /** While a search runs the table answers nothing else: show the search first. @param {Object} state */
  async waitFor(state) {
    this.source = state.source;
    this.busy = null;
    await this.follow(state.run.id);
    this.isOtherTabSearching = false;
  }

  /**
   * Do something that takes a while; the step says what, and what went wrong.
   * @param {string} what
   * @param {() => Promise<void>} work
   */
  async during(what, work) {
    this.busy = what;
    this.error = null;
    this.changed();
    try {
      await work();
    } catch (error) {
      this.error = error.message;
      announce(error.message);
    }
    this.busy = null;
    this.changed();
  }

  /** @param {Object} where `path`, `example`, or `engine` and `table`. */
  open(where) {
    return this.during("Opening the table", () => this.openBy(() => call("open", where)));
  }

  /** @param {File} file */
  openFile(file) {
    return this.during(`Reading ${file.name}`, () => this.openBy(() => upload(file)));
  }

  /** @param {() => Promise<Object>} ask Asks the server to open a table. */
  async openBy(ask) {
    this.isOpening = true;
    const opened = await ask().finally(() => { this.isOpening = false; });
    await this.useSource(opened);
  }

  /**
   * Say what went wrong with a request that nobody waits for, unless its table is left: the server refuses such requests.
   * @param {Error} error @param {Object} source The table that it was about.
   */
  sayOfTable(error, source) {
    // While a search runs nothing else is done; it is made up for at its end.
    if (this.source === source && !this.isOpening && error.status !== BUSY) this.error = error.message;
  }

  /**
   * @param {{source: Object, draft: Object|null, policy?: Object|null}} opened What the server said of a table.
   * @returns {Promise<boolean>} Whether it is still wanted: meanwhile another table may have been opened.
   */
  async useSource({ source, draft, policy = null }) {
    this.source = source;
    askAbout(source.id ?? null);
    this.columns = null;
    this.treeColumn = null;
    this.run?.forget();
    this.run = null;
    this.exported = null;
    this.busy = `Counting ${plural(source.n_columns, "column")}`;
    this.changed();
    const found = await call("columns");
    if (this.source !== source) return false;
    this.columns = found.columns;
    this.suggestedK = found.suggested_k ?? 10;
    this.proposal = proposedDoc(found, policy);
    const restored = fromDraft(draft, source, found.columns.map((column) => column.name));
    this.isRestored = restored !== null;
    this.history.reset(restored ?? this.proposal);
    announce(`${source.name} is open: ${plural(source.n_columns, "column")}.`);
    return true;
  }

  /** Forget the draft; the proposals are the document again, which can be undone. */
  startAgain() {
    this.isRestored = false;
    this.history.set(this.proposal);
  }

  /** @param {string[]} names @param {string} role */
  setRoles(names, role) {
    this.history.set(setRoles(this.doc, names, role, this.suggestedK));
  }

  /** Values of columns are hidden by their roles, so the server has to know them. */
  async tellRoles() {
    const { source } = this;
    const { roles } = this.doc;
    if (roles === this.toldRoles) return;
    this.toldRoles = roles;
    try {
      const { columns } = await call("columns", { roles: Object.fromEntries(roles) });
      if (roles !== this.doc.roles || source !== this.source) return;
      this.columns = columns;
    } catch (error) {
      this.toldRoles = null;
      this.sayOfTable(error, source);
    }
    this.changed();
  }

  /** @param {Object} doc @param {string|null} [key] */
  edit(doc, key = null) {
    this.history.set(doc, key);
  }

  /** Whether the policy has changed since the search whose result is there. */
  get isOutOfDate() {
    return this.run?.state === "done" && this.isChangedSinceRun;
  }

  /** Whether a search that failed was one for another policy. */
  get isMended() {
    return this.run?.state === "failed" && this.isChangedSinceRun;
  }

  get isChangedSinceRun() {
    if (this.run.doc === this.doc) return false;
    const { compared } = this;
    if (compared?.was !== this.run.doc || compared?.is !== this.doc) {
      const isChanged = JSON.stringify(policyOf(this.run.doc)) !== JSON.stringify(policyOf(this.doc));
      this.compared = { was: this.run.doc, is: this.doc, isChanged };
    }
    return this.compared.isChanged;
  }

  docChanged() {
    this.isChecked = false;
    clearTimeout(this.timer);
    if (this.columns) {
      this.draftState = "Saving the draft …";
      this.timer = setTimeout(() => this.checkAndSave(), PAUSE);
      this.tellRoles();
    }
    this.changed();
  }

  /** Ask maskwise what it has to say of the policy, and save the draft. */
  async checkAndSave() {
    const { doc, source } = this;
    try {
      await call("draft", { draft: toDraft(doc, this.source) });
      // What was changed since, or another table, is saved by a call of its own.
      if (doc !== this.doc || source !== this.source) return;
      this.draftState = "Draft saved";
      const { remarks, sentences } = await call("check", { policy: policyOf(doc) });
      if (doc !== this.doc) return;
      this.sentences = sentences;
      this.sayMistakes(remarks);
      this.remarks = remarks;
      this.isChecked = true;
    } catch (error) {
      if (error.status !== BUSY && source === this.source) this.draftState = "";
      this.sayOfTable(error, source);
    }
    this.changed();
  }

  sayMistakes(remarks) {
    const mistakes = (list) => list.filter((remark) => remark.level === "mistake").length;
    const n = mistakes(remarks);
    if (n !== mistakes(this.remarks)) announce(n ? `${plural(n, "mistake")} in the policy.` : "No mistakes in the policy.");
  }

  /** Search with the policy as it is. */
  async search() {
    await this.during("Starting the search", async () => {
      const { run } = await call("search", { policy: policyOf(this.doc), options: this.doc.options });
      this.exported = null;
      this.follow(run);
    });
  }

  /** Listen to a run until its end. @param {string} id */
  async follow(id) {
    this.run?.forget();
    const run = new Run(id, () => this.changed());
    this.run = run;
    run.doc = this.doc;
    this.chosenStep = null;
    this.chosenResult = null;
    this.changed();
    await run.listen();
    await this.catchUp();
  }

  /** Make up for what the server refused while something was running. */
  async catchUp() {
    if (this.columns && this.toldRoles === null) await this.tellRoles();
    if (this.columns && !this.isChecked) await this.checkAndSave();
  }

  /** End the studio. */
  async close() {
    await this.during("Closing the studio", async () => {
      await call("quit");
      this.isClosed = true;
    });
  }
}
