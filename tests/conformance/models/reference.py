"""FLOP and saved bytes of the scans of recurrences, as plain PyTorch. Runs in the environment of transformers.txt.

Forward passes are the chunked algorithms; they are checked against token-by-token recurrences first. Backward passes
are the products of the kernels, one line for each `tl.dot`. FLOP are what torch.utils.flop_counter counts. Saved bytes
are those of the tensors of the kernels' `save_for_backward`. Prints lines `KIND FIGURE VALUE`.

- gated_delta: flash-linear-attention 0.6.0, fla/ops/gated_delta_rule/chunk.py, wy_fast.py, common/chunk_o.py and
  common/chunk_delta_h.py; lightning: fla/ops/simple_gla/chunk.py of the same release.
- mamba2: mamba-ssm 2.3.2, mamba_ssm/ops/triton/ssd_combined.py.
"""
import torch
from torch.utils.flop_counter import FlopCounterMode

SHAPES = {  # tokens, chunk, heads, key heads, key, value
    "gated_delta": (512, 64, 8, 4, 64, 128),
    "lightning": (512, 64, 8, 8, 64, 64),
    "mamba2": (512, 128, 8, 2, 64, 32),
}


def counted(function):
    with FlopCounterMode(display=False) as counter:
        function()
    return counter.get_total_flops()


def inverse(a):
    """(1 + a)^-1 of a strictly lower triangle of 64 tokens: blocks of 16 by substitution, merged by products."""
    n, size = a.shape[-1] // 16, 16
    block = lambda i, j: a[..., i * size:(i + 1) * size, j * size:(j + 1) * size]  # noqa: E731
    inv = {}
    for i in range(n):
        d = torch.eye(size, dtype=a.dtype).expand_as(block(i, i)).clone()
        for row in range(1, size):  # elementwise, not counted
            d[..., row, :] = d[..., row, :] - (block(i, i)[..., row, :row, None] * d[..., :row, :].clone()).sum(-2)
        inv[i, i] = d
    for distance in range(1, n):
        for j in range(n - distance):
            i = j + distance
            total = sum(block(i, k) @ inv[k, j] for k in range(j, i))
            inv[i, j] = -(inv[i, i] @ total)
    zero = torch.zeros_like(block(0, 0))
    return torch.cat([torch.cat([inv.get((i, j), zero) for j in range(n)], -1) for i in range(n)], -2)


def gated_delta(q, k, v, beta, decay):
    """Shapes [heads, chunks, C, ·]; `decay` in logarithms."""
    c = q.shape[2]
    g = decay.cumsum(-1)
    pairs = (g[..., :, None] - g[..., None, :]).tril().exp().tril()
    a = inverse((beta[..., None] * (k @ k.mT) * pairs).tril(-1))
    u = a @ (v * beta[..., None])
    w = a @ (k * (beta * g.exp())[..., None])
    scores = (q @ k.mT * pairs).tril()
    state, out = torch.zeros(q.shape[0], q.shape[-1], v.shape[-1], dtype=q.dtype), []
    for i in range(q.shape[1]):
        new = u[:, i] - w[:, i] @ state
        out.append((q[:, i] * g[:, i, :, None].exp()) @ state + scores[:, i] @ new)
        last = g[:, i, c - 1, None, None]
        state = state * last.exp() + (k[:, i] * (last - g[:, i, :, None]).exp()).mT @ new
    return torch.stack(out, 1)


def lightning(q, k, v, decay):
    g = decay.cumsum(-1)
    scores = (q @ k.mT * (g[..., :, None] - g[..., None, :]).tril().exp()).tril()
    state, out = torch.zeros(q.shape[0], q.shape[-1], v.shape[-1], dtype=q.dtype), []
    for i in range(q.shape[1]):
        out.append((q[:, i] * g[:, i, :, None].exp()) @ state + scores[:, i] @ v[:, i])
        last = g[:, i, -1, None, None]
        state = state * last.exp() + (k[:, i] * (last - g[:, i, :, None]).exp()).mT @ v[:, i]
    return torch.stack(out, 1)


def mamba2(c, b, x, decay):
    """`c` and `b` by group. The states of chunks come first, and their sums are elementwise."""
    heads = x.shape[0] // c.shape[0]
    g = decay.cumsum(-1)
    scores = (c @ b.mT).repeat_interleave(heads, 0) * (g[..., :, None] - g[..., None, :]).tril().exp().tril()
    ch, bh = c.repeat_interleave(heads, 0), b.repeat_interleave(heads, 0)
    states = (bh * (g[..., -1:] - g).exp()[..., None]).mT @ x
    before, state = [], torch.zeros_like(states[:, 0])
    for i in range(x.shape[1]):
        before.append(state)
        state = state * g[:, i, -1, None, None].exp() + states[:, i]
    return scores @ x + (ch * g.exp()[..., None]) @ torch.stack(before, 1)


def by_token(q, k, v, decay, beta=None):
    """The recurrence itself, with shapes [heads, tokens, ·]."""
    state, out = torch.zeros(q.shape[0], q.shape[-1], v.shape[-1], dtype=q.dtype), []
    for t in range(q.shape[1]):
        state = state * decay[:, t, None, None].exp()
        new = v[:, t]
        if beta is not None:
            new = beta[:, t, None] * (new - torch.einsum("hk,hkv->hv", k[:, t], state))
        state = state + torch.einsum("hk,hv->hkv", k[:, t], new)
        out.append(torch.einsum("hk,hkv->hv", q[:, t], state))
    return torch.stack(out, 1)


def forward(kind):
    tokens, c, heads, groups, key, value = SHAPES[kind]
    torch.manual_seed(1)
    if kind == "gated_delta":
        groups = heads  # each value head multiplies the keys of its group by itself
    draw = lambda n, d: torch.nn.functional.normalize(torch.randn(n, tokens, d, dtype=torch.float64), dim=-1)  # noqa: E731
    q, k, v = draw(groups, key), draw(groups, key), draw(heads, value)
    decay, beta = -torch.rand(heads, tokens, dtype=torch.float64) / 10, torch.rand(heads, tokens, dtype=torch.float64)
    chunks = lambda x: x.reshape(x.shape[0], tokens // c, c, *x.shape[2:])  # noqa: E731
    result = {}

    def run():
        if kind == "gated_delta":
            result["out"] = gated_delta(chunks(q), chunks(k), chunks(v), chunks(beta), chunks(decay))
        elif kind == "lightning":
            result["out"] = lightning(chunks(q), chunks(k), chunks(v), chunks(decay))
        else:
            result["out"] = mamba2(chunks(q), chunks(k), chunks(v), chunks(decay))

    flop = counted(run)
    each = heads // groups
    expected = by_token(q.repeat_interleave(each, 0), k.repeat_interleave(each, 0), v, decay,
                        beta if kind == "gated_delta" else None)
    assert torch.allclose(result["out"].reshape(expected.shape), expected, atol=1e-9), kind
    return flop


CK, CV, KV, CC, GROUP = "CK", "CV", "KV", "CC", "GROUP"
BACKWARD = {
    "gated_delta": [
        CK, CV,              # recompute_w_u_fwd: w and u
        KV, KV,              # chunk_gated_delta_rule_fwd_h: w·state, kᵀ·v
        CK, CV,              # chunk_bwd_dv_local: k·qᵀ, its transpose times do
        KV, KV, KV,          # bwd_dhu: k·dh, qᵀ·do, wᵀ·dv
        CV, KV, KV, KV,      # chunk_bwd_dqkwg: do·vᵀ; dq, dk and dw from states
        CK, CK,              # ds·k, dsᵀ·q
        CK, CK, CV, CV,      # prepare_wy_repr_bwd: dA from dw, Aᵀ·dw, dA from du, Aᵀ·du
        CC, CC,              # dA·A, A·dA
        CK, CK, CK,          # k·kᵀ, dA·k, kᵀ·dA
    ],
    "lightning": [
        KV,                  # chunk_fwd_h: kᵀ·v
        KV,                  # chunk_bwd_dh: qᵀ·do
        CV, KV, KV, CK, CK,  # chunk_bwd_dqkwg: do·vᵀ; dq and dk from states; ds·k, dsᵀ·q
        CK, KV, CV,          # chunk_bwd_dv: k·qᵀ, k·dh, scores·do
    ],
    "mamba2": [
        GROUP, KV,           # _bmm_chunk_fwd of C·Bᵀ, _chunk_state_fwd
        KV,                  # _chunk_scan_bwd_dstates: Cᵀ·dout
        CV, KV,              # _chunk_scan_chunk_state_bwd_dx: CBᵀ·dout, B·dstates
        KV, KV,              # _chunk_state_bwd_db: x·dstates; _chunk_scan_bwd_dC: dout·states
        CV,                  # _chunk_scan_bwd_dcb: dout·xᵀ
        GROUP, GROUP,        # _bmm_chunk_bwd for B and C
        CV,                  # _chunk_scan_bwd_ddAcs_stable: x·doutᵀ
    ],
}


def backward(kind):
    tokens, c, heads, groups, key, value = SHAPES[kind]
    sizes = {CK: (heads, c, c, key), CV: (heads, c, c, value), KV: (heads, c, key, value), CC: (heads, c, c, c),
             GROUP: (groups, c, c, key)}

    def run():
        for product in BACKWARD[kind]:
            n, rows, columns, depth = sizes[product]
            torch.bmm(torch.empty(n * tokens // c, rows, depth, device="meta"),
                      torch.empty(n * tokens // c, depth, columns, device="meta"))

    return counted(run)


def saved(kind):
    """Of tensors that are not the output of another operator, and the scan's own output."""
    t, c, heads, groups, key, value = SHAPES[kind]
    bf16, fp32 = 2, 4
    out = bf16 * t * heads * value
    if kind == "gated_delta":  # q, k, q_rstd, k_rstd, v, g, beta, A
        return out + t * (2 * bf16 * groups * key + 2 * fp32 * groups + bf16 * heads * value +
                          (fp32 + bf16) * heads + bf16 * heads * c)
    if kind == "lightning":  # q, k, v
        return out + t * 3 * bf16 * heads * value
    return out  # zxbcdt is the projection, out_x the output


def main():
    for kind in SHAPES:
        print(kind, "forward", forward(kind))
        print(kind, "backward", backward(kind))
        print(kind, "saved", saved(kind))


if __name__ == "__main__":
    main()
