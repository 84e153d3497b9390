"""Config from a file: settings by name, on top of one of the three algorithms; anything else is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridmip import ArgumentError, Config, FileError


def config(tmp_path: Path, text: str) -> Config:
    """The configuration of a text."""
    path = tmp_path / "config.toml"
    path.write_text(text)
    return Config.from_file(path)


def test_settings_on_top_of_a_base(tmp_path: Path) -> None:
    """What is not named is the base's."""
    assert config(tmp_path, "") == Config()
    assert config(tmp_path, 'base = "paper"\nrandom_solutions = 20\n') == Config.paper(random_solutions=20)
    assert config(tmp_path, 'base = "quick"\nthreads = 1\nspread = 1') == Config.quick(threads=1, spread=1)
    assert config(tmp_path, 'relaxations = ["line"]\npresolve = false') == Config(relaxations=("line",), presolve=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('base = "best"', "choose from default, quick, paper"),
        ("patients = 3", "there is no setting patients"),
        ("phases = []", "there is no setting phases"),
        ('patience = "long"', "patience is a str; it must be int"),
        ("patience = 1.5", "patience is a float"),
        ("patience =", "is not TOML"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    """One line that names the file, the setting and the rule."""
    with pytest.raises(FileError, match=message) as error:
        config(tmp_path, text)
    assert "\n" not in str(error.value)


def test_bad_values(tmp_path: Path) -> None:
    """Ranges are those of `Config`; a file that is not there is said so."""
    with pytest.raises(ArgumentError, match="keep_percent"):
        config(tmp_path, "keep_percent = 0")
    with pytest.raises(FileError, match="cannot be read"):
        Config.from_file(tmp_path / "none.toml")
