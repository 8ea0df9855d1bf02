// Which view is shown, the search, and the keys.

const noted = Object.keys(tests.details).length;
startViews([
  { id: "overview", name: "Overview", draw: () => overview() },
  { id: "failures", name: "Failures", number: noted, draw: (query, path) => failures(query, path[0]) },
  { id: "matrix", name: "Matrix", draw: (query) => matrix(query), after: openFromPath,
    filter: chosenVerdicts },
  { id: "mutants", name: "Mutants", draw: (query) => mutants(query) },
  { id: "coverage", name: "Coverage", draw: (query) => coverage(query) },
  { id: "tests", name: "Tests", draw: (query) => allTests(query), filter: chosenTests },
], { leave: closeCell, escape: closeCell, keys: [["↑ ↓ ← →", "from box to box of the matrix"],
  ["Enter", "open a box, an op, or a failure"]] });

function openFromPath(path) {
  if (path.length < 3) return;
  shown.impl = grids.some((grid) => grid.impl === path[0]) ? path[0] : ALL;
  openCell(path[1], path[2]);
}
