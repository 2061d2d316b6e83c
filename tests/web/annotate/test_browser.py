"""The pages in a real browser: keyboard, small screens, dark mode, accessibility."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from relsmith.web.annotate.access import (
    find_person,
    invite,
    link_path,
    record_consent,
)
from relsmith.web.annotate.project import Project, ProjectOptions, create

from ..conftest import PHONE, Open, fits, violations
from .conftest import Rows, Server, answer, join, served

TASKS = {
    "solve": ("solve", "choices"),
    "writing": ("solve", "cloze"),
    "relinf": ("relinf", "few"),
}


@pytest.fixture(scope="module")
def sites(rows: Rows, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    """A server for each task."""
    from contextlib import ExitStack

    folder = tmp_path_factory.mktemp("sites")
    with ExitStack() as stack:
        made = {}
        for name, (task, source) in TASKS.items():
            create(folder / name, ProjectOptions(task, rows(source), people=30))
            made[name] = stack.enter_context(served(Project.open(folder / name)))
            stack.callback(made[name].project.database.close)
        yield made


def enter(site: Server, tabs: Open, name: str, **options: object) -> Page:
    """Open a tab of a person who has consented."""
    token = invite(site.project, name)
    person = find_person(site.project, token)
    assert person
    record_consent(site.project, person.id)
    return tabs(f"{site.home}/{link_path(token)}", **options)


def sent(site: Server, name: str) -> list[str]:
    """Return the stored answers of a person."""
    with site.project.database.read() as connection:
        query = """SELECT answer FROM assignments JOIN people ON people.id = person
            WHERE name = ? AND answer IS NOT NULL"""
        return [text for (text,) in connection.execute(query, (name,))]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("task", TASKS)
def test_sheets_are_accessible_and_fit_a_phone(
    sites: dict[str, Server], tabs: Open, task: str, scheme: str
) -> None:
    page = enter(sites[task], tabs, f"{task} {scheme}", color_scheme=scheme, viewport=PHONE)
    assert page.locator("button.main").inner_text() == "Send"
    assert not violations(page)
    assert fits(page)
    page.evaluate("document.getElementById('sheet').noValidate = true")
    with page.expect_navigation():
        page.click("button.main")
    assert "please correct" in page.inner_text("[role=alert]")
    assert not violations(page)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_other_pages_are_accessible_and_fit_a_phone(
    sites: dict[str, Server], tabs: Open, scheme: str
) -> None:
    site = sites["solve"]
    who = join(site.project, f"worker {scheme}")
    for n in range(3):
        answer(site.project, who, n)
    options = {"color_scheme": scheme, "viewport": PHONE}
    page = tabs(f"{site.home}/{link_path(invite(site.project, f'new {scheme}'))}", **options)
    assert page.inner_text("h1") == "Before you begin"
    assert not violations(page)
    page.check("[name=agree]")
    page.click("button.main")
    page.goto(f"{site.home}/me")
    assert not violations(page)
    assert fits(page)
    nobody = tabs(site.home, **options)
    assert not violations(nobody)


BROKEN = """() => {
  const broken = [];
  const texts = document.createTreeWalker(document.querySelector("#sheet"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    for (const word of texts.currentNode.data.matchAll(/\\w+/g)) {
      const range = new Range();
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      if (range.getClientRects().length > 1) broken.push(word[0]);
    }
  return broken;
}"""
"""Return the words of a sheet that are broken into lines."""


def test_no_word_of_a_sheet_is_wrapped(rows: Rows, tmp_path: Path, tabs: Open) -> None:
    create(tmp_path / "project", ProjectOptions("solve", rows("stories"), people=3))
    project = Project.open(tmp_path / "project")
    with served(project) as site:
        page = enter(site, tabs, "ann")
        assert page.get_by_text("granddaughter", exact=True).count() == 1
        for width in (320, 360, 390, 430, 1200):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(BROKEN) == [], width
            assert fits(page), width
    project.database.close()


@pytest.mark.slow
def test_switching_links_needs_confirmation(sites: dict[str, Server], tabs: Open) -> None:
    site = sites["solve"]
    page = enter(site, tabs, "first", viewport=PHONE)
    page.goto(f"{site.home}/{link_path(invite(site.project, 'second'))}")
    assert page.inner_text("h1") == "Continue as second?"
    assert not violations(page)
    assert fits(page)
    page.click("text=Stay first")
    assert page.inner_text("header .soft") == "first"
    page.goto(f"{site.home}/{link_path(invite(site.project, 'second'))}")
    page.click("button.main")
    assert page.inner_text("header .soft") == "second"


def test_a_questionnaire_is_answered_with_keys_alone(sites: dict[str, Server], tabs: Open) -> None:
    site = sites["relinf"]
    page = enter(site, tabs, "typist")
    groups = page.locator("fieldset.choice")
    count = groups.count()
    assert count > 2
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("3")  # the first is another item then, and the next open one follows
    for _ in range(count - 2):
        page.keyboard.press("2")
    assert page.inner_text("#left") == "all answered"
    chosen = [groups.nth(n).locator(":checked").input_value() for n in range(count)]
    assert chosen == ["nonsense", *["no"] * (count - 1)]
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "Saved, thank you." in page.inner_text("[role=status] >> nth=0")
    assert len(sent(site, "typist")) == 1


@pytest.mark.slow
def test_one_choice_is_made_and_sent_with_two_keys(sites: dict[str, Server], tabs: Open) -> None:
    site = sites["solve"]
    page = enter(site, tabs, "quick")
    second = []
    for _ in range(3):
        second.append(page.locator("[type=radio]").nth(1).get_attribute("value"))
        page.keyboard.press("2")
        with page.expect_navigation():
            page.keyboard.press("Enter")
    assert sorted(sent(site, "quick")) == sorted(f'{{"answer":"{word}"}}' for word in second)


@pytest.mark.slow
def test_everything_can_be_done_without_scripts(sites: dict[str, Server], tabs: Open) -> None:
    site = sites["solve"]
    page = tabs(
        f"{site.home}/{link_path(invite(site.project, 'plain'))}", java_script_enabled=False
    )
    page.check("[name=agree]")
    page.click("button.main")
    page.click("text=I cannot say: skip")
    page.locator("[type=radio]").first.check()
    page.click("button.main")
    assert "1 answered." in page.inner_text("main")
    assert len(sent(site, "plain")) == 1
    page.goto(f"{site.home}/me")
    page.check("[name=sure]")
    page.click("text=Delete my data")
    assert "deleted" in page.inner_text("main")
    assert sent(site, "plain") == []


SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)> {{ 7 * 7 }}"


@pytest.mark.slow
def test_answers_are_never_executed(sites: dict[str, Server], tabs: Open) -> None:
    site = sites["writing"]
    page = enter(site, tabs, "attacker")
    page.fill("[name=answer]", SCRIPT)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.goto(f"{site.home}/me")
    page.click("details >> nth=0")
    assert SCRIPT in page.inner_text("main")
