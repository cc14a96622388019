"""What is damaged in layouts of the second generator (other_layouts.py): each changes one entry of a layout, and none
looks at what depends on it."""


def primes(number):
    out, factor = [], 2
    while number > 1:
        while number % factor == 0:
            out.append(factor)
            number //= factor
        factor += 1
    return out


def scaled(name, *factors):
    def damage(r, v):
        v[name] = max(1, int(v[name] * r.choice(factors)))
    return damage


def moved(name, *steps):
    def damage(r, v):
        v[name] = max(1, v[name] + r.choice(steps))
    return damage


def flipped(name):
    def damage(_, v):
        v[name] = not v[name]
    return damage


def traded(one, other):
    """A factor goes from one axis to another, and nothing that was rounded to them follows."""
    def damage(r, v):
        if v[one] > 1:
            factor = r.choice(primes(v[one]))
            v[one], v[other] = v[one] // factor, v[other] * factor
    return damage


def lost_layer(r, v):
    if v["split"]:
        split = list(v["split"])
        split[r.randrange(len(split))] -= 1
        v["split"] = tuple(split)
    else:
        v["layers"] += r.choice([-1, 1]) if v["layers"] > 1 else 1


def other(name, *values):
    def damage(r, v):
        v[name] = r.choice(values)
    return damage


DAMAGES = {
    "heads moved": moved("heads", -2, -1, 1, 2), "kv moved": moved("kv_heads", -1, 1, 2),
    "width moved": moved("width", -8, 2, 8), "sequence moved": moved("sequence", -8, 8, 64, 1),
    "batch scaled": scaled("batch", 0.5, 1.5, 2), "batch moved": moved("batch", -1, 1),
    "micro scaled": scaled("micro", 2, 3), "layer lost": lost_layer,
    "tensor from data": traded("data", "tensor"), "pipeline from data": traded("data", "pipeline"),
    "context from data": traded("data", "context"), "data from tensor": traded("tensor", "data"),
    "context from pipeline": traded("pipeline", "context"), "replica from data": traded("data", "replica"),
    "experts moved": moved("experts", -1, 1, 3), "expert scaled": scaled("expert", 2, 3, 5),
    "expert tensor": scaled("expert_tensor", 2, 3), "expert width": moved("expert_width", 1, 8),
    "active": moved("active", -1, 1, 5, 20), "groups": other("groups", 2, 3, 4, 5), "score": flipped("sigmoid"),
    "cut": flipped("cut"), "zero": other("zero", 0, 1, 2, 3), "gathers": flipped("gathers_beside"),
    "reduces": flipped("reduces_beside"), "compute": other("compute", "fp32", "fp16", "fp8"),
    "summed": other("summed", "fp32", "bf16", "fp16"), "head": other("head", 36, 44, 60, 72, 256, 264),
    "window": other("window", 128, 1000), "flash": flipped("flash"), "bias": flipped("bias"),
    "chunks": moved("chunks", -1, 1, 2), "recompute": other("recompute", "activation", "mlp", "moe", "block"),
    "kernel activation": other("activation", "gelu", "relu2"), "shared": other("shared", 100, 250, 512),
    "balance": other("balance", "sinkhorn"), "recipe": other("recipe", "delayed", "blockwise"),
    "sends": flipped("sends_beside"), "optimizer": other("optimizer", "sgd"),
}
