"""Random layouts, the same for the same seed. What dplc accepts, Megatron-LM has to accept."""
import os
import random
import shutil
import subprocess

import legal_layouts

# Draws that dplc turns down (a batch too small, memory, …) are drawn again, this often for each layout.
DRAWS = 20


def power(draw, largest):
    """A power of two in 1..largest."""
    return 2 ** draw.randint(0, largest.bit_length() - 1)


def pieces(draw, total, count):
    """`count` layer counts of at least 1 that add up to `total`."""
    cuts = sorted(draw.sample(range(1, total), count - 1))
    return [b - a for a, b in zip([0, *cuts], [*cuts, total])]


def experts_of(draw, width):
    """(text of the model, text of the mesh) for a mixture of experts on `width` devices of a stage."""
    count = draw.choice([8, 16, 64])
    expert = power(draw, min(count, width))
    tensor = power(draw, min(width // expert, 4))
    shared = draw.choice([0, 0, 1])
    text = f"experts {{ count = {count}, top_k = {draw.choice([1, 2, 4])}, shared = {shared}, width = 1024, " \
           "router { balance = aux_loss { coefficient = 0.01 } } }"
    return text, f"experts {{ data = rest, expert = {expert}, tensor = {tensor} }}"


def layout(draw):
    """One .dpl file."""
    nodes = power(draw, 16)
    devices = 8 * nodes
    tensor = power(draw, 8)
    pipeline = power(draw, min(8, devices // tensor))
    context = power(draw, min(4, devices // (tensor * pipeline)))
    data = devices // (tensor * pipeline * context)
    chunks = draw.choice([1, 1, 2, 3]) if pipeline > 1 else 1
    stages = pipeline * chunks
    uneven = pipeline > 1 and draw.random() < 0.4
    layers = stages * draw.randint(1, 2) + (draw.randint(1, 7) if uneven else 0)
    split = f"  split = {pieces(draw, layers, stages)}\n" if uneven else ""
    mixture = draw.random() < 0.4
    ffn, experts = experts_of(draw, data * context * tensor) if mixture else ("gated { width = 5632 }", "")
    dense = draw.randint(0, layers - 1) if mixture else 0
    parts = f"  layer.ffn = {ffn}\n" if not dense else (
        f"  layer[0..<{dense}] {{ ffn = gated {{ width = 5632 }} }}\n"
        f"  layer[{dense}..<{layers}] {{ ffn = {ffn} }}\n")
    micro = draw.choice([1, 2])
    passes = pipeline * draw.randint(1, 3)
    batch = data * micro * passes
    axes = [("pipeline", pipeline), ("data", data)]
    if draw.random() < 0.2:
        axes.reverse()
    axes += [("context", context), ("tensor", tensor)]
    mesh = "".join(f"    {name} = {size}\n" for name, size in axes if size > 1)
    if experts:
        mesh += f"    {experts}\n"
    group = f", micro_batch_group = {draw.randint(pipeline, passes)}" if draw.random() < 0.4 else ""
    schedule = f"interleaved_1f1b {{ chunks = {chunks}{group} }}" if chunks > 1 else "1f1b"
    recompute = draw.choice(["none", "full", "full { method = block, layers = 1 }", "selective",
                             "selective { modules = [core_attention, norm] }"])
    shard = draw.choice(["", "optimizer = data", "optimizer = data"])
    if tensor > 1:
        shard += (", " if shard else "") + "sequence = tensor"
    window = draw.choice([""] * 3 + ["  attention = grouped { window = 1024tok }\n"])
    fused = "  fused_attention = false\n" if context == 1 and draw.random() < 0.2 else ""
    precision = draw.choice(["", "  precision { gradients = bf16, reduce = bf16 }\n", ""])
    return (
        "import std.models\nimport std.clusters\n\n"
        f"model drawn from models.decoder {{\n  layers = {layers}, hidden = 2048\n"
        f"  heads = 32, kv_heads = {draw.choice([4, 8, 32])}, head_dim = {draw.choice([64, 64, 72, 128])}\n"
        f"{window}{parts}"
        f"  vocab = {draw.choice([32_000, 50_257, 128_256])}, context = 4096tok\n"
        f"  tied_embeddings = {draw.choice(['true', 'false'])}, qk_norm = {draw.choice(['head', 'none'])}\n}}\n\n"
        f"cluster pod from clusters.dgx_h100 {{ nodes = {nodes} }}\n\n"
        f"layout drawn_layout for drawn on pod {{\n  mesh {{\n{mesh}  }}\n"
        f"  batch = {batch}seq\n  micro_batch = {micro}seq\n  schedule = {schedule}\n{split}"
        f"  recompute = {recompute}\n" + (f"  shard {{ {shard} }}\n" if shard else "") + fused + precision + "}\n")


def text(draw, index):
    """Every other one is of the layouts that are drawn for all targets."""
    return layout(draw) if index % 2 else legal_layouts.legal(draw).dpl()


def emit_all(dplc, seed, count, out):
    """Folders of `count` layouts that dplc emitted, and the number of crashes of dplc."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    draw, folders, crashes, refused = random.Random(seed), [], 0, {}
    for index in range(count):
        for _ in range(DRAWS):
            source = os.path.join(out, f"{index:03}.dpl")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text(draw, index))
            folder = os.path.join(out, f"{index:03}")
            done = subprocess.run([dplc, "emit", "megatron", source, "-o", folder], capture_output=True,
                                  text=True, check=False)
            if done.returncode == 0:
                folders.append(folder)
                break
            code = (done.stderr.split("[", 1) + [""])[1].split("]", 1)[0]
            if done.returncode < 0 or not code.startswith("DPL"):
                print(f"FAILED   {source}: dplc ended with {done.returncode}\n{done.stderr}")
                crashes += 1
                break
            refused[code] = refused.get(code, 0) + 1
    counts = ", ".join(f"{n} × {code}" for code, n in sorted(refused.items())) or "none"
    print(f"-- {len(folders)} random layouts of seed {seed}; dplc refused {counts}", flush=True)
    return folders, crashes + (len(folders) < count)
