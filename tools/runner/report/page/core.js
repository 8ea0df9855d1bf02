// Data, elements, and the parts that every view is made of.

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const PAGE_ROWS = 100; // rows that are drawn at a time

const MARKS = { good: "✓", bad: "✗", known: "≈", quiet: "–", unsteady: "~", none: "·" };
const mark = (kind) => (kind.name === "blank" ? "?" : MARKS[kind.tone] || "◆");

function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// Names that come as the length shared with the name before, and the rest.
function readNames(packed) {
  const names = [];
  let before = "";
  for (let place = 0; place < packed.length; place += 2) {
    before = before.slice(0, packed[place]) + packed[place + 1];
    names.push(before);
  }
  return names;
}

// Numbers that come as a value and how often it stands.
function readRuns(packed, size) {
  const numbers = new Uint32Array(size);
  let end = 0;
  for (let place = 0; place < packed.length; place += 2) {
    numbers.fill(packed[place], end, end + packed[place + 1]);
    end += packed[place + 1];
  }
  return numbers;
}

function say(text) {
  byId("status").textContent = text;
}

const count = (number, name) =>
  `${number.toLocaleString("en")} ${name}${number === 1 || !name ? "" : "s"}`;

function seconds(ms) {
  if (ms < 1000) return `${ms} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60000).toFixed(1)} min`;
}

function badge(kind) {
  const sign = el("span", { "aria-hidden": "true" }, mark(kind));
  return el("span", { class: `badge ${kind.tone}` }, sign, ` ${kind.name.replaceAll("_", " ")}`);
}

// True when each word of the query is in the text.
function matcher(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

// A table whose rows are drawn when the reader gets near to them.
function longTable(headings, rows, draw, caption) {
  const body = el("tbody");
  const more = el("button", { type: "button", class: "more" });
  let drawn = 0;
  const next = () => {
    body.append(...rows.slice(drawn, drawn + PAGE_ROWS).map(draw));
    drawn = Math.min(rows.length, drawn + PAGE_ROWS);
    more.hidden = drawn === rows.length;
    more.textContent = `Show more (${drawn.toLocaleString("en")} of ${count(rows.length, "row")})`;
  };
  more.addEventListener("click", next);
  next();
  new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting) && !more.hidden) next();
  }, { rootMargin: "400px" }).observe(more);
  const head = el("tr", {}, headings.map((text) => el("th", { scope: "col" }, text)));
  const table = el("table", { class: "rows" },
    el("caption", {}, caption), el("thead", {}, head), body);
  return el("div", { class: "scroll" }, table, more);
}

function choice(label, values, chosen, change) {
  const options = values.map((value) => el("option", { selected: value === chosen }, value));
  const select = el("select", { onchange: () => change(select.value) }, options);
  return el("label", { class: "choice" }, `${label} `, select);
}

// A row of switches, one for each kind that occurs; `chosen` is the set of those that are on.
function switches(kinds, counts, chosen, change) {
  const buttons = kinds.filter((kind) => counts[kind.name]).map((kind) => {
    const number = el("span", { class: "number" }, counts[kind.name].toLocaleString("en"));
    const button = el("button", {
      type: "button", class: "switch", "aria-pressed": String(chosen.has(kind.name)),
      "data-kind": kind.name,
      onclick: () => {
        if (!chosen.delete(kind.name)) chosen.add(kind.name);
        change();
        document.querySelector(`.switch[data-kind="${kind.name}"]`)?.focus();
      },
    }, badge(kind), number);
    return button;
  });
  return el("div", { class: "switches", role: "group", "aria-label": "Filter" }, buttons);
}

function tally(items, name) {
  const counts = {};
  for (const item of items) counts[name(item)] = (counts[name(item)] || 0) + 1;
  return counts;
}

// A bar of parts in proportion, with the same said in words.
function proportion(parts) {
  const total = parts.reduce((sum, part) => sum + part.value, 0) || 1;
  const words = parts.map((part) => `${part.value} ${part.name}`).join(", ");
  const pieces = parts.filter((part) => part.value).map((part) =>
    el("span", { class: part.tone, style: `flex-grow:${part.value / total}` }));
  return el("div", { class: "proportion", role: "img", "aria-label": words }, pieces);
}
