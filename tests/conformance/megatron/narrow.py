"""Transformer Engine's own assertion about the shapes of narrow matrix products, on tensors without memory.

Its Python part is enough for that. It is loaded under another name, so that Megatron-LM finds no Transformer
Engine here.
"""
import importlib.util
import os
import sys
import types

NAME = "narrow_transformer_engine"


def _stub(name, **members):
    module = types.ModuleType(f"{NAME}{name}")
    module.__path__ = []
    for member, value in members.items():
        setattr(module, member, value)
    sys.modules[module.__name__] = module


def assertion():
    """`assert_dim_for_fp8_exec` of the package in DPL_TRANSFORMER_ENGINE."""
    _stub("")
    _stub(".pytorch", torch_version=lambda: (2, 11, 0))
    _stub(".pytorch.tensor")
    _stub(".pytorch.tensor.quantized_tensor", Quantizer=type("Quantizer", (), {}))
    _stub(".debug")
    _stub(".debug.pytorch")
    _stub(".debug.pytorch.debug_quantization", DebugQuantizedTensor=type("DebugQuantizedTensor", (), {}))
    path = os.path.join(os.environ["DPL_TRANSFORMER_ENGINE"], "pytorch", "utils.py")
    spec = importlib.util.spec_from_file_location(f"{NAME}.pytorch.utils", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.assert_dim_for_fp8_exec


def products(layer, split_tokens, tokens):
    """(rows of the input, weight) of a layer's linear parts, but for experts: those are padded in groups.

    With a split sequence a part that is cut by columns gets `split_tokens`, one that is cut by rows `tokens`.
    """
    attention = layer.self_attention
    if hasattr(attention, "linear_qkv"):
        yield split_tokens, attention.linear_qkv.weight
    yield tokens, attention.linear_proj.weight
    dense = getattr(layer.mlp, "shared_experts", None) if type(layer.mlp).__name__ == "MoELayer" else layer.mlp
    if dense is not None:
        yield split_tokens, dense.linear_fc1.weight
        yield tokens, dense.linear_fc2.weight
