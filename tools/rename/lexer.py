"""Tokens of a `.dpl` file, with the lines that go on joined, as the compiler's line joiner does it."""

import re

KEYWORDS = set(
    "import as param let schema choice search from with for on in if then else assert require minimize maximize "
    "within across per and or not true false".split())
TOKEN = re.compile(
    r'(?P<comment>//[^\r\n]*)|(?P<str>"(?:[^"\\\r\n]|\\[^\r\n])*")'
    r"|(?P<id>1f1b(?![A-Za-z0-9_])|[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<num>[0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*)?(?:[eE][+-]?[0-9]+)?(?:[A-Za-z]+(?:/[A-Za-z]+)?)?)"
    r"|(?P<nl>\r?\n)|(?P<ws>[ \t]+)|(?P<op>\.\.<|\.\.|==|!=|<=|>=|[{}\[\]().,:|<>=+\-*/%?])|(?P<other>.)", re.S)
BINARY = {"*", "/", "%", "+", "-", "..", "..<", "==", "!=", "<=", ">=", "<", ">", "in", "and", "or"}
LEVELS = [{"or"}, {"and"}, {"==", "!=", "<=", ">=", "<", ">", "in"}, {"..", "..<"}, {"+", "-"}, {"*", "/", "%"}]
JOINS_BEFORE = {"then", "else", "from", "with", "on"}


class Token:
    __slots__ = ("kind", "text", "at")

    def __init__(self, kind, text, at):
        self.kind, self.text, self.at = kind, text, at

    @property
    def end(self):
        return self.at + len(self.text)


def tokenize(text):
    """The tokens without blanks, and the comments."""
    tokens, comments, depth, i = [], [], [], 1 if text.startswith("\ufeff") else 0
    for match in TOKEN.finditer(text, i):
        kind = match.lastgroup
        if kind == "ws":
            continue
        token = Token(kind, match.group(), match.start())
        if kind == "comment":
            comments.append(token)
            continue
        if kind == "op":
            if token.text in "([{":
                depth.append(token.text)
            elif token.text in ")]}" and depth:
                depth.pop()
        if kind == "nl":
            if depth and depth[-1] in "([":
                continue
            if tokens and tokens[-1].kind == "nl":
                continue
            if tokens and tokens[-1].text in BINARY and tokens[-1].kind in ("op", "id"):
                continue
        elif tokens and tokens[-1].kind == "nl" and kind == "id" and token.text in JOINS_BEFORE:
            tokens.pop()
        tokens.append(token)
    tokens.append(Token("eof", "", len(text)))
    return tokens, comments
