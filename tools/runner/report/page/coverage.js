// Lines that the run's processes executed, the least covered files first.

function coverageRow(file) {
  const missed = file.lines - file.covered;
  return el("tr", {}, el("td", {}, el("code", {}, file.file)),
    el("td", { class: "right" }, percent(file.lines ? file.covered / file.lines : 1)),
    el("td", { class: "wide" }, proportion([
      { name: "run", tone: "good", value: file.covered },
      { name: "not run", tone: "bad", value: missed }])),
    el("td", { class: "right" }, missed.toLocaleString("en")),
    el("td", { class: "lines" }, file.missing || ""));
}

function coverage(query) {
  const found = data.coverage;
  if (!found) {
    return [el("p", { class: "empty" }, "Not measured. Python: run_test.py --coverage; "
      + "C++ and Python: tox -e coverage")];
  }
  const fits = matcher(query);
  return found.languages.map((language) => {
    const files = language.files.filter((file) => fits(file.file))
      .sort((a, b) => (b.lines - b.covered) - (a.lines - a.covered));
    return section(`${language.name}: ${percent(language.covered / language.lines)} of `
      + count(language.lines, "line"), el("p", { class: "found" }, language.note),
    longTable(["file", "run", "", "lines not run", "which"], files, coverageRow,
      count(files.length, "file")));
  });
}
