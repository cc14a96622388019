"""Names in C++ sources, and keys in scripts that read JSON."""

import re

import golden
import plan
import prose
from resolve import Frame

RAW = re.compile(r'R"(\w*)\((.*?)\)\1"', re.S)
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|^[ \t]*#[ \t]*include[^\n]*|R"(\w*)\(.*?\)\1"'
                     r'|\'(?:[^\'\\\n]|\\.)+\'|"(?:[^"\\\n]|\\.)*"', re.S | re.M)
DECLARATION = re.compile(r"(?m)^\s*(import std|(search )?(model|cluster|layout|run|study|launch|device|node|schema|"
                         r"decoder|encoder|layer_list) \w+)")
CHAIN = re.compile(r"""(?:\[\s*["'](\w+)["']\s*\](?:\[[^\]"'\n]*\])*|\.get\(\s*["'](\w+)["']|\.value\(\s*["'](\w+)["'])+""")
KEY = re.compile(r"""["'](\w+)["']""")
JQ = re.compile(r"(?<![\w.])(?:\.[a-z_]+(?:\[[^\]]*\])*)+")


class Anything(dict):
    """The names of blocks that are declared elsewhere."""

    def __contains__(self, name):
        return True

    def __missing__(self, name):
        return None


class Sources:
    def __init__(self, renames, talk, keys):
        self.renames, self.talk, self.keys = renames, talk, keys
        self.scopes = {}
        for (scope, field), new in renames.field_map.items():
            self.scopes[f"{scope}.{field}"] = f"{self.scope(scope)}.{new}"

    def scope(self, scope):
        schema, dot, choice = scope.partition(".")
        new = self.renames.schema_map.get(schema, schema)
        return new + (dot and "." + self.renames.word_map.get((schema, choice), choice))

    def code(self, text):
        """A piece of text that stands in a source: DSL where it parses as such."""
        if DECLARATION.search(text):
            return golden.Source(text, self.renames, self.talk, {}).new()
        if text.lstrip().startswith("plan {"):
            return plan.text(text, self.renames, self.talk)
        return self.pieces(text)

    def cpp(self, text):
        def literal(match):
            word = match[0]
            if word.startswith("R\""):
                raw = RAW.match(word)
                return word.replace(raw[2], self.code(raw[2]))
            if word.startswith(("//", "/*")):
                return self.talk.ticked(word, bare=False)
            return '"' + self.string(word[1:-1]) + '"' if word.startswith('"') else word
        return LITERAL.sub(literal, text)

    def string(self, text):
        """A string literal; its escapes become as many characters of the language, and come back."""
        if not any(name in self.talk.olds for name in prose.NAME.findall(text)):
            return text
        if "`" in text:
            return self.talk.ticked(text)
        if text in self.scopes:
            return self.scopes[text]
        escapes = re.findall(r'\\[n"t]', text)
        code = re.sub(r'\\[n"t]', lambda m: {"n": "\n", "t": "\t", '"': '"'}[m[0][1]], text)
        if len(escapes) != sum(code.count(c) for c in '\n\t"'):
            return text
        new = self.pieces(code)
        return new.replace("\t", "\\t").replace("\n", "\\n").replace('"', '\\"') if new != code else text

    def pieces(self, text):
        """Statements between semicolons, or a path; what is not known all through stays."""
        out = []
        for piece in re.split(r"(;)", text):
            core = piece.strip()
            if core and re.search(r"[.={\[]", core) and any(n in self.talk.olds for n in prose.NAME.findall(core)):
                new = self.piece(core)
                piece = piece.replace(core, new) if new is not None else piece
            out.append(piece)
        return "".join(out)

    def piece(self, core):
        if "$" in core:
            return None  # a shell's
        figure = self.renames.figures.rename(core)
        if figure is not None:
            return figure
        for ending in ("", " 0"):  # a statement may end in the next literal
            if ending and not core.endswith(("=", "in")):
                break
            new = self.talk.anywhere(core + ending, None)
            if new is None:
                new = self.rooted(core + ending)
            if new is not None:
                return new[:len(new) - len(ending)]
        if re.fullmatch(r"[a-z_]\w*(\.\w+|\[[^\]]*\])+", core):
            new = self.rooted(core + " = 0")
            return None if new is None else new[:-len(" = 0")]
        return None

    def rooted(self, text):
        fragment = prose.Fragment(text, self.renames)
        if not fragment.nodes or fragment.value_only or any(n.kind != "field" or len(n.path) < 2 for n in fragment.nodes):
            return None
        return fragment.within([Frame(None, Anything(), vary=True)])

    # ---- readers of JSON
    def reader(self, text):
        """Keys in chains of subscripts, `plan["schedule"]["weighed"]`, and in filters of jq."""
        text = CHAIN.sub(lambda m: self.chain(m[0], KEY), text)
        return re.sub(r"""jq (?:-\w+ )*('[^']*'|"[^"]*")""", lambda m: JQ.sub(
            lambda f: self.chain(f[0], re.compile(r"\.([a-z_]+)")), m[0]), text)

    def chain(self, text, pattern):
        previous, edits = None, []
        for match in pattern.finditer(text):
            name = match[1]
            new, last = self.key(previous, name)
            if new != name:
                edits.append((match.start(1), match.end(1), new))
            previous = last
        return golden.apply_edits(text, edits)

    def key(self, parent, name):
        """A key whose parent is known, or which has one fate under all parents and is no word of English."""
        rows = [row[1:] for row in self.keys.rows if row[2] == name and (parent or not row[0].startswith("plan.json"))]
        near = {(two, last) for paths, _, two, last in rows
                for p in paths if parent is not None and p.split(".")[-1].rstrip("[]") == parent}
        if len(near) == 1:
            return near.pop()
        news = {(two, last) for _, _, two, last in rows}
        if len(news) == 1 and "_" in name:
            return news.pop()
        return name, name
