"""Chromium without a window, for tests of pages; they are skipped where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def chromium(folder: Path, logs: Mapping[str, str], *more: str) -> Iterator[Any]:
    """A driver of a browser of its own.

    Parameters
    ----------
    folder : Path
        Where its profile is.
    logs : mapping
        What it keeps of what it says: level by kind.
    more : str
        Further arguments, without the dashes.
    """
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium: pip install selenium")
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.service import Service

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver_path = shutil.which("chromedriver")
    if program is None or driver_path is None:
        missing = "chromium" if program is None else "chromedriver"
        pytest.skip(f"{missing} is not installed; on Debian: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in (
        "headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "disable-quic", "no-first-run",
        "disable-background-networking", "disable-component-update", "disable-sync", "hide-scrollbars",
        f"user-data-dir={folder / 'profile'}", *more,
    ):  # fmt: skip
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", dict(logs))
    with pytest.MonkeyPatch.context() as patch:
        # The driver is on this machine and found already: nothing to look for, no proxy on the way.
        patch.setenv("SE_OFFLINE", "true")
        for name in ("NO_PROXY", "no_proxy"):
            patch.setenv(name, ",".join(filter(None, (os.environ.get(name), "localhost,127.0.0.1"))))
        try:
            driver = webdriver.Chrome(options=options, service=Service(executable_path=driver_path))
        except WebDriverException as error:
            pytest.skip(f"Chromium does not start here: {str(error.msg).splitlines()[0]}")
        try:
            yield driver
        finally:
            driver.quit()
