"""Layouts that dplc refuses for torchtitan, each by a different rule, and that torchtitan refuses too.

A rule whose finding is that the configuration has no field (a MISSING one) has nothing to show there.
"""
import re
import subprocess
import tempfile

import agreement
from layouts import Layout

FP32 = dict(compute="fp32", parameters="fp32", master="none")
LLAMA = dict(name="llama3", layers=6, zero=3, sequence=512, batch=32, split=(3, 3), pipeline=2)
PLAIN = dict(LLAMA, split=(), pipeline=1)
QWEN = dict(name="qwen3", layers=8, zero=3, sequence=512, batch=32)
ROUTED = dict(QWEN, flavor="debugmodel_moe", experts=64)
DEEP = dict(name="deepseek_v3", layers=6, experts=8, zero=3, sequence=512, batch=32)
VEE = dict(pipeline=2, chunks=2, split=(2, 1, 2, 1))

REFUSED = {
    "0.2.2": {
        "T6": dict(QWEN, nodes=2, tensor=16, sequence_parallel=True, **FP32),  # 8 key-value heads
        "T11": dict(ROUTED, tensor=4, sequence_parallel=True, expert=2, expert_tensor=2),
        "T13": dict(ROUTED, zero=0, expert=8),
        "T15": dict(DEEP, tensor=8, sequence_parallel=True, expert=2, **FP32),
        "T42": dict(ROUTED, nodes=9, batch=72, expert=2),  # 36 shards of 768
        "T16": dict(PLAIN, tensor=2, sequence_parallel=True, sequence=510),
        "T18": dict(name="deepseek_v3", flavor="16B", layers=27, experts=64, zero=3, context=2, sequence=512),
        "T21": dict(LLAMA, pipeline=4, split=(1, 2, 2, 1), batch=4),
        "T23": dict(QWEN, pipeline=2),
        "T25": dict(LLAMA, pipeline=4, split=(3, 0, 2, 1), batch=8),
        "T28": dict(PLAIN, tensor=2, sequence_parallel=True, zero=0, **FP32),
        "T54": dict(DEEP | VEE, schedule="dualpipe_v", expert=4, overlap_experts=True, recompute="full"),
        "T55": dict(LLAMA | VEE, schedule="zb_v", tensor=2, sequence_parallel=True, overlap_tensor=True),
    },
    "0.3.0": {
        "T5": dict(QWEN, sequence=8192),  # 4096 positions
        "T7": dict(QWEN, nodes=2, tensor=16, sequence_parallel=True),
        "T13": dict(ROUTED, zero=0, expert=8),
        "T17": dict(PLAIN, tensor=2, sequence_parallel=True, context=2, sequence=516),
        "T21": dict(LLAMA, pipeline=4, split=(1, 2, 2, 1), batch=4),
        "T24": dict(QWEN, pipeline=2),
        "T25": dict(LLAMA, pipeline=4, split=(3, 0, 2, 1), batch=8),
        "T42": dict(DEEP, nodes=3, batch=24),  # 24 shards of 256, and 8 experts
        "T53": dict(name="gpt_oss", layers=4, experts=8, zero=3, context=2, sequence=512, batch=32),
        "T40": dict(LLAMA, graphs=True),
        "T41": dict(ROUTED, expert=4, graphs=True),
    },
}
# What the language refuses before a target is asked; the rules are for plans from elsewhere.
EARLIER = {
    "T20": ("DPL0318", dict(PLAIN, micro=2, batch=24)),
    "T22": ("DPL0325", dict(LLAMA, schedule="interleaved_1f1b", chunks=2, split=(2, 1, 2, 1), batch=20)),
}
MISSING = {
    "0.2.2": {
        "T2": dict(PLAIN, wide=512),
        "T9": dict(LLAMA, data_outside=True),
        "T12": dict(ROUTED, tensor=2, sequence_parallel=True),
        "T19": dict(PLAIN, tensor=2),
        "T27": dict(PLAIN, zero=1),
        "T29": dict(PLAIN, tensor=8, sequence_parallel=True),
        "T30": dict(PLAIN, overlap_gradients=False),
        "T31": dict(DEEP | VEE, schedule="zb_v", expert=4, overlap_experts=True),
        "T33": dict(PLAIN, moments="bf16"),
        "T34": dict(PLAIN, reduce="bf16"),
        "T37": dict(PLAIN, recompute="selective", modules=("core_attention",)),
        "T38": dict(PLAIN, optimizer="sgd"),
        "T39": dict(PLAIN, graphs=True),
        "T43": dict(LLAMA, schedule="gpipe", overlap_pipeline=False),
    },
    "0.3.0": {"T3": dict(QWEN, prediction_layers=1)},
}


def error_class(dplc, rule):
    """As `dplc explain` says it."""
    text = subprocess.run([dplc, "explain", f"torchtitan.{rule}"], capture_output=True, text=True, check=True).stdout
    return re.search(r"\b(\w+Error)\b", text).group(1)


def run(release, dplc, judge):
    """The number of layouts that are not refused as they should be; `judge` is agree.Judge."""
    wrong, shown, missing = 0, REFUSED[release], MISSING[release]
    entries = [(rule, rule, fields) for rule, fields in [*shown.items(), *missing.items()]]
    entries += [(rule, code, fields) for rule, (code, fields) in EARLIER.items()]
    with tempfile.TemporaryDirectory() as scratch:
        for rule, code, fields in entries:
            layout = Layout(**fields)
            answer = agreement.ask(dplc, f"torchtitan@{release}", layout.dpl(), scratch, rule)
            ours = f"dplc says {', '.join(answer.codes) or 'accepted'} {answer.messages[:1]}"
            theirs, fine = "it has no field", code in answer.codes
            if rule not in missing:
                refusal = judge.asked(layout, 0) if rule in EARLIER else judge(layout)
                theirs = " ".join((refusal or "accepted").split())[:160]
                fine = fine and error_class(dplc, rule) in theirs
            print(f"{'refused' if fine else 'FAILED':8} {rule}: {theirs if fine else ours + '; ' + theirs}", flush=True)
            wrong += not fine
    print(f"-- {len(entries) - len(missing)} refused layouts shown to torchtitan {release}, "
          f"{len(missing)} without a field, {wrong} not as they should")
    return wrong
