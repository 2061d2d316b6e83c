"""A real browser for pages, and checks that hold for every page.

Any installed Chromium is used; RELSMITH_BROWSER names another. Without one, these tests
are skipped, unless RELSMITH_BROWSER_REQUIRED is set, as by `.ci/run`.
"""

import asyncio
import os
import shutil
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import axe_playwright_python
import httpx
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.types import ASGIApp

from relsmith.web.server import Server, address, listen

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
expect.set_options(timeout=30_000)
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Context for clients of our own servers; the default one reads all certificates, which is slow."""
get, post = partial(httpx.get, verify=NO_TLS), partial(httpx.post, verify=NO_TLS)
PHONE = {"width": 375, "height": 740}
DESK = {"width": 1280, "height": 850}


def chromium() -> str | None:
    return os.environ.get("RELSMITH_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def started_browser() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop | None]]:
    """Start the browser of this process and its event loop."""
    program = chromium()
    if program is None:
        if os.environ.get("RELSMITH_BROWSER_REQUIRED"):
            pytest.fail("no Chromium was found, and one is required; install one")
        pytest.skip("no Chromium was found: pages are not looked at")
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        loop = asyncio._get_running_loop()
        asyncio._set_running_loop(None)
        yield started, loop
        asyncio._set_running_loop(loop)
        started.close()


@pytest.fixture
def browser(
    started_browser: tuple[Browser, asyncio.AbstractEventLoop | None],
) -> Iterator[Browser]:
    """Provide the browser for one test."""
    # The driver's loop runs in this thread only during a test: others run their own.
    started, loop = started_browser
    asyncio._set_running_loop(loop)
    yield started
    asyncio._set_running_loop(None)


Serve = Callable[[ASGIApp], AbstractContextManager[str]]


@contextmanager
def serving(app: ASGIApp, **options: Any) -> Iterator[str]:
    """Serve an application in a thread and yield its address."""
    with listen(port=0) as listening:
        server = Server(app, **options)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
        thread.start()
        try:
            yield address(listening).rstrip("/")
        finally:
            server.end()
            thread.join()


@pytest.fixture(scope="session")
def serve() -> Serve:
    return serving


class Watched:
    """A browser tab that records errors and foreign requests."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        # Without animation, because colours in transition may have any contrast.
        usual = {"viewport": DESK, "reduced_motion": "reduce"}
        self.context = browser.new_context(**usual | options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)  # machines may be busy
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", self._asked)

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.type}: {message.text}")

    def _asked(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def check(self) -> None:
        """Check that there were no errors and no requests to other hosts."""
        assert not self.faults
        elsewhere = [
            url
            for url in self.requests
            if not url.startswith(("http://127.0.0.1:", "file://", "blob:", "data:"))
        ]
        assert not elsewhere


Open = Callable[..., Page]


@pytest.fixture
def tabs(browser: Browser) -> Iterator[Open]:
    """Open tabs with browser options; at the end they must have no errors."""
    opened: list[Watched] = []

    def tab(address: str = "about:blank", **options: Any) -> Page:
        opened.append(Watched(browser, **options))
        if address != "about:blank":
            opened[-1].page.goto(address)
        return opened[-1].page

    yield tab
    for watched in opened:
        watched.context.close()
        watched.check()


def violations(page: Page) -> list[str]:
    """Return the axe-core violations of a page, by rule and place."""
    # Evaluated by the driver, not by the page, whose policy forbids foreign scripts.
    page.evaluate(AXE)
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{rule['id']}: {rule['help']}: {node['html'][:200]}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def fits(page: Page) -> bool:
    """Return whether the page fits the width of the window."""
    return bool(
        page.evaluate(
            "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
    )
