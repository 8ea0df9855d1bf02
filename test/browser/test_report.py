"""The report page as a reader uses it: drill-down, search, keys, colours, and its speed."""

import pytest
import synthetic
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from tools.runner import run_this_file

VIEWS = ("overview", "failures", "matrix", "mutants", "coverage", "tests")
SIZES = {"phone": (390, 800), "laptop": (1280, 850), "wide": (1800, 1000)}
NAMES = ["#view [class~=badge]", "nav a", ".box", ".tile", ".said", "pre", "td", "th", "caption"]

# Each visible text and the background that it stands on, as [what, ratio] below 4.5.
CONTRAST = """
const linear = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const parts = (c) => c.match(/[\\d.]+/g).map(Number);
const light = (c) => 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2]);
const ground = (e) => {
  for (; e; e = e.parentElement) {
    const c = parts(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c;
  }
  throw new Error("nothing is opaque");
};
return [...document.querySelectorAll(arguments[0])].filter((e) => e.innerText.trim()).map((e) => {
  const pair = [light(parts(getComputedStyle(e).color)), light(ground(e))].sort((a, b) => b - a);
  return [e.className + ": " + e.innerText.slice(0, 30), (pair[0] + 0.05) / (pair[1] + 0.05)];
}).filter(([, ratio]) => ratio < 4.5);
"""

NAMELESS = """
return [...document.querySelectorAll("button, input, select")]
  .filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length))
  .map((e) => e.outerHTML);
"""


def test_the_failing_input_is_three_steps_from_the_matrix(page, report):
    page.open(report)
    page.one("nav a[data-view=matrix]").click()
    box = page.one(".box[data-op=op_0001][data-check=values]")
    assert "1 fail" in box.get_attribute("aria-label")
    box.click()
    drawer = page.text("#drawer")
    assert "float32" in drawer and synthetic.MESSAGE in drawer
    assert synthetic.SNIPPET in drawer
    assert f"run_test.py '{synthetic.FAILING}' --impl cepheid" in drawer
    assert "bool" in drawer and "has no meaning in" in drawer
    page.press(Keys.ESCAPE)
    assert not page.all("#drawer")
    assert page.script("return document.activeElement.dataset.op") == "op_0001"


def test_dtypes_are_below_their_op(page, report):
    page.open(report, "#matrix")
    page.one(".op[data-op=op_0001]").click()
    rows = page.all("tr.below")
    assert len(rows) == 6
    marks = {row.find_element("css selector", "th").text: row for row in rows}
    label = marks["float32"].find_elements("css selector", "button")[-1].get_attribute("title")
    assert label == "op_0001, values, float32: 1 fail"
    page.one(".op[data-op=op_0001]").click()
    assert not page.all("tr.below")


def test_a_blank_cell_stands_out(page, report):
    page.open(report, "#matrix?blank")
    assert [row.get_attribute("data-row") for row in page.all("tbody tr")] == ["op_0000"]
    assert page.one(".box.bad").text == "?"


def test_checks_of_a_level(page, report):
    page.open(report, "#matrix")
    assert len(page.all("th.check")) == 8
    label = next(label for label in page.all(".choice") if label.text.startswith("Level"))
    picker = Select(label.find_element("css selector", "select"))
    assert [option.text for option in picker.options] == ["all", "must", "should"]
    picker.select_by_visible_text("must")
    page.until(lambda: len(page.all("th.check")) == 1)
    assert page.one("th.check").get_attribute("title") == "must"


def test_keys_alone_reach_everything(page, report):
    page.open(report)
    page.press("2")
    page.until(lambda: page.all(".failure"))
    page.press("3")
    page.until(lambda: page.all(".box"))
    page.one("table.matrix button[tabindex='0']").send_keys(Keys.ARROW_DOWN)
    page.keys(Keys.END)
    focused = "return document.activeElement.getAttribute('aria-label')"
    assert page.script(focused).startswith("op_0001, values: 1 fail")
    page.keys(Keys.ENTER)
    assert synthetic.SNIPPET in page.text("#drawer")
    page.press(Keys.ESCAPE)
    page.press("/")
    page.keys("op_0003")
    page.until(lambda: len(page.all("tr[data-row]")) == 1)
    page.keys(Keys.ESCAPE)
    page.until(lambda: len(page.all("tr[data-row]")) == 12)
    page.press("?")
    assert page.one("#keys").is_displayed() and "search" in page.text("#keys")
    page.press(Keys.ESCAPE)


def test_failures_by_words_and_outcome(page, report):
    page.open(report, "#failures")
    everything = len(page.all(".failure"))
    page.one(".switch[data-kind=order_dependent]").click()
    page.until(lambda: len(page.all(".failure")) == 1)
    assert "fails after test/unit/test_a.py::test_leaves_a_file" in page.text()
    page.one(".switch[data-kind=order_dependent]").click()
    page.press("/")
    page.keys("timeout")
    page.until(lambda: len(page.all(".failure")) == 1)
    page.keys(Keys.ESCAPE)
    page.until(lambda: len(page.all(".failure")) == everything)


def test_each_outcome_is_shown_by_its_name(page, report):
    page.open(report, "#tests")
    shown = {switch.get_attribute("data-kind") for switch in page.all(".switch")}
    assert shown == {"passed", "xfailed", *[kind.value for kind in synthetic.Outcome]}
    page.open(report)
    text = page.text()
    assert "owner: numerics" in text and "names no test" in text and "over the slow mark" in text


def test_markup_in_a_name_stays_text(page, report):
    page.open(report, "#failures")
    page.press("/")
    page.keys("test_markup")
    page.until(lambda: len(page.all(".failure")) == 1)
    assert synthetic.HOSTILE in page.text(".failure") and not page.all("#view img")


def test_survivors_are_listed_by_op_class_and_check(page, report):
    page.open(report, "#mutants")
    text = page.text()
    assert "86.2 % of 60 mutants" in text
    assert all(title in text for title in ("By class", "By op", "Killed by check kind"))
    page.one(".switch[data-kind=survived]").click()
    page.until(lambda: "6 of 10 mutants" in page.text())


def test_what_was_not_measured_is_said(page, report):
    page.open(report, "#coverage")
    assert page.text().startswith("Not measured")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_text_has_contrast_and_a_picture_is_kept(page, report, view, dark):
    page.look(dark)
    page.open(report, f"#{view}")
    page.script("document.querySelectorAll('.box').forEach((e) => e.style.transition = 'none')")
    assert page.script(CONTRAST, ", ".join(NAMES)) == []
    assert page.keep(f"{view}-{'dark' if dark else 'light'}").stat().st_size > 5000


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_sticks_out_at_any_width(page, report, view, size):
    page.look(width=SIZES[size][0], height=SIZES[size][1])
    page.open(report, f"#{view}")
    page.keep(f"{view}-{size}")
    root = "const root = document.documentElement; return root.scrollWidth - root.clientWidth"
    assert page.script(root) <= 0


def test_tables_have_headings_and_controls_have_names(page, report):
    for view in VIEWS:
        page.open(report, f"#{view}")
        tables = page.all("#view table")
        assert all(table.find_elements("css selector", "thead th[scope=col]") for table in tables)
        assert page.script(NAMELESS) == []


def test_seventy_thousand_cells_stay_fast(page, tmp_path):
    path = synthetic.write_run(tmp_path, ops=200, checks=32, dtypes=11)
    assert path.stat().st_size < 3_000_000
    page.open(path, "#matrix")
    loaded = page.script("return performance.getEntriesByType('navigation')[0].loadEventEnd")
    assert loaded < 5000
    assert len(page.all("tr[data-row]")) <= 120
    redraw = "const start = performance.now(); redraw(); return performance.now() - start"
    assert page.script(redraw) < 2000
    page.press("/")
    page.keys("op_0199")
    page.until(lambda: len(page.all("tr[data-row]")) == 1)
    page.open(path, "#tests")
    assert "19,2" in page.text("caption") and len(page.all("tbody tr")) <= 300


if __name__ == "__main__":
    run_this_file()
