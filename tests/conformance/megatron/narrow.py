"""Transformer Engine's own assertions about narrow formats: the device, and the shapes of matrix products.

Its Python part is enough for them. It is loaded under another name, so that Megatron-LM finds no Transformer
Engine here.
"""
import importlib.util
import os
import sys
import types

NAME = "narrow_transformer_engine"
RECIPES = ("Recipe", "DelayedScaling", "Format", "MXFP8BlockScaling", "Float8CurrentScaling", "Float8BlockScaling",
           "NVFP4BlockScaling", "CustomRecipe")  # only their types are asked


def _stub(name, **members):
    module = types.ModuleType(name)
    module.__path__ = []
    for member, value in members.items():
        setattr(module, member, value)
    sys.modules[name] = module


class TransformerEngine:
    """The package in DPL_TRANSFORMER_ENGINE."""

    def __init__(self):
        kept = {name: module for name, module in sys.modules.items() if name.startswith("transformer_engine")}
        recipes = {name: type(name, (), {}) for name in RECIPES}
        _stub("transformer_engine_torch", DType=None)
        _stub("transformer_engine")
        _stub("transformer_engine.common")
        _stub("transformer_engine.common.recipe", **recipes)
        _stub(NAME)
        _stub(f"{NAME}.pytorch", torch_version=lambda: (2, 11, 0))
        _stub(f"{NAME}.pytorch.tensor")
        _stub(f"{NAME}.pytorch.tensor.quantized_tensor", Quantizer=type("Quantizer", (), {}))
        _stub(f"{NAME}.pytorch.constants", dist_group_type=None)
        _stub(f"{NAME}.pytorch.jit", jit_fuser=lambda function: function)
        _stub(f"{NAME}.debug")
        _stub(f"{NAME}.debug.pytorch")
        _stub(f"{NAME}.debug.pytorch.debug_quantization", DebugQuantizedTensor=type("DebugQuantizedTensor", (), {}))
        try:
            self.shapes = self.load("utils").assert_dim_for_fp8_exec
            self.recipe = self.load("quantization").check_recipe_support
        finally:
            for name in [name for name in sys.modules if name.startswith("transformer_engine")]:
                del sys.modules[name]
            sys.modules.update(kept)
        self.recipes = {"tensorwise": recipes["Float8CurrentScaling"](), "mxfp8": recipes["MXFP8BlockScaling"](),
                        "delayed": recipes["DelayedScaling"](), "blockwise": recipes["Float8BlockScaling"]()}

    @staticmethod
    def load(name):
        path = os.path.join(os.environ["DPL_TRANSFORMER_ENGINE"], "pytorch", f"{name}.py")
        spec = importlib.util.spec_from_file_location(f"{NAME}.pytorch.{name}", path)
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def step(self, torch, config, layers, split_tokens, tokens):
        """What it asserts in the first step of layers with narrow compute."""
        self.recipe(self.recipes[config.fp8_recipe])
        for layer in layers:
            for rows, weight in products(layer, split_tokens, tokens):
                self.shapes(torch.empty(rows, weight.shape[1], device="meta"), weight)


def whole(torch):
    """The class of a linear part that every tensor rank holds whole."""
    class Whole(torch.nn.Module):
        def __init__(self, inputs, outputs, *_, **__):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.empty(outputs, inputs, device="meta"))
    return Whole


def products(layer, split_tokens, tokens):
    """(rows of the input, weight) of a layer's linear parts, but for experts: those are padded in groups.

    With a split sequence a part that is cut by columns gets `split_tokens`, one that is cut by rows `tokens`.
    """
    attention = layer.self_attention
    for name in ("linear_qkv", "linear_q_proj", "linear_q_down_proj", "linear_q_up_proj", "linear_kv_down_proj",
                 "linear_kv_up_proj"):
        if hasattr(attention, name):
            yield split_tokens, getattr(attention, name).weight
    yield tokens, attention.linear_proj.weight
    dense = getattr(layer.mlp, "shared_experts", None) if type(layer.mlp).__name__ == "MoELayer" else layer.mlp
    if dense is not None:
        yield split_tokens, dense.linear_fc1.weight
        yield tokens, dense.linear_fc2.weight
