// All tests: by words, outcome and time.

const chosenTests = new Set();

function testRow(number) {
  return el("tr", {}, el("td", {}, badge(outcomeOf(number))),
    el("td", { class: "right" }, seconds(tests.ms[number])), el("td", {}, testLink(number)));
}

function allTests(query) {
  const fits = matcher(query);
  const numbers = tests.ids.map((_, number) => number);
  const counts = tally(numbers, (number) => outcomeOf(number).name);
  const rows = numbers.filter((number) =>
    (!chosenTests.size || chosenTests.has(outcomeOf(number).name)) && fits(tests.ids[number]))
    .sort((a, b) => tests.ms[b] - tests.ms[a]);
  say(count(rows.length, "test"));
  return [switches(data.outcomes, counts, chosenTests, redraw),
    longTable(["outcome", "time", "test"], rows, testRow,
      `${rows.length.toLocaleString("en")} of ${count(numbers.length, "test")}, the slowest first`)];
}
