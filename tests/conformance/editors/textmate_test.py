#!/usr/bin/env python3
"""The scopes that the TextMate grammar of VS Code gives to words, under Oniguruma, the regular expressions of VS Code.

Exit status: 0 all as expected, 1 not so, 77 when the environment cannot be had.
"""
import argparse
import json
import logging
import os
import sys
import unittest

import inside
import texts

PATH = os.path.join(texts.ROOT, "editors", "vscode", "syntaxes", "dpl.tmLanguage.json")
KEYWORD, OTHER, NUMBER, UNIT = "keyword.declaration", "keyword.other", "constant.numeric", "keyword.other.unit"
FIELD, NAME, TYPE, OPERATOR = "variable.other.property", "variable.other", "entity.name.type", "keyword.operator"
IF, PUNCTUATION = "keyword.control.conditional", "punctuation"
# Each text with the scopes of some of its words, in order; `.dpl` ends each scope.
SNIPPETS = [
    ("import std.models as m", [("import", "keyword.control.import"), ("std.models", "entity.name.namespace"),
                                ("as", "keyword.control.import"), ("m", NAME)]),
    ('import "cluster.dpl"', [("import", "keyword.control.import"), ('"cluster.dpl"', "string.quoted.double")]),
    ("layout dense for llama on pod {", [("layout", "storage.type"), ("dense", TYPE), ("for", OTHER), ("llama", NAME),
                                         ("on", OTHER), ("pod", NAME), ("{", "punctuation.section")]),
    ("search layout fast for m on n {", [("search", KEYWORD), ("layout", "storage.type"), ("fast", TYPE)]),
    ("model big from models.gpt2_small with more", [("big", TYPE), ("from", OTHER), ("models", NAME),
                                                    ("gpt2_small", FIELD), ("with", OTHER)]),
    ("schema s from t for layout or run {", [("schema", KEYWORD), ("s", TYPE), ("from", OTHER),
                                             ("or", "keyword.operator.word")]),
    ("param nodes: Count in [1, 2] = 4", [("param", KEYWORD), ("nodes", "variable.parameter"), ("Count", "support.type"),
                                          ("in", "keyword.operator.word"), ("4", NUMBER)]),
    ("let half = 0.5", [("let", KEYWORD), ("half", "variable.other.constant"), ("=", OPERATOR), ("0.5", NUMBER)]),
    ("  choice none | full { depth: Count? = 2 }", [("choice", KEYWORD), ("none", "constant.other.choice"), ("|", OPERATOR),
                                                    ("full", "constant.other.choice"), ("depth", FIELD), ("?", OPERATOR)]),
    ("  mesh { data = rest, tensor = 8 within node }", [("mesh", FIELD), ("data", FIELD), ("rest", "constant.language"),
                                                        ("tensor", FIELD), ("within", OTHER), ("node", NAME)]),
    ("  schedule = interleaved_1f1b { chunks = 2 }", [("schedule", FIELD), ("interleaved_1f1b", NAME), ("chunks", FIELD)]),
    ("  schedule = 1f1b", [("schedule", FIELD), ("1f1b", NAME)]),
    ("  network.bandwidth = 400Gbps per gpu", [("network", FIELD), ("bandwidth", FIELD), ("400", NUMBER), ("Gbps", UNIT),
                                               ("per", OTHER), ("gpu", NAME)]),
    ("  memory = 3.35TB/s // fast", [("3.35", NUMBER), ("TB/s", UNIT), ("// fast", "comment.line.double-slash")]),
    ("/// A doc comment with let", [("/// A doc comment with let", "comment.line.documentation")]),
    ("  if a.then >= 1_000 { x = 1 } else { x = 2 }", [("if", IF), ("a", NAME), ("then", FIELD), (">=", OPERATOR),
                                                       ("1_000", NUMBER), ("else", IF)]),
    ("  else {", [("else", IF)]),
    ("  for i in 0..<8 { split[i] = 2 }", [("for", OTHER), ("i", NAME), ("in", "keyword.operator.word"), ("0", NUMBER),
                                           ("..<", OPERATOR), ("8", NUMBER), ("split", FIELD)]),
    ('  assert not x or true, "why \\"so\\""', [("assert", "keyword.control"), ("not", "keyword.operator.word"),
                                              ("or", "keyword.operator.word"), ("true", "constant.language.boolean"),
                                              ("\\\"", "constant.character.escape")]),
    ('  title = "a \\q', [("title", FIELD), ("\\q", "invalid.illegal.escape")]),
    ("  require sum([for p in parts: p.size where p.ok]) == 1e3", [("require", "keyword.control"), ("sum", "support.function"),
                                                                  ("parts", FIELD), ("where", OTHER), ("==", OPERATOR),
                                                                  ("1e3", NUMBER)]),
    ("  minimize step_time", [("minimize", "keyword.control"), ("step_time", NAME)]),
]


class Scopes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from textmate_grammar.parsers.base import LanguageParser
        logging.disable()
        with open(PATH, encoding="utf-8") as file:
            cls.grammar = LanguageParser(json.load(file))

    def scopes(self, text):
        """The parts of a text with the innermost scope of each."""
        return [(part, scopes[-1].removesuffix(".dpl")) for _, part, scopes in self.grammar.parse_string(text).flatten()]

    def test_snippets(self):
        for text, wanted in SNIPPETS:
            with self.subTest(text):
                rest = iter(self.scopes(text))
                missing = [pair for pair in wanted if pair not in rest]
                self.assertEqual(missing, [], self.scopes(text))

    def test_each_keyword_is_one_but_after_a_dot(self):
        for word in texts.keywords():
            with self.subTest(word):
                scope = dict(self.scopes(f"x = {word}")).get(word, "")
                self.assertRegex(scope, r"^(keyword|constant\.language\.boolean)")
                self.assertEqual(dict(self.scopes(f"x = a.{word}")).get(word), FIELD)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where the programs are kept")
    inside.enter(options.parse_args().environment)
    unittest.main(argv=[sys.argv[0]])
