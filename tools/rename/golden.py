"""Test files of the golden suite, their recorded outputs, and single sources with their messages."""

import collections
import pathlib
import re

import data
import plan
import prose
import screens
from resolve import Resolver, apply_edits

MARKER = re.compile(r"(// expect-\w+(?:@\S+)? *(?:\[[^\]]*\])? *\{\{)(.*?)(\}\})")
LIBRARY = pathlib.Path(__file__).parents[2] / "stdlib"


class Source:
    """A `.dpl` file with its edits, by line."""

    def __init__(self, text, renames, talk, files=None):
        self.text, self.talk = text, talk
        self.resolver = Resolver(text, renames, files).run()
        edits = [(a, e, n) for a, (e, n) in self.resolver.edits.items()]
        edits += prose.comments(self.resolver, talk)
        evidence = self.evidence()
        for comment in self.resolver.comments:
            new = MARKER.sub(lambda m: m[1] + self.marker(m[2], comment.at, evidence) + m[3], comment.text)
            if new != comment.text:
                edits = [e for e in edits if not comment.at <= e[0] < comment.end]
                edits.append((comment.at, comment.end, new))
        self.edits = sorted(edits)
        self.lines = text.split("\n")
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        self.starts = starts

    def marker(self, text, at, evidence):
        return self.talk.ticked(text, self.resolver, self.frames(at), evidence)

    def new(self):
        return apply_edits(self.text, self.edits)

    def evidence(self):
        """What the names that the file writes have become in it."""
        found = collections.defaultdict(set)
        for token in self.resolver.tokens:
            if token.kind == "id" and token.at in self.resolver.resolved:
                end, new = self.resolver.edits.get(token.at, (token.end, token.text))
                if end == token.end:
                    found[token.text].add(new)
        return found

    def frames(self, at):
        regions = [r for r in self.resolver.regions if r[0] <= at < r[1]]
        return list(min(regions, key=lambda r: r[1] - r[0])[2]) if regions else [self.resolver.root]

    def line_edits(self, number):
        begin, end = self.starts[number - 1], self.starts[number] - 1
        return [(a - begin, e - begin, n) for a, e, n in self.edits if begin <= a and e <= end]

    def unresolved(self, olds):
        for token in self.resolver.tokens:
            if token.kind == "id" and token.text in olds and token.at not in self.resolver.resolved:
                yield self.text.count("\n", 0, token.at) + 1, token.text


class Case:
    def __init__(self, command, name):
        self.command, self.files, self.separators = command, [[name, ""]], []
        self.sources = {}

    def text(self, name):
        return next((t for n, t in self.files if n == name), None)


def cases_of(name, text):
    """As tests/golden/Runner.cpp divides a file; a separator is kept in front of what it begins."""
    cases, pieces = [Case("", name)], []
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\n")
        if bare == "// ---":
            cases.append(Case(cases[-1].command, name))
            cases[-1].separators.append(line)
        elif bare.startswith("// --- "):
            cases[-1].files.append([bare[7:].split()[0], ""])
            cases[-1].separators.append(line)
        else:
            case = cases[-1]
            if len(case.files) == 1 and not case.files[0][1] and line.startswith("// RUN: "):
                case.command = line[8:].rstrip()
            case.files[-1][1] += line
    return cases


class Golden:
    def __init__(self, renames, talk, library=LIBRARY):
        self.renames, self.talk = renames, talk
        # read before anything is written: a recorded line of the library is looked for in the old text
        self.texts = {p.stem: p.read_text() for p in sorted(pathlib.Path(library).glob("*.dpl"))}
        self.library = {}
        self.find = lambda name: None  # the text of a source that a message names

    # ---- the test file
    def read(self, name, text):
        cases = cases_of(name, text)
        for case in cases:
            files = {n: t for n, t in case.files if n.endswith(".dpl")}
            for i, (file, content) in enumerate(case.files):
                if file.endswith(".dpl"):
                    case.sources[file] = Source(content, self.renames, self.talk, files)
        return cases

    def source(self, name, text):
        """The new text of a test file."""
        out = ""
        for case in self.read(name, text):
            separators = list(case.separators)
            for i, (file, content) in enumerate(case.files):
                if len(separators) > len(case.files) - 1 - i or i > 0:
                    out += separators.pop(0)
                out += self.part(case, file, content)
        return out

    def part(self, case, file, content):
        if file in case.sources:
            new = case.sources[file].new()
            return re.sub(r"^// RUN: (.*)$", lambda m: "// RUN: " + self.command(m[1], case), new, count=1, flags=re.M)
        words = case.command.split()
        if "--set-file" in words and file in words:
            root = next(iter(case.sources.values())).resolver
            return "".join(self.setting(line, root) for line in content.splitlines(keepends=True))
        if file.endswith((".json", ".jsonl")) and words[:1] != ["import"]:
            return data.json_text(content, self.renames, self.talk) or content
        if file.endswith(".csv") and words[:1] in (["score"], ["study"]):
            return data.csv_text(content, self.renames, self.talk)
        return content

    def setting(self, line, root):
        code, slashes, comment = line.partition("//")
        stripped = code.strip()
        if "=" not in stripped:
            return line
        path, _, value = (p.strip() for p in stripped.partition("="))
        new = self.talk.setting(f"{path}={value}", root)
        return code.replace(path, new.partition("=")[0], 1) + slashes + comment if new else line

    def command(self, text, case=None):
        root = next(iter(case.sources.values())).resolver if case and case.sources else None
        return self.talk.command(text, root)

    # ---- the recorded output
    def expected(self, name, recorded, test=None):
        """The new text of a recorded output, with the test file that it was made from."""
        cases = self.read(name, test) if test is not None else []
        records = re.split(r"(?m)^(?=\$ )", recorded)
        head = records.pop(0)
        out = self.record(head, None, "") if head else ""
        for i, record in enumerate(records):
            case = cases[min(i, len(cases) - 1)] if cases else None
            first, newline, rest = record.partition("\n")
            out += "$ " + self.command(first[2:], case) + newline + self.record(rest, case, first)
        return out

    def record(self, text, case, command):
        sections = re.split(r"(?m)^(==== .*\n)", text)
        out = self.section(sections[0], case, command, "")
        for title, body in zip(sections[1::2], sections[2::2]):
            out += title + self.section(body, case, command, title[5:].strip())
        return out

    def section(self, body, case, command, title):
        if not body.strip():
            return body
        root = next(iter(case.sources.values())).resolver if case and case.sources else None
        name = title[5:] if title.startswith("file ") else ""
        words = command.split()
        verb = next((w for w in words[words.index("dplc") + 1:] if not w.startswith("-")), "") if "dplc" in words else ""
        lead = body.lstrip()
        if name.endswith(".dpl") or (not title and verb in ("import", "new", "fmt") and re.search(
                r"(?m)^(import std|model|cluster|layout|///)", lead) and "[DPL" not in lead[:200]):
            return Source(body, self.renames, self.talk, {}).new()
        if lead.startswith(("{", "[")) or name.endswith((".json", ".jsonl")):
            new = data.json_text(body, self.renames, self.talk, case, verb, root)
            if new is not None:
                return new
        if re.match(r"(?:[-+] )? *\w+ (\{|= )", lead) and (verb == "ir" or lead.startswith("plan {")):
            return plan.text(body, self.renames, self.talk, root)
        if name.endswith(".csv") or "--csv" in words:
            return data.csv_text(body, self.renames, self.talk, root)
        if verb == "explain" and lead.startswith("# DPL"):
            return self.talk.page(body)
        if name.endswith((".svg", ".files")):
            return body
        return self.screen(body, case, root, command)

    def screen(self, body, case, root, command=""):
        lines = body.split("\n")
        evidence = self.evidence(case)
        out, i, text, shown = [], 0, [], None

        def flush():
            out.extend(screens.screen(text, lambda t: self.talk.paths(
                self.talk.ticked(t, root, (), evidence), root)))
            text.clear()

        while i < len(lines):
            arrow = screens.ARROW.match(lines[i])
            if arrow and i + 3 < len(lines):
                source = screens.SOURCE.match(lines[i + 2])
                marks = screens.MARKS.match(lines[i + 3])
                if source and marks and lines[i + 1].strip() == "|":
                    place, own = self.place(arrow, source, case, command, marks)
                    done = self.title(text, own, arrow, evidence) if own is not None else []
                    flush()
                    out += done
                    out += self.snippet(lines[i:i + 4], arrow, source, marks, place, own, root, evidence)
                    shown = place
                    i += 4
                    continue
            if lines[i] == screens.VALUES and shown and i + 1 < len(lines):
                flush()
                end = next(k for k in range(i + 1, len(lines) + 1) if k == len(lines) or not lines[k].startswith("  ")
                           or lines[k].startswith("   ="))
                out += [lines[i]] + self.values(lines[i + 1:end], shown, root)
                i = end
                continue
            text.append(lines[i])
            i += 1
        flush()
        return "\n".join(out)

    def title(self, text, own, arrow, evidence):
        """Takes the message above a place from the text: its names are read where it points."""
        source, number = own
        at = source.starts[number - 1] + int(arrow[4]) - 1
        begin = next((k for k in range(len(text) - 1, -1, -1) if re.match(r"(error|warning|note|help)\b", text[k])), None)
        if begin is None:
            return []
        here = collections.defaultdict(set)
        for token in source.resolver.tokens:
            if token.kind == "id" and source.starts[number - 1] <= token.at < source.starts[number]:
                if token.at in source.resolver.resolved:
                    here[token.text].add(source.resolver.edits.get(token.at, (0, token.text))[1])
        lines = [self.talk.paths(self.talk.ticked(line, source.resolver, source.frames(at), evidence, here),
                                 source.resolver) for line in text[begin:]]
        del text[begin:]
        return lines

    def evidence(self, case):
        found = collections.defaultdict(set)
        for source in (case.sources.values() if case else ()):
            for old, new in source.evidence().items():
                found[old] |= new
        return found

    def place(self, arrow, source, case, command, marks):
        """The line that is shown, with its edits, and the file and number of it."""
        name, number, column = arrow[2], arrow[3], int(arrow[4])
        most = screens.MOST_COLUMNS
        width = re.search(r"COLUMNS=(\d+)", command)
        if width:
            most = min(most, int(width[1]) - len(source[1]) - 5)
        file = None
        if case:
            plain = re.sub(r"^\./", "", name)
            file = case.sources.get(plain) or case.sources.get(name)
        if file is None and name.endswith(".dpl"):
            if name not in self.library:
                text = self.find(name)
                self.library[name] = Source(text, self.renames, self.talk) if text is not None else None
            file = self.library[name]
        if name.startswith("std."):
            file = self.module(name[4:])
            number = next((str(k + 1) for k, l in enumerate(file.lines) if l.startswith(source[3].strip("…"))), None) \
                if file and number == "LINE" else number
        if name == "--set":
            root = next(iter(case.sources.values())).resolver if case and case.sources else None
            path, _, value = source[3].partition(" = ")
            new = self.talk.setting(path, root)
            edits = diff_words(path, new)
            return screens.Place(source[3], edits, column - 1, most), None
        if file and number and number.isdigit() and int(number) <= len(file.lines):
            line = file.lines[int(number) - 1].rstrip("\r")
            place = screens.Place(line, file.line_edits(int(number)), column - 1, most)
            if place.relay(source[3], (marks[2] + marks[3])) is not None:
                return place, (file, int(number))
        fragment = prose.Fragment(source[3].strip(), self.renames, None)
        offset = len(source[3]) - len(source[3].lstrip())
        edits = []
        new = self.talk.anywhere(source[3].strip(), None)
        if new is None:
            new = Source(source[3].strip(), self.renames, self.talk).new()
        if new is not None and new != source[3].strip():
            edits = [(b + offset, e + offset, n) for b, e, n in diff_words(source[3].strip(), new)]
        return screens.Place(source[3], edits, column - 1, most), None

    def values(self, lines, place, root):
        """An expression with the values of its parts beneath it."""
        expr = lines[0][2:]
        begin = place.line.find(expr, place.begin)
        if begin >= 0:
            edits = [(b - begin, e - begin, n) for b, e, n in place.edits if begin <= b and e <= begin + len(expr)]
        else:
            edits = diff_words(expr, self.talk.paths(expr, root))
        edits = [(b + 2, e + 2, n) for b, e, n in edits]
        return [apply_edits(lines[0], edits)] + [screens.beneath(line, edits) for line in lines[1:]]

    def module(self, name):
        if name not in self.library:
            text = self.texts.get(name)
            self.library[name] = Source(text, self.renames, self.talk, {}) if text is not None else None
        return self.library[name]

    def snippet(self, lines, arrow, source, marks, place, own, root, evidence):
        fresh = place.relay(source[3], marks[2] + marks[3])
        label = self.talk.ticked(marks[4], own[0].resolver if own else root,
                                 own[0].frames(own[0].starts[own[1] - 1] + place.begin) if own else (), evidence)
        if fresh is None:
            return lines[:3] + [marks[1] + marks[2] + marks[3] + label]
        column = screens.moved(place.begin, place.edits) + 1
        return [f"{arrow[1]}{arrow[2]}:{arrow[3]}:{column}", lines[1], source[1] + source[2] + fresh[0],
                marks[1] + fresh[1] + label]


def diff_words(old, new):
    """The edits between two texts that differ in single words."""
    pattern = re.compile(r"\w+|\W")
    a, b = list(pattern.finditer(old)), list(pattern.finditer(new))
    if len(a) != len(b):
        return [(0, len(old), new)]
    return [(x.start(), x.end(), y.group()) for x, y in zip(a, b) if x.group() != y.group()]
