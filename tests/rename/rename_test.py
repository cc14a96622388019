"""The rename tool on a small case of each kind of file, and on the examples of version 0.1.0."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tools/rename"))

import rename
import screens
import table

FORWARD = rename.Tool(table.renames())
EXAMPLES = sorted((HERE / "0.1.0").rglob("*.dpl"))

PLAN = """import std.models
import std.clusters

cluster pod from clusters.dgx_h100 {
  nodes = 2
  part["calls"] { nodes = 1, node.gpu.reserved = 2GiB }
  jitter = rare { share = 0.1, slowdown = 2 }
}

layout held for models.llama3_8b on pod {
  mesh { data = rest within part }
  batch = 64seq
  calls.checks = 1us  // `checks` takes time, `calls { checks = 2us }` more
  schedule = listed { ranks = ["F0 B0"] }
  let kept = stage[0].kept
  assert kept <= 1GiB and time.span < 1s
}
"""
RENAMED = """import std.models
import std.clusters

cluster pod from clusters.dgx_h100 {
  nodes = 2
  node_pool["calls"] { nodes = 1, node.gpu.non_tensor_memory = 2GiB }
  jitter = bimodal { fraction = 0.1, slowdown = 2 }
}

layout held for models.llama3_8b on pod {
  mesh { data = rest within node_pool }
  batch = 64seq
  communication_options.consistency_check = 1us  // `consistency_check` takes time, \
`communication_options { consistency_check = 2us }` more
  schedule = custom { actions = ["F0 B0"] }
  let kept = stage[0].saved_activations
  assert kept <= 1GiB and time.longest_rank < 1s
}
"""


def renamed(name, text, tool=FORWARD, test=None):
    return tool.text(pathlib.Path(name), text, lambda other: test if other.endswith(".dpl") else None)


class Dpl(unittest.TestCase):
    def test_names_are_renamed_where_they_are_resolved_and_own_names_stay(self):
        self.assertEqual(renamed("plan.dpl", PLAN), RENAMED)

    def test_all_rows_apply_at_once(self):
        # the figure `checkpoint.interval` makes room for the field `checkpoint.every`
        text = "run train for plan {\n  checkpoint { every = 100step }\n}\nstudy best for train {\n" \
               "  vary { train.checkpoint.every in [10step] }\n  outputs = [checkpoint.interval, jitter.amplification]\n}\n"
        new = text.replace("checkpoint.interval, jitter.amplification",
                           "checkpoint.optimal_interval, barrier_amplification").replace("every", "interval")
        self.assertEqual(renamed("plan.dpl", text), new)

    def test_one_word_has_the_name_of_its_scope(self):
        text = "model m from models.decoder {\n  attention = mla { kv_rank = 512, nope = 128, rope = 64, value = 128 }\n" \
               "  ffn = experts { count = 8, active = 2, width = 64, router { jitter = 0.1, scaling = 2.0 } }\n}\n" \
               "cluster c { jitter = lognormal { cv = 0.1, node = 0.5 } }\n"
        new = renamed("plan.dpl", "import std.models\n" + text)
        self.assertIn("mla { kv_lora_rank = 512, qk_nope_head_dim = 128, qk_rope_head_dim = 64, v_head_dim = 128 }", new)
        self.assertIn("top_k = 2, width = 64, router { input_jitter = 0.1, scaling_factor = 2.0 }", new)
        self.assertIn("jitter = lognormal { cv = 0.1, node_correlation = 0.5 }", new)

    def test_what_is_not_resolved_is_left_and_listed(self):
        tool = rename.Tool(table.renames())
        text = "assert reserved > 1GiB\n"
        self.assertEqual(renamed("plan.dpl", text, tool), text)
        self.assertEqual(tool.left, [("plan.dpl", 1, "reserved")])

    def test_a_schema_of_ones_own_keeps_its_names(self):
        text = "schema part { calls: Count = 1, kept: Bytes? }\npart p { calls = 2 }\n"
        self.assertEqual(renamed("plan.dpl", text), text)


class Golden(unittest.TestCase):
    SOURCE = "// RUN: check --set layout.update=1us --no-warn predicted-with-barrier\nlayout plain {\n" \
             "  pacing = fixed { delay = 0s } // expect-error [DPL0223] {{`pacing.delay` is above 0s}}\n}\n"
    OUTPUT = "$ dplc check --set layout.update=1us --no-warn predicted-with-barrier a.dpl\n==== error output\n" \
             "error[DPL0223]: `pacing.delay` must be above 0s, found 0s\n --> a.dpl:3:28\n  |\n" \
             "3 |   pacing = fixed { delay = 0s } // expect-error [DPL0223] {{`pacing.delay` is above 0s}}\n" \
             "  |                            ^^ of `pacing`\n==== exit 1\n"

    def test_options_cases_and_markers(self):
        new = renamed("a.dpl", self.SOURCE)
        self.assertEqual(new, self.SOURCE.replace("pacing", "throttling").replace("layout.update", "layout.optimizer_time")
                         .replace("predicted-with-barrier", "predicted-as-synchronous"))

    def test_a_caret_stays_under_its_token(self):
        new = renamed("a.expected", self.OUTPUT, test=self.SOURCE).split("\n")
        self.assertEqual(new[0], "$ dplc check --set layout.optimizer_time=1us --no-warn predicted-as-synchronous a.dpl")
        self.assertEqual(new[2:4], ["error[DPL0223]: `throttling.delay` must be above 0s, found 0s", " --> a.dpl:3:32"])
        self.assertEqual(new[6], "  |                                ^^ of `throttling`")
        self.assertEqual(new[5].index("0s }"), new[6].index("^^"))

    def test_a_long_line_is_cut_around_its_caret(self):
        line = "  pacing = fixed { delay = 0s } // " + "x" * 200
        place = screens.Place(line, [(2, 8, "throttling")], 27, screens.MOST_COLUMNS)
        self.assertEqual(place.relay(*screens.snippet(line, 27, 29)),
                         screens.snippet(line.replace("pacing", "throttling"), 31, 33))

    def test_a_table_is_padded_anew(self):
        old = "figures\n  figure     first  second\n  head.kept   1GiB    2GiB\n  step_time     1s      2s\n"
        new = "figures\n  figure                  first  second\n  head.saved_activations   1GiB    2GiB\n" \
              "  step_time                  1s      2s\n"
        self.assertEqual(renamed("a.expected", old), new)


class Data(unittest.TestCase):
    def test_keys_of_json_by_their_path(self):
        old = '{\n  "schema": "dplc.simulate.1",\n  "step": { "most_ps": 3 },\n  "messages": {\n    "links": [{ ' \
              '"links": "port", "used": 2 }],\n    "met": 4\n  }\n}\n'
        new = old.replace("most_ps", "max_ps").replace('"links": "port"', '"link_type": "port"') \
            .replace('"used"', '"count"').replace('"met"', '"contended"')
        self.assertEqual(renamed("a.json", old), new)

    def test_mappings_and_tables(self):
        old = '{"rules": [{"set": {"layout.calls.checks": "1us", "measured.part_time": "{t}"}}]}\n'
        self.assertEqual(renamed("own.json", old), '{"rules": [{"set": {"layout.communication_options.consistency_check": '
                                                   '"1us", "measured.module_time": "{t}"}}]}\n')
        self.assertEqual(renamed("runs.csv", "id,layout.schedule,cluster.node.gpu.reserved\n1,listed,2GiB\n"),
                         "id,layout.schedule,cluster.node.gpu.non_tensor_memory\n1,custom,2GiB\n")

    def test_a_printed_plan_breaks_a_part_that_grows_too_long(self):
        shard = "    shard { parameters = none, gradients = none, optimizer = none, sequence = none, sequence_given = false, " \
                "messages = none, reshard = true }\n"
        long = "    precision { compute = bf16, parameters = bf16, gradients = fp32, accumulation = fp32, reduce = fp32, " \
               "has_master = true, master = fp32, moments = fp32, head = bf16 }\n"
        new = renamed("a.ir", "plan {\n  layout {\n" + shard + long + "  }\n}\n")
        self.assertIn(shard.replace("reshard", "reshard_after_forward"), new)
        self.assertIn("    precision {\n      compute = bf16\n", new)
        self.assertIn("      has_master_weights = true\n      master_weights = fp32\n", new)


class Around(unittest.TestCase):
    def test_markdown(self):
        old = "The field `layout.calls.checks` is time.\n\n```dpl\n" + PLAN + "```\n\n```sh\ndplc simulate a.dpl --beside b\n```\n"
        new = "The field `layout.communication_options.consistency_check` is time.\n\n```dpl\n" + RENAMED + \
              "```\n\n```sh\ndplc simulate a.dpl --concurrent-run b\n```\n"
        self.assertEqual(renamed("a.md", old), new)

    def test_cpp_and_readers_of_json(self):
        self.assertEqual(renamed("a.cpp", 'auto p = plan(R"(\n' + PLAN + ')"); auto q = tiny("  calls.keys = gathered\\n");'),
                         'auto p = plan(R"(\n' + RENAMED + ')"); auto q = tiny("  communication_options.context_exchange = '
                         'all_gather\\n");')
        self.assertEqual(renamed("a.py", 'x = plan["schedule"]["weighed"][0]["micro_batches_held"]\n'),
                         'x = plan["schedule"]["candidates"][0]["micro_batches_in_flight"]\n')


class Examples(unittest.TestCase):
    def tree(self, tool, texts):
        def text(path):
            return tool.text(path, texts[path], lambda name: texts.get((path.parent / name).resolve()))
        return {path: text(path) for path in texts}

    def test_the_way_there_and_back_is_the_identity(self):
        old = {path.resolve(): rename.read(path) for path in EXAMPLES}
        tool = rename.Tool(table.renames())
        new = self.tree(tool, old)
        self.assertGreater(sum(new[p] != old[p] for p in old), 30)
        self.assertEqual([left for left in tool.left if left[2] != "time"], [])
        self.assertEqual(self.tree(rename.Tool(table.renames(inverse=True)), new), old)

    def test_the_slices_one_after_another_are_the_whole_table(self):
        old = {path.resolve(): rename.read(path) for path in EXAMPLES[::4]}
        new = old
        for slice_ in range(1, 9):
            new = self.tree(rename.Tool(table.renames(slice_=slice_)), new)
        self.assertEqual(new, self.tree(FORWARD, old))

    def test_check_writes_nothing_and_the_tool_writes_the_new_names(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.dpl"
            path.write_text(PLAN)
            self.assertEqual(rename.main(["--check", str(path)]), 1)
            self.assertEqual(path.read_text(), PLAN)
            self.assertEqual(rename.main([str(path)]), 0)
            self.assertEqual(path.read_text(), RENAMED)


class Table(unittest.TestCase):
    def test_every_row_names_what_version_0_1_0_has_and_what_is_free(self):
        renames = FORWARD.renames
        for (scope, name), new in renames.after.fields.items():
            self.assertIn((scope, name), renames.field_map)
            news = [n for (s, _), n in renames.field_map.items() if s == scope]
            self.assertEqual(news.count(new), 1, f"{scope}.{new}")
        figures = list(renames.figures.map.values())
        self.assertEqual(len(figures), len(set(figures)))
        self.assertTrue(all(1 <= row.slice <= 8 for row in table.read()))


if __name__ == "__main__":
    unittest.main()
