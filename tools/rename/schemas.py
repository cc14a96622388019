"""The schemas that a file is resolved against: those of version 0.1.0, and those that the file declares itself."""

import pathlib
import re

import syntax

FROZEN = pathlib.Path(__file__).with_name("schemas.tsv")
MODULES = ("clusters", "devices", "frameworks", "models", "servers", "textbook")


class Type:
    """The type of a field: the name of a schema or of a dimension, a family by `key`, or a list."""
    __slots__ = ("name", "key", "many", "alternative")

    def __init__(self, name, key=None, many=False, alternative=None):
        self.name, self.key, self.many, self.alternative = name, key, many, alternative

    def element(self):
        return Type(self.name)

    def of(self, alternative):
        return Type(self.name, self.key, self.many, alternative)

    def text(self):
        return f"[{self.name}]" if self.many else f"{self.name}[{self.key}]" if self.key else self.name

    @staticmethod
    def parse(text):
        match = re.fullmatch(r"\[(\w+)\]|(\w+)(?:\[(\w+)\])?", text)
        return Type(match[1] or match[2], match[3], bool(match[1]))


class Schema:
    def __init__(self, name, base=None, heads=(), own=False):
        self.name, self.base, self.heads, self.own = name, base, list(heads), own
        self.fields, self.choices, self.lets = {}, {}, {}


class Schemas:
    """Schemas by name, the kinds of the blocks of the library, the figures, and the members of printed plans."""

    def __init__(self):
        self.all, self.blocks, self.figures, self.plan, self.keys = {}, {}, [], {}, []

    # ---- questions
    def chain(self, name):
        seen = set()
        while name in self.all and name not in seen:
            seen.add(name)
            yield self.all[name]
            name = self.all[name].base

    def derived(self, name):
        """All schemas that derive from it, nearest first."""
        found = [s.name for s in self.all.values() if s.base == name]
        return found + [n for f in list(found) for n in self.derived(f)]

    def field(self, of, name):
        """(scope, type) of a field of a value, or None. A scope is a schema, or a choice as `schema.choice`."""
        if of is None or of.name not in self.all:
            return None
        for schema in self.chain(of.name):
            if name in schema.fields:
                return schema.name, schema.fields[name]
            if of.alternative in schema.choices and name in schema.choices[of.alternative]:
                return f"{schema.name}.{of.alternative}", schema.choices[of.alternative][name]
        for schema in self.chain(of.name):
            if of.alternative in schema.choices:
                break
            found = [(f"{schema.name}.{c}", fields[name]) for c, fields in schema.choices.items() if name in fields]
            if found:
                return found if len(found) > 1 else found[0]
        for derived in self.derived(of.name) if of.name in ("model",) else ():
            if name in self.all[derived].fields:
                return derived, self.all[derived].fields[name]
        return None

    def choice(self, of, word):
        """The schema that declares a word of a value's type, or None."""
        for schema in self.chain(of.name if of else None):
            if word in schema.choices:
                return schema.name
        return None

    def single(self, of):
        """The fields of the only choice of a schema."""
        choices = [c for s in self.chain(of.name) for c in s.choices]
        return choices[0] if len(choices) == 1 else None

    def scopes(self):
        for schema in self.all.values():
            if schema.own:
                continue
            yield Type(schema.name)
            for choice, fields in schema.choices.items():
                if fields:
                    yield Type(schema.name, alternative=choice)

    def copy(self):
        other = Schemas()
        other.all = dict(self.all)
        other.blocks, other.figures, other.plan, other.keys = self.blocks, self.figures, self.plan, self.keys
        return other

    def add(self, node):
        """A schema that a file declares."""
        schema = Schema(node.name.text, node.base and node.base.text, [h.text for h in node.heads], own=True)
        for line in node.block.lines:
            if line.kind == "declared" and line.type:
                schema.fields[line.name.text] = type_of(line.type)
            elif line.kind == "let":
                schema.lets[line.name.text] = None
            elif line.kind == "choice":
                for word in line.words:
                    inner = line.block.lines if line.block and word is line.words[-1] else ()
                    schema.choices[word.text] = {f.name.text: type_of(f.type) for f in inner
                                                 if f.kind == "declared" and f.type}
        self.all[schema.name] = schema
        return schema

    # ---- the frozen table
    def lines(self):
        for schema in self.all.values():
            yield ["schema", schema.name, schema.base or "", " ".join(schema.heads)]
            for scope, fields in [(schema.name, schema.fields)] + [
                    (f"{schema.name}.{c}", f) for c, f in schema.choices.items()]:
                if scope != schema.name:
                    yield ["choice", schema.name, scope.split(".", 1)[1], ""]
                for name, type_ in fields.items():
                    yield ["field", scope, name, type_.text()]
            for name in schema.lets:
                yield ["let", schema.name, name, ""]
        for name, kind in self.blocks.items():
            yield ["block", "std", name, kind]
        for path in self.figures:
            yield ["figure", "", path, ""]
        for key in self.keys:
            yield ["key", "", key, ""]
        for owner, members in self.plan.items():
            for key, member in members.items():
                yield ["plan", owner, key, member]

    @staticmethod
    def read(text):
        found = Schemas()
        for line in text.splitlines():
            if not line or line.startswith("#"):
                continue
            kind, scope, name, detail = line.split("\t")
            if kind == "schema":
                found.all[scope] = Schema(scope, name or None, detail.split())
            elif kind == "choice":
                found.all[scope].choices[name] = {}
            elif kind == "field":
                owner, _, choice = scope.partition(".")
                fields = found.all[owner].choices[choice] if choice else found.all[owner].fields
                fields[name] = Type.parse(detail)
            elif kind == "let":
                found.all[scope].lets[name] = None
            elif kind == "block":
                found.blocks[name] = detail
            elif kind == "figure":
                found.figures.append(name)
            elif kind == "key":
                found.keys.append(name)
            elif kind == "plan":
                found.plan.setdefault(scope, {})[name] = detail
        return found

    def renamed(self, table):
        """The schemas as they are called after the renames of the table."""
        def type_(t):
            return Type(table.schema(t.name), t.key and table.schema(t.key), t.many)
        other = Schemas()
        for schema in self.all.values():
            new = Schema(table.schema(schema.name), schema.base and table.schema(schema.base),
                         [table.schema(h) for h in schema.heads])
            new.fields = {table.field(schema.name, f): type_(t) for f, t in schema.fields.items()}
            new.choices = {table.word(schema.name, c): {table.field(f"{schema.name}.{c}", f): type_(t)
                                                        for f, t in fields.items()}
                           for c, fields in schema.choices.items()}
            new.lets = dict(schema.lets)
            other.all[new.name] = new
        other.blocks = {b: table.schema(k) for b, k in self.blocks.items()}
        other.figures = [table.figure_path(f) for f in self.figures]
        other.plan = {owner: {table.plan_key(owner, k): m for k, m in members.items()}
                      for owner, members in self.plan.items()}
        return other


def type_of(node):
    return Type(node.name.text, node.key and node.key[-1].text, node.many)


def freeze(root):
    """The schemas of a source tree: the library, the rows of figures, and what the plan's printer prints."""
    root = pathlib.Path(root)
    found = Schemas()
    for node in syntax.Parser((root / "stdlib/prelude.dpl").read_text()).file():
        if node.kind == "schema":
            found.add(node)
    for module in MODULES:
        nodes = [n for n in syntax.Parser((root / f"stdlib/{module}.dpl").read_text()).file() if n.kind == "decl"]
        for node in nodes:
            found.blocks[f"{module}.{node.name.text}"] = node.block_kind.text
        for node in nodes:  # a model is what its base is
            name = f"{module}.{node.name.text}"
            if "from" in node.clauses and found.blocks[name] == "model":
                base = node.clauses["from"][0][-1].text
                found.blocks[name] = found.blocks.get(f"{module}.{base}", base)
    rows = (root / "ir/Results.def").read_text()
    found.figures = re.findall(r'^(?:FIGURE|DETAIL)(?:_BY)?\("([^"]+)"', rows, re.M)
    drawn = (root / "ir/DrawnFigures.cpp").read_text()
    found.figures += sorted(set(re.findall(r'"(simulated\.[a-z_.0-9]+)"', drawn)))
    found.keys = sorted(set(re.findall(r"`([a-z]\w*)`", (root / "docs/reference/json.md").read_text())))
    found.plan = freeze_plan(root / "ir")
    return found


def freeze_plan(folder):
    """Of each struct of the plan the keys that are printed, with the struct or enumeration behind each."""
    plan = {}
    for path in sorted(folder.glob("*.h")):
        text = re.sub(r"//[^\n]*", "", path.read_text())
        for match in re.finditer(r"^struct (\w+)(?: : \w+)? \{\n(.*?)^\};", text, re.M | re.S):
            keys = re.findall(r'v\("(\w+)", (?:const_cast<[^>]*>\()?([\w.]+)', match[2])
            if not keys:
                continue
            types = {}
            for member in re.finditer(r"^  (?:std::vector<|AtMostOne<|std::optional<)*([\w:]+)>* ([^();]*?);",
                                      match[2].split("template <class V>")[0], re.M):
                for name in re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"\{[^}]*\}", "", member[2])):
                    types[name] = member[1]
            plan[match[1]] = {key: types.get(member, "") for key, member in keys}
    return plan
