// Every test that needs a look, with the failing input, by outcome and by words.

const chosenOutcomes = new Set();

function failureText(number) {
  const attempts = tests.details[number].attempts;
  return `${tests.ids[number]} ${outcomeOf(number).name} `
    + attempts.map((attempt) => attempt.detail).join(" ");
}

function lastLine(number) {
  const details = tests.details[number];
  const bad = details.attempts.find((attempt) => toneOf(attempt.outcome) !== "good");
  const lines = (details.note || bad?.detail || "").trim().split("\n");
  const said = bad?.snippet || details.note ? lines[0] : lines[lines.length - 1];
  return said.slice(0, 300);
}

function failure(number, open) {
  const id = tests.ids[number];
  const body = el("div", { class: "body" });
  const [file, ...name] = id.split("::");
  const title = el("span", { class: "name" },
    name.length ? [el("span", { class: "file" }, `${file}::`), name.join("::")] : id);
  const element = el("details", { class: "failure", open, "data-test": id },
    el("summary", {}, badge(outcomeOf(number)), title,
      el("span", { class: "said" }, lastLine(number))), body);
  const fill = () => {
    if (!element.open || body.childElementCount) return;
    body.append(...evidence(tests.details[number]));
    const place = cellOfTest(number);
    if (place) body.append(el("p", {}, el("a", { href: place.link }, `Cell ${place.name}`)));
  };
  element.addEventListener("toggle", fill);
  fill();
  return element;
}

function failures(query, wanted) {
  const noted = Object.keys(tests.details).map(Number);
  if (wanted) return oneFailure(noted, wanted);
  const counts = tally(noted, (number) => outcomeOf(number).name);
  const fits = matcher(query);
  const shown = noted.filter((number) =>
    (!chosenOutcomes.size || chosenOutcomes.has(outcomeOf(number).name))
    && fits(failureText(number)));
  say(count(shown.length, "failure"));
  if (!noted.length) return [el("p", { class: "empty" }, "✓ Nothing needs a look.")];
  const list = el("div");
  const more = el("button", { type: "button", class: "more" });
  let drawn = 0;
  const next = () => {
    list.append(...shown.slice(drawn, drawn + 50).map((number, index) =>
      failure(number, drawn + index === 0)));
    drawn = Math.min(shown.length, drawn + 50);
    more.hidden = drawn === shown.length;
    more.textContent = `Show more (${drawn} of ${shown.length})`;
  };
  more.addEventListener("click", next);
  next();
  return [switches(data.outcomes, counts, chosenOutcomes, redraw),
    el("p", { class: "found" }, `${shown.length} of ${count(noted.length, "test")}`), list, more];
}

function oneFailure(noted, wanted) {
  const number = noted.find((candidate) => tests.ids[candidate] === wanted);
  const back = el("p", {}, el("a", { href: "#failures" }, "All failures"));
  if (number === undefined) return [back, el("p", {}, `No failure of ${wanted}.`)];
  return [back, failure(number, true)];
}
