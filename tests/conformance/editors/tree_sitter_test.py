#!/usr/bin/env python3
"""Compiles the committed tree-sitter parser and reads with it every text that dplc reads.

No text that dplc parses has an error node, and at least 90 % of the texts that it refuses for their syntax have one.
The committed grammar.json has to be the one of grammar.js. Where the program `tree-sitter` is installed, the parser
is generated again and has to be the committed one. Exit status: 0 all as expected, 1 not so, 77 when the environment
cannot be had.
"""
import argparse
import ctypes
import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import inside
import texts

GRAMMAR = os.path.join(texts.ROOT, "editors", "tree-sitter-dpl")
LEAST_REFUSED = 0.9
# Words of HIGHLIGHTED and the capture of each of them.
HIGHLIGHTED = b"""/// A doc comment.
import std.models as m
param nodes: Count in [1, 2] = 4 // how many
schema mine from layout for cluster { choice a | b }
search layout dense from base for llama on pod {
  memory.peak <= 80GiB
}
layout dense for llama on pod {
  mesh { data = rest within node }
  if x.then and not true { let y = f(k: "a\\n") }
}
"""
CAPTURES = {
    "/// A doc comment.": "comment.documentation", "import": "keyword.import", "models": "module", "m": "module",
    "param": "keyword", "nodes": "variable.parameter", "Count": "type", "4": "number", "// how many": "comment",
    "mine": "type", "a": "constant", "|": "operator", "dense": "constant", "on": "keyword", "mesh": "property",
    "data": "property", "within": "keyword", "if": "keyword.conditional", "then": "property", "and": "keyword.operator",
    "true": "boolean", "let": "keyword", "y": "variable", "f": "function", "k": "variable.parameter",
    '"a\\n"': "string", "\\n": "string.escape", "{": "punctuation.bracket",
}


def arguments():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where the programs are kept")
    options.add_argument("--dplc", required=True)
    return options.parse_args()


def language(folder):
    """The language of the compiled parser."""
    import tree_sitter
    library = os.path.join(folder, "dpl.so")
    sources = [os.path.join(GRAMMAR, "src", name) for name in ("parser.c", "scanner.c")]
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-I",
                    os.path.join(GRAMMAR, "src"), *sources, "-o", library], check=True)
    make = ctypes.CDLL(library).tree_sitter_dpl
    make.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return tree_sitter.Language(capsule(make(), b"tree_sitter.Language", None))


def first_error(node):
    for child in node.children:
        if child.has_error:
            return first_error(child)
    return node


class Grammar(unittest.TestCase):
    dplc = None

    @classmethod
    def setUpClass(cls):
        import tree_sitter
        cls.folder = tempfile.TemporaryDirectory()
        cls.language = language(cls.folder.name)
        cls.parser = tree_sitter.Parser(cls.language)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def tree(self, text):
        return self.parser.parse(text).root_node

    def query(self, name):
        import tree_sitter
        with open(os.path.join(GRAMMAR, "queries", name), encoding="utf-8") as file:
            return tree_sitter.QueryCursor(tree_sitter.Query(self.language, file.read()))

    def test_it_agrees_with_the_compiler_on_every_text(self):
        names, bodies = zip(*texts.cases())
        wrong, found, missed = [], 0, []
        for name, body, verdict in zip(names, bodies, texts.verdicts(self.dplc, bodies)):
            root = self.tree(body)
            if verdict == "good" and root.has_error:
                row, column = first_error(root).start_point
                wrong.append(f"{name}:{row + 1}:{column + 1}")
            elif verdict == "refused":
                found += root.has_error
                missed += [] if root.has_error else [name]
        self.assertEqual(wrong, [], "dplc parses these")
        self.assertGreater(len(names), 2000)
        self.assertGreaterEqual(found, LEAST_REFUSED * (found + len(missed)), missed)
        print(f"note: {len(names)} texts, errors in {found} of {found + len(missed)} that dplc refuses for syntax")

    def test_a_half_typed_line_is_an_error_of_its_own(self):
        with open(os.path.join(texts.ROOT, "examples", "llama3_70b_h100.dpl"), "rb") as file:
            text = file.read()
        for line, part in ((b"micro_batch = 1seq", b"micro_batch ="), (b"pipeline = 8", b"pipeline ="),
                           (b"micro_batch = 1seq", b"micr"), (b"modules = [core_attention]", b"modules = [")):
            self.assertIn(line, text)
            root = self.tree(text.replace(line, part))
            self.assertTrue(root.has_error, part)
            kinds = [child.type for child in root.named_children if "comment" not in child.type]
            self.assertEqual(kinds, ["import", "import", "declaration", "declaration", "declaration"], part)

    def test_words_have_their_captures(self):
        captures = {}
        for capture, nodes in self.query("highlights.scm").captures(self.tree(HIGHLIGHTED)).items():
            for node in nodes:
                captures.setdefault(node.text.decode(), set()).add(capture)
        for word, capture in CAPTURES.items():
            self.assertEqual(captures.get(word), {capture}, word)

    def test_blocks_are_folded_and_indented_and_names_have_scopes(self):
        root = self.tree(HIGHLIGHTED)
        folds = self.query("folds.scm").captures(root)["fold"]
        self.assertIn((7, 10), [(node.start_point.row, node.end_point.row) for node in folds])
        indents = self.query("indents.scm").captures(root)
        self.assertEqual({node.text for node in indents["indent.branch"]}, {b"}", b"]", b")"})
        self.assertEqual({node.type for node in indents["indent.begin"]}, {"block", "schema_block", "list", "call"})
        definitions = self.query("locals.scm").captures(root)["local.definition"]
        self.assertEqual({node.text for node in definitions}, {b"nodes", b"dense", b"y"})

    def test_the_committed_grammar_is_the_one_of_its_source(self):
        program = shutil.which("node")
        if program is None:
            self.skipTest("there is no program `node`")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "grammar_json.js")
        done = subprocess.run([program, script, os.path.join(GRAMMAR, "grammar.js")], capture_output=True, check=True)
        with open(os.path.join(GRAMMAR, "src", "grammar.json"), encoding="utf-8") as file:
            committed = json.load(file)
        for part, value in json.loads(done.stdout).items():
            self.assertEqual(value, committed[part], f"{part}: run `tree-sitter generate --abi 14`")

    def test_the_committed_parser_is_the_one_of_the_grammar(self):
        program = shutil.which("tree-sitter")
        if program is None:
            self.skipTest("there is no program `tree-sitter`")
        copy = os.path.join(self.folder.name, "grammar")
        shutil.copytree(GRAMMAR, copy)
        subprocess.run([program, "generate", "--abi", "14"], cwd=copy, check=True)
        for name in ("parser.c", "grammar.json", "node-types.json"):
            same = filecmp.cmp(os.path.join(copy, "src", name), os.path.join(GRAMMAR, "src", name), shallow=False)
            self.assertTrue(same, f"{name}: run `tree-sitter generate --abi 14`")


if __name__ == "__main__":
    given = arguments()
    inside.enter(given.environment)
    Grammar.dplc = os.path.abspath(given.dplc)
    unittest.main(argv=[sys.argv[0]])
