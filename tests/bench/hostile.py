"""Files made to take all time or memory: each ends within the bounds, by one message or with its answer.

    hostile.py DPLC [SECONDS]

Every shape below is written in several sizes, every sound file with each damage, and given to the command that reads
it, with SECONDS (5) of processor time. What it held at most is counted: 1 GiB is too much, and so is an end for want of
memory, of which there is four times as much. What is no mistake may succeed. What is one ends with exit status 1, 2 or 3
and its errors, of which a limit has one.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MEMORY, GIVEN = 1 << 30, 4 << 30
OUT_OF_MEMORY = b"DPL0723"
HEAD = "import std.models\nimport std.clusters\n\n"
PLAN = HEAD + "model llm from models.gpt2_small\ncluster pod from clusters.dgx_h100 { nodes = 1 }\n\n"


def layout(fields):
    return PLAN + "layout plan for llm on pod {\n  batch = 64seq\n  mesh { data = 8 }\n" + fields + "\n}\n"


def pipeline(n):
    """Of 64 stages with two chunks each and n micro-batches, a multiple of 64, of two replicas."""
    return HEAD + f"""model llm from models.llama3_8b {{ layers = 128 }}
cluster pod from clusters.dgx_h100 {{ nodes = 16 }}
layout plan for llm on pod {{
  batch = {2 * n}seq
  recompute = full
  mesh {{ pipeline = 64, data = 2 }}
  schedule = interleaved_1f1b {{ chunks = 2 }}
}}
"""


def stages(n, jitter):
    """n pipeline stages that all differ, with two micro-batches for each, on devices with jitter."""
    layers = "".join(f'  layer[{i}] {{ name = "l{i}", forward = {100 + i}GFLOP, output = 1000000 }}\n' for i in range(n))
    return HEAD + f"""model net from layer_list {{
{layers}}}
cluster pod from clusters.dgx_h100 {{ nodes = {n // 8}, jitter = {jitter} }}
layout plan for net on pod {{
  mesh {{ pipeline = {n} }}
  batch = {2 * n}sample
  micro_batch = 1sample
}}
"""


def kinds(n, layouts, nodes, fields):
    """A model with n kinds of layer in layouts that are alike."""
    return HEAD + f"""cluster pod from clusters.dgx_h100 {{ nodes = {nodes} }}
model llm from models.llama3_8b {{
  layers = 4096
  for i in 0..<{n} {{ layer[i].ffn = gated {{ width = i + 1 }} }}
}}
""" + "".join(f"layout l{i} for llm on pod {{ batch = 1024seq, {fields} }}\n" for i in range(layouts))


LAUNCH = (" pretrain_gpt.py --num-layers 8 --hidden-size 512 --num-attention-heads 8 --seq-length 512"
          " --vocab-size 32000 --micro-batch-size 1\n")

# name: (command, what a file of this size holds, sizes)
SMALL = (10, 100, 1_000, 10_000)
LARGE = (1_000, 10_000, 100_000, 1_000_000)
CHECK, MEGATRON, HF, IR = ["check"], ["import", "megatron"], ["import", "hf"], ["ir", "--read"]
TOML, JSON, YAML = ["import", "torchtitan"], ["import", "deepspeed"], ["import", "nemo"]
PYTHON = ["import", "torchtitan", "--define", "CONFIG=f"]  # of a file that ends in .py
SHAPES = {
    # expressions
    "nested parentheses": (CHECK, lambda n: f"let x = {'(' * n}1{')' * n}\n", LARGE),
    "unclosed parentheses": (CHECK, lambda n: f"let x = {'(' * n}1\n", LARGE),
    "a chain of minus signs": (CHECK, lambda n: f"let x = {'-' * n}1\n", LARGE),
    "a long sum": (CHECK, lambda n: f"let x = 1{' + 1' * n}\n", LARGE),
    "a long list": (CHECK, lambda n: f"let x = [{'1, ' * n}1]\n", LARGE),
    "nested lists": (CHECK, lambda n: f"let x = {'[' * n}{']' * n}\n", LARGE),
    "lists that double": (CHECK, lambda n: "let a0 = [1]\n" + "".join(
        f"let a{i + 1} = a{i} + a{i}\n" for i in range(n)) + f"let last = a{n} == a{n}\n", (10, 30, 100, 1_000)),
    "pairs that double": (CHECK, lambda n: "let a0 = [1]\n" + "".join(
        f"let a{i + 1} = [a{i}, a{i}]\n" for i in range(n)) + f"let last = a{n} == a{n}\n", (10, 30, 100, 1_000)),
    "powers": (CHECK, lambda n: "let a0 = 2\n" + "".join(f"let a{i + 1} = a{i} * a{i}\n" for i in range(n)), SMALL),
    "a chain of values": (CHECK, lambda n: "let a0 = 1\n" + "".join(
        f"let a{i + 1} = a{i} + 1\n" for i in range(n)), SMALL),
    "a circle of values": (CHECK, lambda n: "".join(f"let a{i} = a{(i + 1) % n} + 1\n" for i in range(n)), SMALL),
    "a long number": (CHECK, lambda n: f"let x = {'9' * n}\n", LARGE),
    "a long fraction": (CHECK, lambda n: f"let x = 0.{'9' * n}\n", LARGE),
    "a long unit": (CHECK, lambda n: f"let x = 1{'k' * n}\n", LARGE),
    "a long name": (CHECK, lambda n: f"let {'x' * n} = 1\n", LARGE),
    "a long text": (CHECK, lambda n: f'let x = "{"x" * n}"\n', LARGE),
    "an unclosed text": (CHECK, lambda n: f'let x = "{"x" * n}\n', LARGE),
    "an unclosed comment": (CHECK, lambda n: "/*" * n, LARGE),
    "long comments": (CHECK, lambda n: f"/// {'x' * n}\nlet x = 1\n", LARGE),
    # declarations
    "nested blocks": (CHECK, lambda n: "model m from models.decoder " + "{ a " * n, LARGE),
    "many layouts": (CHECK, lambda n: PLAN + "".join(
        f"layout l{i} for llm on pod {{ batch = {64 * (1 + i % 8)}seq, mesh {{ data = rest }} }}\n" for i in range(n)),
        (1_000, 20_000)),
    "many imports": (CHECK, lambda n: "import std.models\n" * n, SMALL),
    "many imports of other names": (CHECK, lambda n: "".join(f"import std.models as m{i}\n" for i in range(n)), (1_000, 200_000)),
    "many assertions": (CHECK, lambda n: layout("".join(f"  assert mfu > 0.{i:06}\n" for i in range(n))), (1_000, 50_000)),
    "many phases": (CHECK, lambda n: layout("") + "run train for plan {\n" + "".join(
        f"  phase[{i}] {{ steps = 1step, batch = {64 + 8 * i}seq }}\n" for i in range(n)) + "}\n", SMALL),
    "many errors": (CHECK, lambda n: "let = \n" * n, LARGE),
    "unknown names": (CHECK, lambda n: "".join(f"let x{i} = unknown{i}\n" for i in range(n)), SMALL),
    "a chain of models": (CHECK, lambda n: HEAD + "model m0 from models.gpt2_small\n" + "".join(
        f"model m{i + 1} from m{i} {{ layers = {i + 1} }}\n" for i in range(n)), SMALL),
    "a circle of models": (CHECK, lambda n: HEAD + "".join(
        f"model m{i} from m{(i + 1) % n}\n" for i in range(n)), SMALL),
    "many layers": (CHECK, lambda n: HEAD + f"model m from models.gpt2_small {{ layers = {n} }}\n" + PLAN[len(HEAD):].replace(
        "models.gpt2_small", "m") + "layout p for llm on pod {\n  batch = 64seq\n  mesh { data = 8 }\n}\n",
        (1_000, 10_000, 1_000_000, 10**12)),
    "a huge batch": (CHECK, lambda n: layout("").replace("64seq", f"{n}seq"), (10**6, 10**9, 10**15, 10**19)),
    "a huge mesh": (CHECK, lambda n: layout("").replace("data = 8", f"data = {n}"), (10**6, 10**9, 10**15, 10**19)),
    "a trace of many passes": (["emit", "trace", "--dry-run"], pipeline, (64, 1_536, 7_296)),
    "traces of many passes": (["emit", "astra-sim", "--dry-run"], pipeline, (64, 1_920, 7_296)),
    "kinds of layer": (CHECK, lambda n: kinds(n, 10, 1, "mesh { pipeline = 8 }, micro_batch = 1seq"), (1, 1_000, 4_000)),
    "kinds of layer that are cut": (CHECK, lambda n: kinds(
        n, 1, 64, "mesh { pipeline = 128, data = rest }, micro_batch = 1seq, split = balanced"), (1, 1_000, 4_000)),
    "kinds of layer that are placed": (CHECK, lambda n: kinds(n, 1, 64, "mesh = auto"), (1, 1_000, 4_000)),
    "stages that differ": (CHECK, lambda n: stages(n, "lognormal { cv = 0.1 }"), (64, 512)),
    "stages that differ, of measured times": (CHECK, lambda n: stages(n, "measured { times = [" + ", ".join(
        f"{1 + 0.003 * i:.3f}" for i in range(64)) + "] }"), (64, 512)),
    "many fields": (CHECK, lambda n: layout("  recompute = full\n" * n), SMALL),
    # bytes
    "zeros": (CHECK, lambda n: "\0" * n, LARGE),
    "no text": (CHECK, lambda n: b"\xff\xfe" * n, LARGE),
    "line ends": (CHECK, lambda n: "\r\n" * n, LARGE),
    # launches
    "an array that grows": (MEGATRON, lambda n: "A+=(--oI 1)\n" * n + "torchrun" + LAUNCH.rstrip() + ' "${A[@]}"\n', LARGE),
    "an array that grows in a branch": (MEGATRON, lambda n: "A=(x)\nif [ -n $X ]; then\n" + "A+=(1)\n" * n + "fi\ntorchrun"
                                        + LAUNCH.rstrip() + " ${A[@]}\n", LARGE),
    "a text that grows": (MEGATRON, lambda n: "A=x\n" + "A+=x\n" * n + "torchrun" + LAUNCH.rstrip() + " $A\n", LARGE),
    "arguments that are shifted": (MEGATRON, lambda n: f"set -- {'1 ' * 10_000}\n" + "shift\n" * n + "torchrun" + LAUNCH, SMALL),
    "variables that nobody knows": (MEGATRON, lambda n: "".join(f"A{i}=1\neval x\n" for i in range(n)) + "torchrun" + LAUNCH, SMALL),
    "a script of variables": (MEGATRON, lambda n: "".join(f"A{i}=$A{i - 1}x\n" for i in range(n)) + "torchrun" + LAUNCH, SMALL),
    "a variable that doubles": (MEGATRON, lambda n: "A=x\n" + "A=$A$A\n" * n + "torchrun" + LAUNCH, SMALL),
    "an array that doubles": (MEGATRON, lambda n: "A=(x)\n" + 'A+=("${A[@]}")\n' * n + "torchrun" + LAUNCH, SMALL),
    "parts of an array": (MEGATRON, lambda n: f"A=({'x ' * n})\n" + 'B=("${A[@]:1}" "${A[@]:' + f"{n - 1}" + '}")\n' * n + "torchrun" + LAUNCH, SMALL),
    "nested expansions": (MEGATRON, lambda n: "A=" + "${B:-" * n + "x" + "}" * n + "\ntorchrun" + LAUNCH, SMALL),
    "nested arithmetic": (MEGATRON, lambda n: f"A=$(({'(' * n}1{')' * n}))\ntorchrun" + LAUNCH, SMALL),
    "nested loops": (MEGATRON, lambda n: f"for A in {'1 ' * n}; do for B in {'1 ' * n}; do C=$A; done; done\ntorchrun" + LAUNCH, SMALL),
    "a function that calls itself": (MEGATRON, lambda n: "f() { " + "f; " * n + "}\nf\ntorchrun" + LAUNCH, SMALL),
    "a pattern of stars": (MEGATRON, lambda n: f"A={'a' * n}\nB=${{A//{'*a' * 20}b/c}}\n[[ $A == {'*a' * 20}b ]] && C=1\ntorchrun" + LAUNCH, SMALL),
    "open tests": (MEGATRON, lambda n: "if [ -n $X ]; then\nA=1\n" * n + "torchrun" + LAUNCH, SMALL),
    "documents": (MEGATRON, lambda n: "sbatch <<A\npython $X.py\nA\n" * n + "torchrun" + LAUNCH, SMALL),
    "options": (MEGATRON, lambda n: "torchrun" + LAUNCH.rstrip() + "".join(f" --option-{i}" for i in range(n)) + "\n", SMALL),
    # configurations
    "nested objects": (HF, lambda n: '{"a":' * n + "1" + "}" * n, LARGE),
    "a long list of layers": (HF, lambda n: '{"model_type": "qwen3", "layer_types": [' + '"full_attention",' * n + '"x"]}', LARGE),
    "layers of a configuration": (HF, lambda n: f'{{"model_type": "llama", "num_hidden_layers": {n}}}', (10**6, 10**9, 10**15, 10**25)),
    "keys": (HF, lambda n: '{"model_type": "llama", ' + ",".join(f'"k{i}": {i}' for i in range(n)) + "}", LARGE),
    "keys of an object within": (HF, lambda n: '{"model_type": "llama", "a": {' + ",".join(f'"k{i}": {i}' for i in range(n)) + "}}",
                                 LARGE),
    "numbers": (HF, lambda n: '{"model_type": "llama", "a": [' + "1," * n + "1]}", (*LARGE, 20_000_000)),
    # printed plans
    # configurations of frameworks
    "nested tables of TOML": (TOML, lambda n: "a = " + "{a = " * n + "1" + "}" * n, LARGE),
    "nested lists of TOML": (TOML, lambda n: "a = " + "[" * n, LARGE),
    "a long dotted key": (TOML, lambda n: "a." * n + "a = 1\n", LARGE),
    "a table of many parts": (TOML, lambda n: "[" + "a." * n + "a]\n", LARGE),
    "a list of TOML on one line": (TOML, lambda n: f"a = [{'1,' * n}1]\n", LARGE),
    "a table of TOML on one line": (TOML, lambda n: "# \u00e9\na = {" + ",".join(f"k{i} = {i}" for i in range(n)) + "}\n", LARGE),
    "a list of YAML on one line": (YAML, lambda n: f"a: [{'1,' * n}1]\n", LARGE),
    "keys of TOML": (TOML, lambda n: "".join(f"k{i} = {i}\n" for i in range(n)), LARGE),
    "degrees of TOML": (TOML, lambda n: f'[model]\nname = "llama3"\nflavor = "8B"\n[parallelism]\n'
                        f"pipeline_parallel_degree = {n}\ndata_parallel_shard_degree = {n}\n", (0, 10**6, 10**9, 2**63 - 1)),
    "nested JSON": (JSON, lambda n: '{"a":' * n + "1" + "}" * n, LARGE),
    "keys of JSON": (JSON, lambda n: "{" + ",".join(f'"k{i}": {i}' for i in range(n)) + "}", LARGE),
    "batches of JSON": (JSON, lambda n: f'{{"train_batch_size": {n}}}', (0, 10**6, 10**9, 2**64 - 1, 10**25)),
    "nested YAML": (YAML, lambda n: "[" * n, LARGE),
    "deep YAML": (YAML, lambda n: "".join(" " * i + "a:\n" for i in range(n)), (10, 100, 1_000)),
    "aliases of YAML": (YAML, lambda n: "a0: &a0 x\n" + "".join(
        f"a{i + 1}: &a{i + 1} [*a{i}, *a{i}]\n" for i in range(n)), SMALL),
    "keys of YAML": (YAML, lambda n: "".join(f"k{i}: {i}\n" for i in range(n)), LARGE),
    "references of YAML": (YAML, lambda n: "a0: 1\n" + "".join(
        f"a{i + 1}: ${{multiply:${{a{i}}},${{a{i}}}}}\n" for i in range(n)), SMALL),
    "nested calls of Python": (PYTHON, lambda n: "def f():\n    return " + "C(" * n + ")" * n + "\n", LARGE),
    "functions of Python that call two": (PYTHON, lambda n: "".join(
        f"def {'f' if i == n else f'f{i}'}():\n    return C(a=f{i - 1}(), b=f{i - 1}())\n" for i in range(1, n + 1))
        + "def f0():\n    return C()\n", SMALL),
    "values of Python that double": (PYTHON, lambda n: "def f():\n    a0 = [1]\n" + "".join(
        f"    a{i + 1} = [a{i}, a{i}]\n" for i in range(n)) + f"    return a{n}\n", SMALL),
    "a long target of Python": (PYTHON, lambda n: "def f():\n    x" + ".a" * n + " = 1\n    return x\n", LARGE),
    "statements of Python": (PYTHON, lambda n: "def f():\n" + "    x = 1\n" * n + "    return C()\n", LARGE),
    "a long string of Python": (PYTHON, lambda n: 'def f():\n    """' + "x\n" * n, LARGE),
    "nested plans": (IR, lambda n: "plan {" * n, LARGE),
    "a plan of words": (IR, lambda n: "plan " * n, LARGE),
}

# name of a sound file: (command, how its name ends, what it holds)
WHOLE = layout("  shard { optimizer = data }\n  recompute = full\n  assert memory.peak < 80GiB, \"it fits\"") + """
run train for plan {
  phase[0] { tokens = 1Gtok }
  checkpoint { interval = 100step }
}
launch job for train { launcher = slurm { partition = "gpu", time = 1d } }
let sizes = [for i in 1..8: 2 * i + count(divisors(i))]
"""
SCRIPT = """#!/bin/bash
#SBATCH --nodes=2
TP=${TP:-2}
SIZES=(--num-layers 8 --hidden-size 512 --num-attention-heads 8)
if [[ $TP == [1-8] ]]; then SIZES+=(--tensor-model-parallel-size $((TP * 1))); fi
case $MODE in fast) X=1;; *) X=2;; esac
for I in 1 2 3; do Y=$I; done
srun bash -c "torchrun --nnodes 2 --nproc-per-node 8 pretrain_gpt.py ${SIZES[*]} --seq-length 512 \\
  --max-position-embeddings 512 --vocab-size 32000 --micro-batch-size 1 --lr 1e-4"
"""
SOUND = {
    "a plan": (CHECK, ".dpl", WHOLE),
    "a plan to report": (["report"], ".dpl", WHOLE),
    "a plan to format": (["fmt", "--check"], ".dpl", WHOLE),
    "a plan to compare": (["diff"], ".dpl", WHOLE),
    "a plan to emit": (["emit", "pytorch", "--dry-run"], ".dpl", WHOLE),
    "a launch": (MEGATRON, ".sh", SCRIPT),
    "options": (MEGATRON, ".txt", "# torchrun --nnodes 2 --nproc-per-node 8\n--num-layers 8\n--hidden-size 512\n"
                "--num-attention-heads 8\n--seq-length 512\n--max-position-embeddings 512\n--vocab-size 32000\n"
                "--micro-batch-size 1\n--global-batch-size 32\n--lr 0.0001\n--bf16\n"),
    "a configuration of Hugging Face": (HF, ".json", """{
  "model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128,
  "n_routed_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 2048, "first_k_dense_replace": 3,
  "rope_scaling": {"type": "yarn", "factor": 40, "mscale": 1.0}, "rms_norm_eps": 1e-06, "vocab_size": 129280
}"""),
    "a configuration of DeepSpeed": (JSON + ["--as", "models.llama3_8b", "--define", "NNODES=2", "--define",
                                            "NPROC_PER_NODE=8"], ".json", """{
  "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 8, "bf16": {"enabled": true},
  "zero_optimization": {"stage": 3, "reduce_bucket_size": 500000000, "overlap_comm": true},
  "optimizer": {"type": "AdamW", "params": {"lr": 0.0001, "betas": [0.9, 0.95], "weight_decay": 0.1}}
}"""),
    "a configuration of torchtitan": (TOML + ["--define", "NNODES=2", "--define", "NPROC_PER_NODE=8"], ".toml", """
[model]
name = "llama3"
flavor = "8B"
[optimizer]
name = "AdamW"
lr = 3e-4
[training]
local_batch_size = 1
seq_len = 8192
steps = 1000
[parallelism]
data_parallel_shard_degree = -1
tensor_parallel_degree = 2
[activation_checkpoint]
mode = "selective"
selective_ac_option = "op"
"""),
    "a function of torchtitan": (PYTHON + ["--define", "NNODES=2", "--define", "NPROC_PER_NODE=8"], ".py", """
from torchtitan.models.llama3 import model_registry

def f():
    return Trainer.Config(
        model_spec=model_registry("8B"),
        optimizer=OptimizersContainer.Config(lr=3e-4),
        training=TrainingConfig(local_batch_size=1, seq_len=4 * 2048, steps=1000),
        parallelism=ParallelismConfig(tensor_parallel_degree=2),
    )
"""),
    "a configuration of NeMo": (YAML, ".yaml", """
trainer:
  devices: 8
  num_nodes: 2
  max_steps: 1000
model:
  micro_batch_size: 1
  global_batch_size: ${multiply:16,2}
  tensor_model_parallel_size: 2
  encoder_seq_length: 4096
  num_layers: 32
  hidden_size: 4096
  num_attention_heads: 32
  override_vocab_size: 32000
  optim: {name: distributed_fused_adam, lr: 1e-4, betas: [0.9, 0.95]}
"""),
    "a printed plan": (IR, ".ir", ""),  # of the first one
    "a log of nccl-tests": (["calibrate", "--cluster", "clusters.dgx_h100", "--op", "all_reduce", "--ranks", "8",
                             "--nodes", "1"], ".log", """# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728
#       size         count      type   redop    root     time   algbw   busbw #wrong
     1048576        262144     float     sum      -1    45.10   23.25   40.69      0
    16777216       4194304     float     sum      -1    98.20  170.85  298.98      0
   134217728      33554432     float     sum      -1   512.00  262.14  458.75      0
"""),
}


def words(text, by):
    return re.sub(r"\d+(\.\d+)?", by, text)


OPENING, CLOSING = re.compile(r"[({\[]"), re.compile(r"[)}\]]")
DAMAGES = {
    "ends in the middle": lambda t: t[:len(t) // 2],
    "lacks its last byte": lambda t: t.rstrip()[:-1],
    "begins in the middle": lambda t: t[len(t) // 2:],
    "stands twice": lambda t: t + t,
    "stands a thousand times": lambda t: t * (1000 if len(t) < 5_000 else 20),
    "has every line twice": lambda t: "".join(line + "\n" + line + "\n" for line in t.split("\n")),
    "runs backwards": lambda t: "\n".join(reversed(t.split("\n"))),
    "is one line": lambda t: t.replace("\n", " "),
    "has no blanks": lambda t: t.replace(" ", ""),
    "has no line of a million blanks left out": lambda t: t.replace("\n", "\n" + " " * 1_000_000 + "\n", 1),
    "opens brackets alone": lambda t: CLOSING.sub("", t),
    "closes brackets alone": lambda t: OPENING.sub("", t),
    "opens each bracket a thousand times": lambda t: OPENING.sub(lambda m: m[0] * 1000, t),
    "has no quotes": lambda t: t.replace('"', ""),
    "has a quote before each word": lambda t: re.sub(r"(\w+)", r'"\1', t),
    "has names of ten thousand letters": lambda t: re.sub(r"[a-z]{5,}", lambda m: m[0] * (10_000 // len(m[0])), t, 40),
    "has zero for each number": lambda t: words(t, "0"),
    "has 10^19 for each number": lambda t: words(t, "9" * 19),
    "has a million digits": lambda t: re.sub(r"\d+", "9" * 1_000_000, t, 1),
    "has negative numbers": lambda t: words(t, lambda m: "-" + m[0]),
    "has 1e308 for each number": lambda t: words(t, "1e308"),
    "has nan for each number": lambda t: words(t, "nan"),
    "has every bit of some bytes": lambda t: bytes(b ^ (0xFF if i % 53 == 52 else 0) for i, b in enumerate(t.encode())),
    "has zeros between": lambda t: "\0".join(t[i:i + 40] for i in range(0, len(t), 40)),
    "is in UTF-16": lambda t: t.encode("utf-16"),
}


def limits(seconds):
    def set_them():
        resource.setrlimit(resource.RLIMIT_AS, (GIVEN, GIVEN))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_them


def outcome(dplc, command, file, seconds):
    """"" where the file ended as it should."""
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen([dplc, *command, file], stdout=subprocess.DEVNULL, stderr=told,
                                   preexec_fn=limits(seconds))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        told.seek(0)
        codes = re.findall(rb"^error\[(\w+)", told.read(), re.MULTILINE)
    if code < 0:
        return f"ended by signal {-code}"
    if code > 3:
        return f"exit status {code}"
    if code != 0 and not codes:
        return "failed without an error"
    if code == 3 and len(codes) != 1:
        return f"{len(codes)} errors for one limit"
    if OUT_OF_MEMORY in codes:
        return f"took all of {GIVEN >> 20} MiB"
    if usage.ru_maxrss << 10 > MEMORY:
        return f"took {usage.ru_maxrss >> 10} MiB"
    return ""


def files(dplc, folder):
    """What is tried: (name, command, file), written when it is its turn."""
    def written(name, ending, content):
        file = folder / ("hostile" + ending)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name, str(file)

    for name, (command, make, sizes) in SHAPES.items():
        for size in sizes:
            yield *written(f"{name}, {size}", ".py" if command is PYTHON else ".dpl", make(size)), command
    for name, (command, ending, text) in SOUND.items():
        if command is IR:
            _, plan = written("", ".dpl", WHOLE)
            text = subprocess.run([dplc, "ir", plan], capture_output=True, text=True, check=True).stdout
        _, file = written("", ending, text)
        if said := subprocess.run([dplc, *command, file], capture_output=True, text=True).stderr:
            yield f"{name} is not sound: {said}", file, ["sound"]
        for damage, make in DAMAGES.items():
            yield *written(f"{name} that {damage}", ending, make(text)), command


def main():
    dplc, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    wrong = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, file, command in files(dplc, Path(folder)):
            count += 1
            if said := outcome(dplc, command, file, seconds):
                wrong += 1
                print(f"{name}: {said}")
    print(f"{count - wrong} of {count} files end within {seconds} s and {MEMORY >> 20} MiB")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
