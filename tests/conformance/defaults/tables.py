#!/usr/bin/env python3
"""Are the committed tables of default values those of the frameworks' packages?

    python3 tables.py --write          # writes frontend/import/*/Defaults.def again
    python3 tables.py                  # compares

Each package comes from PyPI with `pip download --no-deps` and is read as text: class bodies and calls are parsed, and
nothing of it is imported or run. Only values are kept. Exit status: 0 they are equal, 1 they differ, 77 when a package
cannot be had on this machine.
"""
import argparse
import ast
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
UNKNOWN = object()


class Source:
    """The modules of one unpacked package."""

    def __init__(self, folder):
        self.folder, self.trees, self.constants = folder, {}, {}

    def tree(self, path):
        if path not in self.trees:
            self.trees[path] = ast.parse((self.folder / path).read_text())
        return self.trees[path]

    def know(self, *paths):
        """Takes `NAME = value` of these modules for names in later values."""
        for path in paths:
            for node in ast.walk(self.tree(path)):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    value = self.value(node.value)
                    if value is not UNKNOWN:
                        self.constants[node.targets[0].id] = value

    def value(self, node):
        if node is None:
            return UNKNOWN
        if isinstance(node, ast.Name):
            return self.constants.get(node.id, UNKNOWN)
        if isinstance(node, ast.Call):
            return self.called(node)
        if isinstance(node, ast.Lambda):
            return self.value(node.body)
        if isinstance(node, ast.Attribute):  # an enumerator, or a type of torch
            return node.attr if isinstance(node.value, ast.Name) else UNKNOWN
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Pow)):
            left, right = self.value(node.left), self.value(node.right)
            if UNKNOWN in (left, right):
                return UNKNOWN
            return left * right if isinstance(node.op, ast.Mult) else left**right
        try:
            return ast.literal_eval(node)
        except ValueError:
            return UNKNOWN

    def called(self, node):
        """`field(default=…)`, `Field(…, alias=…)`, `pp_int(5e8)`, `list()`."""
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        given = {k.arg: k.value for k in node.keywords}
        if name in ("field", "Field"):
            if "default_factory" in given:
                factory = given["default_factory"]
                plain = {"list": [], "dict": {}}.get(getattr(factory, "id", ""), UNKNOWN)
                return self.value(factory) if isinstance(factory, ast.Lambda) else plain
            return self.value(given["default"]) if "default" in given else self.value(node.args[0]) if node.args else UNKNOWN
        if name == "pp_int":
            return self.value(node.args[0])
        return {"list": [], "dict": {}}.get(name, UNKNOWN)

    def classes(self, path):
        return {n.name: n for n in ast.walk(self.tree(path)) if isinstance(n, ast.ClassDef)}

    def fields(self, path, name, others=()):
        """Default values of a class of settings, its bases in the same or the `others` modules first."""
        known = {}
        for module in (*others, path):
            known.update(self.classes(module))
        out = {}

        def take(one):
            for base in one.bases:
                inner = known.get(getattr(base, "id", ""))
                if inner is not None and inner is not one:
                    take(inner)
            for line in one.body:
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    out[self.key(line)] = self.value(line.value)

        take(known[name])
        return {key: value for key, value in out.items() if value is not UNKNOWN}

    def key(self, line):
        """The alias of a field where it has one, as a file names it."""
        if isinstance(line.value, ast.Call):
            for keyword in line.value.keywords:
                if keyword.arg == "alias":
                    return self.value(keyword.value)
        return line.target.id


def under(prefix, fields):
    return {f"{prefix}.{key}" if prefix else key: value for key, value in fields.items()}


def torchtitan(source):
    path = "torchtitan/config/job_config.py"
    classes, out = source.classes(path), {}

    def walk(prefix, name):
        out.update(under(prefix, source.fields(path, name)))
        for line in classes[name].body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.annotation, ast.Name) and line.annotation.id in classes:
                walk(f"{prefix}.{line.target.id}" if prefix else line.target.id, line.annotation.id)

    walk("", "JobConfig")
    return out


DEEPSPEED = [  # section, module, class
    ("zero_optimization", "runtime/zero/config.py", "DeepSpeedZeroConfig"),
    ("zero_optimization.offload_param", "runtime/zero/offload_config.py", "DeepSpeedZeroOffloadParamConfig"),
    ("zero_optimization.offload_optimizer", "runtime/zero/offload_config.py", "DeepSpeedZeroOffloadOptimizerConfig"),
    ("zero_optimization.leaf_module", "runtime/zero/leaf_module_config.py", "DeepSpeedZeroLeafModuleConfig"),
    ("bf16", "runtime/precision_config.py", "DeepSpeedBF16Config"),
    ("fp16", "runtime/precision_config.py", "DeepSpeedFP16Config"),
    ("tensorboard", "monitor/config.py", "TensorBoardConfig"), ("wandb", "monitor/config.py", "WandbConfig"),
    ("csv_monitor", "monitor/config.py", "CSVConfig"), ("comet", "monitor/config.py", "CometConfig"),
    ("comms_logger", "comm/config.py", "CommsLoggerConfig"), ("compile", "compile/config.py", "CompileConfig"),
    ("hybrid_engine", "runtime/config.py", "HybridEngineConfig"),
    ("tensor_parallel", "runtime/tensor_parallel/config.py", "TPTrainingConfig"),
    ("timers.throughput", "utils/config.py", "DeepSpeedThroughputTimerConfig")]


def deepspeed(source):
    base = f"{next(source.folder.glob('deepspeed-*')).name}/deepspeed/"
    source.know(*[base + path for path in (
        "runtime/constants.py", "comm/constants.py", "profiling/constants.py", "runtime/swap_tensor/constants.py",
        "autotuning/constants.py", "runtime/activation_checkpointing/config.py", "runtime/data_pipeline/constants.py",
        "runtime/precision_config.py")])
    out = {}
    for section, path, name in DEEPSPEED:
        out.update(under(section, source.fields(base + path, name)))
    sections = {"profiling/config.py": "flops_profiler", "runtime/activation_checkpointing/config.py": "activation_checkpointing",
                "runtime/swap_tensor/aio_config.py": "aio", "runtime/config.py": ""}
    for path, section in sections.items():
        for node in ast.walk(source.tree(base + path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "get_scalar_param":
                owner, key, value = (node.args + [None, None])[:3]
                key, value = source.value(key), source.value(value)
                if isinstance(key, str) and value is not UNKNOWN and isinstance(owner, ast.Name):
                    out[f"{section}.{key}" if section else key] = value
    for key, value in {"pipeline." + k: v for k, v in literal(source, base + "runtime/config.py", "default_pipeline").items()}.items():
        out[key] = value
    return out


def literal(source, path, name):
    """A dictionary that a function assigns to `name`."""
    for node in ast.walk(source.tree(path)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name and isinstance(node.value, ast.Dict):
            pairs = {source.value(k): source.value(v) for k, v in zip(node.value.keys, node.value.values)}
            return {k: v for k, v in pairs.items() if isinstance(k, str) and v is not UNKNOWN}
    return {}


CORE = "megatron/core/"
TRANSFORMER = (CORE + "transformer/transformer_config.py", (CORE + "model_parallel_config.py",))


def bridge(source, core):
    out = {}
    path, others = TRANSFORMER
    for name in ("MLATransformerConfig", "TransformerConfig"):
        out.update(under("model", core.fields(path, name, others)))
    out.update(under("ddp", core.fields(CORE + "distributed/distributed_data_parallel_config.py", "DistributedDataParallelConfig")))
    out.update(under("optimizer", core.fields(CORE + "optimizer/optimizer_config.py", "OptimizerConfig")))
    config = "megatron/bridge/training/config.py"
    for section, name in (("train", "TrainingConfig"), ("validation", "ValidationConfig"), ("scheduler", "SchedulerConfig"),
                          ("checkpoint", "CheckpointConfig"), ("logger", "LoggerConfig"), ("dist", "DistributedInitConfig"),
                          ("rng", "RNGConfig"), ("profiling", "ProfilingConfig"), ("ddp", "DistributedDataParallelConfig")):
        if name in source.classes(config):
            out.update(under(section, source.fields(config, name)))
    provider = "megatron/bridge/models/gpt_provider.py"
    out.update(under("model", source.fields(provider, "GPTModelProvider")))
    return out


NEMO = ["megatron_gpt_model.py", "megatron_base_model.py"]


def nemo(source, core):
    """`cfg.get('key', value)`: what NeMo 1 does where `model.key` is absent, if all places agree. It hands other keys of
    the model on to Megatron Core's configuration."""
    path, others = TRANSFORMER
    handed = under("model", core.fields(path, "TransformerConfig", others))
    out, differ = {}, set()
    for name in NEMO:
        for node in ast.walk(source.tree(f"nemo/collections/nlp/models/language_modeling/{name}")):
            if not (isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get" and len(node.args) == 2):
                continue
            owner = ast.unparse(node.func.value)
            section = {"cfg": "model", "self.cfg": "model", "self.cfg.optim": "model.optim", "cfg.optim": "model.optim"}.get(owner)
            key, value = source.value(node.args[0]), source.value(node.args[1])
            if section is None or not isinstance(key, str) or value is UNKNOWN:
                continue
            path = f"{section}.{key}"
            if path in out and out[path] != value:
                differ.add(path)
            out[path] = value
    return {**handed, **{key: value for key, value in out.items() if key not in differ}}


def megatron(core):
    """Options of the argument parser, and those that it makes of classes of settings."""
    out = {}
    path, others = TRANSFORMER
    config = "megatron/training/config/"
    groups = [core.fields(path, "TransformerConfig", others),
              core.fields(CORE + "optimizer/optimizer_config.py", "OptimizerConfig")]
    for module in ("common_config.py", "resilience_config.py", "training_config.py", "inference_config.py"):
        groups += [core.fields(config + module, name) for name in core.classes(config + module)]
    for group in groups:
        for key, value in group.items():
            if value not in (True, False):
                out["--" + key.replace("_", "-")] = value
    for node in ast.walk(core.tree("megatron/training/arguments.py")):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument":
            given = {k.arg: k.value for k in node.keywords}
            value = core.value(given["default"]) if "default" in given else UNKNOWN
            if "action" not in given and value is not UNKNOWN:
                out.update({core.value(option): value for option in node.args})
    return {key: value for key, value in out.items()
            if isinstance(key, str) and key.startswith("--") and not key.startswith("---") and value not in (None, [])}


PACKAGES = {"torchtitan": "0.2.2", "deepspeed": "0.19.8", "megatron-core": "0.19.2", "megatron-bridge": "0.6.2",
            "nemo_toolkit": "1.23.0"}


def unpacked(name, folder):
    """The folder with the files of a package; None where it cannot be had."""
    place = folder / name
    if not place.exists():
        place.mkdir(parents=True)
        wheel = ["--python-version", "3.12", "--only-binary=:all:"] if name != "deepspeed" else ["--no-binary", "deepspeed"]
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *wheel, f"{name}=={PACKAGES[name]}", "-d", str(place)]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
            place.rmdir()
            return None
        archive = next(place.iterdir())
        with (zipfile.ZipFile(archive) if archive.suffix == ".whl" else tarfile.open(archive)) as opened:
            opened.extractall(place)
    return Source(place)


def text(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text(item) for item in value) + "]"
    return "{}" if value == {} else str(value)


def row(value, keys):
    """The settings that have the value by default."""
    short = f'DEFAULT("{value}", "{" ".join(keys)}")'
    if len(short) <= 100:
        return [short]
    lines = textwrap.wrap(" ".join(keys), 88, break_on_hyphens=False, break_long_words=False)
    return [f'DEFAULT("{value}",', *[f'        "{line} "' for line in lines[:-1]], f'        "{lines[-1]}")']


def table(values, packages, ends=True):
    """Texts of a Defaults.def; paths and machine-dependent texts of several lines are left out. A table that others
    follow does not end the macro."""
    head = ["// Default values of the settings of " +
            ", ".join(f"{name} {PACKAGES[name]}" for name in packages) + " on PyPI.",
            "// tests/conformance/defaults/tables.py reads them from the package and writes this file.",
            "// DEFAULT(value, the settings that have it)", "// clang-format off"]
    settings = {}
    for key in sorted(values):
        value = text(values[key])
        if re.fullmatch(r"[\x20-\x7e]*", value) and '"' not in value and "\\" not in value and len(value) < 100:
            settings.setdefault(value, []).append(key)
    rows = [line for value in sorted(settings) for line in row(value, settings[value])]
    return "\n".join([*head, *rows, *(["#undef DEFAULT"] if ends else [])]) + "\n"


def nemo_tables(old, bridge):
    """Three tables: the defaults that NeMo 1 and Megatron-Bridge share, and the others of each."""
    shared = {key for key in old if key in bridge and text(old[key]) == text(bridge[key])}
    others = lambda values: {key: value for key, value in values.items() if key not in shared}
    return {"nemo/BothDefaults.def": table({key: old[key] for key in shared}, ["nemo_toolkit", "megatron-bridge", "megatron-core"], False),
            "nemo/Defaults.def": table(others(old), ["nemo_toolkit", "megatron-core"]),
            "nemo/BridgeDefaults.def": table(others(bridge), ["megatron-bridge", "megatron-core"])}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--write", action="store_true", help="write the tables again")
    options.add_argument("--packages", type=pathlib.Path, help="a folder to keep the packages in")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.packages or pathlib.Path(temporary)
        sources = {name: unpacked(name, folder) for name in PACKAGES}
        if missing := [name for name, source in sources.items() if source is None]:
            print(f"skipped: pip cannot fetch {', '.join(missing)}")
            return 77
        core = sources["megatron-core"]
        tables = {"torchtitan/Defaults.def": table(torchtitan(sources["torchtitan"]), ["torchtitan"]),
                  "deepspeed/Defaults.def": table(deepspeed(sources["deepspeed"]), ["deepspeed"]),
                  **nemo_tables(nemo(sources["nemo_toolkit"], core), bridge(sources["megatron-bridge"], core)),
                  "megatron/Defaults.def": table(megatron(core), ["megatron-core"])}
    different = 0
    for name, wanted in tables.items():
        file = ROOT / "frontend/import" / name
        if given.write:
            file.write_text(wanted)
        elif not file.exists() or file.read_text() != wanted:
            different += 1
            print(f"{file.relative_to(ROOT)} differs from what the package says")
        print(f"{name}: {wanted.count('DEFAULT(')} values")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
