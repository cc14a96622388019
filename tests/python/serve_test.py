"""`dplc serve`: its answers are those of the commands, and it survives every client.

DPLC=build/release/dplc python3 tests/python/serve_test.py; DPL_LONG=1 sends 10^8 bytes of noise and 10,000 edits.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest

from client import DPLC, EXAMPLE, ROOT, Client, changed, children, corrupted, dplc, framed, resident, survives_noise, within

LONG = bool(os.environ.get("DPL_LONG"))
SMALL = """import std.models
import std.clusters
cluster node from clusters.dgx_h100 { nodes = 1 }
layout one for models.gpt2_small on node {
  batch = 64seq
  mesh { data = rest }
}
study sizes for one {
  vary { node.nodes in [1, 2] }
  outputs = [step_time]
}
"""


class Serve(unittest.TestCase):
    def setUp(self):
        self.client = Client()
        self.addCleanup(self.client.__exit__)

    def endless(self, **more):
        return {"file": "-", "text": JITTER, "level": "message", "set": {"node.nodes": 8}, "steps": 500_000, "limits": {"seconds": None}, **more}

    def test_answers_have_the_bytes_of_the_commands(self):
        for method, params, words in (
            ("check", {"files": [EXAMPLE]}, ("check", "--json", EXAMPLE)),
            ("report", {"file": EXAMPLE}, ("report", "--json", EXAMPLE)),
            ("why", {"file": EXAMPLE, "path": "step_time"}, ("report", "--json", "--why", "step_time", EXAMPLE)),
            ("timeline", {"file": EXAMPLE}, ("report", "--json", "--timeline", EXAMPLE)),
            ("advice", {"file": EXAMPLE}, ("report", "--json", "--advice", EXAMPLE)),
            ("emit", {"targets": ["megatron"], "file": EXAMPLE, "dry_run": True},
             ("emit", "megatron", EXAMPLE, "--dry-run", "--json")),
            ("diff", {"files": [EXAMPLE, EXAMPLE]}, ("diff", "--json", EXAMPLE, EXAMPLE)),
            ("collective", {"cluster": "clusters.dgx_h100", "op": "all_reduce", "ranks": 16, "size": "64MiB"},
             ("collective", "--cluster", "clusters.dgx_h100", "--op", "all_reduce", "--ranks", "16", "--size", "64MiB", "--json")),
        ):
            with self.subTest(method):
                number = self.client.send(method, params)
                body = self.client.take()
                self.assertIn(b'"output":' + dplc(*words).rstrip().encode() + b',"messages"', body)
                self.assertEqual(json.loads(body)["id"], number)
        self.assertEqual(self.client.result("explain", {"word": "mfu"})["output"], dplc("explain", "mfu"))
        for option in ("html", "svg"):
            answer = self.client.result("report", {"file": EXAMPLE, option: "-", "limits": {"seconds": None}})
            self.assertEqual(answer["output"], dplc("report", EXAMPLE, "--" + option, "-"))

    def test_open_texts_take_the_place_of_files(self):
        path = os.path.join(ROOT, "there_is_no_such_file.dpl")
        self.assertEqual(self.client.result("check", {"files": [path]})["exit_code"], 3)
        self.client.send("open", {"file": path, "text": SMALL}, notify=True)
        self.assertTrue(self.client.result("check", {"files": [path]})["output"]["ok"])
        study = self.client.result("study", {"file": path})["output"]
        self.assertEqual([row["refused"] for row in study["rows"]], [None, None])
        self.client.send("change", {"file": path, "text": SMALL.replace("data = rest", "data = 9")}, notify=True)
        found = self.client.result("check", {"files": [path]})["output"]["diagnostics"]
        self.assertEqual([one["code"] for one in found], ["DPL0301"])
        self.assertIsNone(self.client.result("close", {"file": path}))
        self.assertEqual(self.client.result("check", {"files": [path]})["exit_code"], 3)
        self.assertEqual(self.client.ask("change", {"file": path, "text": ""})["error"]["code"], -32602)

    def test_texts_without_a_file(self):
        self.assertEqual(self.client.result("format", {"text": "let a  =  1\n"})["output"], "let a = 1\n")
        answer = self.client.result("check", {"files": ["-"], "text": SMALL, "figures": ["mfu"]})
        self.assertEqual(list(answer["output"]["layouts"][0]["figures"]), ["mfu"])
        self.assertEqual(self.client.ask("check", {"files": ["-"]})["error"]["code"], -32602)

    def test_settings_and_options_are_those_of_the_command(self):
        answer = self.client.result("report", {"file": "-", "text": SMALL, "set": {"node.nodes": 2}, "figures": ["step_time"]})
        self.assertEqual(json.loads(dplc("report", "-", "--set=node.nodes=2", "--figures=step_time", "--json", text=SMALL)),
                         answer["output"])
        wrong = self.client.result("check", {"files": [EXAMPLE], "layouts": "x"})
        self.assertEqual(wrong["exit_code"], 2)
        self.assertIn("`check` has no option `--layouts`", wrong["messages"])

    def test_an_argument_is_no_value_of_an_option_before_it(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("plan.dpl", "-plan.dpl"):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(SMALL)
                shared = {"file": name, "study": "sizes", "directory": folder}
                whole = self.client.result("study", shared)["output"]
                for shard in ("1/2", "2/2"):
                    self.assertEqual(self.client.result("study", {**shared, "shard": shard, "output": "out" + shard[0]})["exit_code"], 0)
                merged = self.client.result("study", {**shared, "output": "all" + name, "merge": ["out1", "out2"]})
                self.assertEqual((merged["messages"], merged["output"]), ("", whole))

    def test_an_option_refuses_what_it_cannot_take(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.dpl", "b.dpl"):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(SMALL)
            for method, params, said in (
                ("emit", {"file": "a.dpl", "targets": ["megatron"], "output": True, "jobs": 1}, "`output` needs a text"),
                ("search", {"write": True, "top": 2, "file": "a.dpl"}, "`write` needs a text"),
                ("report", {"file": "a.dpl", "svg": True}, "`svg` needs a text"),
                ("check", {"files": ["a.dpl"], "no_warn": ["lint", True]}, "`no_warn` needs a text"),
                ("check", {"files": ["a.dpl"], "no_advice": "x"}, "`no_advice` needs true or false"),
                ("check", {"files": ["a.dpl"], "rank": 1}, "`rank` needs true or false"),
                ("report", {"file": ["a.dpl", "b.dpl"]}, "`file` is a text"),
                ("check", {"files": ["a.dpl\0b"]}, "`a.dpl` is followed by a NUL"),
                ("emit", {"file": "a.dpl", "targets": "megatron", "output": "out\0x"}, "`--output=out` is followed by a NUL"),
                ("check", {"files": ["a.dpl"], "directory": folder + "\0x"}, "`directory` is"),
                ("figures", {"file": "a.dpl\0b", "figures": ["mfu"], "points": [{}]}, "`file` is"),
                ("open", {"file": "a.dpl\0b", "text": ""}, "`open` needs a `file`"),
            ):
                with self.subTest(said):
                    error = self.client.ask(method, {"directory": folder, **params})["error"]
                    self.assertEqual(error["code"], -32602)
                    self.assertTrue(error["message"].startswith(said), error["message"])
            self.assertEqual(sorted(os.listdir(folder)), ["a.dpl", "b.dpl"])
            answer = self.client.result("check", {"files": ["a.dpl"], "directory": folder, "no_advice": True, "rank": False, "layout": None})
            self.assertTrue(answer["output"]["ok"])
        self.assertIn("calibrate needs a FILE\n", self.client.result("calibrate", {"cluster": "clusters.dgx_h100"})["messages"])

    def test_figures_at_points_equal_reports(self):
        points = [{"node.nodes": n, "layout.batch": f"{64 * n}seq"} for n in (1, 2, 3)] + [{"node.nodes": 0}]
        names = ["step_time", "memory.peak", "mfu"]
        answer = self.client.result("figures", {"file": "-", "text": SMALL, "figures": names,
                                                "points": points})["output"]
        self.assertEqual(answer["units"], ["s", "B", ""])
        for point, row in zip(points[:3], answer["points"]):
            one = self.client.result("report", {"file": "-", "text": SMALL, "set": point, "figures": names})
            self.assertEqual(row, {"values": [one["output"]["figures"][name]["value"] for name in names]})
        self.assertRegex(answer["points"][3]["refused"], "^DPL[0-9]{4}: ")

    def test_wrong_messages_get_an_error_and_the_next_is_answered(self):
        put = self.client.put
        for data, code in (
            (framed(b"{"), -32700),
            (framed(b"[1]"), -32600),
            (framed({"jsonrpc": "1.0", "id": 1, "method": "check"}), -32600),
            (framed({"jsonrpc": "2.0", "id": {}, "method": "check"}), -32600),
            (framed({"jsonrpc": "2.0", "id": 1, "method": "chek"}), -32601),
            (framed({"jsonrpc": "2.0", "id": 1, "method": "check", "params": [1]}), -32602),
            (framed({"jsonrpc": "2.0", "id": 1, "method": "check", "params": {"files": 7}}), -32602),
            (framed({"jsonrpc": "2.0", "id": 1, "method": "why", "params": {"file": EXAMPLE}}), -32602),
            (framed({"jsonrpc": "2.0", "id": 1, "method": "check", "params": {"limits": {"seconds": -1}}}), -32602),
            (framed({"jsonrpc": "2.0", "id": 1, "method": "check", "params": {"directory": "/no/folder"}}), -32602),
            (b"Size: 3\r\n\r\n", -32700),
            (b"x" * 5000, -32700),
            (b"Content-Length: 999999999\r\n\r\n" + b"z" * 999999999 if LONG else framed(b"{"), -32700),
        ):
            with self.subTest(data[:80]):
                put(data)
                self.assertEqual(json.loads(self.client.take())["error"]["code"], code)
        self.assertEqual(self.client.result("initialize")["schema"], "dplc.serve.1")

    def test_a_request_over_its_time_is_ended_and_says_so(self):
        reply = self.client.ask("simulate", self.endless(limits={"seconds": 0.3}))
        self.assertEqual(reply["error"]["code"], -32803)
        self.assertEqual(reply["error"]["data"]["diagnostics"][0]["code"], "DPL1220")
        self.assertEqual(children(self.client.process.pid), [])

    def test_a_request_over_its_memory_is_ended_and_says_so(self):
        text = "let a = [for i in 0..<900_000: i]\n"
        reply = self.client.ask("check", {"files": ["-"], "text": text, "limits": {"bytes": 40_000_000}})
        self.assertEqual(reply["error"]["data"]["diagnostics"][0]["code"], "DPL1221")
        self.assertTrue(self.client.result("check", {"files": ["-"], "text": text})["output"]["ok"])

    def test_a_cancelled_request_ends_at_once_and_others_go_on(self):
        long = self.client.send("simulate", self.endless())
        self.assertTrue(self.client.result("check", {"files": [EXAMPLE]})["output"]["ok"])
        self.assertEqual(len(children(self.client.process.pid)), 1)
        self.client.send("$/cancelRequest", {"id": long}, notify=True)
        self.assertEqual(self.client.answer(long)["error"]["code"], -32800)
        self.assertEqual(children(self.client.process.pid), [])

    def test_a_crash_of_one_request_is_not_that_of_the_server(self):
        number = self.client.send("simulate", self.endless())
        self.assertTrue(within(30, lambda: children(self.client.process.pid)))
        for child in children(self.client.process.pid):
            os.kill(child, 11)
        self.assertEqual(self.client.answer(number)["error"]["data"]["diagnostics"][0]["code"], "DPL1222")

    def test_requests_are_answered_at_the_end_of_the_input(self):
        requests = [framed({"jsonrpc": "2.0", "id": n, "method": "check", "params": {"files": ["-"], "text": SMALL}}) for n in range(9)]
        run = subprocess.run([DPLC, "serve"], input=b"".join(requests), capture_output=True, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.assertEqual(run.stdout.count(b'"ok": true'), 9)

    def test_an_incomplete_message_at_the_end_is_an_error(self):
        good = framed({"jsonrpc": "2.0", "id": 1, "method": "initialize"})
        for more, said in ((b'{"jsonrpc": "2.0", "id": 2}\n', b"without a message: each begins with `Content-Length: BYTES`"),
                           (b"Content-Length: 9\r\n\r\n{}", b"within a message: `Content-Length` is 9, found 2 bytes"),
                           (b"Content-Length: 9\r\n", b"without a message"),
                           (b"Content-Length: 99999999\r\n\r\n{}", b"the input ends 99999997 bytes before")):
            with self.subTest(more):
                run = subprocess.run([DPLC, "serve"], input=good + more, capture_output=True, timeout=60)
                self.assertEqual(run.returncode, 3)
                self.assertIn(b'"schema":"dplc.serve.1"', run.stdout)
                self.assertTrue(run.stderr.startswith(b"error: the input ends "), run.stderr)
                self.assertIn(said, run.stderr)
                self.assertEqual(run.stderr.count(b"\n"), 1)

    def test_the_example_of_the_page(self):
        with open(os.path.join(ROOT, "docs", "reference", "serve.md")) as page:
            example = page.read().split("```text\n")[1].split("```")[0].rstrip("\n")
        for ending in ("\n", "\r\n"):
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "plan.dpl"), "w") as file:
                    file.write(SMALL.replace("node", "pod").replace("pods", "nodes"))
                message = ending.join(example.split("\n")).encode()
                run = subprocess.run([DPLC, "serve"], input=message, capture_output=True, timeout=60, cwd=folder)
            self.assertEqual((run.returncode, run.stderr), (0, b""))
            result = json.loads(run.stdout.split(b"\r\n\r\n")[1])["result"]
            self.assertTrue(result["output"]["ok"], result)

    def test_a_closed_output_ends_the_server_and_its_requests(self):
        self.client.send("simulate", self.endless())
        self.assertTrue(within(30, lambda: children(self.client.process.pid)))
        working = children(self.client.process.pid)
        self.client.process.stdin.close()
        self.client.process.stdout.close()
        self.assertEqual(self.client.process.wait(10), 0)
        self.assertTrue(within(10, lambda: not any(os.path.exists(f"/proc/{one}") for one in working)))

    def test_a_killed_server_leaves_no_process(self):
        self.client.send("simulate", self.endless())
        self.assertTrue(within(30, lambda: children(self.client.process.pid)))
        working = children(self.client.process.pid)
        self.client.process.kill()
        self.client.process.wait()
        self.assertTrue(within(10, lambda: not any(os.path.exists(f"/proc/{one}") for one in working)))

    def test_progress(self):
        text = SMALL.replace("in [1, 2]", "in 1..2000").replace("step_time", "step_time.mean").replace("nodes = 1 }", "nodes = 1, jitter = lognormal { cv = 0.05 } }")
        number = self.client.send("study", {"file": "-", "text": text, "progress": True, "limits": {"seconds": None}, "jobs": 1})
        for _ in range(2):
            heard = json.loads(self.client.take())
            self.assertEqual(heard["method"], "$/progress")
            self.assertEqual(heard["params"]["token"], number)
            value = heard["params"]["value"]
            self.assertTrue(0 < value["done"] <= value["all"] == 2000 and value["unit"] == "points", value)
        self.client.send("$/cancelRequest", {"id": number}, notify=True)
        self.assertEqual(self.client.answer(number)["error"]["code"], -32800)

    def test_notes_of_progress_stand_alone(self):
        with open(EXAMPLE) as file:
            text = re.sub(r"mesh \{.*?\}", "mesh = auto", file.read(), count=1, flags=re.DOTALL)
        notes = set()
        for _ in range(20):  # the first layout that fits may be found after the only message of a short search
            number = self.client.send("search", {"file": "-", "text": text, "progress": True, "limits": {"seconds": 60}})
            while "method" in (message := json.loads(self.client.take())):
                notes.add(message["params"]["value"]["note"])
            self.assertEqual(message["id"], number)
            if notes - {""}:
                break
        self.assertTrue(notes - {""})
        for note in notes - {""}:
            self.assertRegex(note, "^best so far [0-9]")

    def test_memory_is_flat_over_edits(self):
        lines = "".join(f"let a{i} = {i}\n" for i in range(1000))
        path = os.path.join(ROOT, "edited.dpl")
        self.client.send("open", {"file": path, "text": lines}, notify=True)
        edits, sizes = 10_000 if LONG else 1_000, []
        for edit in range(edits):
            self.client.send("change", {"file": path, "text": f"// edit {edit}\n" + lines}, notify=True)
            if edit % (edits // 20) == 0:
                self.assertTrue(self.client.result("check", {"files": [path]})["output"]["ok"])
                sizes.append(resident(self.client.process.pid))
        self.assertEqual(edit, edits - 1)
        self.assertLess(sizes[-1] - sizes[2], 2_000_000, sizes)

    def test_noise_never_ends_it(self):
        good = [{"jsonrpc": "2.0", "id": n, "method": method, "params": params} for n, (method, params) in enumerate((
            ("initialize", {}), ("open", {"file": "a.dpl", "text": SMALL}), ("check", {"files": ["a.dpl"]}),
            ("explain", {"word": "mfu"}), ("$/cancelRequest", {"id": 3}), ("figures", {"file": "a.dpl", "figures": ["mfu"], "points": [{}]}),
            ("format", {"text": "let a = 1"}), ("check", {"files": ["-"], "text": SMALL})))]

        def within_headers(noise):
            message = noise.choice(good)
            return framed(changed(noise, message) if noise.random() < 0.5 else bytes(corrupted(noise, json.dumps(message).encode())))

        most = 100_000_000 if LONG else 300_000
        code = survives_noise(self.client, lambda noise: corrupted(noise, framed(noise.choice(good))), most)
        self.assertIn(code, (0, 3))  # 3: the last message is incomplete
        # Nothing behind a wrong header is read as a message: with right headers, noise reaches the methods.
        with Client() as client:
            self.assertEqual(survives_noise(client, within_headers, most), 0)
        self.assertGreater(client.results, most // 6_000)

    def test_a_cancellation_with_an_id_is_answered(self):
        self.assertIsNone(self.client.result("$/cancelRequest", {"id": 77}))


JITTER = SMALL.replace("nodes = 1 }", "nodes = 1, jitter = lognormal { cv = 0.05 } }")

if __name__ == "__main__":
    unittest.main()
