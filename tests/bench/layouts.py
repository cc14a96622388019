"""Writes a file of 67 layouts of Llama 3 8B on 16 nodes, about 1,000 lines, as one that an engineer edits."""
import sys

HEAD = """/// Layouts of Llama 3 8B on 16 nodes, to compare.
import std.models
import std.clusters

model llm from models.llama3_8b
cluster pod from clusters.dgx_h100 { nodes = 16 }
"""

RECOMPUTE = ("none", "full", "selective { modules = [mlp] }")


def layout(number, pipeline, tensor, micro, recompute):
    return f"""
/// Layout {number}: {pipeline} pipeline ranks, tensor {tensor}.
layout plan_{number} for llm on pod {{
  mesh {{
    pipeline = {pipeline}
    data = rest
    tensor = {tensor} within node
  }}
  batch = 1024seq
  micro_batch = {micro}seq
  schedule = 1f1b
  shard {{ optimizer = data, sequence = tensor }}
  recompute = {RECOMPUTE[recompute]}
  assert step_time < 60s
}}
"""


def text(layouts=67):
    ways = [(pipeline, tensor, micro, recompute) for recompute in range(3) for pipeline in (1, 2, 4, 8)
            for tensor in (2, 4, 8) for micro in (1, 2)]
    return HEAD + "".join(layout(number, *way) for number, way in enumerate(ways[:layouts]))


if __name__ == "__main__":
    sys.stdout.write(text())
