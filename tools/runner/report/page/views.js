// One view at a time, chosen by the address; a search for each; keys for all of it.

const state = { views: [], current: null, path: [], queries: {}, options: {} };

function startViews(views, options) {
  Object.assign(state, { views, options });
  byId("tabs").append(...views.map((view, index) => {
    const extra = view.number
      ? el("span", { class: `number${view.quiet ? " quiet" : ""}` }, view.number) : null;
    return el("a", { href: `#${view.id}`, "data-view": view.id,
      "aria-keyshortcuts": String(index + 1) }, view.name, extra);
  }));
  addEventListener("hashchange", follow);
  byId("search").addEventListener("input", onSearch);
  byId("theme").addEventListener("click", switchTheme);
  byId("help").addEventListener("click", () => byId("keys").showModal());
  document.addEventListener("keydown", onKey);
  listKeys();
  follow();
}

// #view/path/of/it?filter
function follow() {
  const [place, filter] = location.hash.slice(1).split("?");
  const [id, ...path] = place.split("/").map(decodeURIComponent);
  const view = state.views.find((candidate) => candidate.id === id) || state.views[0];
  state.options.leave?.();
  Object.assign(state, { current: view, path });
  if (filter && view.filter) {
    view.filter.clear();
    view.filter.add(decodeURIComponent(filter));
  }
  byId("search").value = state.queries[view.id] || "";
  for (const tab of byId("tabs").children) {
    if (tab.dataset.view === view.id) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  redraw();
  scrollTo(0, 0);
  view.after?.(path);
}

function redraw() {
  const { current, path, queries } = state;
  byId("view").replaceChildren(...current.draw(queries[current.id] || "", path).filter(Boolean));
}

let waiting = 0;
function onSearch() {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    state.queries[state.current.id] = byId("search").value;
    state.path = [];
    redraw();
  }, 80);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Escape") return escapeKey(event, typing);
  if (typing) return;
  const view = state.views[Number(event.key) - 1];
  if (view) location.hash = view.id;
  else if (event.key === "/") byId("search").focus();
  else if (event.key === "?") byId("keys").showModal();
  else if (event.key === "t") switchTheme();
  else return;
  event.preventDefault();
}

function escapeKey(event, typing) {
  if (!typing) return state.options.escape?.();
  if (event.target.value && event.target.id === "search") {
    event.target.value = "";
    onSearch();
  }
  event.target.blur();
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

function listKeys() {
  const keys = [[`1 - ${state.views.length}`, "the parts of the report"], ["/", "search"],
    ["Esc", "clear the search, close the drawer"], ["t", "light or dark"],
    ["?", "this list"], ...(state.options.keys || [])];
  byId("key-list").append(...keys.flatMap(([key, text]) =>
    [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)]));
}
