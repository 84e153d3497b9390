"""`hybridmip portfolio` with holdings, costs and other objectives."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridmip as hm
from hybridmip.cli import main


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Means, a covariance, holdings and a benchmark."""
    mean, covariance = hm.market(assets=12, seed=3).sample_estimates()
    mean.to_csv(tmp_path / "mean.csv")
    covariance.to_csv(tmp_path / "cov.csv")
    held = "".join(f"{name},0.25\n" for name in mean.index[:4])
    (tmp_path / "held.csv").write_text("asset,weight\n" + held)
    (tmp_path / "index.csv").write_text("".join(f"{name},{1 / 12}\n" for name in mean.index))
    return tmp_path


def run(files: Path, *options: str) -> int:
    """The command, with the files' means and covariance."""
    arguments = ["portfolio", str(files / "mean.csv"), "--covariance", str(files / "cov.csv"), "-q", *options]
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return int(ended.value.code or 0)


def test_trades_and_costs(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The document has weights of the assets, trades, turnover and costs; the text tells them too."""
    options = (
        "--assets", ":6", "--current", str(files / "held.csv"), "--objective", "utility", "--risk-aversion", "4",
        "--trade-cost", "0.01%:0.02%", "--fixed-trade-cost", "0.001%", "--max-turnover", "60%", "--max-trades", "4",
    )  # fmt: skip
    assert run(files, *options, "--json") == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["status"] == "optimal"
    assert sum(document["weights"].values()) == pytest.approx(1.0)
    assert not any("(" in name for name in document["weights"])
    assert document["turnover"] == pytest.approx(sum(abs(trade) for trade in document["trades"].values()))
    assert document["turnover"] <= 0.6 + 1e-7
    assert len(document["trades"]) <= 4
    assert document["net_return"] == pytest.approx(document["expected_return"] - document["cost"])
    assert run(files, *options) == 0
    shown = capsys.readouterr().out
    assert "turnover" in shown
    assert "negative utility" in shown


@pytest.mark.parametrize(
    ("options", "key"),
    [
        (("--objective", "sharpe", "--risk-free", "0.01%"), "sharpe_ratio"),
        (("--objective", "tracking"), "tracking_error"),
    ],
)
def test_other_objectives(files: Path, options: tuple[str, ...], key: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "tracking" in options:
        options += ("--benchmark", str(files / "index.csv"))
    assert run(files, "--assets", "5", *options, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document[key] > 0
    assert sum(document["weights"].values()) == pytest.approx(1.0)
    assert np.isfinite(document["risk"])


@pytest.mark.parametrize(
    ("held", "options", "message"),
    [
        ("NOBODY,0.5\n", (), "--current names 'NOBODY', which is no asset"),
        ("a,b,c\n", (), "is not an asset and a weight"),
        ("asset,weight\nX,1\nX,2\n", (), "X is there twice"),
        ("asset,weight,note\nX,1\n", (), "is not an asset and a weight"),
        ("asset,weight\n", (), "is empty but for its first line"),
        (None, ("--trade-cost", "-1%"), "--trade-cost of"),
        (None, ("--max-turnover", "much"), "--max-turnover is 'much'"),
        (None, ("--objective", "tracking"), "benchmark"),
        (None, ("--max-weight", "30"), "weights are shares of it"),
    ],
)
def test_bad_input_is_one_line(
    files: Path, held: str | None, options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, and one line that names the option."""
    if held is not None:
        (files / "held.csv").write_text(held)
        options += ("--current", str(files / "held.csv"))
    assert run(files, "--assets", "5", *options) == 2
    told = capsys.readouterr().err
    assert message in told
    assert len(told.strip().splitlines()) == 1


def test_what_was_written_is_held(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file of --out, with its further columns, serves as --current: on the same market nothing is traded."""
    written = files / "weights.csv"
    assert run(files, "--assets", "5", "--out", str(written)) == 0
    assert len(written.read_text().splitlines()[0].split(",")) > 2
    capsys.readouterr()
    costs = ("--trade-cost", "0.1%", "--fixed-trade-cost", "0.1%", "--cost-weight", "1")
    assert run(files, "--assets", "5", "--current", str(written), *costs, "--json") == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["turnover"] == 0.0
    assert len(document["weights"]) == 5


def test_excluded_assets(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not to be held is sold; a name that is none is told in one line."""
    names = [line.split(",")[0] for line in (files / "held.csv").read_text().splitlines()[1:]]
    options = ("--current", str(files / "held.csv"), "--trade-cost", "0.1%", "--cost-weight", "1")
    assert run(files, *options, "--exclude", f"{names[0]},{names[1]}", "--json") == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["trades"][names[0]] == pytest.approx(-0.25)
    assert names[1] not in document["weights"]
    assert run(files, "--exclude", "NOBODY") == 2
    told = capsys.readouterr().err
    assert "exclude" in told
    assert len(told.strip().splitlines()) == 1


TRADED = ("--trade-cost", "0.01%", "--fixed-trade-cost", "0.001%", "--max-trades", "4")
SHORTS = ("--min-weight", "-0.2", "--max-short", "0.3", "--max-gross", "1.6")


@pytest.fixture
def verified(files: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[Path], tuple[int, str]]:
    """Check a document against the problem and the certificate in the folder: exit code, and what is said."""

    def check(solution: Path) -> tuple[int, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(["verify", str(files / "p.json"), str(files / "c.json"), "--solution", str(solution)])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out + said.err

    return check


Verified = Callable[[Path], tuple[int, str]]


def answered(files: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    """The document of an answer, with its problem and certificate in the folder."""
    written = ("--save-problem", str(files / "p.json"), "--certificate", str(files / "c.json"), "--json")
    assert run(files, "--assets", ":6", *options, *written) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.mark.parametrize("more", [(), TRADED, SHORTS, (*TRADED, *SHORTS)], ids=["plain", "trades", "shorts", "both"])
@pytest.mark.parametrize("objective", ["variance", "utility", "tracking", "sharpe"])
def test_answers_can_be_checked(
    objective: str, more: tuple[str, ...], files: Path, verified: Verified, capsys: pytest.CaptureFixture[str]
) -> None:
    """The document has the problem's own point: `verify` takes it as it is, and no point or value that was changed."""
    options = ("--objective", objective, *more)
    options += ("--benchmark", str(files / "index.csv")) if objective == "tracking" else ()
    options += ("--current", str(files / "held.csv")) if "--trade-cost" in more else ()
    options += ("--time-limit", "3") if objective == "sharpe" else ()  # a bound that is open is checked just as well
    document = answered(files, capsys, *options)
    place = files / "answer.json"
    place.write_text(json.dumps(document))
    code, said = verified(place)
    assert (code, "the solution is feasible" in said) == (0, True), said
    most = max(document["x"], key=lambda name: document["x"][name])
    changes: tuple[dict[str, Any], ...] = (
        {"x": {**document["x"], most: document["x"][most] * 1.01}},
        {"selected": []},
        {"objective": document["objective"] * 1.01},
    )
    for change in changes:
        place.write_text(json.dumps({**document, **change}))
        assert verified(place)[0] == 1, change


def test_documents_without_a_point(files: Path, verified: Verified, capsys: pytest.CaptureFixture[str]) -> None:
    """What older versions wrote is still read where weights are the problem's x; elsewhere it is told what to do."""
    place = files / "answer.json"

    def older(*options: str) -> tuple[int, str]:
        document = answered(files, capsys, *options)
        del document["x"]
        place.write_text(json.dumps(document))
        return verified(place)

    assert older()[0] == 0
    remedy = "the file has weights of assets and not the problem's own x; write it anew with --json"
    for expected, options in (
        (1, ("--objective", "sharpe")),
        (2, ("--current", str(files / "held.csv"), "--cost-weight", "1", *TRADED)),
    ):
        code, said = older(*options)
        assert (code, remedy in said) == (expected, True), said


def test_benchmark_that_can_be_held(files: Path, verified: Verified, capsys: pytest.CaptureFixture[str]) -> None:
    """A tracking variance that is zero but for rounding has the gap that the solver says, not thousands of percent."""
    (files / "index.csv").write_text((files / "held.csv").read_text())
    options = ("--objective", "tracking", "--benchmark", str(files / "index.csv"))
    place = files / "answer.json"
    document = answered(files, capsys, *options)
    place.write_text(json.dumps(document))
    assert abs(document["objective"]) < 1e-15
    code, said = verified(place)
    assert (code, "gap: proven optimal" in said) == (0, True), said


def test_holdings_in_percent(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--current takes 25% for 0.25, as accounts do."""
    options = (
        "--assets",
        ":6",
        "--objective",
        "utility",
        "--max-turnover",
        "60%",
        "--current",
        str(files / "held.csv"),
    )
    answers = []
    for _ in range(2):
        assert run(files, *options, "--json") == 0
        answers.append(json.loads(capsys.readouterr().out)["trades"])
        (files / "held.csv").write_text((files / "held.csv").read_text().replace("0.25", "25%"))
    assert answers[0] == answers[1]


def test_drifted_holdings(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What has drifted below --min-weight is refused with the option that mends it, and traded back with that."""
    held = (files / "held.csv").read_text().replace("0.25", "0.02", 1)
    (files / "held.csv").write_text(held)
    name = held.splitlines()[1].split(",")[0]
    options = (
        "--min-weight", "3%", "--objective", "utility", "--trade-cost", "0.01%", "--current", str(files / "held.csv")
    )  # fmt: skip
    assert run(files, *options) == 2
    told = capsys.readouterr().err
    assert f"--current of {name} is 0.02, below its --min-weight 0.03; lower that for it, or give --drifted" in told
    assert run(files, *options, "--drifted", "--json") == 0
    weights = json.loads(capsys.readouterr().out)["weights"]
    assert weights.get(name, 1.0) >= 0.03 - 1e-9
    accounts = files / "accounts.csv"
    accounts.write_text("account,asset,weight\n" + "".join(f"A1,{line}\n" for line in held.splitlines()[1:]))
    command = ["rebalance", str(files / "mean.csv"), str(accounts), "--covariance", str(files / "cov.csv"), "--json"]
    for more, wanted in ((["--no-drifted"], "bad input"), ([], "within gap")):
        with pytest.raises(SystemExit):
            main([*command, "-q", "--min-weight", "3%", "--out", str(files / wanted.replace(" ", "-")), *more])
        assert json.loads(capsys.readouterr().out)["counts"][wanted] == 1, wanted


def test_costs_that_prevent_every_trade(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing is traded at the costs given, it is told that they are per period and how to divide them."""
    hint = "divide them by the periods that a position is held: 2 % over 20 periods is 0.1 %"
    held = ("--assets", ":6", "--objective", "utility", "--current", str(files / "held.csv"))
    for cost, expected in (("2%", True), ("0.01%", False)):
        assert run(files, *held, "--trade-cost", cost) == 0
        shown = capsys.readouterr().out
        assert ("trades: none" in shown, hint in shown) == (expected, expected), shown
    # From cash everything is bought, whatever it costs; and a variance alone asks for no return that costs could eat.
    assert run(files, *held[:4], "--trade-cost", "2%") == 0
    assert hint not in capsys.readouterr().out
    assert run(files, *held[:2], *held[4:], "--trade-cost", "2%", "--max-trades", "0") == 0
    assert hint not in capsys.readouterr().out
    accounts = files / "accounts.csv"
    lines = (files / "held.csv").read_text().splitlines()
    accounts.write_text("account,asset,weight\n" + "".join(f"A1,{line}\n" for line in lines[1:]))
    command = ["rebalance", str(files / "mean.csv"), str(accounts), "--covariance", str(files / "cov.csv"), "-q"]
    for cost, expected in (("2%", True), ("0.01%", False)):
        with pytest.raises(SystemExit):
            main([*command, "--trade-cost", cost, "--out", str(files / cost)])
        assert (hint in capsys.readouterr().out) == expected


def test_turnover_from_cash(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A turnover that no portfolio keeps to because nothing is held says so, and what to do."""
    assert run(files, "--assets", ":6", "--max-turnover", "60%") == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert "nothing is held today, so that all is bought" in shown
    assert "the turnover of 60 % that is allowed counts from cash; give what is held with --current FILE.csv" in shown
