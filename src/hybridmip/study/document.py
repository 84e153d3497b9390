"""A report as blocks (headings, paragraphs, tables, figures), written as Markdown or as one HTML page."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Text:
    """A paragraph, with `code`, **bold**, *italics* and [links](address)."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list."""

    items: Sequence[str]


@dataclass(frozen=True)
class Code:
    """Lines as they are typed."""

    text: str


@dataclass(frozen=True)
class Grid:
    """A table; the first `words` columns are text, the others numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1


@dataclass(frozen=True)
class Picture:
    """A figure by its file's name without ending, and what it shows."""

    name: str
    caption: str


Block = Heading | Text | Items | Code | Grid | Picture


@dataclass
class Document:
    """The blocks in their order."""

    blocks: list[Block] = field(default_factory=list)

    def add(self, *blocks: Block) -> None:
        """Append blocks."""
        self.blocks += blocks

    def markdown(self, figures: str) -> str:
        """The report as Markdown; figures are PNG files in the folder `figures`."""
        return "\n\n".join(_markdown(block, figures) for block in self.blocks) + "\n"

    def html(self, pictures: Mapping[str, bytes]) -> str:
        """The report as one page that needs no network; `pictures` are SVG files by name."""
        title = next((b.text for b in self.blocks if isinstance(b, Heading)), "Report")
        sections = [b.text for b in self.blocks if isinstance(b, Heading) and b.level == 2]
        contents = "".join(f'<li><a href="#{anchor(text)}">{_inline(text)}</a></li>' for text in sections)
        body = []
        for block in self.blocks:
            body.append(_html(block, pictures))
            if isinstance(block, Heading) and block.level == 1:
                body.append(f"<nav><ol>{contents}</ol></nav>")
        return _PAGE.replace("@TITLE@", escape(title)).replace("@BODY@", "\n".join(body))


def anchor(text: str) -> str:
    """A heading as GitHub makes an anchor of it."""
    return re.sub(r"[^a-z0-9 -]", "", text.lower()).replace(" ", "-")


def _markdown(block: Block, figures: str) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {text}"
        case Text(text):
            return text
        case Items(items):
            return "\n".join(f"- {item}" for item in items)
        case Code(text):
            return "\n".join(f"    {line}" for line in text.splitlines())
        case Grid(header, rows, words):
            lines = [header, ["---" if k < words else "---:" for k in range(len(header))], *rows]
            return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
        case Picture(name, caption):
            return f"![{re.sub(r'[*`]', '', caption)}]({figures}/{name}.png)\n\n*{caption}*"


def _html(block: Block, pictures: Mapping[str, bytes]) -> str:
    match block:
        case Heading(text, level):
            return f'<h{level} id="{anchor(text)}">{_inline(text)}</h{level}>'
        case Text(text):
            return f"<p>{_inline(text)}</p>"
        case Items(items):
            return "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + "</ul>"
        case Code(text):
            return f"<pre><code>{escape(text)}</code></pre>"
        case Grid(header, rows, words):
            kinds = ["w" if k < words else "n" for k in range(len(header))]
            head = "".join(f'<th class="{kind}">{_inline(cell)}</th>' for kind, cell in zip(kinds, header, strict=True))
            lines = []
            for row in rows:
                cells = zip(kinds, row, strict=True)
                lines.append(
                    "<tr>" + "".join(f'<td class="{kind}">{_inline(cell)}</td>' for kind, cell in cells) + "</tr>"
                )
            body = "".join(lines)
            return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        case Picture(name, caption):
            data = base64.b64encode(pictures[name]).decode()
            alt = escape(re.sub(r"[*`]", "", caption))
            return (
                f'<figure><img src="data:image/svg+xml;base64,{data}" alt="{alt}">'
                f"<figcaption>{_inline(caption)}</figcaption></figure>"
            )


def _inline(text: str) -> str:
    """Code, bold, italics and links; everything else as it is."""
    parts = re.split(r"(`[^`]*`)", text)
    for k, part in enumerate(parts):
        if part.startswith("`") and part.endswith("`") and len(part) > 1:
            parts[k] = f"<code>{escape(part[1:-1])}</code>"
            continue
        safe = escape(part, quote=False)
        safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
        safe = re.sub(r"(?<!\*)\*([^*\s][^*]*?)\*(?!\*)", r"<em>\1</em>", safe)
        parts[k] = re.sub(r"\[([^\]]+)\]\((https?://[^)\s]+|[\w./#-]+)\)", r'<a href="\2">\1</a>', safe)
    return "".join(parts)


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<style>
body { font: 16px/1.55 system-ui, sans-serif; color: #222; background: #fff; max-width: 60rem; margin: 2rem auto;
  padding: 0 1.2rem; }
h1 { line-height: 1.2; } h2 { margin-top: 2.6rem; border-bottom: 1px solid #ddd; padding-bottom: .2rem; }
h3 { margin-top: 1.8rem; }
nav { background: #f6f7f9; padding: .3rem 1rem; border-radius: 6px; font-size: .95rem; }
a { color: #0062a3; }
code { background: #f2f3f5; padding: .05rem .25rem; border-radius: 3px; font-size: .92em; }
pre { background: #f2f3f5; padding: .7rem 1rem; overflow-x: auto; border-radius: 6px; } pre code { padding: 0; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .6rem; border-bottom: 1px solid #e6e6e6; white-space: nowrap; vertical-align: top; }
th { border-bottom: 2px solid #999; background: #fff; white-space: normal; vertical-align: bottom; }
.n { text-align: right; } .w { text-align: left; }
tbody tr:hover { background: #f4f8fb; }
figure { margin: 1.6rem 0; } figure img { max-width: 100%; height: auto; }
figcaption { font-size: .9rem; color: #555; }
@media print { nav { display: none; } body { max-width: none; } }
</style>
</head>
<body>
@BODY@
</body>
</html>
"""
