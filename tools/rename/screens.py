"""Text for people: tables as backends/report/TextTable.cpp pads them, sources with carets as support/RenderText.cpp
prints them."""

import re

CELL = re.compile(r"\S+(?: \S+)*")
ARROW = re.compile(r"^( *--> )(.*?):(\d+|LINE):(\d+)$")
SOURCE = re.compile(r"^(\d+|LINE)( \| )(.*)$")
MARKS = re.compile(r"^( +\| )( *)(\^+)(.*)$")
MOST_COLUMNS = 120
VALUES = "note: the value of each part"


# ---- tables
def columns_of(lines):
    """Disjoint intervals that hold all cells, and the cells of each line by interval."""
    spans = sorted((m.start(), m.end()) for line in lines for m in CELL.finditer(line))
    merged = []
    for begin, end in spans:
        if merged and begin < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    rows = []
    for line in lines:
        row = [""] * len(merged)
        for match in CELL.finditer(line):
            row[next(i for i, (b, e) in enumerate(merged) if b <= match.start() < e)] = match.group()
        rows.append(row)
    return merged, rows


def sides(merged, lines):
    """Of each column whether its cells stand left."""
    left = []
    for begin, end in merged:
        cells = [m for line in lines for m in CELL.finditer(line) if begin <= m.start() < end]
        starts, ends = all(m.start() == begin for m in cells), all(m.end() == end for m in cells)
        left.append(True if starts and not ends else False if ends and not starts else None if starts else "mixed")
    for i, side in enumerate(left):
        if side is None:
            left[i] = i == 0 or (any(s is True for s in left[i + 1:]) and left[i - 1] is not False)
    return left


def table(rows, left, indent):
    widths = [max(len(row[i]) for row in rows) for i in range(len(left))]
    lines = []
    for row in rows:
        cells = [c.ljust(w) if l else c.rjust(w) for c, w, l in zip(row, widths, left)]
        lines.append((" " * indent + "  ".join(cells)).rstrip())
    return lines


def screen(lines, change):
    """Lines of a screen with every name changed; a table whose cells change is padded anew."""
    out, i = [], 0
    while i < len(lines):
        j = i
        while j < len(lines) and lines[j].startswith("  ") and lines[j].strip():
            j += 1
        if j - i > 1:
            out += block(lines[i:j], change)
            i = j
        else:
            out.append(change(lines[i]))
            i += 1
    return out


def block(lines, change):
    changed = [change(line) for line in lines]
    if changed == lines:
        return changed
    # a table may begin or end inside of the block, where titles and remarks stand at the same indent
    begin = 0
    while begin < len(lines):
        for end in range(len(lines), begin + 1, -1):
            again = relaid(lines[begin:end], change)
            if again is not None:
                changed[begin:end] = again
                begin = end - 1
                break
        begin += 1
    return changed


def relaid(lines, change):
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    merged, rows = columns_of(lines)
    if len(merged) < 2:
        return None
    left = sides(merged, lines)
    if "mixed" in left or table(rows, left, indent) != lines:
        return None
    fresh = [[change(cell) for cell in row] for row in rows]
    return table(fresh, left, indent)


# ---- sources with carets
def moved(position, edits):
    """Where a position of a line stands after the edits (begin, end, new) of the line."""
    shift = 0
    for begin, end, new in edits:
        if position >= end:
            shift += len(new) - (end - begin)
        elif position > begin:
            return begin + shift + min(position - begin, len(new))
    return position + shift


def visible(line):
    """As a terminal shows it, and for each character of it the column where it begins."""
    text, starts = "", []
    for character in line:
        starts.append(len(text))
        text += " " * (4 - len(text) % 4) if character == "\t" else character
    return text, starts + [len(text)]


def snippet(line, begin, end, most=MOST_COLUMNS):
    """The source line and its marks, cut around the caret where the line is too long."""
    text, starts = visible(line)
    total, before = len(text), starts[min(begin, len(line))]
    cut = total > most
    first = before - most // 2 if cut and before > most // 2 else 0
    last = first + most if cut else total
    source, marks = ("…", " ") if first > 0 else ("", "")
    for i, character in enumerate(line):
        if starts[i] < first or starts[i + 1] > last:
            continue
        shown = text[starts[i]:starts[i + 1]]
        source += shown
        marks += ("^" if begin <= i < max(end, begin + 1) else " ") * len(shown)
    if last < total:
        source += "…"
    if begin >= len(line):
        marks += "^"
    return source, marks.rstrip()


def beneath(line, edits):
    """A line of values or bars, each under the part of an expression that it belongs to."""
    out = ""
    for match in CELL.finditer(line):
        out += " " * (max(moved(match.start(), edits), len(out) + bool(out)) - len(out)) + match.group()
    return out


class Place:
    """One source line under a message: what it was, and what is to be printed in its place."""

    def __init__(self, line, edits, begin, most):
        self.line, self.edits, self.begin = line, sorted(edits), begin
        self.most = most

    def relay(self, shown, marks):
        """New source and marks, or None where the old ones are not what the printer makes of the line."""
        wide = len(marks.strip())
        for end in range(self.begin + 1, len(self.line) + 2):
            source, again = snippet(self.line, self.begin, end, self.most)
            if source == shown and again == marks.rstrip():
                break
            if len(again.strip()) > wide:
                return None
        else:
            return None
        further = snippet(self.line, self.begin, end + 1, self.most)[1]
        if again.endswith("^") and end < len(self.line) and len(further) == len(again):
            end = len(self.line)  # cut off on the right: the range goes on
        new, at = "", 0
        for b, e, n in self.edits:
            new += self.line[at:b] + n
            at = e
        new += self.line[at:]
        return snippet(new, moved(self.begin, self.edits), moved(end, self.edits), self.most)
