"""The pages of gen view in a real browser: accessibility, keyboard, attacks."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest
from playwright.sync_api import Page, expect

from relsmith import Dataset, Example, make, score, write
from relsmith.capabilities import Drawings
from relsmith.web.view import file
from relsmith.web.view.site import ViewSite

from .conftest import PHONE, Open, fits, get, serving, violations

SCRIPT = "<script>document.title='taken'</script>"
NASTY = f"{SCRIPT}<img src=x onerror=\"document.title='taken'\">\"'>&amp;{{{{7*7}}}}"
ROWS = {
    "stories": ("clutrr", {"k": "2..4", "noise": "all"}, {"train": 40, "test": 20}),
    "clean": ("clutrr", {"k": "2..4"}, {"train": 40, "test": 20}),
    "room": ("clutrr", {"world": "spatial", "k": "3"}, {"train": 6}),
    "blanks": ("cloze", {}, {"train": 12}),
    "pairs": ("analogy", {"setting": "unsupervised"}, {"train": 30}),
    "chains": ("comparatives", {}, {"train": 30}),
    "candidates": ("relinf", {}, {"train": 30}),
}


class Home:
    """Make datasets of all generators and predictions on demand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stack = ExitStack()
        self.sites: dict[str, str] = {}

    def __truediv__(self, name: str) -> Path:
        if name in ROWS and not (self.folder / name).exists():
            generator, options, splits = ROWS[name]
            write(make(generator, **options), self.folder / name, splits)
        if name == "answers.jsonl" and not (self.folder / name).exists():
            answers = [
                {"id": row.id, "answer": f"It is {row.target}." if n % 3 else NASTY}
                for n, row in enumerate(Dataset(self / "stories").rows("test"))
            ]
            lines = "".join(json.dumps(answer) + "\n" for answer in answers[:15])
            (self.folder / name).write_text(lines)
        return self.folder / name

    def site(self, name: str) -> str:
        """Serve one dataset and return its address."""
        if name not in self.sites:
            self.sites[name] = self.stack.enter_context(serving(ViewSite(self / name).app()))
        return self.sites[name]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    home = Home(tmp_path_factory.mktemp("data"))
    with home.stack:
        yield home


@pytest.fixture(scope="module")
def site(data: Home) -> Iterator[str]:
    """Make a dataset of stories with answers."""
    made = ViewSite(data / "stories", data / "answers.jsonl")
    with serving(made.app()) as home:
        yield home


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return a dataset with scripts in its folder name and all texts."""
    folder = tmp_path_factory.mktemp("nasty") / SCRIPT.replace("/", "\u2215")
    write(make("clutrr", k="2", noise="all"), folder, {"train": 3})
    (lines,) = folder.glob("*.jsonl")
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    for row in rows[:2]:
        text = json.dumps(row).replace(row["metadata"]["query"][0], "NAME")
        row.clear()
        row.update(json.loads(text.replace("NAME", json.dumps(NASTY)[1:-1])))
        row["metadata"]["templates"] = [NASTY]
        row["id"] += NASTY
        row["target"] = NASTY
        row["choices"] = [NASTY, "no"]
    rows[1]["metadata"]["starts"] = [5, 1, 99]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with serving(ViewSite(folder).app()) as home:
        yield home


PLACES = {
    "table": ("site", "/rows"),
    "filtered": ("site", "/rows?m.k=3&q=sister&split=train"),
    "nothing": ("site", "/rows?q=no+row+has+this"),
    "wrong": ("site", "/rows?verdict=wrong"),
    "sorted": ("site", "/rows?sort=-k"),
    "row": ("site", "/row/test/3?step=1"),
    "room": ("room", "/row/train/1"),
    "blanks": ("blanks", "/row/train/2"),
    "plugin": ("chains", "/row/train/1"),
    "no answer": ("candidates", "/row/train/1"),
}


@pytest.mark.parametrize(
    "name",
    [name if name == "row" else pytest.param(name, marks=pytest.mark.slow) for name in PLACES],
)
def test_every_page_is_accessible_at_every_width(
    site: str, data: Home, tabs: Open, name: str
) -> None:
    home, path = PLACES[name]
    page = tabs((site if home == "site" else data.site(home)) + path)
    assert page.locator("h1").count() == 1
    assert not violations(page)
    assert fits(page)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE)
    assert not violations(page)
    assert fits(page)


def facts_of(page: Page, row: Any) -> None:
    """Check that every fact is listed, drawn, and linked to the span that states it."""
    known = row.metadata
    told = [*known["facts"], *known["side_facts"]]
    for paths in known["noise_facts"]:
        told += [fact for path in paths for fact in path]
    assert page.locator(".facts li").count() == len(told)
    for number, (x, relation, y) in enumerate(told):
        assert (
            page.inner_text(f".facts li[data-fact='{number}']") == f"{y} is the {relation} of {x}"
        )
        assert page.text_content(f"svg.graph .edge[data-fact='{number}'] text") == relation
    ends = [*known["starts"][1:]]
    for stretch, (start, end) in enumerate(zip(known["starts"], ends, strict=False)):
        for number in known["states"][stretch]:
            link = page.get_attribute(f".facts li[data-fact='{number}'] a", "href")
            assert link == f"#s{stretch}"
        assert page.text_content(f"#s{stretch}") == row.input[start : end - 1]
    names = page.locator("svg.graph .node text").all_text_contents()
    assert sorted(names) == sorted({name for fact in told for name in fact[::2]})


@pytest.mark.slow
def test_facts_are_drawn_and_linked_to_their_sentences(site: str, data: Home, tabs: Open) -> None:
    rows = list(Dataset(data / "stories").rows("train"))
    page = tabs()
    for number in (0, 7, 19):
        page.goto(f"{site}/row/train/{number}")
        assert page.inner_text("#main .input") == rows[number].input
        facts_of(page, rows[number])


@pytest.mark.parametrize(
    ("options", "words", "asked"),
    [
        ({"k": "3"}, "{y} is the {r} of {x}", "{y} is the {r} of {x}"),
        ({"world": "spatial", "k": "3"}, "the {y} is {r} the {x}", "the {y} is {r} the {x}"),
        ({"world": "time", "k": "3"}, "the {y} {r} the {x}", "the {y} {r} the {x}"),
        ({"world": "time", "answer": "who"}, "the {y} {r} the {x}", "who {a} the {x}: {r}"),
        (
            {"answer": "who", "gender": "given"},
            "{y} is the {r} of {x}",
            "who is the {a} of {x}: {r}",
        ),
        ({"answer": "yes-no"}, "{y} is the {r} of {x}", "whether {y} is the {a} of {x}: {r}"),
    ],
)
def test_facts_are_shown_in_their_direction(
    options: dict[str, object], words: str, asked: str
) -> None:
    generator = make("clutrr", **options)
    for row in generator[:5]:
        view = Drawings.of(generator).view(row)
        for (x, r, y), said in zip(row.metadata["facts"], view.fact_texts, strict=False):
            assert said == words.format(x=x, r=r, y=y)
        x, y = row.metadata["query"]
        assert view.graph is not None
        told = asked.format(x=x, r=row.target, y=y, a=row.metadata["asked"])
        assert view.graph.graph["asked"] == told


def test_undetermined_queries_are_marked() -> None:
    generator = make("clutrr", unknown_share=0.9)
    every = [
        (row.target, Drawings.of(generator).view(row).graph.graph["asked"])
        for row in generator[:20]
    ]
    assert {target == "unknown" for target, _ in every} == {True, False}
    for target, said in every:
        assert said.endswith(", which cannot be known") == (target == "unknown")


def lit(page: Page, selector: str, name: str) -> set[str]:
    return set(
        page.locator(f"{selector}.{name}").evaluate_all("all => all.map(e => e.dataset.fact)")
    )


@pytest.mark.slow
def test_a_fact_is_highlighted_everywhere(site: str, data: Home, tabs: Open) -> None:
    row = Dataset(data / "stories")["train"][0]
    page = tabs(f"{site}/row/train/0")
    page.hover(".facts li[data-fact='1']")
    assert lit(page, ".edge", "lit") == {"1"}
    stretch = next(n for n, facts in enumerate(row.metadata["states"]) if 1 in facts)
    assert page.get_attribute(".stretch.lit", "id") == f"s{stretch}"
    page.hover(f"#s{stretch}")
    both = {str(number) for number in row.metadata["states"][stretch]}
    assert lit(page, ".edge", "lit") == lit(page, ".facts li", "lit") == both
    page.hover("h1")
    assert lit(page, ".edge", "lit") == set()
    page.focus(".facts li[data-fact='1'] a")
    assert lit(page, ".edge", "lit") == {"1"}


@pytest.mark.parametrize("script", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_the_proof_is_stepped_through(site: str, data: Home, tabs: Open, script: bool) -> None:
    """Check links without scripts, and buttons with scripts."""
    rows = Dataset(data / "stories")["train"]
    number, row = next((n, row) for n, row in enumerate(rows) if len(row.metadata["proof"]) > 1)
    page = tabs(f"{site}/row/train/{number}", java_script_enabled=script)
    told = page.locator(".facts li").count()
    proof = row.metadata["proof"]
    for step, uses in enumerate(proof, start=1):
        page.click("text=Next step")
        expect(page.locator("[data-says=step]")).to_have_text(f"{step} of {len(proof)}")
        now = page.locator(".edge.now")
        numbers = {now.nth(n).get_attribute("data-fact") for n in range(now.count())}
        assert numbers == {*map(str, uses), str(told + step - 1)}
        assert page.locator(".steps li.now").count() == 1
        assert page.locator(".edge[data-concluded].shown").count() == step
        told_by = {n for n, facts in enumerate(row.metadata["states"]) if {*facts} & {*uses}}
        page.hover("h1")  # and keeps the highlighted step
        lit_up = page.locator(".stretch.now")
        ids = {lit_up.nth(n).get_attribute("id") for n in range(lit_up.count())}
        assert ids == {f"s{n}" for n in told_by}
    x, y = row.metadata["query"]
    assert f"so {y} is the {row.target} of {x}." in page.inner_text(".steps li.now")
    page.click(".proof >> text=Back")
    assert page.inner_text("[data-says=step]").startswith(f"{step - 1} of")
    assert not script or page.url.endswith(f"/{number}")


def arrived(page: Page, address: str | re.Pattern[str]) -> None:
    """Wait until the page and its scripts are loaded; earlier keys have no effect."""
    expect(page).to_have_url(address)
    page.wait_for_load_state()


@pytest.mark.slow
def test_it_works_by_keyboard(site: str, tabs: Open) -> None:
    page = tabs(f"{site}/rows?m.k=3")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("clutrr-v4-s0-train-5")
    page.keyboard.press("Enter")
    arrived(page, f"{site}/row/train/5")
    for key, number in (("ArrowRight", 6), ("ArrowRight", 7), ("ArrowLeft", 6)):
        page.keyboard.press(key)
        arrived(page, f"{site}/row/train/{number}")
    page.keyboard.press("n")
    assert page.locator(".steps li.now").count() == 1
    page.keyboard.press("p")
    assert page.locator(".steps li.now").count() == 0
    page.keyboard.press("u")
    arrived(page, f"{site}/rows?page=1")
    page.keyboard.press("ArrowRight")
    arrived(page, f"{site}/rows?page=2")
    page.keyboard.press("r")
    arrived(page, re.compile("/row/"))


def numbers_of(page: Page) -> list[str]:
    page.wait_for_load_state()  # a click returns before the next page is parsed
    return page.locator("table.rows td.number").all_inner_texts()


@pytest.mark.slow
def test_the_table_is_filtered_without_a_script(site: str, data: Home, tabs: Open) -> None:
    rows = list(Dataset(data / "stories").rows("train"))
    page = tabs(f"{site}/rows", java_script_enabled=False)
    assert len(numbers_of(page)) == 25
    page.select_option("#split", "train")
    page.get_by_label("k", exact=True).select_option("3")
    page.click(".filters button")
    wanted = [str(n) for n, row in enumerate(rows) if row.metadata["k"] == 3]
    assert numbers_of(page) == wanted
    page.click(f"table.rows td.number >> text='{wanted[1]}'")
    assert page.inner_text("h1") == rows[int(wanted[1])].id
    page.click("text=Next →")
    assert page.inner_text("h1") == rows[int(wanted[2])].id
    page.click("text=Random")
    assert rows[int(page.inner_text("h1").rpartition("-")[2])].metadata["k"] == 3
    page.click("text=Back to the table")
    assert numbers_of(page) == wanted
    page.click("text=Clear")
    page.click("text=Next →")
    assert numbers_of(page)[:3] == ["25", "26", "27"]


@pytest.mark.slow
def test_any_label_of_a_row_leads_to_rows_like_it(data: Home, tabs: Open) -> None:
    rows = list(Dataset(data / "chains"))
    page = tabs(f"{data.site('chains')}/row/train/3")
    page.click("dl.pairs dt:text-is('dimension') + dd a")
    dimension = rows[3].metadata["dimension"]
    alike = [str(n) for n, row in enumerate(rows) if row.metadata["dimension"] == dimension]
    assert numbers_of(page) == alike
    assert page.get_by_label("dimension", exact=True).input_value() == dimension
    page.click(".filters button")
    assert numbers_of(page) == alike


@pytest.mark.slow
def test_predictions_are_shown_with_rows(site: str, data: Home, tabs: Open) -> None:
    rows = list(Dataset(data / "stories").rows("test"))[:15]
    answers = dict(enumerate(map(json.loads, (data / "answers.jsonl").read_text().splitlines())))
    wrong = [str(n) for n, row in enumerate(rows) if not score(row, answers[n]["answer"]).value]
    assert 0 < len(wrong) < 15
    page = tabs(f"{site}/rows?verdict=wrong")
    assert numbers_of(page) == wrong
    page.click(f"table.rows td.number >> text='{wrong[0]}'")
    assert NASTY in page.inner_text(".prediction")
    assert "wrong" in page.inner_text(".prediction")
    page.goto(f"{site}/row/test/1")
    assert "right" in page.inner_text(".prediction")
    page.goto(f"{site}/row/test/19")
    assert "not answered" in page.inner_text(".prediction")


def listed(answer: httpx.Response) -> list[tuple[str, int]]:
    """Return the rows of a table, by split and number."""
    found = re.findall(r'aria-label="Row (\d+) of (\w+)"', answer.text)
    return [(split, int(number)) for number, split in found]


def test_the_first_page_shows_rows_with_predictions(site: str, data: Home) -> None:
    opened = get(site, follow_redirects=True)
    assert listed(opened) == [("test", n) for n in range(15)]
    assert listed(get(f"{site}/rows?verdict=answered&split=train")) == []
    assert "<strong>15</strong> rows" in opened.text
    page = file.Page(data / "stories", data / "answers.jsonl", 10)._text()
    assert page.count("✓ right") + page.count("✗ wrong") >= 2 * 10
    assert page.count("<article") == 10
    assert listed(get(data.site("clean"), follow_redirects=True))[0] == ("train", 0)


def test_the_table_is_sorted_by_any_column(site: str, data: Home) -> None:
    rows = {
        (split, n): row
        for split in ("train", "test")
        for n, row in enumerate(Dataset(data / "stories").rows(split))
    }
    keys: dict[str, Callable[[Example], Any]] = {
        "k": lambda row: row.metadata["k"],
        "target": lambda row: row.target,
    }
    for column, key in keys.items():
        for sign in ("", "-"):
            seen = [
                place
                for page in (1, 2, 3)
                for place in listed(get(f"{site}/rows?sort={sign}{column}&page={page}"))
            ]
            # Rows of the same value keep the order of the files.
            expected = sorted(rows, key=lambda place: key(rows[place]), reverse=bool(sign))
            assert [key(rows[place]) for place in seen] == [key(rows[place]) for place in expected]
            assert sorted(seen) == sorted(rows)
    both = listed(get(f"{site}/rows?sort=-prediction&split=test"))
    assert both[:5] == [("test", n) for n in range(0, 15, 3)], "wrong ones first"
    narrowed = listed(get(f"{site}/rows?sort=-k&m.k=3&split=train"))
    assert narrowed == [
        place for place, row in rows.items() if row.metadata["k"] == 3 and place[0] == "train"
    ]
    page = get(f"{site}/rows?sort=k").text
    assert 'aria-sort="ascending"><a href="/rows?sort=-k"' in page
    for path in ("/rows?sort=nothing",):
        assert get(site + path).status_code == 404


def test_the_next_row_is_the_next_in_the_sorted_table(site: str) -> None:
    first, second, *_ = listed(get(f"{site}/rows?sort=-k"))
    page = get(f"{site}/row/{first[0]}/{first[1]}?sort=-k").text
    assert f'data-key="ArrowRight" href="/row/{second[0]}/{second[1]}?sort=-k"' in page
    assert 'data-key="ArrowLeft"' not in page
    assert "that fit the filter" not in page
    other = get(f"{site}/row/{first[0]}/{first[1]}?sort=k&q=no+row+has+this").text
    assert 'data-key="ArrowRight"' not in other


@pytest.mark.slow
def test_wide_content_scrolls_with_a_hint(data: Home, tabs: Open) -> None:
    page = tabs(f"{data.site('clean')}/row/test/2", viewport=PHONE)
    graph = page.locator(".wide:has(svg.graph)")
    said = "box => getComputedStyle(box, '::before').content"
    assert graph.evaluate("box => box.scrollWidth > box.clientWidth")
    assert "Scroll sideways" in graph.evaluate(said)
    assert fits(page)
    page.set_viewport_size({"width": 2000, "height": 900})
    expect(graph).not_to_have_class(re.compile("cut"))
    assert graph.evaluate(said) == "none"


@pytest.mark.slow
def test_markup_in_rows_is_escaped(nasty: str, tabs: Open) -> None:
    page = tabs()
    for path in ("/rows", "/row/train/0", "/row/train/1",
                 f"/rows?q={quote(NASTY)}", f"/rows?m.target={quote(NASTY)}",
                 f"/rows?m.{quote(NASTY)}={quote(NASTY)}"):  # fmt: skip
        page.goto(nasty + path)
        assert page.title() != "taken"
        assert page.locator("main img, main script").count() == 0, path
        assert "49" not in page.title()
    page.goto(f"{nasty}/row/train/0")
    assert NASTY in page.inner_text(".target")
    assert NASTY in page.inner_text("h1")
    assert NASTY in page.inner_text(".input")
    page.goto(f"{nasty}/row/train/1")
    assert "is shown as plain text" in page.inner_text(".note")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/row/train/40", 404),
        ("/row/train/-1", 404),
        ("/row/train/1e3", 404),
        ("/row/train/²", 404),
        ("/row/train/" + 5000 * "9", 404),
        ("/row/nosuch/1", 404),
        ("/row/train/%2e%2e%2f%2e%2e%2fetc%2fpasswd", 404),
        ("/row/..%2f..%2fetc/1", 404),
        ("/rows?split=nosuch", 404),
        ("/rows?verdict=maybe", 404),
        ("/rows?page=x", 400),
        ("/rows?page=99999999999999999999", 400),
        ("/rows?page=99999999", 200),
        ("/rows?page=0", 200),
        ("/rows?q=" + 201 * "a", 400),
        ("/rows?m.k=" + 201 * "a", 400),
        ("/rows?q=" + 9000 * "a", 414),
        ("/rows?" + "&".join(f"m.{n}=1" for n in range(300)), 200),
        ("/rows?q=%00%ff%fe", 200),
        ("/row/train/1?step=99999", 200),
        ("/row/train/1?step=x", 400),
        ("/go?q=" + 30 * "9", 303),
        ("/go?q=../../etc/passwd", 303),
        ("/go?q=//evil.example", 303),
        ("/random?q=no+row+has+this", 303),
    ],
)
def test_odd_urls_are_answered(site: str, path: str, status: int) -> None:
    answer = get(site + path)
    assert answer.status_code == status
    assert re.match("/r(ow|ows|andom)", answer.headers.get("location", "/rows"))


def offered(page: str) -> set[str]:
    """Return the addresses that a page's links and lists of values lead to."""
    found = {
        unescape(link).partition("#")[0] for link in re.findall(r'<a [^>]*href="([^"]+)"', page)
    }
    for name, listed in re.findall(r'(?s)<select [^>]*name="([^"]+)">(.*?)</select>', page):
        for value in re.findall(r"<option(?: selected)?>([^<]+)</option>", listed):
            found.add("/rows?" + urlencode({unescape(name): unescape(value)}))
    return {link for link in found if link.startswith("/")}


def test_every_link_resolves(data: Home, tmp_path: Path) -> None:
    """Check long labels."""
    write(make("comparatives"), tmp_path / "long", {"train": 8, "test": 2})
    for path in (tmp_path / "long").glob("*.jsonl"):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for n, row in enumerate(rows):
            row["target"] = row["metadata"]["note"] = f"{n % 2} & {'very ' * 60}long"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with serving(ViewSite(tmp_path / "long").app()) as home:
        for start in ("/row/test/0", "/rows"):
            links = offered(get(home + start).text)
            assert len(links) > 5
            for link in sorted(links):
                assert get(home + link).status_code < 400, (start, link[:80])
        (link,) = {link for link in links if link.startswith("/rows?m.target=1")}
        assert "<strong>5</strong> rows" in get(home + link).text


def test_a_damaged_row_is_an_error_page(data: Home, tmp_path: Path) -> None:
    write(make("comparatives"), tmp_path / "data", {"train": 60})
    (lines,) = (tmp_path / "data").glob("*.jsonl")
    rows = lines.read_text().splitlines()
    lines.write_text("\n".join([*rows[:40], "{}", *rows[41:]]) + "\n")
    with serving(ViewSite(tmp_path / "data").app()) as home:
        assert get(f"{home}/row/train/3").status_code == 200
        for path in ("/row/train/40", "/rows?page=2", "/rows?m.dimension=speed"):
            answer = get(home + path)
            assert (answer.status_code, "gen verify" in answer.text) == (500, True)


def test_rows_of_a_generator_that_is_not_installed_are_shown_plainly(tmp_path: Path) -> None:
    write(make("clutrr", k="2"), tmp_path / "data", {"train": 2})
    manifest = tmp_path / "data" / "manifest.json"
    manifest.write_text(
        manifest.read_text().replace('"generator": "clutrr"', '"generator": "gone"')
    )
    with serving(ViewSite(tmp_path / "data").app()) as home:
        answer = get(f"{home}/row/train/0")
    assert answer.status_code == 200
    assert "is shown as plain text" in answer.text


@pytest.fixture(scope="module")
def files(data: Home) -> dict[str, str]:
    """Write files of gen view --static."""
    out = {}
    for name in ("stories", "blanks"):
        page = file.Page(data / name, data / "answers.jsonl" if name == "stories" else None, 10)
        page.write(data / f"{name}.html", force=False)
        out[name] = (data / f"{name}.html").as_uri()
    return out


@pytest.mark.slow
def test_a_static_page_needs_no_other_file(files: dict[str, str], data: Home, tabs: Open) -> None:
    page = tabs(files["stories"])
    assert page.locator("table.rows tbody tr").count() == 10
    assert page.locator("article:visible").count() == 0
    page.fill("#narrow", "test 6")
    assert page.locator("table.rows tbody tr:visible").count() == 1
    page.click("text=test 6")
    assert page.locator("article:visible h2").inner_text() == "clutrr-v4-s0-test-6"
    page.keyboard.press("ArrowRight")
    expect(page.locator("article:visible h2")).to_have_text("clutrr-v4-s0-test-7")
    page.keyboard.press("n")
    assert page.locator("article:visible .edge.now").count() == 3
    page.click("article:visible .facts a >> nth=0")
    assert page.locator("article:visible .stretch.lit").count() == 1
    assert not violations(page)
    page.set_viewport_size(PHONE)
    assert fits(page)
    page.keyboard.press("u")
    expect(page.locator("#table")).to_be_visible()
    assert fits(page)


@pytest.mark.slow
def test_a_file_is_sorted_by_its_headings(files: dict[str, str], tabs: Open) -> None:
    page = tabs(files["stories"])
    answers = page.locator("table.rows tbody td:nth-child(3)")
    before = answers.all_inner_texts()
    heading = page.get_by_role("button", name="answer")
    heading.click()
    assert answers.all_inner_texts() == sorted(before) != before
    heading.click()
    assert answers.all_inner_texts() == sorted(before, reverse=True)
    assert not violations(page)


@pytest.mark.slow
def test_a_file_is_accessible(files: dict[str, str], tabs: Open) -> None:
    page = tabs(files["stories"])
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert not violations(page)


@pytest.mark.slow
def test_a_file_without_scripts_shows_everything(files: dict[str, str], tabs: Open) -> None:
    page = tabs(files["stories"], java_script_enabled=False)
    assert page.locator("article:visible").count() == 10


def test_the_example_on_the_page_has_the_stated_marks(root: Path, data: Home) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (root / "docs" / "view.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    for row in Dataset(data / "chains")["train"][:10]:
        view = names["Rankings"].view(row)
        for stretch, (x, y) in zip(view.fact_spans, row.metadata["facts"], strict=False):
            assert {x, y} <= set(re.findall(r"\w+", row.input[stretch.start : stretch.end]))
