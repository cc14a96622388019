#!/usr/bin/env python3
"""Does dplc refuse the layouts that torchtitan refuses, and no others?

    python3 agree.py --release 0.2.2 --count 1000 --dplc build/release/dplc

Both judge the same random layouts (layouts.py): dplc by `check --target`, torchtitan by the constructors of its
Trainer on the first pipeline stage and on every stage without layers, and 0.2.2 by one forward pass of attention.
Prints the confusion table and the cases that disagree.
Exit status: 0 they agree, 1 not so, 77 when the environment cannot be had on this machine.
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import agreement  # noqa: E402
import environment  # noqa: E402

EXPLAINED = {  # rules that refuse what torchtitan's constructor accepts, and why
    "DPL0309": "the constructor does not ask; the first step fails to split the experts' token counts over the ranks",
    "T14": "as DPL0309",
    "DPL0325": "it also takes one round of any number of micro-batches, which no published schedule orders"}


class Judge:
    def __init__(self, client=None):
        from client import Client, server
        self.client, self.heads = client or Client(), {}
        self.asked, self.attended = server(self.refusal), server(self.forward)

    def __call__(self, d):
        import arguments
        arguments.check(d, self.client.old)
        empty = {i % d.pipeline for i, layers in enumerate(d.split) if layers == 0}
        for pipeline_rank in sorted({0} | empty):
            if refusal := self.asked(d, pipeline_rank):
                return refusal
        return self.attention(d) if self.client.old and d.tensor > 1 else None

    def refusal(self, d, pipeline_rank):
        """What configuration, groups and model say, of the first rank of a pipeline stage."""
        import arguments
        parallelism, training = arguments.fields(d, self.client.old)
        stage = "Configure"
        try:
            config = self.configured(d, parallelism, training)
            stage = "Group or Build"
            with self.client.world(d.world, pipeline_rank * (d.world // d.pipeline)):
                self.client.trainer(config)
            return None
        except (Exception, SystemExit) as error:  # whatever torchtitan raises is an answer
            return f"{stage} {type(error).__name__}: {error}"

    def configured(self, d, parallelism, training):
        if self.client.old:
            config = self.client.configure([f"--model.name={d.name}", f"--model.flavor={d.flavor}",
                                            f"--activation_checkpoint.mode={d.recompute}",
                                            "--activation_checkpoint.selective_ac_option=op",
                                            *["--compile.enable"] * d.overlap_tensor])
            for section, values in ((config.parallelism, parallelism), (config.training, training)):
                for name, value in values.items():
                    if not hasattr(section, name):
                        raise AttributeError(name)
                    setattr(section, name, value)
            return config
        import importlib
        from torchtitan.components.loss import CrossEntropyLoss
        from torchtitan.components.optimizer import default_adamw
        from torchtitan.config import CompileConfig, ParallelismConfig, TrainingConfig
        from torchtitan.distributed.activation_checkpoint import FullAC, SelectiveAC
        from torchtitan.trainer import Trainer
        registry = importlib.import_module(f"torchtitan.models.{d.name}").model_registry
        return Trainer.Config(
            model_spec=registry(d.flavor), parallelism=ParallelismConfig(**parallelism),
            training=TrainingConfig(**training), optimizer=default_adamw(),
            compile=CompileConfig(enable=d.overlap_tensor, enable_async_tensor_parallel=d.overlap_tensor),
            loss=CrossEntropyLoss.Config(global_vocab_size=2048),
            activation_checkpoint={"full": FullAC.Config, "selective": SelectiveAC.Config}.get(
                d.recompute, lambda: None)())

    def attention(self, d):
        """What the attention of a flavor makes of a tensor degree: asked once for each."""
        key = d.name, d.flavor, d.tensor
        if key not in self.heads:
            self.heads[key] = self.attended(d)
        return self.heads[key]

    def forward(self, d):
        config = self.client.configure([
            f"--model.name={d.name}", f"--model.flavor={d.flavor}", f"--training.seq_len={16 * d.tensor}",
            f"--parallelism.tensor_parallel_degree={d.tensor}"])
        with self.client.world(d.tensor, 0):
            try:
                self.client.forward(self.client.trainer(config), config)
            except Exception as error:
                if "is invalid for input of size" in str(error) or "sharded dimension" in str(error):
                    return f"Run {type(error).__name__}: {error}"
        return None


def run(release, judge, asked, seed, dplc):
    """Whether both are of one mind about the layouts `asked`; 0 when they are."""
    return agreement.run(f"torchtitan@{release}", judge, len(asked), seed, dplc, explained=EXPLAINED, layouts=asked)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where torchtitan is kept")
    options.add_argument("--release", choices=["0.2.2", "0.3.0"], default="0.3.0")
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    agreement.add_options(options)
    given = options.parse_args()
    if not given.inside:
        needs = os.path.join(HERE, f"torchtitan-{given.release}.txt")
        try:
            python = environment.make(os.path.abspath(given.environment), needs)
        except environment.Unavailable as why:
            print(f"skipped: {why}")
            return 77
        os.execve(python, [python, os.path.abspath(__file__), *sys.argv[1:], "--inside"], environment.variables())
    import layouts
    if given.draw is not None:
        print(layouts.draws(given.draw + 1, given.seed, given.release)[given.draw].dpl(), end="")
        return 0
    return run(given.release, Judge(), layouts.draws(given.count, given.seed, given.release), given.seed, given.dplc)


if __name__ == "__main__":
    sys.exit(main())
