"""JSON and CSV: keys by their paths, columns that are paths of fields and figures, and places in sources."""

import csv
import io
import json
import re

import screens
import table

TOKEN = re.compile(r'\s+|[{}\[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+')
GROUPS = {
    "dplc.check.1": ["check --json"], "dplc.simulate.1": ["simulate --json", "simulate --diagnose --json"],
    "dplc.simulate.workers.1": ["simulate --json of data ranks", "simulate --diagnose --json"],
    "dplc.simulate.run.1": ["simulate --run --json", "simulate --diagnose --json"],
    "dplc.collectives.1": ["report --collectives --json"], "dplc.memory.1": ["report --memory --json"],
    "dplc.rewrites.1": ["report --rewrites --json"], "dplc.collective.1": ["collective --json", "report --collectives --json"],
    "dplc.calibrate.1": ["calibrate --json"], "dplc.study.1": ["study --json"],
    "dplc.study.points.1": ["points.jsonl of a study"], "dplc.score.3": ["score --json"],
}


class Keys:
    """Where each renamed key of JSON stands, by the path of its parents under their last names."""

    def __init__(self, renames):
        same = lambda rows: {(r.kind, r.where, r.old, r.new) for r in rows}
        before, after = same(renames.before.rows), same(renames.after.rows)
        self.rows = []
        rows = {(r.kind, r.where, r.old, r.new): r for r in table.read() + renames.before.rows + renames.after.rows}
        for key, row in rows.items():
            if row.kind != "json-key" or row.where.startswith(("printed plan", "trace.json: cat")):
                continue
            group, _, where = row.where.partition(": ")
            group = re.sub(r" \(dplc[^)]*\)", "", group).strip()
            paths = [p.strip().lstrip("$").lstrip(".") for p in where.split(", ")] if where else [""]
            self.rows.append((group, paths, row.new if key in before else row.old,
                              row.new if key in after else row.old, row.new))
        self.categories = {(row.new if k in before else row.old): (row.new if k in after else row.old)
                           for k, row in rows.items() if row.where == "trace.json: cat"}

    def find(self, groups, path, key):
        for group, paths, one, two, last in self.rows:
            if one == key and group in groups and any(matches(p, path, group) for p in paths):
                return two, last
        return key, key


def matches(pattern, path, group):
    if group.startswith("plan.json"):
        words = pattern.split()
        parts = path.split(".")
        return parts[0] == words[0] and (len(words) == 1 or parts[-1].rstrip("[]") == words[1])
    if ": parts[]" in pattern or pattern == "critical_path":
        return path.endswith("parts[]")
    return pattern == path


class Json:
    def __init__(self, renames, talk, case=None, root=None):
        self.renames, self.talk, self.case, self.root = renames, talk, case, root
        self.keys = Keys(renames)
        self.keyed = renames.keyed_words()

    def rewrite(self, text, verb):
        self.tokens = TOKEN.findall(text)
        if "".join(self.tokens) != text:
            return None
        try:
            self.kinds = self.groups(text, verb)
        except ValueError:
            return None
        self.i, self.out = 0, []
        while self.i < len(self.tokens):
            if self.tokens[self.i].isspace():
                self.copy()
            else:
                self.any(self.kinds, "", "", None)
        return "".join(self.out)

    def groups(self, text, verb):
        value = json.loads(text)
        first = value[0] if isinstance(value, list) and value else value
        if not isinstance(first, dict):
            return []
        if first.get("schema") in GROUPS:
            return GROUPS[first["schema"]]
        if "plan" in first and "figures" in first:
            return ["report --json"]
        if "traceEvents" in first:
            return ["trace.json"]
        if "model" in first and ("kernels" in first or str(first.get("format")).startswith("dpl.")):
            return ["plan.json of emitted folders"]
        if "operations" in first or "actions" in first:
            return ["--json FILE of the emitted mpi and nccl programs"]
        return []

    def copy(self):
        self.out.append(self.tokens[self.i])
        self.i += 1

    def blanks(self):
        while self.i < len(self.tokens) and self.tokens[self.i].isspace():
            self.copy()

    def any(self, groups, path, key, parent):
        self.blanks()
        token = self.tokens[self.i]
        if token == "{":
            self.object(groups, path, key)
        elif token == "[":
            self.copy()
            self.blanks()
            while self.tokens[self.i] != "]":
                self.any(groups, path + "[]" if path else "", key, parent)
                self.blanks()
                if self.tokens[self.i] == ",":
                    self.copy()
                self.blanks()
            self.copy()
        elif token.startswith('"'):
            self.out.append(json_string(self.string(unquote(token), key, groups, parent), token))
            self.i += 1
        else:
            self.copy()

    def object(self, groups, path, key):
        begin = len(self.out)
        if "check --json" in groups and path == "layouts[]":
            groups, path = ["report --json"], ""
        place = key == "range"
        self.copy()
        self.blanks()
        inner, values = {}, {}
        while self.tokens[self.i] != "}":
            name = unquote(self.tokens[self.i])
            new, last = self.keys.find(groups, path, name)
            if key in ("set", "figures") or "." in name or "[" in name:
                new = self.column(name)
                last = name
            self.out.append(json_string(new, self.tokens[self.i]))
            self.i += 1
            self.blanks()
            self.copy()  # the colon
            self.blanks()
            values[name] = len(self.out)
            if key == "set" and self.tokens[self.i].startswith('"'):
                self.out.append(json_string(self.set_value(name, unquote(self.tokens[self.i])), self.tokens[self.i]))
                self.i += 1
            else:
                self.any(groups, (path + "." if path else "") + last, name, key)
            self.blanks()
            if self.tokens[self.i] == ",":
                self.copy()
            self.blanks()
        self.copy()
        if self.case and (place or key == "region"):
            self.moved(begin, place)

    def string(self, value, key, groups, parent):
        if key == "cat" and groups == ["trace.json"]:
            return self.keys.categories.get(value, value)
        for name in (key, f"{parent}.{key}"):
            if (name, value) in self.keyed:
                return self.keyed[name, value]
        if key == "name" and self.renames.diagnostic(value) != value:
            return self.renames.diagnostic(value)
        if key == "schedule":
            schema = self.renames.before.schema("schedule")
            value = re.sub(r"\w+", lambda m: self.renames.word_map.get((schema, m[0]), m[0]), value, count=1)
        if "\n" in value:  # a page of `dplc explain` in SARIF
            return self.talk.page(value)
        return self.talk.paths(self.talk.ticked(value, self.root), self.root)

    def column(self, name):
        return column(name, self.renames, self.talk, self.root)

    def set_value(self, name, value):
        if "{" in value.replace(" { ", ""):
            return self.talk.ticked(value, self.root)
        new = self.talk.setting(f"{name}={value}", self.root)
        return new.partition("=")[2]

    def moved(self, begin, place):
        """Places in a source that is renamed: offsets in bytes, columns in code points."""
        piece = "".join(self.out[begin:])
        try:
            value = json.loads(piece)
        except ValueError:
            return
        if place:
            source = self.case.sources.get(re.sub(r"^\./", "", value.get("file", "")))
            if source is None:
                return
            raw = source.text.encode("utf-8", "surrogateescape")
            marks = {"begin": shift(raw, source, value["begin"]), "end": shift(raw, source, value["end"])}
            for name in ("start", "stop"):
                line, col = value[name]["line"], value[name]["column"]
                if line <= len(source.lines):
                    marks[name] = moved_column(source, line, col)
            piece = re.sub(r'("begin": ?)\d+', lambda m: m[1] + str(marks["begin"]), piece)
            piece = re.sub(r'("end": ?)\d+', lambda m: m[1] + str(marks["end"]), piece)
            for name in ("start", "stop"):
                if name in marks:
                    piece = re.sub(r'("%s": ?\{\s*"line": ?\d+,\s*"column": ?)\d+' % name,
                                   lambda m: m[1] + str(marks[name]), piece)
        else:
            source = next(iter(self.case.sources.values()), None)
            for edge in ("start", "end"):
                line, col = value.get(edge + "Line"), value.get(edge + "Column")
                if source and line and col and line <= len(source.lines):
                    piece = re.sub(r'("%sColumn": ?)\d+' % edge, lambda m: m[1] + str(moved_column(source, line, col)), piece)
        self.out[begin:] = [piece]


def moved_column(source, line, column):
    return screens.moved(column - 1, source.line_edits(line)) + 1


def shift(raw, source, offset):
    position = len(raw[:offset].decode("utf-8", "surrogateescape"))
    new = screens.moved(position, source.edits)
    return len(source.new()[:new].encode("utf-8", "surrogateescape"))


def unquote(token):
    return json.loads(token) if token.startswith('"') else token


def json_string(text, old):
    """Written as it was, where nothing changes; `dplc` leaves what is not ASCII as it is."""
    return old if not old.startswith('"') or text == unquote(old) else json.dumps(text, ensure_ascii=False)


def column(name, renames, talk, root=None):
    """A column of a table, or a path that a mapping sets."""
    words = {}
    for row in table.read():
        if row.kind == "table-column" and "." not in row.old:
            key = (row.kind, row.where, row.old, row.new)
            of = lambda rows: any((r.kind, r.where, r.old, r.new) == key for r in rows)
            words[row.new if of(renames.before.rows) else row.old] = row.new if of(renames.after.rows) else row.old
    for prefix in ("measured.", "predicted."):
        if name.startswith(prefix):
            rest = name[len(prefix):]
            return prefix + words.get(rest, renames.figures.rename(rest) or rest)
    return talk.paths(name, root)


def json_text(text, renames, talk, case=None, verb="", root=None):
    """The new text of a JSON document, or of one on each line; None where it is no JSON."""
    new = Json(renames, talk, case, root).rewrite(text, verb)
    if new is None and all(not l.strip() or l.lstrip()[0] in "{[" for l in text.splitlines()):
        lines = [Json(renames, talk, case, root).rewrite(l, verb) if l.strip() else l
                 for l in text.splitlines(keepends=True)]
        return None if None in lines else "".join(lines)
    return new


def csv_text(text, renames, talk, root=None):
    """The names of the columns, and words in columns that are fields."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    head = next(csv.reader([lines[0]]), [])
    names = [column(name, renames, talk, root) for name in head]
    first = lines[0]
    if names != head:
        out = io.StringIO()
        csv.writer(out, lineterminator=lines[0][len(lines[0].rstrip("\r\n")):]).writerow(names)
        first = out.getvalue()
    rest = []
    fields = [i for i, name in enumerate(head) if re.match(r"[\w]+\.", name) and not name.startswith(("measured.", "label."))]
    for line in lines[1:]:
        if fields and any(w in talk.olds for w in re.findall(r"\w+", line)):
            cells = next(csv.reader([line]), [])
            fresh = list(cells)
            for i in fields:
                if i < len(cells) and re.match(r"[a-z]", cells[i]):
                    fresh[i] = talk.setting(f"{head[i]}={cells[i]}", root).partition("=")[2]
            for old, new in zip(cells, fresh):
                if old != new:
                    line = line.replace(old, new, 1)
        rest.append(line)
    return first + "".join(rest)
