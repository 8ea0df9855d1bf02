// The mutation score: how many planted faults the suite sees, and those that it does not.

const chosenMutants = new Set();
const MUTANT_TONES = { killed: "good", survived: "bad", unreached: "bad", equivalent: "quiet" };

function scoreOf(counts) {
  const counted = Object.entries(counts).filter(([verdict]) => verdict !== "equivalent")
    .reduce((sum, [, number]) => sum + number, 0);
  return counted ? (counts.killed || 0) / counted : 1;
}

const percent = (share) => `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;

const mutantKind = (name) => ({ name, tone: MUTANT_TONES[name] || "bad" });

function scoreRow([name, counts]) {
  const parts = Object.entries(counts).map(([verdict, value]) => ({ ...mutantKind(verdict), value }));
  const said = parts.map((part) => `${part.value} ${part.name}`).join(", ");
  return el("tr", {}, el("th", { scope: "row" }, name),
    el("td", { class: "right" }, percent(scoreOf(counts))),
    el("td", { class: "wide" }, proportion(parts)), el("td", {}, said));
}

function scoreTable(title, groups, fits) {
  const rows = Object.entries(groups).filter(([name]) => fits(name))
    .sort((a, b) => scoreOf(a[1]) - scoreOf(b[1]));
  return section(`By ${title}`, longTable([title, "score", "", "mutants"], rows, scoreRow,
    `${count(rows.length, "row")}, the weakest first`));
}

function killTable(kills) {
  const rows = Object.entries(kills).sort((a, b) => b[1] - a[1]);
  const most = rows[0]?.[1] || 1;
  const draw = ([name, number]) => el("tr", {}, el("th", { scope: "row" }, name),
    el("td", { class: "right" }, number.toLocaleString("en")),
    el("td", { class: "meter" }, el("span", { style: `width:${(100 * number) / most}%` })));
  return section("Killed by check kind", longTable(["check kind", "kills", ""], rows, draw,
    "The check that failed first"));
}

function mutantRow(mutant) {
  const place = mutant.file ? `${mutant.file}${mutant.line ? `:${mutant.line}` : ""}` : mutant.id;
  const change = mutant.before || mutant.after
    ? [el("del", {}, mutant.before || ""), " → ", el("ins", {}, mutant.after || "")] : [];
  return el("tr", {}, el("td", {}, badge(mutantKind(mutant.verdict))),
    el("td", {}, mutant.ops.slice(0, 4).join(", "), mutant.ops.length > 4 ? ", ..." : ""),
    el("td", {}, mutant.class || mutant.kind),
    el("td", {}, el("code", {}, place), el("div", { class: "change" }, change),
      mutant.reason ? el("p", { class: "reason" }, mutant.reason) : null));
}

function aliveTable(fits) {
  const counts = tally(data.mutation.alive, (mutant) => mutant.verdict);
  const rows = data.mutation.alive.filter((mutant) =>
    (!chosenMutants.size || chosenMutants.has(mutant.verdict))
    && fits([mutant.verdict, mutant.class, mutant.kind, mutant.file, mutant.id, mutant.reason,
      ...mutant.ops].join(" ")));
  say(count(rows.length, "mutant"));
  return section("Not killed",
    switches(Object.keys(counts).map(mutantKind), counts, chosenMutants, redraw),
    longTable(["verdict", "ops", "class", "change"], rows, mutantRow,
      `${rows.length} of ${count(data.mutation.alive.length, "mutant")}`));
}

function mutants(query) {
  const score = data.mutation;
  if (!score) {
    return [el("p", { class: "empty" },
      "Not measured: this tree has no test/mutation/score.json. Make it: tox -e mutation")];
  }
  const fits = matcher(query);
  const parts = Object.entries(score.total).map(([name, value]) => ({ ...mutantKind(name), value }));
  const total = Object.values(score.total).reduce((sum, number) => sum + number, 0);
  return [section(`${percent(scoreOf(score.total))} of ${count(total, "mutant")}`,
    proportion(parts), el("p", { class: "found" },
      `${parts.map((part) => `${part.value} ${part.name}`).join(", ")}. `
      + `Equivalent mutants do not count. Measured ${score.date}, sources ${score.source_hash}.`)),
    el("div", { class: "columns" }, scoreTable("class", score.by.class, fits),
      el("div", {}, killTable(score.kills), scoreTable("kind", score.by.kind, () => true))),
    aliveTable(fits), scoreTable("op", score.by.op, fits)];
}
