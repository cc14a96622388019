"""Files made to take all time or memory: each ends within the bounds, by one message or with its answer.

    hostile.py DPLC [SECONDS]

Every shape below is written in several sizes and given to the command that reads it, with 1 GiB of memory and
SECONDS (5) of processor time; the bounds are those of docs/performance.md. What is no mistake may succeed. What is one
ends with exit status 1, 2 or 3 and its errors, of which a limit has one.
"""
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MEMORY = 1 << 30
HEAD = "import std.models\nimport std.clusters\n\n"
PLAN = HEAD + "model llm from models.gpt2_small\ncluster pod from clusters.dgx_h100 { nodes = 1 }\n\n"


def layout(fields):
    return PLAN + "layout plan for llm on pod {\n  batch = 64seq\n  mesh { data = 8 }\n" + fields + "\n}\n"


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
    "many fields": (CHECK, lambda n: layout("  recompute = full\n" * n), SMALL),
    # bytes
    "zeros": (CHECK, lambda n: "\0" * n, LARGE),
    "no text": (CHECK, lambda n: b"\xff\xfe" * n, LARGE),
    "line ends": (CHECK, lambda n: "\r\n" * n, LARGE),
    # launches
    "a script of variables": (MEGATRON, lambda n: "".join(f"A{i}=$A{i - 1}x\n" for i in range(n)) + "torchrun" + LAUNCH, SMALL),
    "a variable that doubles": (MEGATRON, lambda n: "A=x\n" + "A=$A$A\n" * n + "torchrun" + LAUNCH, SMALL),
    "an array that doubles": (MEGATRON, lambda n: "A=(x)\n" + 'A+=("${A[@]}")\n' * n + "torchrun" + LAUNCH, SMALL),
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
    "keys": (HF, lambda n: "{" + ",".join(f'"k{i}": {i}' for i in range(n)) + "}", SMALL),
    # printed plans
    # configurations of frameworks
    "nested tables of TOML": (TOML, lambda n: "a = " + "{a = " * n + "1" + "}" * n, LARGE),
    "nested lists of TOML": (TOML, lambda n: "a = " + "[" * n, LARGE),
    "a long dotted key": (TOML, lambda n: "a." * n + "a = 1\n", LARGE),
    "a table of many parts": (TOML, lambda n: "[" + "a." * n + "a]\n", LARGE),
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


def limits(seconds):
    def set_them():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_them


def outcome(dplc, command, file, seconds):
    """"" where the file ended as it should."""
    ended = subprocess.run([dplc, *command, file], capture_output=True, preexec_fn=limits(seconds))
    errors = len(re.findall(rb"^error\[", ended.stderr, re.MULTILINE))
    if ended.returncode < 0:
        return f"ended by signal {-ended.returncode}"
    if ended.returncode > 3:
        return f"exit status {ended.returncode}"
    if ended.returncode != 0 and errors == 0:
        return "failed without an error"
    if ended.returncode == 3 and errors != 1:
        return f"{errors} errors for one limit"
    return ""


def main():
    dplc, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    wrong = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (command, make, sizes) in SHAPES.items():
            file = Path(folder) / ("hostile.py" if command is PYTHON else "hostile.dpl")
            for size in sizes:
                text = make(size)
                file.write_bytes(text if isinstance(text, bytes) else text.encode())
                count += 1
                if said := outcome(dplc, command, str(file), seconds):
                    wrong += 1
                    print(f"{name}, {size}: {said}")
    print(f"{count - wrong} of {count} files end within {seconds} s and {MEMORY >> 20} MiB")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
