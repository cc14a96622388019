"""Stand-ins for what a machine without a GPU lacks, so that Megatron-LM's checks run unchanged.

Nothing that decides about a layout is replaced: only the questions about the device, by ../common/device.py, and
about Transformer Engine, which is not installed, get an answer.
"""
import os
import types

import device

TRANSFORMER_ENGINE = "2.9.0"


class Unused:
    """A stream or an event, which some layers make when they are built."""

    def __init__(self, *_, **__):
        pass


def no_device(*_, **__):
    raise RuntimeError("there is no device to compile for")


def install():
    os.environ.setdefault("NO_VCS_VERSION", "1")
    import torch
    from packaging.version import Version

    device.stand_in(torch)
    torch.cuda.current_device = lambda: 0
    torch.cuda.Stream = torch.cuda.Event = Unused
    import torch.utils.cpp_extension as extension
    extension.load_inline = no_device  # 0.15 compiles a memory pool when it is imported, and goes on without

    import megatron.core.utils as utils
    utils.get_te_version = lambda: Version(TRANSFORMER_ENGINE)
    utils._te_version = Version(TRANSFORMER_ENGINE)
    # Every model with rotary positions is refused where the fused kernels are missing.
    import megatron.core.models.common.embeddings.rope_utils as rope
    rope.fused_apply_rotary_pos_emb = object()
    rope.fused_apply_rotary_pos_emb_thd = object()
    # The same holds for mixtures of experts with fused permutation or routing.
    import megatron.core.transformer.moe.moe_utils as experts
    for name in [name for name in vars(experts) if name.startswith("fused_")]:
        if getattr(experts, name) is None:
            setattr(experts, name, object())


def pretend_fused_adam():
    """The optimizer of Transformer Engine, by the parameters that Megatron-LM looks for in its signature.

    To be called when Megatron-LM has been imported: it asks for Transformer Engine on import, too.
    """
    import sys

    class FusedAdam:
        def __init__(self, params=None, master_weight_dtype=None, exp_avg_dtype=None, exp_avg_sq_dtype=None,
                     use_decoupled_grad=False):
            raise NotImplementedError

    optimizers = types.ModuleType("transformer_engine.pytorch.optimizers")
    optimizers.FusedAdam = FusedAdam
    sys.modules["transformer_engine.pytorch.optimizers"] = optimizers
    for name in ("transformer_engine", "transformer_engine.pytorch"):
        sys.modules.setdefault(name, types.ModuleType(name))
