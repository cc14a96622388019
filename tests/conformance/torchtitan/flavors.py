"""Compares Flavors.def with the flavors of the installed torchtitan."""
import ast
import importlib
import re

# Members of a row that are compared, by kind, and the names that they have here.
KINDS = {
    "dense": "layers hidden heads kvHeads headDim width vocab tied qkNorm longest",
    "routed": "layers hidden heads kvHeads headDim vocab tied qkNorm longest experts active expertWidth",
    "windowed": "layers hidden heads kvHeads headDim vocab longest experts active expertWidth window",
    "latent": "layers leadingDense hidden heads width vocab queryRank experts active sharedWidth expertWidth longest "
              "flexAttention"}
NAMES = {"kvHeads": "kv", "headDim": "head_dim", "qkNorm": "norm", "expertWidth": "expert_width",
         "leadingDense": "dense", "queryRank": "query_rank", "flexAttention": "flex"}
SPELLED = {"true": True, "false": False}
SCALINGS = {"none": ("None", 1), "llama": ("Llama3", "scaling_factor"), "yarn": ("Yarn", "rope_factor")}
BIAS_STEP = 0.001


def rows(path, release):
    """(model, flavor) and the values of each row that holds for the release; what a row leaves out is 0."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for model, flavor, since, members in re.findall(r'^FLAVOR\("(.*?)", "(.*?)", "(.*?)",(.*?)\)$', text, re.M | re.S):
        if since and not release.startswith(since):
            continue
        has = {n: SPELLED[v] if v in SPELLED else int(v) for n, v in re.findall(r"\.(\w+) = (\w+)", members)}
        kind = ("latent" if "kvHeads" not in has else "windowed" if "window" in has
                else "routed" if "experts" in has else "dense")
        row = {NAMES.get(n, n): has.get(n, 0) for n in KINDS[kind].split()}
        if "sharedWidth" in row:
            row["shared"] = row.pop("sharedWidth") // row["expert_width"]
        yield (model, flavor), kind, row


def facts_of(path, kind, model, flavor):
    """The values of the first row of FACTS or ROUTING that holds for a flavor, as Flavors.cpp finds it; words stay words."""
    with open(path, encoding="utf-8") as file:
        for arguments in re.findall(rf"^{kind}\((.*)\)$", file.read(), re.MULTILINE):
            row = [v if re.fullmatch(r"[A-Z]\w+", v) else SPELLED[v] if v in SPELLED else ast.literal_eval(v)
                   for v in re.split(r",\s*", arguments)]
            if row[0] == model and row[1] in ("", flavor):
                return tuple(row[2:])
    return None


def routing(moe, router):
    """As a row of ROUTING; None where experts are not balanced as all rows have it."""
    if moe.load_balance_coeff != BIAS_STEP:
        return None
    return (router.score_func.capitalize(), router.route_norm, router.route_scale, router.num_expert_groups or 1,
            router.num_limited_groups or 1)


def facts_of_0_2(model, flavor):
    import torchtitan.protocols.train_spec as specs
    a = specs.get_train_spec(model).model_args[flavor]
    scaling = {"llama3": ("Llama3", getattr(getattr(a, "rope_scaling_args", None), "scaling_factor", None)),
               "deepseek_v3": ("Yarn", getattr(a, "rope_factor", None))}.get(model, ("None", 1))
    return (a.rope_theta, *scaling, a.norm_eps), (
        routing(a.moe_args, a.moe_args) if hasattr(a, "moe_inter_dim") and getattr(a, "moe_enabled", True) else None)


def facts_of_0_3(model, flavor):
    m = importlib.import_module(f"torchtitan.models.{model}").model_registry(flavor).model
    rope, moe = m.layers[-1].attention.rope, m.layers[-1].moe
    kind, factor = SCALINGS[rope.scaling]
    factor = getattr(rope, factor) if isinstance(factor, str) else factor
    return (rope.theta, kind, factor, m.norm.eps), routing(moe, moe.router) if moe else None


def of_0_2(model, flavor):
    import torchtitan.protocols.train_spec as specs
    a = specs.get_train_spec(model).model_args[flavor]
    out = {"layers": a.n_layers, "hidden": a.dim, "heads": a.n_heads, "vocab": a.vocab_size,
           "kv": getattr(a, "n_kv_heads", None) or a.n_heads, "tied": getattr(a, "enable_weight_tying", False),
           "norm": getattr(a, "qk_norm", False), "head_dim": getattr(a, "head_dim", a.dim // a.n_heads),
           "width": getattr(a, "hidden_dim", getattr(a, "inter_dim", None)),
           "query_rank": getattr(a, "q_lora_rank", None), "dense": getattr(a, "n_dense_layers", None),
           "expert_width": getattr(a, "moe_inter_dim", None), "flex": a.attn_type == "flex"}
    if model == "llama3":  # as FeedForward of its model computes it
        width = int((a.ffn_dim_multiplier or 1) * int(8 * a.dim / 3))
        out["width"] = a.multiple_of * ((width + a.multiple_of - 1) // a.multiple_of)
    if hasattr(a, "moe_args"):
        out.update(experts=a.moe_args.num_experts, active=a.moe_args.top_k, shared=a.moe_args.num_shared_experts)
    return out


def of_0_3(model, flavor):
    m = importlib.import_module(f"torchtitan.models.{model}").model_registry(flavor).model
    a, dense = m.layers[0].attention, [x.feed_forward for x in m.layers if x.feed_forward is not None]
    routed = [x.moe for x in m.layers if getattr(x, "moe", None) is not None]
    out = {"layers": len(m.layers), "hidden": m.dim, "heads": a.n_heads, "vocab": m.vocab_size,
           "kv": getattr(a, "n_kv_heads", None) or a.n_heads, "tied": m.enable_weight_tying,
           "norm": getattr(a, "q_norm", None) is not None or getattr(a, "qk_norm", None) is not None,
           "head_dim": getattr(a, "head_dim", None) or m.dim // a.n_heads, "dense": len(dense),
           "width": dense[0].w1.out_features if dense else 0, "query_rank": getattr(a, "q_lora_rank", None),
           "longest": m.max_seq_len}
    windows = [getattr(x.attention, "sliding_window_size", None) for x in m.layers]
    if windows == [windows[0] if i % 2 == 0 else None for i in range(len(windows))]:  # that is what `window` says
        out["window"] = windows[0]
    if routed:
        experts = routed[0].routed_experts.inner_experts
        shared = routed[0].shared_experts
        out.update(experts=routed[0].num_experts, active=routed[0].router.top_k, expert_width=experts.hidden_dim,
                   shared=shared.w1.out_features // experts.hidden_dim if shared else 0)
    return out


def compare(path, release):
    """The number of rows of the file that the package has otherwise."""
    old, wrong, count = release.startswith("0.2"), 0, 0
    for (model, flavor), kind, row in rows(path, release):
        found = of_0_2(model, flavor) if old else of_0_3(model, flavor)
        # What a kind has not, and what only the other release decides by.
        ignored = {"longest"} if old else {"flex"}
        bad = {n: (v, found.get(n)) for n, v in row.items() if n not in ignored and found.get(n) != v}
        if bad:
            print(f"FAILED   flavor {model} {flavor}: (row, torchtitan) {bad}")
        facts, routed = (facts_of_0_2 if old else facts_of_0_3)(model, flavor)
        said = facts_of(path, "FACTS", model, flavor), facts_of(path, "ROUTING", model, flavor) if kind != "dense" else None
        if said != (facts, routed):
            print(f"FAILED   flavor {model} {flavor}: rows {said}, torchtitan {facts, routed}")
            bad = True
        wrong += bool(bad)
        count += 1
    print(f"-- {count} flavors compared with positions, norms and routers, {wrong} differ", flush=True)
    return wrong
