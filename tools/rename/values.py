"""Names where a value stands: words of the expected type, fields around, figures, and the user's own names."""

from schemas import Type

FUNCTIONS = {"divisors", "powers", "steps", "min", "max", "sum", "count", "column", "older", "ceil", "floor"}
KINDS = set("layout cluster model decoder encoder layer_list run launch study device node lint layout_search".split())


class Frame:
    """What one block sees: the value that it is the block of, and the user's own names in it."""

    def __init__(self, shape=None, names=None, vary=False):
        self.shape, self.names, self.vary = shape, names or {}, vary


class Module:
    """What an import names: blocks of another file, or of the library."""

    def __init__(self, blocks, open_=False):
        self.blocks, self.open = blocks, open_


class Values:
    """The part of a resolver that reads expressions; resolve.py has the statements around them."""

    # ---- figures
    def figure(self, steps):
        """Renames the path of a figure; false where it is none."""
        names, canonical = [], ""
        for kind, step in steps:
            if kind == "index":
                canonical += "[]"
                names[-1][1] = True
                names[-1].append(step)
            else:
                canonical += ("." if canonical else "") + step.text
                names.append([step, False])
        new = self.renames.figures.bare(canonical)
        if new is None:
            return False
        for old, fresh in zip(runs([(n[0].text, n[1]) for n in names]), runs(
                [(p.replace("[]", ""), p.endswith("[]")) for p in new.split(".")])):
            tokens = names[old[0]:old[1]]
            words = [p.replace("[]", "") for p in new.split(".")[fresh[0]:fresh[1]]]
            if len(tokens) == len(words):
                for (token, *_), word in zip(tokens, words):
                    self.use(token, word)
            elif not self.dry:
                for token, *_ in tokens:
                    self.resolved.add(token.at)
                self.edits[tokens[0][0].at] = (tokens[-1][0].end, ".".join(words))
        for name in names:
            if len(name) > 2 and name[2].kind == "name":
                self.use(name[2].name, name[2].name.text)
            if len(name) > 2 and name[2].kind == "literal" and name[2].token.kind == "str":
                token = name[2].token
                inside = self.renames.figures.group(names[0][0].text, token.text)
                if inside != token.text and not self.dry:
                    self.edits[token.at] = (token.end, inside)
        return True

    # ---- values
    def value(self, node, expected, frames):
        return getattr(self, "value_" + node.kind)(node, expected, frames)

    def infer(self, node, frames):
        self.dry += 1
        found = self.value(node, None, frames)
        self.dry -= 1
        return found

    def value_literal(self, node, expected, frames):
        return None

    def value_group(self, node, expected, frames):
        return self.value(node.base, expected, frames)

    value_scoped = value_group

    def value_parameter(self, node, expected, frames):
        self.use(node.name, node.name.text)
        return self.root.names.get(node.name.text)

    def value_choose(self, node, expected, frames):
        self.value(node.condition, None, frames)
        self.value(node.then, expected, frames)
        return self.value(node.other, expected, frames)

    def value_list(self, node, expected, frames):
        element = expected.element() if expected else None
        for item in node.items:
            self.value(item, element, frames)
        return None

    def value_comprehension(self, node, expected, frames):
        among = self.value(node.among, expected, frames)
        self.use(node.name, node.name.text)
        inner = frames + [Frame(None, {node.name.text: among.element() if among else None})]
        if node.condition:
            self.value(node.condition, None, inner)
        self.value(node.value, expected.element() if expected else None, inner)
        return None

    def value_call(self, node, expected, frames):
        if node.base.kind == "name" and node.base.name.text in FUNCTIONS:
            self.use(node.base.name, node.base.name.text)
        else:
            self.value(node.base, None, frames)
        for argument in node.arguments:
            self.value(argument, None, frames)
        return None

    def value_binary(self, node, expected, frames):
        first, second = node.items[0], node.items[1]
        if node.op in ("==", "!=", "in", "<", "<=", ">", ">=") and not self.dry:
            left, right = self.infer(first, frames), self.infer(second, frames)
            self.value(first, right, frames)
            self.value(second, left, frames)
        else:
            for item in node.items:
                self.value(item, expected if node.op == "+" else None, frames)
        return None

    def value_amend(self, node, expected, frames):
        found = self.value(node.base, expected, frames)
        shape = found
        if node.base.kind == "name" and expected and self.schemas.choice(expected, node.base.name.text):
            shape = expected.of(node.base.name.text)
        if shape is None:
            shape = expected
        self.block(node.block, frames + [Frame(shape)])
        return shape

    def value_name(self, node, expected, frames):
        return self.chain([("name", node.name)], expected, frames)

    def value_member(self, node, expected, frames):
        steps, base = [], node
        while base.kind in ("member", "index"):
            steps.append(("name", base.name) if base.kind == "member" else ("index", base.index))
            base = base.base
        steps.reverse()
        if base.kind == "name":
            return self.chain([("name", base.name)] + steps, expected, frames)
        return self.walk(steps, self.value(base, None, frames), frames)

    value_index = value_member

    def chain(self, steps, expected, frames):
        """A name, or a path of names, where a value stands."""
        token = steps[0][1]
        if expected is not None and expected.name == "Name" and self.figure(steps):
            return None
        if expected is not None and expected.name in ("Field", "Name") and len(steps) > 1:
            return self.rooted(steps, frames)
        if expected is not None and len(steps) == 1 and self.schemas.choice(expected, token.text):
            self.use(token, self.word(expected, token.text))
            return expected.of(token.text)
        for frame in reversed(frames):
            if token.text in frame.names:
                return self.after(frame.names[token.text], token, steps[1:], frames)
            if frame.shape is not None and self.schemas.field(frame.shape, token.text):
                return self.walk(steps, frame.shape, frames)
            if frame.shape is not None and any(token.text in s.lets for s in self.schemas.chain(frame.shape.name)):
                self.use(token, token.text)
                return self.walk(steps[1:], None, frames) if len(steps) > 1 else None
        if self.figure(steps):
            return None
        schema = self.schemas.all.get(token.text)
        if schema is not None and (len(steps) > 1 or schema.own or token.text in KINDS):
            self.kind_name(token)
            return self.walk(steps[1:], Type(token.text), frames)
        if token.text in ("rest", "auto", "none") and len(steps) == 1:
            self.use(token, token.text)
            return None
        for _, step in (s for s in steps if s[0] == "index"):
            self.value(step, None, frames)
        self.failures += 1
        return None


def runs(names):
    """Runs of (name, has index), each up to and with a name that has an index, as (begin, end)."""
    found, begin = [], 0
    for i, (_, indexed) in enumerate(names):
        if indexed:
            found.append((begin, i + 1))
            begin = i + 1
    found.append((begin, len(names)))
    return found
