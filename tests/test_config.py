"""Config: settings by phase, each with its rule; changed one by one or by group; from a file."""

from __future__ import annotations

import dataclasses
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridmip as hm
from hybridmip import ArgumentError, Config, FileError
from hybridmip.run.config import GROUPS

ALGORITHMS: tuple[Callable[..., Config], ...] = (Config, Config.quick, Config.paper)


def config(tmp_path: Path, text: str) -> Config:
    """The configuration of a text."""
    path = tmp_path / "config.toml"
    path.write_text(text)
    return Config.from_file(path)


# Groups


def test_every_group_is_public_and_plain() -> None:
    """A frozen data class that can be compared, hashed and sent to workers; and so is the whole."""
    for name, group in GROUPS.items():
        assert getattr(hm, group.__name__) is group
        assert isinstance(getattr(Config(), name), group)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(group(), dataclasses.fields(group)[0].name, 1)
    for build in ALGORITHMS:
        assert build() == build()
        assert hash(build()) == hash(build())
        assert pickle.loads(pickle.dumps(build())) == build()


RULES: tuple[tuple[str, str, Any], ...] = (
    ("augm", "weight", -1e-7), ("augm", "weight", np.inf), ("augm", "weight", "small"),
    ("pool", "random", -1), ("pool", "random", 1.5), ("pool", "rounded", -1), ("pool", "rounded", True),
    ("genetic", "keep_percent", 0), ("genetic", "keep_percent", 101), ("genetic", "spread", -1e-3),
    ("genetic", "spread", np.nan), ("genetic", "mutation_percent", -1), ("genetic", "mutation_percent", 101),
    ("genetic", "generations", -1), ("genetic", "generations", None),
    ("walk", "limit", -1), ("walk", "limit", "long"),
    ("descent", "starts", 0), ("descent", "patience", -1), ("fit", "rounds", -1), ("fit", "rounds", 0.5),
    ("tree", "work", -1), ("tree", "work", "all"),
)  # fmt: skip


@pytest.mark.parametrize(("group", "name", "value"), RULES)
def test_a_group_refuses(group: str, name: str, value: Any) -> None:
    """One line with the setting's full name, its value and its rule, however it is set."""
    changes = {group: {name: value}}
    for build in (lambda: GROUPS[group](**changes[group]), *(lambda b=b: b().replace(**changes) for b in ALGORITHMS)):
        with pytest.raises(ArgumentError) as caught:
            build()
        assert str(caught.value).startswith(f"{group}.{name} is {value!r}; it must be a ")
        assert "\n" not in str(caught.value)


def test_every_setting_has_a_rule() -> None:
    """None is forgotten above."""
    settings = {(name, entry.name) for name, group in GROUPS.items() for entry in dataclasses.fields(group)}
    assert settings == {(group, name) for group, name, _ in RULES}


def test_ends_of_the_ranges_and_numbers_of_numpy() -> None:
    """What the rules name as allowed is."""
    changed = Config.paper(
        augm={"weight": 0}, pool={"random": np.int64(0)}, walk={"limit": 0}, descent={"starts": 1, "patience": 0},
        genetic={"keep_percent": 100, "spread": 0, "mutation_percent": np.float64(100), "generations": 0},
        fit={"rounds": None},
    )  # fmt: skip
    assert changed.fit == Config().fit
    assert Config.paper(genetic={"mutation_percent": 0}).genetic.mutation_percent == 0


def test_a_dict_changes_some_and_a_group_all() -> None:
    """What a dict does not name stays; a group brings its own values."""
    assert Config.paper(pool={"random": 20}).pool == hm.PoolSettings(random=20, rounded=0)
    assert Config.paper(pool=hm.PoolSettings(random=20)).pool == hm.PoolSettings(random=20, rounded=10)
    before = Config.quick()
    after = before.replace(descent={"starts": 2}, threads=1)
    assert (after.descent, after.threads) == (hm.DescentSettings(starts=2, patience=4), 1)
    assert before == Config.quick()
    assert after.replace(descent=before.descent, threads=None) == before


def test_a_group_is_not_something_else() -> None:
    """A dict is for `replace`, and nothing is a group but its own class."""
    for given in ({"random": 3}, 3, hm.WalkSettings()):
        with pytest.raises(ArgumentError, match=f"pool is a {type(given).__name__}; it must be a PoolSettings"):
            Config(pool=given)


def test_misspelled_settings_are_refused() -> None:
    """At the top and in a group, by their name."""
    for changes in ({"patiense": 3}, {"descent": {"patiense": 3}}):
        for build in (*ALGORITHMS[1:], Config().replace):
            with pytest.raises(TypeError, match="patiense"):
                build(**changes)


# Files


def test_settings_on_top_of_a_base(tmp_path: Path) -> None:
    """What is not named is the base's."""
    assert config(tmp_path, "") == Config()
    assert config(tmp_path, 'base = "paper"\n[pool]\nrandom = 20\n') == Config.paper(pool={"random": 20})
    text = 'base = "quick"\nthreads = 1\n[genetic]\nspread = 1\n[fit]\nrounds = 3'
    assert config(tmp_path, text) == Config.quick(threads=1, genetic={"spread": 1}, fit={"rounds": 3})
    assert config(tmp_path, 'relaxations = ["line"]\npresolve = false') == Config(relaxations=("line",), presolve=False)
    assert config(tmp_path, "pool.random = 3\npool.rounded = 0") == Config(pool=hm.PoolSettings(3, 0))


@pytest.mark.parametrize("build", ALGORITHMS)
def test_every_setting_can_be_in_a_file(tmp_path: Path, build: Callable[..., Config]) -> None:
    """A configuration written out, setting by setting, comes back; None is what is left out."""
    top, tables = [], []
    for name, value in dataclasses.asdict(build()).items():
        if isinstance(value, dict):
            tables += [f"[{name}]", *(f"{k} = {json.dumps(entry)}" for k, entry in value.items() if entry is not None)]
        elif value is not None:
            top.append(f"{name} = {json.dumps(value)}")
    text = "\n".join((*top, *tables))
    assert config(tmp_path, text) == build()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('base = "best"', "base is 'best'; choose from default, quick, paper"),
        ("base = []", "choose from default, quick, paper"),
        ("patients = 3", r"there is no setting patients; choose from base, name, .*threads, \[augm\], \[pool\], "),
        ("phases = []", "there is no setting phases"),
        ("[genes]\nspread = 1", r"there is no table \[genes\]; choose from base, .*\[genetic\], "),
        ("[pool]\nrandm = 1", "there is no setting pool.randm; choose from pool.random, pool.rounded"),
        ("[pool.random]\nmany = 1", "pool.random is a table; it must be an integer"),
        ("pool = 3", "pool is an integer; it must be a table"),
        ("[[pool]]\nrandom = 3", "pool is an array; it must be a table"),
        ("[threads]\nrandom = 3", "threads is a table; it must be an integer"),
        ('descent.patience = "long"', "descent.patience is a string; it must be an integer"),
        ("[descent]\npatience = 1.5", "descent.patience is a float; it must be an integer"),
        ("[descent]\npatience = true", "descent.patience is a boolean"),
        ("fit.rounds = 2020-01-01", "fit.rounds is a date or a time"),
        ('[genetic]\nspread = "small"', "genetic.spread is a string; it must be a float or an integer"),
        ('relaxations = "line"', "relaxations is a string; it must be an array of strings"),
        ("relaxations = [1]", "relaxations is an array; it must be an array of strings"),
        ("patience =", "is not TOML"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    """One line that names the file, the setting and the rule."""
    with pytest.raises(FileError, match=message) as error:
        config(tmp_path, text)
    assert "\n" not in str(error.value)
    assert "config.toml" in str(error.value)


def test_bad_values(tmp_path: Path) -> None:
    """Ranges are those of `Config`; a file that is not there is said so."""
    with pytest.raises(ArgumentError, match=r"genetic\.keep_percent is 0"):
        config(tmp_path, "[genetic]\nkeep_percent = 0")
    with pytest.raises(FileError, match="cannot be read"):
        Config.from_file(tmp_path / "none.toml")
