"""The table of old and new names, and the renames from one state of the names to another."""

import csv
import pathlib
import re

import figures
import schemas

TABLE = pathlib.Path(__file__).with_name("names.tsv")
DIAGNOSTIC = "name of a diagnostic"


class Row:
    __slots__ = ("kind", "where", "old", "new", "slice")

    def __init__(self, kind, where, old, new, slice_=""):
        self.kind, self.where, self.old, self.new = kind, where, old, new
        self.slice = int(slice_) if slice_ else 0


def read(path=TABLE):
    rows = []
    with open(path, newline="") as file:
        for cells in csv.reader((l for l in file if not l.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE):
            if cells and cells[0] != "kind":
                rows.append(Row(*cells[:5]))
    return rows


class Names:
    """What each name of version 0.1.0 is called once some rows of the table are applied."""

    def __init__(self, rows):
        self.rows = rows
        self.schemas = {r.old: r.new for r in rows if r.kind == "schema"}
        self.fields = {(r.where, r.old): r.new for r in rows if r.kind == "field"}
        self.words = {(r.where, r.old): r.new for r in rows if r.kind == "word"}
        self.figures = {r.old: r.new for r in rows if r.kind == "figure"}
        dimensions = [r for r in rows if r.kind == "figure-dimension"]
        self.holes = {r.old: r.new for r in dimensions if r.where == "hole name"}
        self.dimensions = {(r.where, r.old): r.new for r in dimensions if r.where != "hole name"}
        self.plan = {}
        for row in rows:
            if row.kind == "json-key" and row.where.startswith("printed plan"):
                for owner in re.findall(r"\w+", row.where.split("ir::")[1]):
                    self.plan[owner, row.old] = row.new

    def schema(self, name):
        return self.schemas.get(name, name)

    def field(self, scope, name):
        return self.fields.get((scope, name), name)

    def word(self, schema, name):
        return self.words.get((schema, name), name)

    def scope(self, scope):
        schema, dot, choice = scope.partition(".")
        return self.schema(schema) + (dot and "." + self.word(schema, choice))

    def figure_path(self, path):
        return self.figures.get(path, path)

    def plan_key(self, owner, key):
        return self.plan.get((owner, key), key)


class Renames:
    """The renames from the names `before` to the names `after`, both of which are applied to version 0.1.0."""

    def __init__(self, before, after, frozen=None):
        frozen = frozen or schemas.Schemas.read(schemas.FROZEN.read_text())
        self.frozen, self.before, self.after, self.whole = frozen, before, after, None
        self.schemas = frozen.renamed(before)
        self.schema_map = {before.schema(s): after.schema(s) for s in frozen.all}
        self.field_map, self.word_map = {}, {}
        for schema in frozen.all.values():
            scopes = [(schema.name, schema.fields)]
            scopes += [(f"{schema.name}.{c}", f) for c, f in schema.choices.items()]
            for scope, fields in scopes:
                for name in fields:
                    self.field_map[before.scope(scope), before.field(scope, name)] = after.field(scope, name)
            for word in schema.choices:
                self.word_map[before.schema(schema.name), before.word(schema.name, word)] = after.word(schema.name, word)
        self.figures = self._figures(before, after)
        self.plan = {owner: {before.plan_key(owner, k): (after.plan_key(owner, k), member) for k, member in keys.items()}
                     for owner, keys in frozen.plan.items()}
        self.options = self._options()
        self.olds = {o for (_, o), n in list(self.field_map.items()) + list(self.word_map.items()) if o != n}
        self.olds |= {o for o, n in self.schema_map.items() if o != n}

    def _figures(self, before, after):
        extra = [p for p in dict.fromkeys(list(before.figures) + list(after.figures)) if p not in self.frozen.figures]
        paths = self.frozen.figures + extra
        one = figures.Figures(paths, before.figures, before.dimensions, before.holes)
        two = figures.Figures(paths, after.figures, after.dimensions, after.holes)
        two.map = {one.map[old]: new for old, new in two.map.items()}
        groups = {**one.groups, **two.groups}
        two.groups = {one.groups.get(o, o): two.groups.get(o, o) for o in groups}
        two.templates = {one.templates[o]: n for o, n in two.templates.items()}
        return two

    def _options(self):
        """Options of the command line, and names of diagnostics."""
        def of(names):
            found = {}
            for row in names.rows:
                if row.kind == "command-option" and row.where.startswith(DIAGNOSTIC):
                    found["diagnostic", row.old] = row.new
                elif row.kind == "command-option" and row.old.startswith("--"):
                    found[row.where.split()[1], row.old.split()[0]] = row.new.split()[0]
            return found
        one, two = of(self.before), of(self.after)
        return {(w, one.get((w, o), o)): two.get((w, o), o) for w, o in {**one, **two}}

    def diagnostic(self, name):
        return self.options.get(("diagnostic", name), name)

    def keyed_words(self):
        """Words of JSON and of printed plans by the keys in whose values they stand."""
        def of(names):
            return {(k, o): n for (w, o), n in names.words.items() if w not in self.frozen.all
                    for k in re.findall(r"`([\w.]+)`", w)}
        one, two = of(self.before), of(self.after)
        return {(k, one.get((k, o), o)): two.get((k, o), o) for k, o in {**one, **two}}

    def json_names(self):
        """Keys of JSON, those that stay as well, with what they become."""
        def of(names):
            return {(r.where, r.old): r.new for r in names.rows if r.kind == "json-key"
                    and not r.where.startswith("printed plan")}
        one, two = of(self.before), of(self.after)
        pairs = [(one.get(k, k[1]), two.get(k, k[1])) for k in {**one, **two}]
        olds = {k[1] for k in {**one, **two}}
        stay = [(k, k) for k in self.frozen.keys if k not in olds and k not in self.frozen.all]
        return [p for p in pairs if "_" in p[0]] + stay


def renames(path=TABLE, slice_=0, inverse=False):
    rows = read(path)
    before = Names([r for r in rows if slice_ and r.slice < slice_])
    after = Names([r for r in rows if not slice_ or r.slice <= slice_])
    found = Renames(after, before) if inverse else Renames(before, after)
    if slice_:
        found.whole = renames(path, 0, inverse)
    return found
