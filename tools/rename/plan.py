"""Printed plans (`dplc ir`): members by the type that they belong to, and lines as ir/Printer.cpp breaks them."""

import collections
import re

WIDTH = 180
LINE = re.compile(r"^((?:[-+] )?)( *)(?:(\w+) (\{)(.*)|(\w+) = (.*)|(\}))$")
# Members whose words are choices of the language, by type and key of version 0.1.0.
ENUMERATIONS = {
    ("Router", "balance"): "balance", ("Router", "drop"): "drop_policy", ("Jitter", "kind"): "jitter",
    ("Layout", "schedule"): "schedule", ("Recompute", "kind"): "recompute", ("Recompute", "modules"): "module",
    ("Recompute", "operators"): "saved_operator", ("Recompute", "offloaded"): "saved_operator",
    ("Kernels", "norm"): "kernel", ("Kernels", "rotary"): "kernel", ("Kernels", "activation"): "kernel",
    ("Kernels", "permutation"): "kernel", ("Kernels", "router"): "kernel", ("Kernels", "experts"): "expert_kernel",
    ("CallHabits", "keys"): "key_exchange", ("Compression", "kind"): "compression",
    ("CheckpointRequest", "mode"): "checkpoint_mode", ("CheckpointRequest", "kind"): "checkpoint_mode",
    ("Space", "level"): "simulation_level", ("WeighedSchedule", "schedule"): "schedule",
    ("Network", "algorithm"): "collective_algorithm", ("LinkLevel", "algorithm"): "collective_algorithm",
}
LEVEL_KEYS = {"level", "within", "across", "among", "spans"}


class Printed:
    def __init__(self, renames, talk, root):
        self.renames, self.talk, self.root = renames, talk, root
        self.keyed = renames.keyed_words()
        self.old_keys = {owner: {renames.before.plan_key(owner, k): k for k in keys}
                         for owner, keys in renames.frozen.plan.items()}
        self.leaves = {owner for owner, keys in renames.plan.items()
                       if not any(m in renames.plan or m == "" for _, m in keys.values())}
        self.by_key = collections.defaultdict(set)
        for owner, keys in renames.plan.items():
            for key in keys:
                self.by_key[key].add(owner)

    def key(self, owner, key):
        """(new key, type of the member)."""
        found = self.renames.plan.get(owner, {}).get(key)
        return found if found else (key, "")

    def value(self, owner, key, value):
        if value.startswith('"'):
            return self.talk.paths(self.talk.ticked(value, self.root), self.root)
        if value.startswith("["):
            items = split(value[1:-1])
            whole = value == f"[{', '.join(items)}]"  # else it is not what the printer prints
            return f"[{', '.join(self.value(owner, key, v) for v in items)}]" if whole else value
        if not re.fullmatch(r"[a-z_]\w*", value):
            return value
        old = self.old_keys.get(owner, {}).get(key, key)
        before = self.renames.before
        schema = ENUMERATIONS.get((owner, old)) or ("level" if old in LEVEL_KEYS else None)
        if schema and (before.schema(schema), value) in self.renames.word_map:
            new = self.renames.word_map[before.schema(schema), value]
            if new != value:
                return new
        for name in (old, f"{owner.lower()}.{old}"):
            if (name, value) in self.keyed and not (name == "split" and owner != "Layout"):
                return self.keyed[name, value]
        return value

    def member(self, owner, text):
        """`key = value` or `key { … }` on one line."""
        match = re.match(r"(\w+) = (.*)$", text, re.S)
        if match:
            return f"{self.key(owner, match[1])[0]} = {self.value(owner, match[1], match[2])}"
        match = re.match(r"(\w+) \{(.*)\}$", text, re.S)
        if not match:
            return text
        key, inner = self.key(owner, match[1])
        inside = match[2].strip()
        items = split(inside)
        if inside and text != f"{match[1]} {{ {', '.join(items)} }}":
            return text
        members = ", ".join(self.member(inner, m) for m in items)
        return f"{key} {{ {members} }}" if inside else f"{key} {{}}"

    def guess(self, keys):
        """The type that has most of the keys that stand together."""
        votes = collections.Counter(owner for key in keys for owner in self.by_key.get(key, ()))
        if not votes:
            return ""
        most = max(votes.values())
        best = [o for o, n in votes.items() if n == most]
        fates = {tuple(self.key(o, k)[0] for k in keys) for o in best}
        return best[0] if len(fates) == 1 else ""

    def lines(self, text):
        out, stack, lines, i = [], [], text.split("\n"), 0
        while i < len(lines):
            match = LINE.match(lines[i])
            if not match:
                out.append(self.talk.paths(self.talk.ticked(lines[i], self.root), self.root))
                i += 1
                continue
            sign, depth = match[1], len(match[2])
            while stack and stack[-1][0] >= depth and not match[8]:
                stack.pop()
            owner = stack[-1][1] if stack and stack[-1][0] == depth - 2 else None
            if owner is None and not match[8]:
                owner = self.owner_of(lines, i, depth)
            if match[8]:
                while stack and stack[-1][0] > depth:
                    stack.pop()
                if stack and stack[-1][0] == depth:
                    stack.pop()
                out.append(lines[i])
            elif match[4] and not match[5]:
                name = match[3]
                key, inner = self.key(owner, name) if owner else (name, "Plan" if name == "plan" else "")
                end = self.leaf(lines, i, depth, sign) if inner in self.leaves else None
                if end:
                    out += self.broken(lines[i:end + 1], sign, depth, key, inner)
                    i = end
                else:
                    stack.append((depth, inner))
                    out.append(f"{sign}{match[2]}{key} {{")
            else:
                old = lines[i][len(sign) + depth:]
                new = self.member(owner or "", old)
                leaf = new != old and match[4] is not None and self.key(owner or "", match[3])[1] in self.leaves
                out += self.flat(sign, depth, new, leaf)
            i += 1
        return "\n".join(out)

    def owner_of(self, lines, i, depth):
        """Of lines without what encloses them: the keys of the same depth around."""
        keys = []
        for step in (1, -1):
            k = i if step == 1 else i - 1
            while 0 <= k < len(lines):
                match = LINE.match(lines[k])
                if not match or (len(match[2]) < depth):
                    break
                if len(match[2]) == depth and not match[8]:
                    keys.append(match[3] or match[6])
                k += step
        if "plan" in keys:
            return None
        return self.guess(keys)

    def leaf(self, lines, i, depth, sign):
        """The closing line of a part that is broken because it was too long for one line."""
        k, members = i + 1, []
        while k < len(lines):
            match = LINE.match(lines[k])
            if not match or match[1] != sign:
                return None
            if match[8] and len(match[2]) == depth:
                break
            if not match[6]:
                return None
            members.append(lines[k][len(sign) + depth + 2:])
            k += 1
        else:
            return None
        flat = lines[i][len(sign):] + " " + ", ".join(members) + " }"
        return k if len(flat) > WIDTH else None

    def broken(self, lines, sign, depth, key, owner):
        members = [self.member(owner, line[len(sign) + depth + 2:]) for line in lines[1:-1]]
        return self.flat(sign, depth, f"{key} {{ {', '.join(members)} }}")

    def flat(self, sign, depth, text, leaf=True):
        """A part on one line, or broken where it is too long."""
        match = re.match(r"(\w+) \{ (.*) \}$", text, re.S)
        if not leaf or not match or depth + len(text) <= WIDTH:
            return [sign + " " * depth + text]
        return ([f"{sign}{' ' * depth}{match[1]} {{"] + [f"{sign}{' ' * (depth + 2)}{m}" for m in split(match[2])]
                + [f"{sign}{' ' * depth}}}"])


def split(text):
    """The members between commas, outside of strings, brackets and braces."""
    parts, depth, quoted, begin, i = [], 0, False, 0, 0
    while i < len(text):
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            elif c == '"':
                quoted = False
        elif c == '"':
            quoted = True
        elif c in "[{(":
            depth += 1
        elif c in "]})":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
        i += 1
    last = text[begin:].strip()
    return parts + [last] if last else parts


def text(body, renames, talk, root=None):
    return Printed(renames, talk, root).lines(body)
