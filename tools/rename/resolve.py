"""Which schema, choice or figure each name of a `.dpl` file belongs to, and the edits that rename it."""

import re

import syntax
from schemas import Type
from values import KINDS, Frame, Module, Values

class Resolver(Values):
    def __init__(self, text, renames, files=None):
        """`files` gives the text of imported files by their names."""
        self.text, self.renames, self.files = text, renames, files or {}
        self.edits, self.resolved, self.doubtful, self.dry = {}, set(), set(), 0
        self.regions, self.starts, self.failures = [], {}, 0
        parser = syntax.Parser(text)
        self.nodes = self.parse(parser)
        self.tokens, self.comments = parser.tokens, parser.comments
        self.resolved |= {unit.at for unit in parser.units}
        self.schemas = renames.schemas.copy()
        self.root = Frame(None, {})
        self.blocks = {}

    def parse(self, parser):
        return parser.file()

    # ---- results
    def use(self, token, new):
        if not self.dry:
            self.resolved.add(token.at)
            if new != token.text:
                self.edits[token.at] = (token.end, new)

    def doubt(self, token):
        if not self.dry:
            self.doubtful.add(token.at)

    def apply(self, text=None):
        return apply_edits(self.text if text is None else text, [(a, e, n) for a, (e, n) in self.edits.items()])

    # ---- a whole file
    def run(self):
        self.declare()
        for node in self.nodes:
            self.top(node, [self.root])
        return self

    def declare(self):
        """What the file declares, before anything is resolved."""
        names = {n.name.text for n in self.nodes if n.kind == "schema"}
        if not {"layout", "cluster", "device"} <= names:
            for node in self.nodes:
                if node.kind == "schema":
                    self.schemas.add(node)
        for node in self.nodes:
            if node.kind == "import":
                self.declare_import(node)
            elif node.kind in ("param", "let"):
                self.root.names[node.name.text] = None
                if node.kind == "param" and node.type.name.text in self.schemas.all:
                    self.root.names[node.name.text] = Type(node.type.name.text)
        for node in self.nodes:
            if node.kind == "decl":
                self.blocks[node.name.text] = node
        for name in self.blocks:
            self.root.names[name] = self.kind_of(name, ())

    def declare_import(self, node):
        if isinstance(node.path, list):
            module = node.path[-1].text
            prefix = module + "."
            blocks = {b[len(prefix):]: Type(k) for b, k in self.schemas.blocks.items() if b.startswith(prefix)}
            alias = node.alias.text if node.alias else module
            self.root.names[alias] = Module(blocks, open_=True)
            return
        path = node.path.text.strip('"')
        alias = node.alias.text if node.alias else re.sub(r"\.dpl$", "", path.rsplit("/", 1)[-1])
        text = self.files.get(path.removeprefix("./")) or self.files.get(path)
        blocks = {}
        if text is not None and len(self.files) < 50:
            other = Resolver(text, self.renames, {**self.files, path: None, path.removeprefix("./"): None})
            other.declare()
            blocks = other.root.names
            for name, schema in other.schemas.all.items():
                self.schemas.all.setdefault(name, schema)
        self.root.names[alias] = Module(blocks, open_=True)

    def kind_of(self, name, seen):
        """The type of a block of the file; a `model` is what its base is."""
        node = self.blocks[name]
        kind = node.block_kind.text
        if node.search and f"{kind}_search" in self.schemas.all:
            return Type(f"{kind}_search")
        if kind == "model" and "from" in node.clauses:
            base = node.clauses["from"][0]
            if len(base) == 1 and base[0].text in self.blocks and base[0].text not in seen:
                return self.kind_of(base[0].text, (*seen, name))
            found = self.qualified([t.text for t in base])
            if found is not None:
                return found
        return Type(kind) if kind in self.schemas.all else None

    def qualified(self, names):
        """The type of `alias.block`, or of a schema that is reached through an import."""
        module = self.root.names.get(names[0])
        if len(names) == 1:
            return module if isinstance(module, Type) else Type(names[0]) if names[0] in self.schemas.all else None
        if isinstance(module, Module):
            found = module.blocks.get(names[1])
            if found is None and names[1] in self.schemas.all:
                return Type(names[1])
            return found if isinstance(found, Type) else None
        return None

    # ---- declarations
    def top(self, node, frames):
        if node.kind == "decl":
            self.declaration(node, frames)
        elif node.kind == "schema":
            self.schema(node, frames)
        elif node.kind == "param":
            self.type(node.type)
            expected = Type(node.type.name.text)
            for value in (node.among, node.value):
                if value:
                    self.value(value, expected, frames)
        elif node.kind == "import":
            for token in (node.path if isinstance(node.path, list) else []) + ([node.alias] if node.alias else []):
                self.use(token, token.text)
        else:
            self.statement(node, frames)

    def kind_name(self, token):
        schema = self.schemas.all.get(token.text)
        own = schema is None or schema.own
        self.use(token, token.text if own else self.renames.schema_map.get(token.text, token.text))

    def declaration(self, node, frames):
        self.kind_name(node.block_kind)
        self.use(node.name, node.name.text)
        for clause in node.clauses.values():
            for names in clause:
                module = self.root.names.get(names[0].text)
                self.use(names[0], names[0].text)
                if names[0].text not in self.root.names:
                    self.kind_name(names[0])
                if len(names) > 1 and isinstance(module, Module) and names[1].text not in module.blocks:
                    self.kind_name(names[1])
                elif len(names) > 1:
                    self.use(names[1], names[1].text)
        shape = self.root.names.get(node.name.text)
        if not isinstance(shape, Type) or shape.name == "model":
            shape = self.kind_of(node.name.text, ()) if node.name.text in self.blocks else None
        heads = {}
        for clause in ("for", "on"):
            for names in node.clauses.get(clause, ()):
                head = self.qualified([t.text for t in names])
                if head is not None and head.name in ("decoder", "encoder", "layer_list"):
                    heads["model"] = head
        inner = frames + [Frame(shape)]
        if heads:
            inner = frames + [Frame(None, heads), Frame(shape)]
        self.starts[node.block_kind.at] = inner
        if node.block:
            self.block(node.block, inner)

    def type(self, node):
        for token in {node.name.at: node.name, **({node.key[-1].at: node.key[-1]} if node.key else {})}.values():
            self.kind_name(token)

    def schema(self, node, frames):
        for token in [node.name] + ([node.base] if node.base else []) + node.heads:
            self.kind_name(token)
        shape = Type(node.name.text)
        inner = frames + [Frame(shape)]
        self.starts[node.at] = inner
        self.regions.append((node.block.at, node.block.end, inner))
        self.schema_lines(node.block, inner, shape)

    def schema_lines(self, block, frames, shape):
        for line in block.lines:
            if line.kind == "let":
                frames[-1].names[line.name.text] = None
        for line in block.lines:
            if line.kind == "choice":
                for word in line.words:
                    self.use(word, self.word(shape, word.text))
                if line.block:
                    of = shape.of(line.words[-1].text)
                    inner = frames + [Frame(of)]
                    self.starts[line.words[0].at] = inner
                    self.regions.append((line.block.at, line.block.end, inner))
                    self.schema_lines(line.block, inner, of)
            elif line.kind == "declared":
                found = self.schemas.field(shape, line.name.text)
                if isinstance(found, list):
                    found = next((f for f in found if f[0].endswith(f".{shape.alternative}")), found[0])
                expected = found[1] if found else None
                self.use(line.name, self.field_name(found, line.name.text))
                self.starts[line.name.at] = frames + [Frame(expected)]
                if line.type:
                    self.type(line.type)
                if line.value:
                    self.value(line.value, expected, frames)
                if line.block:
                    self.block(line.block, frames + [Frame(expected)])
            else:
                self.statement(line, frames)

    # ---- statements
    def block(self, block, frames):
        self.regions.append((block.at, block.end, frames))
        for line in block.lines:
            if line.kind == "let":
                frames[-1].names.setdefault(line.name.text, None)
        for line in block.lines:
            self.statement(line, frames)

    def statement(self, node, frames):
        kind = node.kind
        if kind == "field":
            self.field(node, frames)
        elif kind == "let":
            self.use(node.name, node.name.text)
            self.value(node.value, None, frames)
        elif kind in ("test", "objective"):
            self.value(node.expr, None, frames)
        elif kind == "for":
            among = self.value(node.among, None, frames)
            names = {n.text: None for n in node.names}
            if among is not None and among.name in self.schemas.all:
                names[node.names[-1].text] = among.element()
            for name in node.names:
                self.use(name, name.text)
            self.block(node.block, frames[:-1] + [Frame(frames[-1].shape, {**frames[-1].names, **names}, frames[-1].vary)])
        elif kind == "if":
            self.value(node.condition, None, frames)
            for block in node.blocks:
                if block.kind == "if":
                    self.statement(block, frames)
                else:
                    self.block(block, frames)

    def field(self, node, frames):
        if frames[-1].vary or frames[-1].shape is None:
            expected = self.rooted(node.path, frames)
        else:
            expected = self.walk(node.path, frames[-1].shape, frames)
        for level in node.levels:
            for token in level:
                self.use(token, self.renames.word_map.get(("level", token.text), token.text))
        for value in (node.value, node.among):
            if value:
                self.value(value, expected, frames)
        if node.block:
            shape = expected
            vary = expected is not None and expected.name == "vary"
            self.block(node.block, frames + [Frame(None if vary else shape, {}, vary)])

    def rooted(self, steps, frames):
        """A path that begins with a block, an import or a kind, as in `vary` and in `--set`."""
        token = steps[0][1]
        for frame in reversed(frames):
            if token.text in frame.names:
                return self.after(frame.names[token.text], token, steps[1:], frames)
        if token.text in self.schemas.all and (token.text in KINDS or self.schemas.all[token.text].own):
            self.kind_name(token)
            return self.walk(steps[1:], Type(token.text), frames)
        self.failures += 1
        return self.walk(steps[1:], None, frames)

    def after(self, named, token, steps, frames):
        """The rest of a path behind one of the user's own names."""
        self.use(token, token.text)
        if isinstance(named, Module):
            if steps and steps[0][0] == "name":
                found = named.blocks.get(steps[0][1].text)
                if found is None and steps[0][1].text in self.schemas.all:
                    self.kind_name(steps[0][1])
                    return self.walk(steps[1:], Type(steps[0][1].text), frames)
                if isinstance(found, Module):
                    return self.after(found, steps[0][1], steps[1:], frames)
                self.use(steps[0][1], steps[0][1].text)
                if found is None and len(steps) > 1:
                    return self.guess(steps[1:], frames)
                return self.walk(steps[1:], found, frames)
            return None
        if named is None and steps:
            return self.guess(steps, frames)
        return self.walk(steps, named, frames)

    def guess(self, steps, frames):
        """A path in a block whose file is not at hand: the one kind in which all of it resolves."""
        fits = []
        for kind in ("cluster", "layout", "decoder", "layer_list", "run", "study", "launch", "device", "node"):
            if kind in self.schemas.all:
                self.dry += 1
                before = self.failures
                self.walk(steps, Type(kind), frames)
                self.dry -= 1
                if self.failures == before:
                    fits.append(kind)
                self.failures = before
        return self.walk(steps, Type(fits[0]) if fits else None, frames)

    def walk(self, steps, shape, frames):
        """The type behind a path of fields, which are renamed on the way."""
        for i, (kind, step) in enumerate(steps):
            if kind == "index":
                key = Type(shape.key) if shape and shape.key else None
                self.value(step, key, frames)
                if shape and (shape.key or shape.many):
                    shape = shape.element()
                continue
            found = self.schemas.field(shape, step.text) if shape else None
            if found is None:
                owner = self.schemas.choice(shape, step.text) if shape else None
                if owner:
                    self.use(step, self.word(shape, step.text))
                    shape = shape.of(step.text)
                    continue
                if shape and any(step.text in s.lets for s in self.schemas.chain(shape.name)):
                    self.use(step, step.text)
                    shape = None
                    continue
                if self.figure(steps[i:]):
                    return None
                self.failures += 1
                for rest in steps[i:]:
                    if rest[0] == "index":
                        self.value(rest[1], None, frames)
                return None
            if isinstance(found, list):
                news = {self.field_name(f, step.text) for f in found}
                if len(news) > 1:
                    self.failures += 1
                    self.doubt(step)
                    shape = found[0][1]
                    continue
                found = found[0]
            self.use(step, self.field_name(found, step.text))
            shape = found[1]
        return shape

    def field_name(self, found, name):
        if found is None or self.schemas.all[found[0].split(".")[0]].own:
            return name
        return self.renames.field_map.get((found[0], name), name)

    def word(self, shape, word):
        owner = self.schemas.choice(shape, word)
        if owner is None or self.schemas.all[owner].own:
            return word
        return self.renames.word_map.get((owner, word), word)


def apply_edits(text, edits):
    out, at = [], 0
    for begin, end, new in sorted(edits):
        if begin < at:
            continue
        out += [text[at:begin], new]
        at = end
    return "".join(out) + text[at:]
