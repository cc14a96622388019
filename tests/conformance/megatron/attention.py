"""What the first step asserts of attention: its kernels, the cut of its sequence, its positions, predictions.

Which kernels there are is Transformer Engine's own choice, from its Python part, on a Hopper device with
flash-attn 2 and cuDNN; what cuDNN itself takes is compiled, so its answer stands here.
"""
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from unittest import mock

import device

NAME = "transformer_engine.pytorch.attention.dot_product_attention"
BACKENDS = {"F16_max512_seqlen": 0, "F16_arbitrary_seqlen": 1, "FP8": 2, "No_Backend": -1}


class Reached(Exception):
    """Everything before the first exchange has passed."""


def reached(*_, **__):
    raise Reached


def _cudnn(*arguments):
    """The fused kernels by the sizes of a head, arguments 12 and 13 (table in pytorch/attention/.../backends.py)."""
    keys, values = arguments[12:14]
    return BACKENDS["No_Backend" if keys % 8 or values % 8 else "F16_arbitrary_seqlen"]


class _Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Any module of Transformer Engine that is not loaded from its file."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("transformer_engine", "transformer_engine_torch"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = mock.MagicMock(name=spec.name)
        module.__spec__, module.__path__, module.__name__ = spec, [], spec.name
        module.jit_fuser = lambda function: function
        module.get_device_compute_capability = lambda: device.CAPABILITY
        module.get_cudnn_version = lambda: (9, 14, 0)
        module.get_fused_attn_backend, module.FusedAttnBackend = _cudnn, BACKENDS
        module.dist_group_type, module.__version__ = object, "2.9.0"
        return module

    def exec_module(self, module):
        pass


class Attention:
    """The functions of Transformer Engine's attention in DPL_TRANSFORMER_ENGINE, and Megatron-LM's around them."""

    def __init__(self, torch):
        self.torch = torch
        kept = {name: module for name, module in sys.modules.items() if name.startswith("transformer_engine")}
        for name in kept:
            del sys.modules[name]
        stubs = _Stubs()
        sys.meta_path.insert(0, stubs)
        try:
            self.utils = self._load("utils")
            self.context = self._load("context_parallel")
        finally:
            sys.meta_path.remove(stubs)
            for name in [name for name in sys.modules if name.startswith("transformer_engine")]:
                del sys.modules[name]
            sys.modules.update(kept)
        flash = self.utils.FlashAttentionUtils
        flash.version = self.utils.PkgVersion("2.8.1")
        flash.set_flash_attention_version()
        self.context.AttnFuncWithCPAndKVP2P.apply = reached
        self.context.gather_along_first_dim = reached

    @staticmethod
    def _load(name):
        path = os.path.join(os.environ["DPL_TRANSFORMER_ENGINE"], "pytorch", "attention",
                            "dot_product_attention", f"{name}.py")
        spec = importlib.util.spec_from_file_location(f"{NAME}.{name}", path)
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def step(self, d, config):
        if d.positions == "rotary":
            self.turned(config)
        self.kernels(config, d)
        if config.recompute_granularity == "full" and config.mtp_num_layers:
            self.predicted(config)

    @staticmethod
    def head(config):
        """Elements of a head: (keys, values, those that positions turn)."""
        if config.multi_latent_attention:
            keys = config.qk_head_dim + config.qk_pos_emb_head_dim
            return keys, config.v_head_dim, config.qk_pos_emb_head_dim
        return (config.kv_channels,) * 3

    def turned(self, config):
        """Rotary positions on one head, by Megatron-LM's own code without fusion."""
        from megatron.core.models.common.embeddings import rope_utils
        from megatron.core.models.common.embeddings.rotary_pos_embedding import RotaryEmbedding
        torch, size = self.torch, self.head(config)[2]
        with mock.patch.object(torch.cuda, "current_device", lambda: torch.device("cpu")):
            angles = RotaryEmbedding(size, rotary_percent=1.0, use_cpu_initialization=True)(8, packed_seq=True)
            rope_utils._apply_rotary_pos_emb_bshd(torch.zeros(8, 1, 1, size), angles, rotary_interleaved=False,
                                                  multi_latent_attention=config.multi_latent_attention)

    def kernels(self, config, d):
        from megatron.core.models.common.language_module.language_module import LanguageModule
        torch, (keys, values, _) = self.torch, self.head(config)
        tensor, context = config.tensor_model_parallel_size, config.context_parallel_size
        heads, groups = config.num_attention_heads // tensor, max(1, config.num_query_groups // tensor)
        kind = config.cp_comm_type or "p2p"
        window = self.utils.check_set_window_size("causal", config.window_size)
        dtype = torch.bfloat16 if config.bf16 else torch.float16 if config.fp16 else torch.float32
        recipe = types.SimpleNamespace(fp8_dpa=False, fp8_mha=False)
        wanted = self.utils.AttentionParams(
            qkv_dtype=dtype, qkv_layout="sbhd_sbhd_sbhd", batch_size=d.micro, num_heads=heads, num_gqa_groups=groups,
            max_seqlen_q=d.sequence, max_seqlen_kv=d.sequence, head_dim_qk=keys, head_dim_v=values,
            attn_mask_type="causal", window_size=window, core_attention_bias_shape=None,
            core_attention_bias_requires_grad=False, context_parallel=context > 1, cp_comm_type=kind,
            softmax_type=getattr(config, "softmax_type", "vanilla"),
            fp8=bool(config.fp8), fp8_meta={"recipe": recipe})
        with mock.patch.dict(os.environ):
            for name in ("NVTE_FLASH_ATTN", "NVTE_FUSED_ATTN", "NVTE_UNFUSED_ATTN"):
                os.environ.pop(name, None)
            LanguageModule._set_attention_backend(types.SimpleNamespace(config=config))
            flash, _, fused, _, unfused, _ = self.utils.get_attention_backend(wanted)
        if not (flash or fused or unfused):  # as DotProductAttention.forward says it
            raise ValueError("No dot product attention backend is available for the provided inputs")
        if context > 1:
            self.exchanged(d, kind, fused, window, (heads, groups, keys, values), dtype)

    def exchanged(self, d, kind, fused, window, sizes, dtype):
        """Attention over a sequence that is cut, up to its first exchange."""
        torch, (heads, groups, keys, values) = self.torch, sizes
        part = d.sequence // d.context
        self.context.get_distributed_world_size = lambda group: d.context
        self.context.get_distributed_rank = lambda group: 0

        def empty(count, size):
            return torch.empty(part, d.micro, count, size, device="meta", dtype=dtype)

        lengths = torch.arange(0, (d.micro + 1) * d.sequence, d.sequence, dtype=torch.int32)
        try:
            self.context.attn_forward_func_with_cp(
                True, empty(heads, keys), empty(groups, keys), empty(groups, values), lengths, lengths, d.sequence,
                d.sequence, None, None, 0.0, object(), [0], mock.MagicMock(), kind, qkv_format="sbhd",
                attn_mask_type="causal", use_fused_attention=fused, window_size=window)
        except Reached:
            pass

    def predicted(self, config):
        """How a prediction layer is recomputed."""
        from megatron.core.extensions import transformer_engine
        from megatron.core.transformer import multi_token_prediction
        layer = types.SimpleNamespace(config=config, _proj_and_transformer_layer=reached)
        with mock.patch.object(transformer_engine, "te_checkpoint", reached, create=True), \
                mock.patch.object(multi_token_prediction.tensor_parallel, "checkpoint", reached):
            try:
                multi_token_prediction.MultiTokenPredictionLayer._checkpointed_forward(layer, reached, None)
            except Reached:
                pass
