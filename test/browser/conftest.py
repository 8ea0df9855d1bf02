"""A headless browser that records what a page says and asks for."""

import json
import os
import sys
import tempfile
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from tools import browser

sys.path.insert(0, str(Path(__file__).parent))  # the tests import synthetic.py from beside them

import synthetic

LOGS = {"browser": "ALL", "performance": "ALL"}


class Page:
    """One open page and what a reader does with it."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path, place=""):
        self.driver.get("about:blank")
        self.driver.get(f"{path.as_uri()}{place}")
        return self

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector="#view"):
        return self.one(selector).text

    def keys(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def press(self, key):
        webdriver.ActionChains(self.driver).send_keys(key).perform()

    def script(self, text, *values):
        return self.driver.execute_script(text, *values)

    def until(self, condition, seconds=10):
        wait = WebDriverWait(self.driver, seconds, 0.02)
        return wait.until(lambda _: condition())

    def look(self, dark=False, width=1280, height=900):
        """The reader's colour scheme and window."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def keep(self, name):
        """A screenshot in the report folder of the run."""
        folder = Path(os.environ.get("CEPHEID_RUN_DIR") or tempfile.gettempdir()) / "screenshots"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        assert self.driver.save_screenshot(str(path))
        return path

    def requests(self):
        """Every address asked for since the last call."""
        messages = [json.loads(entry["message"]) for entry in self.driver.get_log("performance")]
        sent = [m["message"] for m in messages]
        return [
            message["params"]["request"]["url"]
            for message in sent
            if message["method"] == "Network.requestWillBeSent"
        ]

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    found = browser.find()
    if found is None:
        pytest.fail(f"browser: {browser.ADVICE}", pytrace=False)
    options = webdriver.ChromeOptions()
    options.binary_location = found.binary
    for flag in (*browser.FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", LOGS)
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(found.driver))
    yield made
    made.quit()


@pytest.fixture
def page(driver):
    """A page that must have said nothing and asked for nothing by the end of the test."""
    opened = Page(driver)
    opened.look()
    opened.requests()
    opened.errors()
    yield opened
    assert opened.errors() == []
    outside = [url for url in opened.requests() if not url.startswith(("file:", "data:", "about:"))]
    assert outside == []


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    return synthetic.write_run(tmp_path_factory.mktemp("runs") / "before")
