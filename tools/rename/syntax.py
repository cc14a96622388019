"""A forgiving syntax tree of a `.dpl` file: what cannot be parsed is skipped to the end of its line."""

from lexer import KEYWORDS, LEVELS, tokenize


class Node:
    """One node of the tree; `kind` says which of its attributes are set."""

    def __init__(self, kind, **attributes):
        self.kind = kind
        self.__dict__.update(attributes)


class Failure(Exception):
    pass


class Parser:
    """Reads declarations, statements and values; every statement that fails is skipped."""

    def __init__(self, text):
        self.tokens, self.comments = tokenize(text)
        self.i = self.depth = 0
        self.skipped = False
        self.units = []  # the scopes behind `per`, which are no fields

    # ---- tokens
    def peek(self, ahead=0):
        return self.tokens[min(self.i + ahead, len(self.tokens) - 1)]

    def next(self):
        token = self.peek()
        self.i += 1
        return token

    def is_op(self, text, ahead=0):
        token = self.peek(ahead)
        return token.kind == "op" and token.text == text

    def is_word(self, text, ahead=0):
        token = self.peek(ahead)
        return token.kind == "id" and token.text == text

    def take(self, text):
        token = self.peek()
        if token.kind in ("op", "id") and token.text == text:
            self.i += 1
            return token
        return None

    def need(self, text):
        token = self.take(text)
        if token is None:
            raise Failure
        return token

    def name(self, any_word=False):
        token = self.peek()
        if token.kind != "id" or (token.text in KEYWORDS and not any_word):
            raise Failure
        self.i += 1
        return token

    def skip(self):
        """To the end of the statement that failed."""
        self.skipped = True
        depth = 0
        while self.peek().kind != "eof":
            token = self.peek()
            if depth == 0 and (token.kind == "nl" or token.text in (",", "}")):
                return
            if token.kind == "op":
                depth += (token.text in "([{") - (token.text in ")]}")
                depth = max(depth, 0)
            self.i += 1

    # ---- declarations
    def file(self):
        return self.lines(self.top, closed=False)

    def lines(self, one, closed):
        """Statements up to the closing brace, or to the end of the file."""
        found = []
        while True:
            token = self.peek()
            if token.kind == "eof":
                return found
            if token.kind == "nl" or token.text == ",":
                self.i += 1
                continue
            if token.kind == "op" and token.text == "}":
                if closed:
                    return found
                self.i += 1
                continue
            begin = self.i
            try:
                found.append(one())
                if not (self.peek().kind in ("nl", "eof") or self.peek().text in (",", "}")):
                    raise Failure
            except Failure:
                self.depth = 0
                self.i = max(self.i, begin)
                self.skip()
                if self.i == begin:
                    self.i += 1

    def braces(self, one):
        begin = self.need("{")
        lines = self.lines(one, closed=True)
        end = self.peek()
        if self.is_op("}"):
            self.i += 1
        return Node("block", lines=lines, at=begin.at, end=end.end)

    def qname(self):
        names = [self.name()]
        while self.take("."):
            names.append(self.name(any_word=True))
        return names

    def top(self):
        token = self.peek()
        if token.kind != "id":
            raise Failure
        word = token.text
        if word == "import":
            self.i += 1
            path = self.next() if self.peek().kind == "str" else self.qname()
            alias = self.name() if self.take("as") else None
            return Node("import", path=path, alias=alias)
        if word == "param":
            self.i += 1
            name = self.name()
            self.need(":")
            type_ = self.type()
            among = self.expr() if self.take("in") else None
            value = self.value() if self.take("=") else None
            return Node("param", name=name, type=type_, among=among, value=value)
        if word == "schema":
            return self.schema()
        if word in ("let", "assert"):
            return self.statement()
        search = self.take("search")
        if self.peek(1).kind != "id" or self.peek(1).text in KEYWORDS:
            return self.statement()
        kind, name = self.name(), self.name()
        clauses = {}
        while self.peek().kind == "id" and self.peek().text in ("from", "with", "for", "on"):
            clause = self.next().text
            clauses[clause] = [self.qname()]
            while clause == "with" and self.is_op(","):
                self.i += 1
                clauses[clause].append(self.qname())
        block = self.braces(self.statement) if self.is_op("{") else None
        return Node("decl", search=search, block_kind=kind, name=name, clauses=clauses, block=block)

    def schema(self):
        begin = self.need("schema")
        name, base, heads = self.name(), None, []
        if self.take("from"):
            base = self.name()
        if self.take("for"):
            heads.append(self.name())
            while self.take("or"):
                heads.append(self.name())
        if self.take("on"):
            heads.append(self.name())
        return Node("schema", at=begin.at, name=name, base=base, heads=heads, block=self.braces(self.schema_line))

    def schema_line(self):
        if self.is_word("choice"):
            self.i += 1
            words = [self.name()]
            while self.take("|"):
                words.append(self.name())
            block = self.braces(self.schema_line) if self.is_op("{") else None
            return Node("choice", words=words, block=block)
        if self.peek().text in ("let", "assert"):
            return self.statement()
        name, type_, value, block = self.name(), None, None, None
        if self.take(":"):
            type_ = self.type()
            if self.take("="):
                value = self.value()
            elif self.is_op("{"):
                block = self.braces(self.statement)
        else:
            self.need("=")
            value = self.value()
        return Node("declared", name=name, type=type_, value=value, block=block)

    def type(self):
        if self.take("["):
            inner = self.type()
            self.need("]")
            node = Node("type", name=inner.name, names=inner.names, key=None, many=True)
        else:
            names, key = self.qname(), None
            if self.take("["):
                key = self.qname()
                self.need("]")
            node = Node("type", name=names[-1], names=names, key=key, many=False)
        if self.take("per"):
            self.units.append(self.name())
        self.take("?")
        return node

    # ---- statements
    def statement(self):
        token = self.peek()
        word = token.text if token.kind == "id" else ""
        if word == "let":
            self.i += 1
            name = self.name()
            self.need("=")
            return Node("let", name=name, value=self.value())
        if word in ("assert", "require"):
            self.i += 1
            expr = self.expr()
            reason = None
            if self.is_op(",") and self.peek(1).kind == "str":
                self.i += 1
                reason = self.next()
            return Node("test", expr=expr, reason=reason)
        if word in ("minimize", "maximize"):
            self.i += 1
            return Node("objective", expr=self.expr())
        if word == "for":
            self.i += 1
            names = [self.name()]
            if self.take(","):
                names.append(self.name())
            self.need("in")
            among = self.expr()
            return Node("for", names=names, among=among, block=self.braces(self.statement))
        if word == "if":
            self.i += 1
            condition, blocks = self.expr(), []
            blocks.append(self.braces(self.statement))
            while self.peek().kind == "nl" and self.is_word("else", 1):
                self.i += 1
            if self.take("else"):
                rest = self.statement() if self.is_word("if") else self.braces(self.statement)
                blocks.append(rest)
            return Node("if", condition=condition, blocks=blocks)
        return self.field()

    def path(self):
        steps = [("name", self.name())]
        while True:
            if self.take("."):
                steps.append(("name", self.name(any_word=True)))
            elif self.is_op("["):
                self.i += 1
                steps.append(("index", self.expr()))
                self.need("]")
            else:
                return steps

    def field(self):
        path = self.path()
        node = Node("field", path=path, value=None, among=None, block=None, levels=[], assigned=False)
        if self.take("="):
            node.assigned = True
            node.value = self.value()
        elif self.take("in"):
            node.among = self.expr()
        elif self.is_op("{"):
            node.block = self.braces(self.statement)
            return node
        else:
            raise Failure
        while self.peek().text in ("within", "across") and self.peek().kind == "id":
            self.i += 1
            node.levels.append(self.qname())
        return node

    # ---- values
    def value(self):
        if self.is_word("if"):
            self.i += 1
            condition = self.expr()
            self.need("then")
            then = self.value()
            self.need("else")
            return Node("choose", condition=condition, then=then, other=self.value())
        expr = self.expr()
        if self.is_op("{"):
            return Node("amend", base=expr, block=self.braces(self.statement))
        return expr

    def expr(self, level=0):
        if level == len(LEVELS):
            return self.operand()
        items = [self.expr(level + 1)]
        op = ""
        while self.peek().kind in ("op", "id") and self.peek().text in LEVELS[level]:
            op = self.next().text
            items.append(self.expr(level + 1))
        return Node("binary", op=op, items=items) if op else items[0]

    def operand(self):
        self.depth += 1
        if self.depth > 400:  # the compiler takes 256
            self.depth = 0
            raise Failure
        node = self.postfix()
        self.depth -= 1
        return node

    def postfix(self):
        while self.peek().text in ("-", "not") and self.peek().kind in ("op", "id"):
            self.i += 1
        node = self.primary()
        while True:
            if self.take("."):
                node = Node("member", base=node, name=self.name(any_word=True))
            elif self.is_op("["):
                self.i += 1
                index = self.expr()
                close = self.need("]")
                node = Node("index", base=node, index=index, end=close.end)
            elif self.is_op("("):
                self.i += 1
                arguments = []
                while not self.is_op(")"):
                    value = self.value()
                    if self.take(":"):
                        value = self.value()
                    arguments.append(value)
                    if not self.take(","):
                        break
                self.need(")")
                node = Node("call", base=node, arguments=arguments)
            elif self.is_word("per"):
                self.i += 1
                self.units.append(self.name())
                node = Node("scoped", base=node)
            else:
                return node

    def primary(self):
        token = self.peek()
        if token.kind in ("num", "str"):
            self.i += 1
            return Node("literal", token=token)
        if self.take("("):
            value = self.value()
            self.need(")")
            return Node("group", base=value)
        if self.take("["):
            if self.take("]"):
                return Node("list", items=[])
            if self.is_word("for"):
                self.i += 1
                name = self.name()
                self.need("in")
                among = self.expr()
                condition = self.expr() if self.take("if") else None
                self.need(":")
                value = self.value()
                self.need("]")
                return Node("comprehension", name=name, among=among, condition=condition, value=value)
            items = [self.value()]
            while self.take(","):
                if self.is_op("]"):
                    break
                items.append(self.value())
            self.need("]")
            return Node("list", items=items)
        if token.kind == "id" and token.text in ("true", "false"):
            self.i += 1
            return Node("literal", token=token)
        if self.is_word("param") and self.is_op(".", 1):
            self.i += 2
            return Node("parameter", name=self.name(any_word=True))
        return Node("name", name=self.name())
