/** The server's interface: every request carries the token, every error is a sentence of maskwise. */

const KEY = "maskwise-token";
const TAB_KEY = "maskwise-tab";
const TAB = sessionStorage.getItem(TAB_KEY) ?? crypto.randomUUID().replaceAll("-", "");
sessionStorage.setItem(TAB_KEY, TAB);
let table = null;

/** Say of every request from now on which table it is about; another tab may open another one. @param {string|null} id */
export function askAbout(id) {
  table = id;
}

/** What the server refused, in its own words. */
export class Refusal extends Error {
  /** @param {number} status @param {{text: string, remedy?: string, more?: Array}} error */
  constructor(status, error) {
    super(errorText(error));
    this.status = status;
  }
}

/** An error of the server in its own words. @param {{text: string, remedy?: string, more?: Array}} error @returns {string} */
export function errorText(error) {
  return [error.text, error.remedy, ...(error.more ?? []).map(errorText)].filter(Boolean).join(" ");
}

/** Take the token out of the address, so that it is in no history; a reload of the tab finds it again. */
export function takeToken() {
  const given = location.hash.match(/^#(?:token=)?([A-Za-z0-9_-]{32,})$/);
  if (!given) return;
  sessionStorage.setItem(KEY, given[1]);
  history.replaceState(null, "", location.pathname);
}

/**
 * Ask the server.
 * @param {string} name Of the request, such as `columns`.
 * @param {Object} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function call(name, body = {}, signal = undefined) {
  return send(name, JSON.stringify(body), { "Content-Type": "application/json" }, signal);
}

/**
 * Give the server a file to open.
 * @param {File} file
 */
export function upload(file) {
  const headers = { "Content-Type": "application/octet-stream", "X-File-Name": encodeURIComponent(file.name) };
  return send("upload", file, headers);
}

async function send(name, body, headers, signal = undefined) {
  let answer;
  try {
    const token = sessionStorage.getItem(KEY) ?? "";
    const about = table === null ? {} : { "X-Maskwise-Table": table };
    answer = await fetch(`/api/${name}`, { method: "POST", body, signal, cache: "no-store",
      headers: { ...headers, ...about, "X-Maskwise-Token": token, "X-Maskwise-Tab": TAB } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, { text: "The studio does not answer.", remedy: "Start it again with: maskwise studio" });
  }
  const said = await readJson(answer);
  if (!answer.ok) throw new Refusal(answer.status, said.error ?? { text: `The studio refused: ${answer.status}.` });
  return said;
}

async function readJson(answer) {
  try {
    return await answer.json();
  } catch {
    return {};
  }
}
