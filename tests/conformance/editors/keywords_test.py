#!/usr/bin/env python3
"""Compares the keywords of each grammar in editors/ with those of the compiler's lexer."""
import json
import os
import re
import unittest

import texts

EDITORS = os.path.join(texts.ROOT, "editors")


def read(path):
    with open(os.path.join(EDITORS, path), encoding="utf-8") as file:
        return file.read()


def strings(node):
    """The texts of the STRING rules of a tree-sitter grammar."""
    if isinstance(node, dict):
        own = [node["value"]] if node.get("type") == "STRING" else []
        return own + [text for child in node.values() for text in strings(child)]
    return [text for child in node for text in strings(child)] if isinstance(node, list) else []


class Keywords(unittest.TestCase):
    def compare(self, words):
        self.assertEqual(len(words), len(set(words)), "a keyword is there twice")
        self.assertEqual(set(words), set(texts.keywords()))

    def test_the_lexer_has_keywords(self):
        self.assertGreater(len(texts.keywords()), 20)
        self.assertIn("import", texts.keywords())

    def test_tree_sitter(self):
        rules = json.loads(read("tree-sitter-dpl/src/grammar.json"))["rules"]
        self.compare(sorted({text for text in strings(rules) if re.fullmatch("[a-z]+", text)}))

    def test_highlights_of_tree_sitter(self):
        quoted = re.findall(r'"([a-z]+)"', read("tree-sitter-dpl/queries/highlights.scm"))
        self.compare(quoted + ["true", "false"])  # these two are the node `boolean`

    def test_textmate(self):
        patterns = json.loads(read("vscode/syntaxes/dpl.tmLanguage.json"))["repository"]["keywords"]["patterns"]
        self.compare([word for pattern in patterns for word in re.findall("[a-z]+", pattern["match"].replace("\\b", ""))])

    def test_a_keyword_is_not_a_kind_of_block_in_textmate(self):
        declarations = json.loads(read("vscode/syntaxes/dpl.tmLanguage.json"))["repository"]["declarations"]["patterns"]
        excluded = re.search(r"\(\?!\(\?:([a-z|]+)\)\\b\)", declarations[-1]["match"])[1]
        self.compare(excluded.split("|"))

    def test_vim(self):
        lines = re.findall(r"^syntax keyword (dpl\w+) (.*)", read("vim/syntax/dpl.vim"), re.MULTILINE)
        self.compare([word for group, words in lines if group != "dplConstant" and "contained" not in words
                      for word in words.split()])

    def test_emacs(self):
        quoted = re.search(r"\(defconst dpl-mode-keywords\s+'\(([^)]*)\)", read("emacs/dpl-mode.el"))[1]
        self.compare(re.findall('"([a-z]+)"', quoted))

    def test_kate(self):
        found = re.search(r'<list name="keywords">(.*?)</list>', read("kate/dpl.xml"), re.DOTALL)[1]
        self.compare(re.findall("<item>([a-z]+)</item>", found))


if __name__ == "__main__":
    unittest.main()
