"""`dplc lsp`: its messages are those of `dplc check`, its texts those of the editor, and it survives every client.

DPLC=build/release/dplc python3 tests/python/lsp_test.py; DPL_LONG=1 sends 10^8 bytes of noise.
"""

import glob
import json
import os
import random
import re
import signal
import stat
import subprocess
import tempfile
import unittest

from client import DPLC, EXAMPLE, ROOT, children, dplc, framed, survives_noise, within
from editor import CAN, SMALL, START, Editor, Noise, Texts, applied, place, position, rows, uri

LONG = bool(os.environ.get("DPL_LONG"))


class Lsp(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        cache = os.environ.get("XDG_CACHE_HOME")
        os.environ["XDG_CACHE_HOME"] = os.path.join(self.folder, "cache")
        self.addCleanup(lambda: os.environ.pop("XDG_CACHE_HOME") if cache is None else os.environ.update(XDG_CACHE_HOME=cache))
        self.editor = Editor()
        self.addCleanup(lambda: self.editor.process.poll() is None and self.editor.__exit__())

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", newline="") as file:
            file.write(text)
        return path

    def test_messages_are_those_of_check(self):
        files = []
        for pattern in ("examples/**/*.dpl", "tests/**/*.dpl"):
            files += sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))
        readable = []
        for path in files:
            with open(path, "rb") as file:
                try:
                    file.read().decode()
                    readable.append(path)
                except UnicodeDecodeError:
                    pass  # an editor cannot send such a text
        self.assertGreater(len(readable), 700)
        checked = json.loads(dplc("check", "--json", "--no-advice", "--figures", "step_time", *readable, code=None))
        texts = Texts()
        for path, document in zip(readable, checked):
            expected = texts.expected(document["diagnostics"], path)
            where = self.editor.open(path)
            with self.subTest(os.path.relpath(path, ROOT)):
                def same():
                    return all(rows(self.editor.shown.get(uri(file), [])) == list_ for file, list_ in expected.items())
                self.editor.published(where)
                # Messages about slow plans follow.
                if not within(60, lambda: same() or not self.editor.process.stdout or (self.editor.read(), same())[1]):
                    self.fail((expected, self.editor.shown))
            self.editor.close(where)
            self.editor.until(lambda: self.editor.shown.get(where) == [])
            self.editor.shown.clear()
            self.editor.versions.clear()

    def test_a_changed_text_is_checked_and_its_fix_applied(self):
        path = os.path.join(self.folder, "no_such_file.dpl")
        where = self.editor.open(path, SMALL)
        self.assertEqual(self.editor.published(where), [])
        wrong = SMALL.replace("batch", "bach")
        at = {"start": place(SMALL, "batch", 0, 2), "end": place(SMALL, "batch", 0, 3)}
        self.editor.change(where, 2, {"range": at, "text": ""})
        found = self.editor.published(where, 2)
        self.assertEqual(found[0]["range"]["start"], place(wrong, "bach"))
        actions = self.editor.about("codeAction", where, range=found[0]["range"], context={"diagnostics": found})
        self.assertEqual(actions[0]["diagnostics"], found[:1])
        self.assertEqual(applied(wrong, actions[0]["edit"]["changes"][where]), SMALL)
        self.assertEqual(self.editor.about("codeAction", where, range={"start": START, "end": START}, context={}), [])

    def test_changes_by_ranges_in_both_encodings(self):
        words = ["a", "é", "字", "𝄞", "\n", "// 𝄞é", " ", "let b = 1\n", "\t", "e\u0301"]
        for unit in ("utf-16", "utf-8"):
            noise = random.Random(unit)
            with Editor({**CAN, "general": {"positionEncodings": ["utf-8", "utf-16"] if unit == "utf-8" else ["utf-16"]}}) as editor:
                self.assertEqual(editor.can["capabilities"]["positionEncoding"], unit)
                text = "// 𝄞 é\nlet a = 1\n"
                edited = editor.open("untitled:edited", text)
                for version in range(2, 60):
                    changes = []
                    for _ in range(noise.randrange(1, 4)):
                        begin = noise.randrange(len(text) + 1)
                        end = min(len(text), begin + noise.randrange(6))
                        new = noise.choice(words) * noise.randrange(3)
                        changes.append({"range": {"start": position(text, begin, unit), "end": position(text, end, unit)}, "text": new})
                        text = text[:begin] + new + text[end:]
                    editor.change(edited, version, *changes)
                whole = editor.open("untitled:whole", text)
                # Tokens show every word and its place.
                self.assertEqual(editor.about("semanticTokens/full", edited), editor.about("semanticTokens/full", whole))
                self.assertEqual(editor.about("foldingRange", edited), editor.about("foldingRange", whole))

    def test_a_long_chain_of_names_offers_nothing(self):
        chain = "let a = " + "a." * 60_000
        where = self.editor.open("untitled:chain", chain)
        offered = self.editor.about("completion", where, position={"line": 0, "character": len(chain)})
        self.assertEqual(offered["items"], [])

    def test_an_import_reads_no_messages_of_the_editor(self):
        where = self.editor.open("untitled:pipe", 'import "/dev/stdin" as a\nimport "/proc/self/fd/0" as b\n' + SMALL)
        self.assertEqual([one["code"] for one in self.editor.published(where)], ["DPL0155", "DPL0155"])
        self.assertIsNotNone(self.editor.about("hover", where, position=place(SMALL, "batch", 0, 0) | {"line": 6}))

    def test_a_half_typed_import_and_an_open_brace_leave_the_other_layouts_their_figures(self):
        second = SMALL.split("\n", 3)[3].replace("one", "two")
        where = self.editor.open("untitled:open", SMALL + second)
        labels = self.editor.hints(where)
        self.assertEqual(len(labels), 4)
        for version, text in enumerate((SMALL + "from models.\n" + second, SMALL + second.replace("rest }", "rest"),
                                        SMALL + second.replace("64seq", "64seq {")), 2):
            self.editor.change(where, version, {"text": text})
            self.assertNotEqual(self.editor.published(where, version), [])
            self.assertEqual(self.editor.hints(where)[:2], labels[:2])
            for word in ("batch", "data"):
                for number in (0, 1):
                    self.assertIsNotNone(self.editor.about("hover", where, position=place(text, word, number)), (text, word))

    def test_a_change_past_the_end_of_a_line_is_before_its_carriage_return(self):
        text = SMALL.replace("\n", "\r\n")
        where = self.editor.open("untitled:returns", text)
        end = {"line": 2, "character": 9999}
        self.editor.change(where, 2, {"range": {"start": end, "end": end}, "text": " // end"})
        changed = text.replace("nodes = 1 }", "nodes = 1 } // end")
        edits = self.editor.about("formatting", where, options={})
        self.assertEqual(applied(changed, edits), dplc("fmt", "-", text=changed))

    def test_tokens_of_a_long_line(self):
        line = ", ".join(f'let a{i} = "𝄞é"' for i in range(20_000))
        text = SMALL.replace("  batch", "  " + line + ", batch")
        where = self.editor.open("untitled:long", text)
        data = self.editor.about("semanticTokens/full", where)["data"]
        row, at, strings = 0, 0, []
        for i in range(0, len(data), 5):
            at, row = (at if data[i] == 0 else 0) + data[i + 1], row + data[i]
            if data[i + 3] == 2:
                strings.append((row, at))
        whole = text.split("\n")[4]
        last = len(whole[: whole.rindex('"𝄞')].encode("utf-16-le")) // 2
        self.assertEqual((len(strings), strings[-1]), (20_000, (4, last)))

    def test_imported_files(self):
        site = self.write("site.dpl", "import std.clusters\n/// Our machines.\ncluster pod from clusters.dgx_h100 { nodes = 1 }\n")
        text = SMALL.replace("cluster node from clusters.dgx_h100 { nodes = 1 }", 'import "./site.dpl"').replace("on node", "on site.pod")
        plan, other = self.write("plan.dpl", text), self.write("other.dpl", text.replace("one", "two"))
        where = self.editor.open(plan)
        self.assertEqual(self.editor.published(where), [])
        target = self.editor.about("definition", where, position=place(text, "pod"))
        self.assertEqual((target["uri"], target["range"]["start"]), (uri(site), {"line": 2, "character": 8}))
        self.assertIn("Our machines", self.editor.about("hover", where, position=place(text, "pod"))["contents"]["value"])
        # Uses in files that are not open are found too.
        found = self.editor.about("references", where, position=place(text, "pod"), context={"includeDeclaration": True})
        self.assertEqual(sorted(one["uri"] for one in found), sorted(map(uri, (plan, other, site))))
        changes = self.editor.about("rename", where, position=place(text, "pod"), newName="rack")["changes"]
        self.assertEqual(set(changes), set(map(uri, (plan, other, site))))
        self.assertEqual(applied(text, changes[where]), text.replace("pod", "rack"))
        # The text of an open document takes the place of its file.
        opened = self.editor.open(site, "import std.clusters\ncluster rack from clusters.dgx_h100 { nodes = 1 }\n")
        self.editor.until(lambda: self.editor.shown.get(where))
        self.editor.close(opened)
        self.editor.until(lambda: self.editor.shown.get(where) == [])
        # So do files that are removed, and written again.
        os.remove(site)
        self.editor.send("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri(site), "type": 3}]}, notify=True)
        self.editor.until(lambda: [one["code"] for one in self.editor.shown.get(where, [])] == ["DPL0002"])
        self.write("site.dpl", "import std.clusters\ncluster pod from clusters.dgx_h100 { nodes = 0 }\n")
        self.editor.send("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri(site), "type": 1}]}, notify=True)
        self.editor.until(lambda: self.editor.shown.get(uri(site)))  # messages about a file that is not open
        self.editor.close(where)
        self.editor.until(lambda: self.editor.shown.get(uri(site)) == [] and self.editor.shown.get(where) == [])

    def test_a_rename_changes_no_meaning(self):
        text = SMALL.replace("layout", "let width = 3\nlet other = 5\nmodel wide from models.llama3_8b { layers = width * 10 }\nlayout", 1)
        text = text.replace("  batch = 64seq", "  let inner = 2\n  batch = inner * other * 64seq\n  shard { optimizer = data }")
        where = self.editor.open("untitled:names", text)
        for word, names in (("other", ("inner", "batch", "data")), ("width", ("layers", "heads")), ("inner", ("batch", "micro_batch")),
                            ("node", ("cluster",)), ("wide", ("model",)), ("one", ("layout",))):
            for name in names:
                with self.subTest((word, name)):
                    failed = self.editor.failure("rename", where, position=place(text, word + " "), newName=name)
                    self.assertIn(f"`{word}` cannot become `{name}`: ", failed["message"])
        same = self.editor.about("rename", where, position=place(text, "other"), newName="other")
        self.assertEqual(same["changes"], {})
        changes = self.editor.about("rename", where, position=place(text, "other"), newName="factor")["changes"]
        self.assertEqual(applied(text, changes[where]), text.replace("other", "factor"))

    def test_the_library_opens_as_read_only_files(self):
        where = self.editor.open(os.path.join(self.folder, "a.dpl"), SMALL)
        target = self.editor.about("definition", where, position=place(SMALL, "dgx_h100"))
        path = target["uri"].removeprefix("file://")
        self.assertTrue(path.startswith(os.path.join(self.folder, "cache")))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o444)
        with open(path) as file:
            text = file.read()
        self.assertTrue(text.split("\n")[target["range"]["start"]["line"]].startswith("cluster dgx_h100"))
        self.assertEqual(self.editor.published(self.editor.open(path)), [])  # it is no file of the user
        for word in ("dgx_h100", "nodes", "batch"):
            self.assertIn("library", self.editor.failure("prepareRename", where, position=place(SMALL, word))["message"])
        self.assertIn("not a name", self.editor.failure("rename", where, position=place(SMALL, "node"), newName="a b")["message"])
        self.assertIn("already", self.editor.failure("rename", where, position=place(SMALL, "node"), newName="one")["message"])

    def test_what_names_and_places_show(self):
        with open(EXAMPLE) as file:
            text = file.read()
        where = self.editor.open(EXAMPLE)

        def hover(word, number=0):
            return self.editor.about("hover", where, position=place(text, word, number))["contents"]["value"]
        for word, shown in (
            ("bandwidth =", ("link.bandwidth = 400Gbps per gpu", "GB/s", "in one direction", "`400Gbps per gpu` set by the block (line 24)", "std.prelude, line ")),
            ("kv_heads", ("decoder.kv_heads = 8", "default `heads`", "Number of key and value heads")),
            ("memory.peak", ("predicted for `dense3d`: ", "GiB", "peak memory")),
            ("dense3d for", ("layout", "step 1", "MFU 38.0 %", "peak ")),
            ("interleaved_1f1b", ("1F1B over several model chunks",)),
            ("Gbps", ("unit", "bandwidth")),
            ("clusters.dgx", ("std.clusters",)),
        ):
            for one in shown:
                with self.subTest(word):
                    self.assertIn(one, hover(word))
        self.assertIsNone(self.editor.about("hover", where, position=START))
        # What is expected comes first: names of the type, values of the field.
        for before, first in (("  mesh {", "replica"), ("dense3d for ", "llama70b"), ("schedule = ", "interleaved_1f1b { chunks = 2 }"),
                              ("import std.", "clusters")):
            items = self.editor.about("completion", where, position=place(text, before, 0, len(before)))["items"]
            self.assertEqual(items[0]["textEdit"]["newText"].split("\n")[0].rstrip(), first)
        names = [one["name"] for one in self.editor.about("documentSymbol", where)]
        self.assertEqual(names, ["models", "clusters", "llama70b", "pod", "dense3d"])
        folds = [(one["startLine"], one["endLine"]) for one in self.editor.about("foldingRange", where)]
        head = place(text, "layout dense3d")["line"]
        self.assertIn((head, text.count("\n") - 2), folds)

    def test_words_have_their_kinds(self):
        text = "import std.models\n/// é\nmodel m from models.gpt2_small { layers = 4 } // 字\nlet budget = 80GiB\n"
        where = self.editor.open("untitled:words", text)
        legend = self.editor.can["capabilities"]["semanticTokensProvider"]["legend"]
        data = self.editor.about("semanticTokens/full", where)["data"]
        line = character = 0
        found = []
        for step, offset, size, kind, modifiers in zip(*[iter(data)] * 5):
            character = offset if step else character + offset
            line += step
            found.append((text.split("\n")[line][character : character + size], legend["tokenTypes"][kind], modifiers))
        self.assertEqual(found, [
            ("import", "keyword", 0), ("std", "namespace", 0), ("models", "namespace", 1), ("/// é", "comment", 0),
            ("model", "struct", 0), ("m", "class", 1), ("from", "keyword", 0), ("models", "namespace", 0), ("gpt2_small", "class", 0),
            ("layers", "property", 0), ("4", "number", 0), ("// 字", "comment", 0), ("let", "keyword", 0), ("budget", "variable", 1),
            ("80GiB", "number", 0)])

    def test_values_that_the_compiler_chose(self):
        where = self.editor.open("untitled:rest", SMALL)
        labels = self.editor.hints(where)
        self.assertEqual(labels[0], "= 8")
        self.assertRegex(labels[1], r"^step .*, MFU .* %, peak .*B$")
        for word in ("data", "rest"):
            self.assertIn("the compiler chose `8`", self.editor.about("hover", where, position=place(SMALL, word))["contents"]["value"])

    def test_a_half_typed_line_leaves_the_other_layouts_their_figures(self):
        second = SMALL.split("\n", 3)[3].replace("one", "two")
        where = self.editor.open("untitled:typed", SMALL + second.replace("64seq", ""))
        self.assertEqual([one["code"] for one in self.editor.published(where)], ["DPL0018"])
        labels = self.editor.hints(where)
        self.assertEqual(labels[0], "= 8")
        self.assertEqual(len(labels), 2)
        # A layout keeps its figures if nothing reads the value that it lacks.
        text = SMALL.replace("  batch = 64seq", "  batch = 64seq\n  let half = ")
        self.editor.change(where, 2, {"text": text})
        self.assertNotEqual(self.editor.published(where, 2), [])
        labels = self.editor.hints(where)
        self.assertEqual(len(labels), 2)
        self.assertIn("batch", self.editor.about("hover", where, position=place(text, "batch"))["contents"]["value"])

    def test_watched_files_and_folders(self):
        can = {**CAN, "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
        self.write("site.dpl", "import std.clusters\ncluster pod from clusters.dgx_h100 { nodes = 1 }\n")
        os.mkdir(os.path.join(self.folder, "plans"))
        text = SMALL.replace("cluster node from clusters.dgx_h100 { nodes = 1 }", 'import "../site.dpl"').replace("on node", "on site.pod")
        plan = self.write("plans/plan.dpl", text)
        with Editor(can, folders=[{"uri": uri(os.path.join(self.folder, "plans")), "name": "plans"}]) as editor:
            where = editor.open(os.path.join(self.folder, "site.dpl"))
            editor.until(lambda: "client/registerCapability" in editor.asked)
            with open(os.path.join(self.folder, "site.dpl")) as file:
                at = place(file.read(), "pod")
            found = editor.about("references", where, position=at, context={"includeDeclaration": False})
            self.assertEqual([one["uri"] for one in found], [uri(plan)])
            editor.send("workspace/didChangeWorkspaceFolders", {"event": {"added": [{"uri": uri(os.path.join(self.folder, "cache")), "name": "b"}],
                                                                          "removed": [{"uri": uri(os.path.join(self.folder, "plans")), "name": "plans"}]}}, notify=True)
            self.assertEqual(editor.about("references", where, position=at, context={"includeDeclaration": False}), [])

    def test_formatting_is_that_of_fmt(self):
        for text in (SMALL.replace("  batch", "      batch  "), "let a=1\n\n\n\nlet b   =2", SMALL):
            where = self.editor.open("untitled:format", text)
            self.assertEqual(applied(text, self.editor.about("formatting", where, options={})), dplc("fmt", "-", text=text))
        where = self.editor.open("untitled:broken", "let a = = 1\n")
        self.assertIn("DPL", self.editor.failure("formatting", where, options={})["message"])

    def test_slow_plans_are_judged_apart_and_ended_by_a_newer_text(self):
        with open(os.path.join(ROOT, "examples", "smallest.dpl")) as file:
            text = file.read().replace("mesh = auto", "mesh = auto, micro_batch = auto, schedule = auto")
        where = self.editor.open("untitled:auto", text)
        self.editor.published(where)
        self.editor.until(lambda: "workspace/inlayHint/refresh" in self.editor.asked)
        labels = self.editor.hints(where)
        for chosen in (r"= \{ data = .* \}", r"= \d+seq", "= 1f1b", "step .*"):
            self.assertTrue(any(re.fullmatch(chosen, one) for one in labels), (chosen, labels))
        self.assertIn("the compiler chose `{ data", self.editor.about("hover", where, position=place(text, "mesh = "))["contents"]["value"])
        # A search of minutes.
        long = SMALL.replace("mesh { data = rest }", "mesh = auto, split = balanced").replace("nodes = 1 ", "nodes = 1000 ")
        slow = self.editor.open("untitled:slow", long.replace("64seq", "64000seq"))
        self.editor.published(slow)
        # The message about a process that dies is not that about one that takes too long.
        self.assertTrue(within(10, lambda: children(self.editor.process.pid)))
        for process in children(self.editor.process.pid):
            os.kill(process, signal.SIGABRT)
        self.editor.until(lambda: self.editor.shown[slow])
        self.assertEqual(self.editor.shown[slow][0]["code"], "DPL1222")
        self.assertIn("ended early: Abort", self.editor.shown[slow][0]["message"])
        slow = self.editor.open("untitled:slower", long.replace("64seq", "32000seq"))
        self.editor.published(slow)
        self.editor.change(slow, 2, {"text": SMALL})
        self.assertEqual(self.editor.published(slow, 2), [])
        self.assertTrue(within(10, lambda: not children(self.editor.process.pid)))

    def test_a_search_does_not_outlive_the_editor(self):
        long = SMALL.replace("mesh { data = rest }", "mesh = auto, split = balanced").replace("nodes = 1 ", "nodes = 1000 ")
        self.editor.published(self.editor.open("untitled:slow", long.replace("64seq", "64000seq")))
        self.assertTrue(within(10, lambda: children(self.editor.process.pid)))
        searches = children(self.editor.process.pid)
        self.editor.process.stdin.close()
        self.assertEqual(self.editor.process.wait(20), 1)
        self.editor.process.stdout.close()
        self.assertTrue(within(10, lambda: not any(os.path.exists(f"/proc/{search}") for search in searches)))

    def test_a_request_is_cancelled_while_it_waits(self):
        where = self.editor.open(EXAMPLE)
        messages, number = b"", self.editor.number
        for ident in range(1000, 1050):
            messages += framed({"jsonrpc": "2.0", "id": ident, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": where}}})
        self.editor.put(messages + framed({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1049}}))
        self.assertEqual(self.editor.answer(1049)["error"]["code"], -32800)
        self.assertEqual(self.editor.number, number)

    def test_the_life_of_a_server(self):
        def ask(id_, method):
            return framed({"jsonrpc": "2.0", "id": id_, "method": method, "params": {}})
        leave = framed({"jsonrpc": "2.0", "method": "exit"})
        for messages, code, errors in (
            (ask(1, "initialize") + ask(2, "shutdown") + leave, 0, {}),
            (ask(1, "initialize") + ask(2, "shutdown"), 0, {}),
            (ask(1, "initialize") + leave, 1, {}),
            (ask(1, "initialize"), 1, {}),
            (ask(1, "textDocument/hover") + leave, 1, {1: -32002}),
            (ask(1, "initialize") + ask(2, "initialize") + ask(3, "no/method") + ask(4, "shutdown") + ask(5, "textDocument/hover") + leave,
             0, {2: -32600, 3: -32601, 5: -32600}),
            (ask(1, "initialize") + ask(2, "textDocument/hover") + leave, 1, {2: -32602}),
        ):
            with self.subTest(messages):
                run = subprocess.run([DPLC, "lsp"], input=messages, capture_output=True, timeout=60)
                self.assertEqual((run.returncode, run.stderr), (code, b""))
                replies = [json.loads(part.split(b"Content-Length")[0]) for part in run.stdout.split(b"\r\n\r\n")[1:]]
                self.assertEqual({one["id"]: one["error"]["code"] for one in replies if "error" in one}, errors)

    def test_noise_never_ends_it(self):
        noise = Noise()
        code = survives_noise(self.editor, noise.message, 100_000_000 if LONG else 300_000)
        self.assertEqual(code, 1)
        self.assertTrue(LONG or noise.sent > 500)


if __name__ == "__main__":
    unittest.main()
