"""The table of a run: one line a workload while it runs, and a summary by group at the end."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from tools.bench import limits
from tools.bench.measure import Result

FAILURES = ("unsupported", "crashed", "hung")


def quantity(value: float, unit: str) -> str:
    """A value with three digits and a fitting unit."""
    if unit == "B":
        return f"{value / 1e6:.4g} MB"
    scales = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
    scale, name = next((row for row in scales if value >= row[0]), scales[-1])
    return f"{value / scale:.3g} {name}" if value < 1000 * scale else f"{value / scale:.0f} {name}"


def rate(facts: dict[str, Any], seconds: float) -> str:
    """Flops or bytes per second, whichever the workload states."""
    if facts.get("flops"):
        return f"{facts['flops'] / seconds / 1e9:.4g} GF/s"
    return f"{facts['bytes'] / seconds / 1e9:.3g} GB/s" if facts.get("bytes") else ""


def geometric_mean(values: Iterable[float | None]) -> float | None:
    """Of those values that are there and not 0; None if there is none."""
    logs = [math.log(value) for value in values if value]
    return math.exp(statistics.fmean(logs)) if logs else None


class Table:
    """Keeps a row for each workload and prints it."""

    def __init__(self, names: Sequence[str], machine: dict[str, float], stat: str) -> None:
        self.names, self.machine, self.stat = list(names), machine, stat
        self.base = self.names[0]
        self.rows: list[dict[str, Any]] = []
        self.told: set[tuple[str, str]] = set()
        self.seconds: dict[str, float] = {}

    def header(self) -> None:
        """Print the names of the columns."""
        cells = [f"{'workload':42}"]
        cells += [f"{name[:10]:>10} {'rate':>11} {'limit':>6} {'/ref':>6}" for name in self.names]
        cells += [f"{name[:8] + '/' + self.base[:8]:>14}" for name in self.names[1:]]
        print("  ".join(cells))

    def value(self, result: Result, what: str) -> float:
        """The one number that the samples stand for."""
        if self.stat == "median":
            return float(statistics.median(result[what]))
        return float(min((self.stat == "cpu" and result.get(what + "_cpu")) or result[what]))

    def add(self, key: str, results: dict[str, Result], unit: str = "s") -> None:
        """Print a line and keep a row; `results`: name -> {run, ref, facts} or {error, kind}."""
        for name in self.names:
            result = results[name]
            if "error" in result:
                continue
            result["value"] = self.value(result, "run")
            if result.get("ref"):
                result["vs_ref"] = result["value"] / self.value(result, "ref")
            if name != self.base and "value" in results[self.base]:
                result["ratio"] = result["value"] / results[self.base]["value"]
        self.rows.append({"workload": key, "unit": unit, "impls": results})
        self.compare_with_limit(self.rows[-1])
        self.line(self.rows[-1])
        if any(r.get("facts", {}).get("extra") for r in results.values()):
            self.add(f"{key}.first_call", {name: _first_call(r) for name, r in results.items()})

    def compare_with_limit(self, row: dict[str, Any]) -> None:
        """Say of each result what share of its time the machine's limit is."""
        for result in row["impls"].values():
            least = limits.least_time(result.get("facts", {}), self.machine)
            if least and "value" in result:
                result["of_limit"] = least / result["value"]

    def line(self, row: dict[str, Any]) -> None:
        """Print one row, and the reason of a failure the first time it is met."""
        cells, notes = [f"{row['workload']:42}"], []
        for name in self.names:
            r = row["impls"][name]
            if "error" in r:
                cells.append(f"{r['kind']:>10} {'':11} {'':6} {'':6}")
                if (name, r["error"]) not in self.told:
                    self.told.add((name, r["error"]))
                    notes.append(f"    {name}: {r['error']}")
                continue
            limit = f"{r['of_limit']:.0%}" if "of_limit" in r else ""
            ref = f"{r['vs_ref']:.3g}" if "vs_ref" in r else ""
            shown = quantity(r["value"], row["unit"])
            cells.append(
                f"{shown:>10} {rate(r.get('facts', {}), r['value']):>11} {limit:>6} {ref:>6}"
            )
        for name in self.names[1:]:
            r = row["impls"][name]
            cells.append(f"{r['ratio']:14.3f}" if "ratio" in r else f"{'-':>14}")
        print("\n".join(["  ".join(cells), *notes]), flush=True)

    def summary(self) -> dict[str, Any]:
        """Print and return geometric means by group."""
        for row in self.rows:
            self.compare_with_limit(row)  # by the best limits seen
        print(
            f"\nsummary: geometric means (a ratio below 1 is faster than {self.base}); "
            "how many were unsupported / crashed / hung; seconds it took to measure"
        )
        cells = [f"{'group':14} {'rows':>5}"] + [f"{n[:10] + ' of limit':>20}" for n in self.names]
        cells += [f"{n[:8] + '/' + self.base[:8]:>14}" for n in self.names[1:]]
        cells += [f"{n[:10] + ' u/c/h':>17}" for n in self.names]
        print("  ".join([*cells, "seconds"]))
        groups = dict.fromkeys(r["workload"].split("/")[0] for r in self.rows)
        out = {group: self.group_summary(group) for group in [*groups, "all"]}
        for group, entry in out.items():
            self.summary_line(group, entry)
        return out

    def group_summary(self, group: str) -> dict[str, Any]:
        """The means and failures of one group, or of all."""
        rows = [r for r in self.rows if group in ("all", r["workload"].split("/")[0])]
        entry: dict[str, Any] = {"rows": len(rows), "of_limit": {}, "ratio": {}, "failed": {}}
        for name in self.names:
            results = [r["impls"][name] for r in rows]
            entry["of_limit"][name] = geometric_mean(r.get("of_limit") for r in results)
            entry["ratio"][name] = geometric_mean(r.get("ratio") for r in results)
            entry["failed"][name] = [sum(r.get("kind") == k for r in results) for k in FAILURES]
        entry["seconds"] = self.seconds.get(group, sum(self.seconds.values()))
        return entry

    def summary_line(self, group: str, entry: dict[str, Any]) -> None:
        """Print one group's means."""
        cells = [f"{group:14} {entry['rows']:5}"]
        for name in self.names:
            limit = entry["of_limit"][name]
            cells.append(f"{'' if limit is None else format(limit, '.0%'):>20}")
        for name in self.names[1:]:
            ratio = entry["ratio"][name]
            cells.append(f"{'-' if ratio is None else format(ratio, '.3f'):>14}")
        for name in self.names:
            cells.append(f"{'/'.join(map(str, entry['failed'][name])):>17}")
        print("  ".join([*cells, f"{entry['seconds']:7.0f}"]))


def _first_call(result: Result) -> Result:
    return result if "error" in result else {"run": [result["facts"]["extra"]["first_call"]]}
