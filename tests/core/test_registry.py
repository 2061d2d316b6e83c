import os
import shutil
import subprocess
import sys
from importlib import import_module, metadata
from pathlib import Path

import pytest

from relsmith.errors import BrokenPlugin, NotFound
from relsmith.registry import RESERVED_OPTIONS, Registry, check_generator_class, distribution_name
from relsmith_comparatives import Comparatives

HEAD = """
from pydantic import BaseModel, Field
from relsmith import Generator
"""
PLUG = (
    HEAD
    + '''
class Plug(Generator):
    """Plugs."""

    name = "plug"
    version = 1
    Metadata = BaseModel

    def rows(self, block): ...
    def replay(self, example): ...
    def problems(self, example): ...
'''
)


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """Return a folder with the metadata of relsmith and its plugin only."""
    folder = tmp_path_factory.mktemp("few")
    for name in ("relsmith", "relsmith-comparatives"):
        home = Path(str(metadata.distribution(name).locate_file("")))
        module = name.replace("-", "_")
        for pattern in (f"{module}-*.dist-info", f"{module}.egg-info"):
            for info in home.glob(pattern):
                shutil.copytree(info, folder / info.name)
    return folder


@pytest.fixture
def install(tmp_path, monkeypatch, few):
    """Install a distribution with one generator: a module and a dist-info folder."""
    monkeypatch.syspath_prepend(str(tmp_path))
    # Hundreds are installed in the test environment, and each registry would read all of them.
    every = metadata.distributions
    places = [str(tmp_path), str(few)]
    monkeypatch.setattr(metadata, "distributions", lambda: every(path=places))

    def install(distribution: str, source: str, *, name: str = "plug", attribute: str = "Plug"):
        module = distribution.replace("-", "_")
        monkeypatch.delitem(sys.modules, module, raising=False)
        (tmp_path / f"{module}.py").write_text(source)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text(
            f"[relsmith.generators]\n{name} = {module}:{attribute}\n"
        )
        return info

    return install


def fresh() -> Registry:
    return Registry("relsmith.generators", "generator", check_generator_class)


def complaint(name: str = "plug") -> str:
    with pytest.raises(BrokenPlugin) as caught:
        fresh().get(name)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_plugin_is_found_with_its_distribution(install):
    install("plug-one", PLUG)
    assert fresh().get("plug").summary() == "Plugs."
    assert fresh().entries["plug"].distribution == "plug-one 1.0"
    assert list(fresh().entries) == sorted(fresh().entries)


def test_nothing_is_imported_before_it_is_loaded(install):
    install("plug-lazy", "raise RuntimeError")
    assert "plug" in fresh().entries
    assert "plug_lazy" not in sys.modules


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("raise RuntimeError('no\\nluck')", "RuntimeError: no luck"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import a_module_that_is_not_there", "ModuleNotFoundError"),
        ("def (", "SyntaxError"),
        ("x = 1", "AttributeError"),
        ("Plug = 5", "expected a subclass of relsmith.Generator, but got 5"),
        ("class Plug: pass", "expected a subclass of relsmith.Generator"),
        (PLUG.replace('    name = "plug"\n', ""), "Plug lacks name"),
        (PLUG.replace("    version = 1\n", ""), "Plug lacks version"),
        (PLUG.replace("    Metadata = BaseModel\n", ""), "Plug lacks Metadata"),
        (PLUG.replace("def rows", "def lines"), "Plug lacks rows"),
        (PLUG.replace("def problems", "def troubles"), "Plug lacks problems"),
        (PLUG.replace("def replay", "def play"), "Plug lacks replay"),
        (PLUG.replace('"plug"', '"plog"'), "the entry point is 'plug' but Plug.name is 'plog'"),
        (PLUG.replace("version = 1", "version = 0"), "version must be"),
        (PLUG.replace("version = 1", "version = '1'"), "version must be"),
        (PLUG.replace("version = 1", "version = True"), "version must be"),
        (PLUG.replace('"""Plugs."""', ""), "has no docstring"),
        (PLUG.replace("version = 1", "version = 1\n    seed: int = 1"), "option 'seed' is one of"),
        (PLUG.replace("version = 1", "version = 1\n    out: int = 1"), "option 'out' is one of"),
        (PLUG.replace("Metadata = BaseModel", "Metadata = 5"), "Metadata"),
    ],
)
def test_a_broken_plugin_is_named_with_the_reason(install, source, words):
    install("plug-broken", source)
    said = complaint()
    assert words in said
    assert said.startswith("'plug' from plug-broken 1.0 (plug_broken:Plug) is broken: ")
    assert said.endswith("repair or uninstall it")
    assert fresh().get("comparatives") is Comparatives


def test_names_that_are_no_command_names_are_refused(install):
    install("plug-named", PLUG.replace('"plug"', '"Plug_"'), name="Plug_")
    assert "lower-case letters, digits and -" in complaint("Plug_")


def test_a_malformed_entry_point_affects_only_itself(install):
    install("plug-malformed", PLUG, attribute="not an attribute!")
    assert "plug-malformed 1.0" in complaint()
    assert fresh().get("comparatives") is Comparatives


def test_two_plugins_with_one_name_are_both_named(install):
    install("plug-b", PLUG)
    install("plug-a", PLUG)
    said = complaint()
    assert "claimed by plug-a 1.0 (plug_a:Plug) and by plug-b 1.0 (plug_b:Plug)" in said
    assert "uninstall one of them" in said
    claims = [entry for entry in fresh().claims if entry.name == "plug"]
    assert [entry.distribution for entry in claims] == ["plug-a 1.0", "plug-b 1.0"]
    for entry in claims:
        with pytest.raises(BrokenPlugin, match=r"claimed by plug-a .* and by plug-b"):
            entry.load()
    assert fresh().get("comparatives") is Comparatives


def test_plugins_cannot_take_our_names(install):
    install("a-thief", PLUG.replace('"plug"', '"clutrr"'), name="clutrr")
    assert fresh().get("clutrr").__module__ == "relsmith.generators.clutrr.generator"
    ours, theirs = (entry for entry in fresh().claims if entry.name == "clutrr")
    assert ours.is_builtin
    assert not theirs.is_builtin
    with pytest.raises(BrokenPlugin, match=r"claimed by a-thief .* and by relsmith"):
        theirs.load()


def test_working_plugins_are_loaded_without_broken_ones(install):
    install("plug-broken", "raise SystemExit(3)")
    assert "comparatives" in fresh().load_working()
    assert "plug" not in fresh().load_working()


def test_leftovers_of_a_distribution_affect_only_themselves(install):
    (install("plug-left", PLUG) / "METADATA").unlink()
    assert fresh().get("comparatives") is Comparatives
    assert isinstance(fresh().entries["plug"].distribution, str)


def test_leftovers_are_harmless_with_the_backport(install):
    """Import Dask, which makes the backport find all distributions."""
    (install("plug-left", PLUG) / "METADATA").unlink()
    lines = """
import importlib_metadata
from relsmith.registry import GENERATORS
print(GENERATORS.get("comparatives").name, GENERATORS.entries["plug"].distribution)
"""
    paths = {"PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    run = subprocess.run(
        [sys.executable, "-c", lines],
        env=os.environ | paths,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == "comparatives no distribution\n", run.stderr


def test_one_switch_turns_all_plugins_off(install, monkeypatch):
    install("plug-off", PLUG)
    monkeypatch.setenv("RELSMITH_NO_PLUGINS", "1")
    assert not {"plug", "comparatives"} & set(fresh().entries)
    monkeypatch.setenv("RELSMITH_NO_PLUGINS", "")
    assert {"plug", "comparatives"} <= set(fresh().entries)


def test_an_unknown_name_lists_the_nearest_and_all():
    with pytest.raises(NotFound, match="'comparitives'; did you mean 'comparatives'") as caught:
        fresh().get("comparitives")
    assert "there are: " in str(caught.value)


def test_an_empty_registry_says_so():
    nothing = Registry("relsmith.nothing", "thing", check_generator_class)
    with pytest.raises(NotFound, match="no thing is called 'x'; there are: none"):
        nothing.get("x")


def test_the_provider_is_the_distribution_that_registers_the_class():
    assert distribution_name(Comparatives) == "relsmith-comparatives"


def test_a_class_with_the_same_name_has_no_provider():
    class Namesake(Comparatives):
        """A class with the same name."""

    assert distribution_name(Namesake) == ""


def test_reserved_options_are_all_options_of_gen():
    parameters = import_module("relsmith.cli.write").write.__kwdefaults__
    assert set(parameters) <= RESERVED_OPTIONS
