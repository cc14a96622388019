"""Names in running text: between backticks, in comments, in messages, and dotted paths that stand in a screen."""

import collections
import re

import figures
import syntax
from resolve import Frame, Module, Resolver
from schemas import Type

TICKED = re.compile(r"`([^`\n]+)`")
# Words in front of a name that the user gave
OWN = re.compile(r"\b(layout|study|run|cluster|model|launch|search|file|variable|parameter|`let`) $")
NAME = re.compile(r"1f1b|[A-Za-z_]\w*")
ROOTS = ("layout", "cluster", "model", "run", "launch", "study", "device", "node", "lint")


class Fragment(Resolver):
    """A few statements, or a value, without the file around them."""

    def __init__(self, text, renames, parent=None):
        super().__init__(text, renames)
        if parent is not None:
            self.schemas, self.root, self.blocks = parent.schemas, parent.root, parent.blocks

    def parse(self, parser):
        self.value_only = False
        for one in (parser.statement, parser.top):
            parser.i, parser.skipped = 0, False
            lines = parser.lines(one, closed=False)
            if lines and not parser.skipped:
                break
        else:
            parser.i, parser.skipped, self.value_only = 0, False, True
            try:
                lines = [parser.value()]
            except syntax.Failure:
                lines = []
            if parser.peek().kind != "eof":
                lines = []
        return lines

    def within(self, frames, expected=None):
        """The new text as it is read in these frames, or None where a name stays unknown."""
        self.edits, self.resolved, self.failures = {}, set(), 0
        for node in self.nodes:
            if self.value_only:
                self.value(node, expected, frames)
            elif node.kind == "decl":
                self.blocks = {**self.blocks, node.name.text: node}
                self.top(node, [self.root])
            else:
                self.top(node, frames)
        return self.apply() if self.nodes and self.failures == 0 else None


class Prose:
    def __init__(self, renames):
        self.renames, self.left = renames, collections.Counter()
        self.cache = {}
        self.page = lambda text: text  # what becomes of a page of Markdown
        self.scopes = list(renames.schemas.scopes())
        self.bare = self.bare_names()
        changed = [o for o, n in renames.figures.map.items() if o != n]
        self.olds = renames.olds | {w for o in changed for w in NAME.findall(o)} | set(self.bare)
        self.root = Frame(None, {})

    def bare_names(self):
        """Names that have one fate wherever they occur, and whose new name comes from them alone."""
        to, back = collections.defaultdict(set), collections.defaultdict(set)
        pairs = [(o, n) for (_, o), n in self.renames.field_map.items()]
        pairs += [(o, n) for (_, o), n in self.renames.word_map.items()]
        pairs += list(self.renames.schema_map.items())
        pairs += [(o, n) for o, n in self.renames.figures.map.items() if "." not in o and "[" not in o]
        pairs += [(o, n) for (_, o), n in self.renames.keyed_words().items()]
        pairs += self.renames.json_names()
        pairs += [(o, n) for (w, o), n in self.renames.options.items() if w == "diagnostic"]
        names = {old for old, _ in pairs}
        # what a figure ends in is a name only behind its path, and a reason to leave the same word elsewhere
        pairs += [(last(o), last(n)) for o, n in self.renames.figures.map.items()]
        for old, new in pairs:
            to[old].add(new)
            back[new].add(old)
        found = {old: new for old in names for new in to[old]
                 if len(to[old]) == 1 and back[new] == {old} and new != old}
        if self.renames.whole is None:
            return found
        # a name that two slices rename in two ways has no one fate in either
        whole = Prose(self.renames.whole).bare
        return {o: n for o, n in found.items() if whole.get(o) == n}

    # ---- text between backticks
    def ticked(self, text, resolver=None, frames=(), evidence=None, here=None, bare=True):
        """With `bare` unset single names stay: in the comments of sources they are mostly variables."""
        def change(match):
            if NAME.fullmatch(match[1]) and not bare:
                return match[0]
            if NAME.fullmatch(match[1]) and OWN.search(text[:match.start()]):
                return match[0]
            return "`" + self.code(match[1], resolver, frames, evidence, here) + "`"
        return TICKED.sub(change, text)

    def code(self, text, resolver=None, frames=(), evidence=None, here=None):
        if not any(name in self.olds for name in NAME.findall(text)) and not text.startswith("-"):
            return text
        stripped = text.strip()
        if stripped.startswith(("dplc ", "--")):
            return self.command(text)
        match = re.fullmatch(r"(within|across) (\w+)", stripped)
        if match:
            return f"{match[1]} {self.renames.word_map.get(('level', match[2]), match[2])}"
        if stripped in self.renames.figures.templates:
            return self.renames.figures.templates[stripped]
        if here and len(here.get(text, ())) == 1:
            return next(iter(here[text]))
        # Where the sentence stands, from the inside out
        if frames:
            for i in range(len(frames), 0, -1):
                new = self.word_in(text, frames[i - 1]) or self.read_in(text, list(frames[:i]), resolver)
                if new is not None:
                    return new
        if evidence and text in evidence:
            if len(evidence[text]) == 1:
                return next(iter(evidence[text]))
        key = text
        if key not in self.cache:
            self.cache[key] = self.anywhere(text, resolver)
        if self.cache[key] is None:
            self.left[text] += 1
            return text
        return self.cache[key]

    def read_in(self, text, frames, resolver):
        """What a piece of code becomes in these frames; `…` stands for any value."""
        fragment = Fragment(spelled(text), self.renames, resolver)
        first = fragment.nodes[0] if fragment.nodes else None
        if first is None or (first.kind == "field" and len(first.path) == 1 and frames[-1].shape is None):
            return None
        new = fragment.within(frames)
        return restored(new)

    def word_in(self, text, frame):
        shape = frame.shape
        if shape is None or not NAME.fullmatch(text):
            return None
        owner = self.renames.schemas.choice(shape, text)
        if owner and not self.renames.schemas.field(shape, text):
            return self.renames.word_map.get((owner, text), text)
        return None

    def anywhere(self, text, resolver):
        """What it becomes in every scope in which all of it is known, if that is one thing."""
        if NAME.fullmatch(text) or re.fullmatch(r"[a-z]+(-[a-z]+)+", text):
            return self.bare.get(text)
        if re.fullmatch(r"\.\w+", text):  # what several figures end in
            ends = {n.rsplit(".", 1)[-1] for o, n in self.renames.figures.map.items() if o.endswith(text)}
            return "." + ends.pop() if len(ends) == 1 else None
        root = resolver.root if resolver else self.root
        found = set()
        fragment = Fragment(spelled(text), self.renames, resolver)
        first = fragment.nodes[0] if fragment.nodes else None
        if first is not None and (first.kind != "field" or len(first.path) > 1 or first.block):
            new = fragment.within([root, Frame(None, {}, vary=True)])
            if new is not None:
                return restored(new)
        for scope in self.scopes:
            new = fragment.within([root, Frame(scope)])
            if new is not None:
                found.add(restored(new))
        if not found and re.match(r"\w+ \{", text):
            return self.amended(text, root, resolver)
        return found.pop() if len(found) == 1 else None

    def amended(self, text, root, resolver):
        """A choice with its fields, `top_k { density }`, of the one schema in which all of it is known."""
        try:
            parser = syntax.Parser(spelled(text))
            node = parser.value()
        except syntax.Failure:
            return None
        if node.kind != "amend" or node.base.kind != "name":
            return None
        found = set()
        for schema in {s.name for s in self.scopes}:
            fragment = Fragment(spelled(text), self.renames, resolver)
            fragment.nodes, fragment.value_only = [node], True
            if fragment.schemas.choice(Type(schema), node.base.name.text):
                new = fragment.within([root], Type(schema))
                if new is not None:
                    found.add(restored(new))
        return found.pop() if len(found) == 1 else None

    # ---- a command line
    def command(self, text, resolver=None):
        words = re.split(r"(\s+)", text)
        plain = [w for w in words if w.strip()]
        program = next((i for i, w in enumerate(plain) if w == "dplc"), None)
        if program is not None:
            of = next((w for w in plain[program + 1:] if not w.startswith("-")), "")
        else:
            of = next((w for w in plain if not w.startswith("-") and not w.startswith("COLUMNS=")), "")
        previous = ""
        for i, word in enumerate(words):
            if not word.strip():
                continue
            words[i] = self.argument(word, previous, of, resolver)
            previous = word
        return "".join(words)

    def argument(self, word, previous, of, resolver):
        options = self.renames.options
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            new = options.get((of, name))
            if new is None:
                news = {n for (w, o), n in options.items() if o == name and w != "diagnostic"}
                new = news.pop() if len(news) == 1 and of not in COMMANDS else name
            return new + equals + (self.argument(value, name, of, resolver) if equals else "")
        if previous in ("--no-warn", "--warn", "--error") or of == "explain":
            return self.renames.diagnostic(word)
        if previous == "--set":
            return self.setting(word, resolver)
        if previous == "--why":
            return self.renames.figures.rename(word) or self.setting(word, resolver)
        if previous in ("--level", "--algorithm"):
            schema = {"--level": "simulation_level", "--algorithm": "collective_algorithm"}[previous]
            schema = self.renames.before.schema(schema)
            keyed = self.renames.keyed_words()
            return self.renames.word_map.get((schema, word), keyed.get(("algorithm", word), word))
        if previous in ("--where", "--beside") or "=" not in word:
            return word
        return word

    def setting(self, text, resolver=None):
        """`path=value` as `--set` takes it."""
        fragment = Fragment(text.replace("=", " = ", 1), self.renames, resolver)
        if not fragment.nodes or fragment.value_only:
            fragment = Fragment(text + " = 0", self.renames, resolver)
            if not fragment.nodes or fragment.value_only:
                return text
            fragment.within([fragment.root, Frame(None, {}, vary=True)])
            return fragment.apply()[:-len(" = 0")]
        fragment.within([fragment.root, Frame(None, {}, vary=True)])
        return fragment.apply().replace(" = ", "=", 1)

    # ---- dotted paths in a screen
    def paths(self, text, resolver=None):
        """Figures and paths of fields that stand in the text without backticks."""
        return figures.WORD.sub(lambda m: self.path(m, text, resolver), text)

    def path(self, match, text, resolver):
        word = match[0]
        before = text[match.start() - 1:match.start()]
        if before in (".", "/", "-", "\\") or text[match.end():match.end() + 1] == "/":
            return word
        if not any(name in self.olds for name in NAME.findall(word)):
            return word
        new = self.renames.figures.rename(word)
        if new is not None:
            return new
        if "." not in word or "=" in word:
            return word
        root = resolver.root if resolver else self.root
        head = NAME.match(word)[0]
        if head not in ROOTS and not (isinstance(root.names.get(head), (Type, Module))):
            return word
        fragment = Fragment(word + " = 0", self.renames, resolver)
        if not fragment.nodes or fragment.value_only:
            return word
        new = fragment.within([fragment.root, Frame(None, {}, vary=True)])
        return new[:-len(" = 0")] if new is not None else word


def last(path):
    return path.rsplit(".", 1)[-1].replace("[]", "")


def spelled(text):
    """Code as the documentation abbreviates it, `choice { field, … }`, with a value wherever the grammar wants one."""
    return re.sub(r"([{,]\s*)(\w+)(?=\s*[,}])", r'\1\2 = "…?"', text.replace("…", '"…"'))


def restored(new):
    return None if new is None else new.replace(' = "…?"', "").replace('"…"', "…")


COMMANDS = set("check report emit ir import simulate study score calibrate collective diff fmt new show explain".split())


def comments(resolver, prose):
    """The edits of the names between backticks in the comments and the strings of a file."""
    edits = []
    starts = sorted(resolver.starts)
    regions = sorted(resolver.regions, key=lambda r: r[1] - r[0])
    strings = [t for t in resolver.tokens if t.kind == "str"]
    for token in resolver.comments + strings:
        if "`" not in token.text:
            continue
        if token.kind == "comment" and token.text.startswith("// expect-"):
            continue
        around = next((r[2] for r in regions if r[0] <= token.at < r[1]), [resolver.root])
        frames = list(around)
        if token.kind == "comment" and token.text.startswith("///"):
            start = next((s for s in starts if s > token.at), None)
            between = resolver.text[token.end:start] if start is not None else "x"
            if all(not l.strip() or l.strip().startswith("///") or l.strip().startswith(("schema", "choice"))
                   for l in between.split("\n")):
                frames = list(resolver.starts[start])
        new = prose.ticked(token.text, resolver, frames)
        if new != token.text:
            edits.append((token.at, token.end, new))
    return edits
