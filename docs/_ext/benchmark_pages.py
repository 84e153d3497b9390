"""The pages of benchmarks, made from `benchmarks/results` while the site is built.

A page has fences `{benchmark} kind part ...` with the kinds `provenance`, `command`, `report`, `means`, `profile`,
`curves`, `losses` and `unmeasured` of the parts named, and `overview` of all. A figure that is not in a result file is
said to be not recorded.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmark_facts import (
    EQUAL,
    LEFT_OUT,
    NOT_RECORDED,
    PARTS,
    PATTERNS,
    RESULTS,
    Case,
    Document,
    Loss,
    Profile,
    by_peers,
    cases,
    counted,
    documents,
    losses,
    part_of,
    performance_profile,
    shifted_geometric_mean,
    times_of,
)
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchmarks.common import NOTHING, number, ratio, table

#: What is waited for in the means and profiles of a part, and the shift of the mean in seconds.
MEASURES: dict[str, tuple[tuple[str, float], ...]] = {
    "proofs": (("proof", 0.1),),
    "dates": (("proof", 1.0),),
    "regression": (("proof", 1.0),),
    "frontier": (("answer", 0.1),),
    "buyin": (("answer", 1.0),),
    "files": (("proof", 1.0), ("answer", 1.0)),
    "generated": (("proof", 1.0), ("answer", 1.0)),
    "trading": (("proof", 1.0),),
    "walkforward": (("end", 1.0),),
    "subsets": (("answer", 0.1),),
    "modellers": (("end", 0.1),),
    "versions": (("end", 1.0),),
}
WAITED_FOR = {
    "proof": "time to the proof",
    "answer": "time to an answer as good as the best",
    "end": "time to the end",
}
#: How a part is measured again.
COMMANDS: dict[str, str] = {
    part: f"python -m benchmarks --only {part}" for part in PARTS
} | {
    "proofs": "python -m benchmarks --only proofs --peers cplex,gurobi,scip",
    "settings": "python -m benchmarks --only settings --peers cplex,gurobi,scip",
    "regression": "python -m benchmarks --only regression --peers scip",
    "trading": "python -m benchmarks --only trading --peers scip",
    "accounts": "python -m benchmarks --only accounts --peers scip",
    "versions": "python -m benchmarks.versions ../other-checkout",
}  # fmt: skip
#: Names under which the files hold limits, gaps and seeds.
LIMITS = ("seconds", "our_seconds", "peer_seconds", "seconds_per_target", "time_limit", "mv_seconds", "fit_seconds")
GAPS = ("gap", "relative_gap", "agreement")
SEEDS = ("seeds", "seed", "file_seeds")
PAGES = Path(__file__).resolve().parents[1] / "benchmarks"
#: Fewer cases make no picture; longer lists are folded.
FEWEST, LONGEST = 10, 25
#: Colours that stand out on white and on black, and dashes for those who see no colours.
STYLES = (("#e0622b", "-"), ("#2f8fd8", "--"), ("#1f9e77", "-."), ("#b06fce", ":"))
#: Stands for the colour of the page's text until the picture is in the page.
INK = "#010203"


# Texts


def _listed(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(f"({_listed(one)})" if isinstance(one, list) else _listed(one) for one in value)
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _recorded(settings: Document, names: Sequence[str]) -> str:
    """What the file has under these names."""
    found = [name for name in names if name in settings]
    if not found:
        return NOT_RECORDED
    if len(found) == 1 and found[0] in ("seconds", "gap", "seeds"):
        return _listed(settings[found[0]])
    return "; ".join(f"{name.replace('_', ' ')} {_listed(settings[name])}" for name in found)


def provenance(parts: Sequence[str]) -> Iterator[str]:
    """When, where and with what each result file was measured."""
    found = [document for part in parts for document in documents(part)]
    if not found:
        yield "There is no result file yet."
        return
    rows: dict[str, Callable[[Document], object]] = {
        "date": lambda document: document["date"],
        "commit": lambda document: document.get("commit", NOT_RECORDED),
        "threads": lambda document: document["settings"].get("threads", NOT_RECORDED),
        "seconds allowed": lambda document: _recorded(document["settings"], LIMITS),
        "gap asked for": lambda document: _recorded(document["settings"], GAPS),
        "seeds": lambda document: _recorded(document["settings"], SEEDS),
        "seconds of the run": lambda document: number(document["run_seconds"]),
        "load before": lambda document: _listed(document["load_at_start"]),
    }
    yield table(
        ["", *(f"`{document['name']}`" for document in found)],
        [[name, *(of(document) for document in found)] for name, of in rows.items()],
    )
    machines: dict[str, list[str]] = {}
    for document in found:
        m = document["machine"]
        versions = ", ".join(f"{name} {version}" for name, version in m["versions"].items() if version != NOTHING)
        key = f"{m['processor']}, {m['cores']} cores, {m['system']}, Python {m['python']}: {versions}."
        machines.setdefault(key, []).append(document["name"])
    yield "\n".join(
        f"- {'' if len(machines) == 1 else ', '.join(f'`{name}`' for name in names) + ': '}{key}"
        for key, names in machines.items()
    )
    yield (
        "Memory and the exact model of the processor are not recorded. The load is the average number of busy "
        "processes in the minute before; what is above 0 was other work, or what ran just before."
    )
    others = []
    known = {"threads", *LIMITS, *GAPS, *SEEDS}
    for document in found:
        rest = {name: value for name, value in document["settings"].items() if name not in known}
        if rest:
            shown = ", ".join(f"{name.replace('_', ' ')} {_listed(value)}" for name, value in rest.items())
            others.append(f"- `{document['name']}`: {shown}")
    if others:
        yield "Other settings, as recorded:\n\n" + "\n".join(others)
    notes = [f"- `{document['name']}`: {note}" for document in found for note in document["notes"]]
    if notes:
        yield "Notes of the runs:\n\n" + "\n".join(notes)
    if any(document["quick"] for document in found):
        yield "**Some of these were quick runs: their figures mean nothing.**"


def command(parts: Sequence[str]) -> Iterator[str]:
    """What to type to measure the parts again."""
    yield "```console\n" + "\n".join(f"$ {COMMANDS[part]}" for part in parts) + "\n```"


def report(parts: Sequence[str]) -> Iterator[str]:
    """The tables of RESULTS.md, by the same functions."""
    for part in parts:
        found = documents(part)
        if not found:
            yield f"There is no result file of `{part}` yet."
            continue
        if part not in PARTS:
            continue  # compared with itself: the means say it all
        text = PARTS[part][0].report(found)
        lines = [f"**{line[3:]}**\n" if line.startswith("## ") else line for line in text.splitlines()]
        # The page has the heading.
        yield "\n".join(lines[1:] if len(found) == 1 or part == "frontier" else lines)


def means(parts: Sequence[str]) -> Iterator[str]:
    """Shifted geometric means of ours and each peer over the cases that both ran on."""
    for part in parts:
        for what, shift in MEASURES.get(part, ()):
            rows = _mean_rows(cases(part), what, shift)
            if not rows:
                continue
            heads = ["cases of", "peer", "cases", "ours solved", "ours s", "peer solved", "peer s", "ratio", "over"]
            yield (
                f"Shifted geometric means of the {WAITED_FOR[what]}, shift {shift:g} s (`{part}`); a case that was not "
                "solved counts with the time that the method had, and is left out of both means where it had no limit. "
                "The ratio is that of the peer's mean to ours, `over` the number of cases in the means."
            )
            yield table(heads, rows)


def _mean_rows(found: Sequence[Case], what: str, shift: float) -> list[list[object]]:
    rows: list[list[object]] = []
    asked = [case for group in by_peers(found, what).values() for case in group]
    kinds = list(dict.fromkeys((case.batch, name) for case in asked for name in case.peers))
    for batch, name in kinds:
        both = [case for case in asked if case.batch == batch and name in case.peers]
        groups = list(dict.fromkeys(case.group for case in both))
        for group in [*groups, None] if len(groups) > 1 else groups:
            mine = [case for case in both if group in (None, case.group)]
            every = f"all, {batch}" if batch else "all"
            row: list[object] = [every if group is None else group, name, len(mine)]
            for runs in ([case.ours for case in mine], [case.peers[name] for case in mine]):
                solved = sum(case.solved_after(run, what) is not None for case, run in zip(mine, runs, strict=True))
                row.append(f"{solved} of {len(mine)}")
            pairs = [(counted(case, case.ours, what), counted(case, case.peers[name], what)) for case in mine]
            known = [(a, b) for a, b in pairs if a is not None and b is not None]
            ours, theirs = (
                shifted_geometric_mean([pair[side] for pair in known], shift) if known else None for side in (0, 1)
            )
            rows.append([*row[:4], number(ours), row[4], number(theirs), ratio(theirs, ours), len(known)])
    return rows


def lost(parts: Sequence[str]) -> list[tuple[str, Loss]]:
    """Every case of the parts in which a peer was better: values first, times by how much last."""
    order = ["value", "proof", "bound", "gap"]

    def key(one: tuple[str, Loss]) -> tuple[int, str, float]:
        loss = one[1]
        first = order.index(loss.what) if loss.what in order else len(order)
        known = loss.ours is not None and loss.theirs is not None and loss.theirs > 0 and loss.ours > 0
        return first, loss.what, -(loss.ours / loss.theirs) if known else 0.0

    return sorted(((part, loss) for part in parts for case in cases(part) for loss in losses(case)), key=key)


def where_we_lose(parts: Sequence[str]) -> Iterator[str]:
    """How often, and the list."""
    found = lost(parts)
    compared = {part: [case for case in cases(part) if case.peers] for part in parts}
    silent = [part for part in parts if not compared[part]]
    if silent:
        yield f"Nothing to lose against: {', '.join(f'`{part}`' for part in silent)}, measured without a peer."
    counts: list[list[object]] = []
    kinds = list(dict.fromkeys(loss.what for _, loss in found))
    for part in parts:
        for name in dict.fromkeys(name for case in compared[part] for name in case.peers):
            mine = [loss for where, loss in found if where == part and loss.peer == name]
            beside = sum(name in case.peers for case in compared[part])
            any_of = len({loss.case.label for loss in mine})
            counts.append([
                f"`{part}`", name, beside, any_of, *(sum(loss.what == kind for loss in mine) for kind in kinds)
            ])  # fmt: skip
    if not counts:
        return
    yield (
        f"In how many cases a peer was better, and in what. Values and bounds count from a relative difference of "
        f"{EQUAL:g}; times are compared where both have a proof, or an answer of the same value."
    )
    yield table(["part", "peer", "cases", "any", *kinds], counts)
    if not found:
        yield "In these results no peer was better anywhere, in nothing that was recorded."
        return
    yield from _folded(
        "The only one" if len(found) == 1 else f"All {len(found)} of them",
        table(["case", "peer", "better in", "ours", "theirs", "ours / theirs"], [_loss_row(loss) for _, loss in found]),
        len(found) > LONGEST,
    )


def _loss_row(loss: Loss) -> list[object]:
    digits = 9 if loss.what in ("value", "bound") else 3
    unit = " s" if loss.what.startswith("time") or loss.what == "proof" else ""
    shown = ratio(loss.ours, loss.theirs) if loss.what.startswith("time") else NOTHING
    mine = "none" if loss.ours is None else number(loss.ours, digits, unit)
    if loss.what == "proof" and loss.ours is not None:
        mine = f"none in {mine}"
    return [loss.case.label, loss.peer, loss.what, mine, number(loss.theirs, digits, unit), shown]


def _folded(title: str, text: str, fold: bool) -> Iterator[str]:
    if fold:
        yield f'<details class="benchmark-list"><summary>{title}</summary>'
        yield text
        yield "</details>"
    else:
        yield f"{title}:"
        yield text


def unmeasured(parts: Sequence[str]) -> Iterator[str]:
    """What the files themselves say is missing."""
    lines = []
    for part in parts:
        found, read = documents(part), cases(part)
        if not found:
            lines.append(f"`{part}`: no result file yet.")
            continue
        alone = sum(not case.peers for case in read)
        if read and alone == len(read):
            lines.append(f"`{part}`: no peer, in none of the {len(read)} cases.")
        elif alone:
            lines.append(f"`{part}`: {alone} of {len(read)} cases have no peer beside them.")
        for name in dict.fromkeys(name for case in read for name in case.peers):
            beside = sum(name in case.peers for case in read)
            if beside < len(read) - alone:
                lines.append(f"`{part}`: {name} ran on {beside} of the {len(read) - alone} cases that have a peer.")
        for document in found:
            lines += [f"`{document['name']}`: {line}" for line in _unasked(part, document)]
            seeds = [document["settings"][name] for name in SEEDS if name in document["settings"]]
            few = not seeds or all(not isinstance(one, list) or len(one) < 2 for one in seeds)
            if few:
                shown = f"seed recorded: {_listed(seeds)}" if seeds else "no seed is recorded"
                lines.append(f"`{document['name']}`: the spread over seeds ({shown}).")
    yield "\n".join(f"- {line}" for line in lines)


def _unasked(part: str, document: Document) -> Iterator[str]:
    """What a run of problem files leaves open, by what is in it."""
    if part not in ("files", "generated"):
        return
    yield f"other limits than {document['settings']['seconds']:g} s, unless there is another file with them."
    if "gap" not in document["settings"]:
        yield (
            "the same gap for all. Ours went on to 1e-6, SCIP to its default of 0, and HiGHS stopped at its default "
            "of 1e-4, which favours HiGHS; a gap of 1e-4 counts as proven here, for everyone."
        )
    if not any("trace" in entry["ours"] for entry in document["entries"]):
        yield "the primal integral, since the run did not keep when which answer came."


def page_of(part: str) -> str | None:
    """The page that has the part, by its directives."""
    for page in sorted(PAGES.glob("*.md")):
        lines = re.findall(r"^```\{benchmark\} provenance (.+)$", page.read_text(), re.MULTILINE)
        if any(part in line.split() for line in lines):
            return page.name
    return None


def overview(parts: Sequence[str]) -> Iterator[str]:
    """One row for each part: when, against whom, and how often a peer was better in something."""
    rows: list[list[object]] = []
    for part in parts or PATTERNS:
        found, read, page = documents(part), cases(part), page_of(part)
        named = f"`{part}`" if page is None else f"[{part}]({page})"
        if not found:
            rows.append([named, "no result file yet", *[NOTHING] * 4])
            continue
        peers = list(dict.fromkeys(name.split(",")[0] for case in read for name in case.peers))
        compared = [case for case in read if case.peers]
        beaten = [list(losses(case)) for case in compared]
        when = sorted({document["date"] for document in found})
        rows.append([
            named, " to ".join(dict.fromkeys([when[0], when[-1]])),
            ", ".join(dict.fromkeys(peers)) or "none", len(compared) or NOTHING,
            sum(any(loss.what == "value" for loss in one) for one in beaten) if compared else NOTHING,
            sum(bool(one) for one in beaten) if compared else NOTHING,
        ])  # fmt: skip
    yield table(["part", "measured", "peers", "cases", "peer better in value", "peer better in anything"], rows)
    unread = sorted(path.stem for path in RESULTS.glob("*.json") if part_of(path.stem) is None)
    for name in unread:
        yield f"- `{name}.json` is on no page: {LEFT_OUT[name]}"


TEXTS: dict[str, Callable[[Sequence[str]], Iterator[str]]] = {
    "provenance": provenance,
    "command": command,
    "report": report,
    "means": means,
    "losses": where_we_lose,
    "unmeasured": unmeasured,
    "overview": overview,
}


# Pictures


def profiles(part: str) -> Iterator[tuple[str, list[Case], Profile]]:
    """(what is waited for, cases, profile) of a part, for each set of peers that ran on enough cases."""
    for what, _ in MEASURES.get(part, ()):
        for (_, names), found in by_peers(cases(part), what).items():
            if len(found) >= FEWEST:
                yield what, found, performance_profile(times_of(found, names, what))


def described(what: str, profile: Profile) -> str:
    """The picture in words."""
    said = [
        f"{method}: fastest in {profile.fastest(method)}, solved {profile.solved(method)}"
        + (f", within 10 times the fastest in {round(profile.cases * profile.share(method, 10.0))}")
        for method in profile.ratios
    ]
    return f"Performance profile of the {WAITED_FOR[what]} over {profile.cases} cases. {'; '.join(said)}."


def drawn(what: str, profile: Profile, slug: str) -> str:
    """The picture as SVG, in the colours of the page."""

    def draw(axes: Any) -> None:
        end = max(profile.largest, 2.0) * 1.2
        for (method, found), (colour, dashes) in zip(profile.ratios.items(), STYLES * 2, strict=False):
            xs, ys = [1.0], [profile.share(method, 1.0)]
            for one in found:
                xs.append(one)
                ys.append(profile.share(method, one))
            xs, ys = [*xs, end], [*ys, ys[-1]]
            axes.step(xs, ys, where="post", color=colour, linestyle=dashes, linewidth=2.2, label=method)
        axes.set_xscale("log")
        axes.set_xlim(1.0, end)
        _mark(axes.set_xticks, 1.0, end)
        axes.set_ylim(0.0, 1.02)
        axes.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0], ["0 %", "25 %", "50 %", "75 %", "100 %"])
        axes.set_xlabel("times the fastest", color=INK)
        axes.set_ylabel("cases solved", color=INK)

    return _picture(draw, slug, described(what, profile))


#: Curves of a part: what runs along, and what is drawn over it, by the names in the file.
CURVES: dict[str, tuple[tuple[str, str], dict[str, str]]] = {
    "growth": (("n", "assets"), {"seconds": "seconds", "found_at": "seconds to the last improvement"}),
    "support": (
        ("k", "assets held"),
        {"batch_us": "random supports", "neighbor_us": "exchanges", "general_us": "general solver"},
    ),
}
UNITS = {"growth": "seconds", "support": "microseconds a problem"}


def curves(part: str) -> tuple[dict[str, list[tuple[float, float]]], str]:
    """The points of each curve of a part, and the picture in words."""
    (document,) = documents(part)
    (along, along_name), over = CURVES[part]
    found = {
        name: [(size[along], size[key]) for size in document["sizes"] if size.get(key) is not None]
        for key, name in over.items()
    }
    said = [
        f"{name}: {number(points[0][1])} at {points[0][0]:,}, {number(points[-1][1])} at {points[-1][0]:,}"
        for name, points in found.items()
        if points
    ]
    return found, f"{UNITS[part].capitalize()} over {along_name}, both axes logarithmic. {'; '.join(said)}."


def curves_drawn(part: str, slug: str) -> str:
    """Curves over sizes, both axes logarithmic."""
    found, said = curves(part)

    def draw(axes: Any) -> None:
        for (name, points), (colour, dashes) in zip(found.items(), STYLES, strict=False):
            xs, ys = zip(*points, strict=True)
            axes.plot(xs, ys, color=colour, linestyle=dashes, linewidth=2.2, marker="o", markersize=4, label=name)
        axes.set_xscale("log")
        axes.set_yscale("log")
        _mark(axes.set_xticks, *axes.get_xlim())
        _mark(axes.set_yticks, *axes.get_ylim())
        axes.set_xlabel(CURVES[part][0][1], color=INK)
        axes.set_ylabel(UNITS[part], color=INK)

    return _picture(draw, slug, said)


def _mark(place: Callable[..., object], start: float, end: float) -> None:
    """Numbers along a logarithmic axis, as people write them."""
    steps = (1, 2, 5) if end < 200 * start else (1,)
    marks = [step * 10.0**power for power in range(-6, 9) for step in steps]
    marks = [mark for mark in marks if start <= mark <= end]
    place(marks, [f"{mark:,.0f}" if mark >= 1 else f"{mark:g}" for mark in marks])
    place([], minor=True)


def _picture(draw: Callable[[Any], None], slug: str, text: str) -> str:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    options: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": slug,
        "font.family": "sans-serif",
        "font.size": 11.0,
    }
    with matplotlib.rc_context(options):
        figure = Figure(figsize=(4.6, 3.5), layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        axes.grid(color=INK, alpha=0.2, linewidth=0.6)
        axes.tick_params(which="both", colors=INK)
        for side in axes.spines.values():
            side.set_color(INK)
        figure.legend(loc="outside upper center", ncols=2, frameon=False, labelcolor=INK)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _in_page(stream.getvalue(), slug, text)


def _in_page(svg: str, slug: str, text: str) -> str:
    """An SVG file as an element: ids of its own, the page's colour and width, and a text for who cannot see it."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\bid=\"([^\"]+)\"", rf'id="{slug}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{slug}-\1)", svg)
    svg = re.sub(r"href=\"#([^\"]+)\"", rf'href="#{slug}-\1"', svg)
    svg = svg.replace(INK, "currentColor")
    said = html.escape(text, quote=True)
    svg = re.sub(r"<svg ", f'<svg role="img" aria-label="{said}" style="width: 100%; height: auto" ', svg, count=1)
    return re.sub(r"(<svg [^>]*>)", rf"\1<title>{html.escape(text)}</title>", svg, count=1)


def figures(parts: Sequence[str]) -> Iterator[str]:
    """The profiles of the parts, each with its words below."""
    for part in parts:
        for at, (what, found, profile) in enumerate(profiles(part)):
            groups = ", ".join(dict.fromkeys(case.group for case in found))
            yield _figure(
                drawn(what, profile, f"profile-{part}-{at}"), part, f" ({groups}). {described(what, profile)}"
            )


def curve_figures(parts: Sequence[str]) -> Iterator[str]:
    """The curves of the parts, each with its words below."""
    for part in parts:
        if documents(part):
            yield _figure(curves_drawn(part, f"curves-{part}"), part, f". {curves(part)[1]}")


def _figure(svg: str, part: str, caption: str) -> str:
    return (
        '<figure class="benchmark-figure" style="max-width: 34rem; margin: 1rem auto">'
        f'{svg}<figcaption style="font-weight: normal; color: inherit">'
        f"<code>{part}</code>{html.escape(caption)}</figcaption></figure>"
    )


PICTURES: dict[str, Callable[[Sequence[str]], Iterator[str]]] = {"profile": figures, "curves": curve_figures}


# Sphinx


class Benchmark(SphinxDirective):
    """Texts, tables or pictures of parts of the benchmarks."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = False

    def run(self) -> list[nodes.Node]:
        """Make them, from the files as they are now."""
        kind, *parts = self.arguments[0].split()
        if kind not in PICTURES and kind not in TEXTS:
            known = ", ".join([*TEXTS, *PICTURES])
            raise self.error(f"benchmark: there is no {kind!r}; choose from {known}")
        for part in parts:
            if part not in PATTERNS:
                raise self.error(f"benchmark: there is no part {part!r}; choose from {', '.join(PATTERNS)}")
        for path in [*RESULTS.glob("*.json"), Path(__file__), Path(__file__).with_name("benchmark_facts.py")]:
            self.env.note_dependency(str(path))
        if kind in PICTURES:
            drawings = list(PICTURES[kind](parts))
            if drawings:
                return [nodes.raw("", drawing, format="html") for drawing in drawings]
            return self.parse_text_to_nodes(f"No picture: there are fewer than {FEWEST} cases beside the same peers.")
        return self.parse_text_to_nodes("\n\n".join(TEXTS[kind](parts)))


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directive known."""
    app.add_directive("benchmark", Benchmark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
