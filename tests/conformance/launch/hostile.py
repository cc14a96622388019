"""A plan whose names and values hold what shells, YAML and sbatch take for their own."""

TEXTS = {
    "quotes": "it's \"quoted\" \\ and `so on`",
    "commands": "$(touch HURT) `touch HURT` ; touch HURT # & | > HURT < $HOME ${HOME} $$",
    "lines": "first\nsecond: - x\n---\ttab",
    "unicode": "é 日本 \U0001f600 \u0085 \u2028 \ufeff end",
    "yaml": "- {a: &b *b, !!c |} %d @e ? : yes",
    "numbers": "007",
    "truth": "no",
    "blanks": "  two  ",
    "bytes": "\x01\x1b[31m",
    "expansion": "$(MASTER_ADDR) $$(MASTER_ADDR) $$$ $(",
}
# What a path or a name may hold too, where a line of its own is no way to write it.
PATH = "/tmp/a b's \"c\" $(touch HURT) é"


def literal(text):
    """A string of the language, whose escapes are these four."""
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(plain, escaped)
    return f'"{text}"'


def environment():
    return {f"HOSTILE_{name.upper()}": text for name, text in TEXTS.items()}


def source(via, *lines, framework=True, nodes=2, gpus=2):
    """A plan for one launcher: `via` and further lines of the launch block as written."""
    model, mesh = ("llama3_8b", "tensor = 2") if framework else ("gpt2_small", "pipeline = 2")
    fields = [f"launcher = {via}", f"data_path = {literal(PATH)}", f"checkpoint_dir = {literal(TEXTS['quotes'])}"]
    fields += [f"env[{literal(name)}] = {literal(text)}" for name, text in environment().items()]
    # What Megatron-LM cannot do without.
    needed = ["--train-iters", "7", "--lr", "1e-4", "--tokenizer-type", "NullTokenizer"] if framework else []
    words = ", ".join(literal(text) for text in [*needed, *TEXTS.values()])
    fields += [f"arguments = [{words}]", *lines]
    if not framework:
        fields.append(f"program = [{literal('./a program.py')}, {literal(TEXTS['commands'])}]")
    body = "\n  ".join(fields)
    return f"""import std.models
import std.clusters

model llm from models.{model} {{ context = 1024tok }}
cluster box from clusters.dgx_b200 {{ nodes = {nodes}, node.gpus = {gpus} }}

layout small for llm on box {{
  mesh {{ data = rest, {mesh} }}
  batch = 8seq
  recompute = full
  shard {{ {'optimizer = data, sequence = tensor' if framework else 'optimizer = none'} }}
}}

run train for small {{
  checkpoint {{ interval = 7step, keep = 2, mode = async }}
}}

launch job for train {{
  {body}
}}
"""
