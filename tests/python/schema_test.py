"""docs/schemas/ has a schema of each JSON output, and every recorded output keeps to it.

DPLC=build/release/dplc python3 tests/python/schema_test.py
"""

import glob
import json
import os
import unittest

import jsonschema

from client import EXAMPLE, ROOT, Client, dplc

SCHEMAS = os.path.join(ROOT, "docs", "schemas")


def schemas():
    found = {}
    for path in sorted(glob.glob(os.path.join(SCHEMAS, "*.json"))):
        with open(path) as file:
            found[os.path.basename(path)[:-5]] = json.load(file)
    return found


def validator(name):
    every = schemas()
    store = {one["$id"]: one for one in every.values()}
    schema = every[name]
    return jsonschema.Draft202012Validator(schema, resolver=jsonschema.RefResolver(schema["$id"], schema, store))


def named(value):
    """`simulate_run` for `dplc.simulate.run.1`."""
    return "_".join(value["schema"].split(".")[1:-1])


def recorded():
    """Each JSON object that an .expected file of the golden tests shows, with its place."""
    decoder = json.JSONDecoder()
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "golden", "**", "*.expected"), recursive=True)):
        with open(path) as file:
            text = file.read()
        at = 0
        while (key := text.find('"schema": "dplc.', at)) >= 0:
            try:
                value, at = decoder.raw_decode(text, text.rindex("{", 0, key))
            except json.JSONDecodeError:  # a part of an object, which a test shows shortened
                at = key + 1
                continue
            yield os.path.relpath(path, ROOT), value


class Schemas(unittest.TestCase):
    def test_each_schema_is_a_schema(self):
        for name, schema in schemas().items():
            with self.subTest(name):
                jsonschema.Draft202012Validator.check_schema(schema)
                self.assertEqual(schema["$id"], f"https://dpl.invalid/schemas/{name}.json")

    def test_every_recorded_output_keeps_to_its_schema(self):
        count = 0
        for path, value in recorded():
            with self.subTest(path):
                validator(named(value)).validate(value)
                count += 1
        self.assertGreater(count, 15)

    def test_outputs_of_examples_keep_to_their_schemas(self):
        for words in (["check"], ["report", "--why", "step_time"], ["report", "--why", "layout.mesh.tensor"], ["report", "--timeline"],
                      ["report", "--memory"], ["report", "--what-if"], ["report", "--advice"], ["check", "--advice"], ["emit", "megatron", "--dry-run"]):
            value = json.loads(dplc(words[0], *([words[1]] if words[0] == "emit" else []), EXAMPLE,
                                    *words[2 if words[0] == "emit" else 1 :], "--json"))
            with self.subTest(words):
                validator(named(value)).validate(value)

    def test_outputs_of_simulate_keep_to_their_schemas(self):
        noisy = """import std.models
import std.clusters
import std.textbook
cluster flat from textbook.flat { nodes = 8, jitter = lognormal { cv = 0.1 } }
model work from layer_list { layer[0] { name = "all", parameters = 1_000_000, time { forward = 20ms, backward = 30ms } } }
layout plain for work on flat {
  mesh { data = rest }
  batch = 64sample
}
cluster pod from clusters.dgx_h100 { nodes = 2 }
model drawn from models.mixtral_8x7b { ffn.popularity = uniform }
layout experts for drawn on pod {
  mesh {
    data = rest
    experts { data = rest, expert = 8 }
  }
  batch = 64seq
  shard { optimizer = data, gradients = data, parameters = data }
  recompute = full
}
"""
        servers = ["--set", "plain.parameter_servers.count=2"]
        for words in (["plain"], ["plain", "--steps", "1"], ["plain", "--diagnose"], ["plain", "--synchronization", "local=2"],
                      ["plain", "--synchronization", "bounded=3", "--steps", "1"], ["plain", *servers],
                      ["plain", *servers, "--diagnose"], ["experts", "--steps", "2"]):
            value = json.loads(dplc("simulate", "-", "--json", "--layout", *words, text=noisy))
            with self.subTest(words):
                validator(named(value)).validate(value)

    def test_figures_and_limits_without_a_value_keep_to_their_schema(self):
        search = """import std.models
import std.clusters
cluster pod from clusters.dgx_h100 { nodes = 1 }
search layout best for models.gpt2_small on pod {
  batch = 64seq
  mesh { data = rest, tensor in [1, 2] }
  minimize step_time
}
"""
        value = json.loads(dplc("search", "-", "--json", "--figures", "step_time,memory.rank[0].peak,memory.rank[1].peak", text=search))
        self.assertIsNone(value["layouts"][0]["figures"]["memory.rank[1].peak"])
        validator("search").validate(value)

    def test_intervals_keep_to_their_schema(self):
        value = json.loads(dplc("score", os.path.join(ROOT, "tests", "accuracy", "published_layouts.csv"), "--where", "quality=B",
                                "--intervals", "--json"))
        self.assertTrue(value["step_time"])
        self.assertTrue(value["memory"])
        validator(named(value)).validate(value)

    def test_reports_keep_to_their_schema(self):
        for path in sorted(glob.glob(os.path.join(ROOT, "examples", "*.dpl")))[::6]:
            for layout in json.loads(dplc("check", "--json", path, code=None))["layouts"]:
                with self.subTest(f"{path} {layout['plan']['name']}"):
                    validator("report").validate(layout)

    def test_a_wrong_object_does_not_keep_to_its_schema(self):
        value = json.loads(dplc("check", "--json", EXAMPLE))
        del value["layouts"][0]["memory"]["ranks"][0]["peak_bytes"]
        self.assertRaises(jsonschema.ValidationError, validator("check").validate, value)

    def test_messages_of_serve_keep_to_their_schema(self):
        serve = validator("serve")
        with Client() as client:
            for method, params in (
                ("initialize", {}),
                ("check", {"files": [EXAMPLE], "figures": ["mfu"]}),
                ("report", {"file": "/no/file"}),
                ("no such method", {}),
                ("figures", {"file": EXAMPLE, "figures": ["mfu"], "points": [{}, {"pod.nodes": 0}]}),
            ):
                serve.validate({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
                reply = client.ask(method, params)
                serve.validate(reply)
            validator("figures").validate(reply["result"]["output"])


if __name__ == "__main__":
    unittest.main()
