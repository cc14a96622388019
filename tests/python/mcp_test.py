"""`dplc mcp`: an agent's tools. DPLC=build/release/dplc python3 tests/python/mcp_test.py"""

import json
import os
import subprocess
import tempfile
import unittest

from client import DPLC, EXAMPLE, ROOT, Client, children, dplc, within
from serve_test import SMALL

SCRIPT = os.path.join(ROOT, "tests", "python", "train.sh")


class Mcp(unittest.TestCase):
    def setUp(self):
        self.client = Client("mcp")
        self.addCleanup(self.client.__exit__)

    def call(self, tool, **arguments):
        result = self.client.result("tools/call", {"name": tool, "arguments": arguments})
        (part,) = result["content"]
        self.assertEqual(part["type"], "text")
        return result["isError"], part["text"]

    def test_it_introduces_itself(self):
        for version in ("2025-06-18", "2024-11-05"):
            welcome = self.client.result("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}})
            self.assertEqual(welcome["protocolVersion"], version)
            self.assertIn("tools", welcome["capabilities"])
        self.assertEqual(self.client.result("initialize", {"protocolVersion": "1"})["protocolVersion"], "2025-06-18")
        self.client.send("notifications/initialized", notify=True)
        self.assertEqual(self.client.result("ping"), {})

    def test_each_tool_has_a_schema_whose_parameters_the_command_has(self):
        tools = {tool["name"]: tool for tool in self.client.result("tools/list")["tools"]}
        self.assertEqual(sorted(tools), ["check", "emit", "explain", "import", "search", "why"])
        for name, tool in tools.items():
            self.assertLessEqual(set(tool["inputSchema"]["required"]), set(tool["inputSchema"]["properties"]))
            words = dplc("help", {"why": "report"}.get(name, name))
            arguments = {"file", "text", "directory", "targets", "kind", "word", "name", "path", "limits"}
            for parameter in set(tool["inputSchema"]["properties"]) - arguments:
                self.assertIn("--" + parameter.replace("_", "-"), words)

    def test_from_a_launch_script_to_a_faster_launch(self):
        wrong, plan = self.call("import", kind="megatron", file=SCRIPT)
        self.assertFalse(wrong)
        wrong, screen = self.call("check", file="-", text=plan)
        self.assertFalse(wrong, screen)
        self.assertIn("\nfits       yes", screen)
        wrong, why = self.call("why", file="-", text=plan, path="memory.peak")
        self.assertIn("memory.peak = ", why)
        wrong, table = self.call("search", file="-", text=SMALL.replace("mesh { data = rest }", "mesh = auto"), name="one", top=2)
        self.assertFalse(wrong, table)
        with tempfile.TemporaryDirectory() as folder:
            wrong, files = self.call("emit", targets=["megatron"], file="-", text=plan, output="out", directory=folder)
            self.assertFalse(wrong, files)
            self.assertTrue(os.path.exists(os.path.join(folder, "out", "launch.sh")))

    def test_a_wrong_layout_is_an_error_with_its_place_and_is_not_emitted(self):
        text = SMALL.replace("data = rest", "data = 3")
        wrong, said = self.call("check", file="-", text=text)
        self.assertTrue(wrong)
        self.assertIn("error[DPL0301]", said)
        wrong, said = self.call("emit", targets=["megatron"], file="-", text=text, dry_run=True)
        self.assertTrue(wrong)
        self.assertNotIn("torchrun", said)
        wrong, page = self.call("explain", word="DPL0301")
        self.assertFalse(wrong)
        self.assertIn("DPL0301", page)
        wrong, page = self.call("explain", word="std.clusters.dgx_h100")
        self.assertFalse(wrong)
        self.assertIn("cluster dgx_h100", page)

    def test_the_text_of_the_skill_is_right(self):
        with open(os.path.join(ROOT, "tools", "agents", "SKILL.md")) as file:
            text = file.read().split("```dpl\n")[1].split("```")[0]
        wrong, screen = self.call("check", file="-", text=text)
        self.assertFalse(wrong, screen)
        shown = self.client.result("initialize")["instructions"].split("text:\n\n")[1].split("\n\n`explain`")[0]
        self.assertEqual("".join(shown.split()), "".join(text.split()))
        head = text.split("layout plan")[0]
        block = self.client.result("initialize")["instructions"].split("open fields:\n\n")[1].split("\n\nWithout")[0]
        wrong, screen = self.call("search", file="-", text=head + block, top=1)
        self.assertFalse(wrong, screen)
        self.assertIn("overlap.tensor = true", " ".join(screen.split()))

    def test_calls_are_answered_at_the_end_of_the_input(self):
        calls = [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "check", "arguments": {"file": "-", "text": SMALL}}} for n in range(4)]
        run = subprocess.run([DPLC, "mcp"], input="\n".join(map(json.dumps, calls)), capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual(sorted(one["id"] for one in answers), [0, 1, 2, 3])
        self.assertFalse(any(one["result"]["isError"] for one in answers))

    def test_arguments_outside_the_schema_are_refused(self):
        for tool in self.client.result("tools/list")["tools"]:
            self.assertFalse(tool["inputSchema"]["additionalProperties"])
        for tool, arguments, said in (
            ("check", {"file": "-", "text": SMALL, "jobs": 1}, "`check` has no argument `jobs`; there are `file`, `text`"),
            ("check", {"file": "-", "text": SMALL, "rank": "yes"}, "`rank` of `check` is of type boolean"),
            ("check", {"file": "-", "text": SMALL, "figures": "mfu"}, "`figures` of `check` is of type array of strings"),
            ("check", {"file": "-", "text": SMALL, "figures": [1]}, "`figures` of `check` is of type array of strings"),
            ("check", {"file": ["-"], "text": SMALL}, "`file` of `check` is of type string"),
            ("search", {"file": EXAMPLE, "top": 1.5}, "`top` of `search` is of type integer"),
            ("search", {"file": EXAMPLE, "set": []}, "`set` of `search` is of type object"),
            ("why", {"file": EXAMPLE}, "`why` needs `path`"),
            ("why", {"file": EXAMPLE, "path": None}, "`why` needs `path`"),
            ("why", {"file": EXAMPLE, "path": ""}, "`why` needs `path`"),
        ):
            with self.subTest(said):
                error = self.client.ask("tools/call", {"name": tool, "arguments": arguments})["error"]
                self.assertEqual(error["code"], -32602)
                self.assertIn(said, error["message"])
        wrong, said = self.call("check", file="-", text=SMALL, layout=None, set={"node.nodes": 2})
        self.assertFalse(wrong, said)

    def test_wrong_calls(self):
        for params in ({"name": "rm"}, {"name": "check"}, {"name": "check", "arguments": []}, {"name": "why", "arguments": {"file": "a"}},
                       {"name": "check", "arguments": {"file": "-"}}):
            self.assertEqual(self.client.ask("tools/call", params)["error"]["code"], -32602)
        self.client.put(b"{\n[]\n\n")
        self.assertEqual(json.loads(self.client.take())["error"]["code"], -32700)
        self.assertEqual(json.loads(self.client.take())["error"]["code"], -32600)
        self.assertEqual(self.client.ask("resources/list")["error"]["code"], -32601)

    def test_a_cancelled_call_ends_without_an_answer(self):
        number = self.client.send("tools/call", {"name": "search", "arguments": {"file": EXAMPLE, "limits": {"seconds": None}}})
        self.assertTrue(within(30, lambda: children(self.client.process.pid)))
        self.client.send("notifications/cancelled", {"requestId": number}, notify=True)
        self.assertTrue(within(10, lambda: not children(self.client.process.pid)))
        self.assertEqual(self.client.result("ping"), {})


if __name__ == "__main__":
    unittest.main()
