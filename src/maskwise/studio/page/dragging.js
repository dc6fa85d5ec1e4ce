/** What is being dragged, between a tray and a tree of this page. */

let dragged = null;

/**
 * Make the rows of a list draggable.
 * @param {import("./key_list.js").KeyList} list
 * @param {"tree"|"tray"} from
 */
export function letDrag(list, from) {
  list.host.addEventListener("dragstart", (event) => {
    const label = list.labels[Number(event.target.closest("[data-index]").dataset.index)];
    dragged = { from, labels: list.selected.has(label) ? list.subject : [label] };
    event.dataTransfer.setData("text/plain", "");
    event.dataTransfer.effectAllowed = "move";
  });
}

/**
 * Let rows be dropped.
 * @param {HTMLElement} place
 * @param {(dragged: {from: "tree"|"tray", labels: string[]}, row: HTMLElement|null) => void} drop
 */
export function letDrop(place, drop) {
  let over = null;
  const mark = (row) => {
    over?.classList.remove("over");
    over = row;
    over?.classList.add("over");
  };
  place.addEventListener("dragover", (event) => {
    if (!dragged) return;
    event.preventDefault();
    mark(event.target.closest("[data-index]") ?? place);
  });
  place.addEventListener("dragleave", () => mark(null));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    mark(null);
    const what = dragged;
    dragged = null;
    if (what) drop(what, event.target.closest("[data-index]"));
  });
}
