"""Paths of figures: which old path becomes which new one, whatever stands in their brackets."""

import itertools
import re


# What a hole stands for, with its old and new names; `\\w+` is written as a plain word that is kept.
PARTS = ["layer[]", "recomputed_layer[]", "layer_input", "offloaded", "embedding", "head"]
KINDS = ("all_reduce reduce_scatter all_gather all_to_all broadcast reduce send_receive send scatter gather "
         "ring_exchange exchange").split()
LEVELS = "gpu node domain leaf pod spine site cluster host".split()
AXES = "replica pipeline data context tensor expert experts".split()
CONTENTS = "activations tokens gradients parameters embedding messages".split()
PASSES = "forward backward backward_input backward_weight recompute".split()
STATISTICS = "mean min max p1 p5 p25 p50 p75 p90 p95 p99 p999 drawn".split()
WORD = re.compile(r'[A-Za-z_]\w*(?:\[(?:[^\[\]"\n]|"[^"\n]*")*\])?(?:\.\w+(?:\[(?:[^\[\]"\n]|"[^"\n]*")*\])?)*')
INDEX = re.compile(r'\[((?:[^\[\]"\n]|"[^"\n]*")*)\]')


def expansions(template, dimensions):
    """(old, new) for each filling of the holes of an old template; `dimensions` maps (hole, old word) to a new one."""
    def words(hole, keep):
        pairs = [(w, dimensions.get((hole, w), w)) for w in keep]
        return pairs + [(o, n) for (h, o), n in dimensions.items() if h == hole and o not in keep]

    def unindexed(text):
        return INDEX.sub("[]", text)

    holes = {"AXIS": words("AXIS", AXES), "KIND": words("KIND", KINDS), "LEVEL": words("LEVEL", LEVELS),
             "CONTENTS": words("CONTENTS", CONTENTS + ["keys"]), "PASS": words("PASS", PASSES),
             "DEVICE": [(unindexed(o), unindexed(n)) for o, n in words("DEVICE", ["device", "class[N]"])]}
    part = [(o, n) for o, n in words("PART", PARTS + ["prediction_layer", "sent_output", "tied_table"])]
    holes["PART"] = part + [(o + ".rank[]", n + ".rank[]") for o, n in part]
    parts = re.split(r"\b(AXIS|KIND|LEVEL|CONTENTS|PASS|DEVICE|PART)\b", INDEX.sub("[]", template))
    choices = [holes[p] if p in holes else [(p, p)] for p in parts]
    for pick in itertools.product(*choices):
        yield "".join(p[0] for p in pick), tuple(p[1] for p in pick)


class Figures:
    """The renames of figures in one direction."""

    def __init__(self, paths, rows, dimensions, holes, inverse=False):
        """`paths` are templates of version 0.1.0, `rows` maps some to new ones, `holes` maps names of holes."""
        self.map = {}
        self.templates = {}
        for old in paths:
            new = rows.get(old, old)
            for a, b in holes.items():
                new = re.sub(rf"\b{a}\b", b, new)
            self.templates[old] = new
            hole_back = {b: a for a, b in holes.items()}
            positions = [hole_back.get(h, h) for h in re.findall(
                r"\b(AXIS|KIND|LEVEL|CONTENTS|PASS|DEVICE|PART|MODULE|ACTION|COLLECTIVE)\b", INDEX.sub("[]", new))]
            for was, filled in expansions(old, dimensions):
                order = re.findall(r"\b(AXIS|KIND|LEVEL|CONTENTS|PASS|DEVICE|PART)\b", INDEX.sub("[]", old))
                values = dict(zip(order, filled[1::2]))
                pieces = re.split(r"\b(?:AXIS|KIND|LEVEL|CONTENTS|PASS|DEVICE|PART|MODULE|ACTION|COLLECTIVE)\b",
                                  INDEX.sub("[]", new))
                now = pieces[0] + "".join(values[p] + s for p, s in zip(positions, pieces[1:]))
                self.map[was] = now
        if inverse:
            self.map = {n: o for o, n in self.map.items()}
        self.groups = {o: n for (h, o), n in dimensions.items() if h == "GROUP"}
        if inverse:
            self.groups = {n: o for o, n in self.groups.items()}

    def bare(self, canonical):
        """The new form of a path with empty brackets, or None. A statistic may follow."""
        if canonical in self.map:
            return self.map[canonical]
        head, dot, last = canonical.rpartition(".")
        if dot and last in STATISTICS and head in self.map:
            return f"{self.map[head]}.{last}"
        return None

    def rename(self, text):
        """The new text of a written path, or None where it is not the path of a figure."""
        new = self.bare(INDEX.sub("[]", text))
        if new is None:
            return None
        inside = iter(INDEX.findall(text))
        root = text.split("[")[0]
        return re.sub(r"\[\]", lambda m: "[" + self.group(root, next(inside)) + "]", new)

    def group(self, root, index):
        if root not in ("communication", "group"):
            return index
        quote = '"' if index.startswith('"') else ""
        name = index.strip('"')
        return quote + self.groups.get(name, name) + quote
