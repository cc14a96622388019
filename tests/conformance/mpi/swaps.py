"""Swapped pairs of operations: in a printed plan, and in the tables of an emitted program.

An operation is known by its label: (kind, micro-batch, chunk) with the kinds of the emitted program.
"""
import re

NO_MICRO_BATCH = ("collective", "wait", "optimizer")


def label(entry):
    """Of an operation in the times that the program writes."""
    kind = entry["kind"]
    return (kind, *((0, 0) if kind in NO_MICRO_BATCH else (entry["micro_batch"], entry["chunk"])))


class Swap:
    """Where in the lists of labels something is moved, and how the program has to end. A printed plan has passes
    alone, so `passes` says which of those are moved there."""

    def __init__(self, name, kinds, order, passes, status, message):
        self.name, self.kinds, self.order, self.passes = name, kinds, order, passes
        self.status, self.message = status, message


def place(lists, kinds):
    """Pipeline rank and index of the first operations of these kinds that follow one another."""
    for rank, labels in enumerate(lists):
        for at in range(len(labels) - len(kinds) + 1):
            if all(kind == labels[at + i][0] for i, kind in enumerate(kinds)):
                return rank, at
    raise AssertionError(f"the plan has no {kinds} in a row")


def moved(items, at, order):
    return items[:at] + [items[at + i] for i in order] + items[at + len(order):]


class Printed:
    """The operations in what `dplc ir` prints, and the messages that follow from where the stages are."""

    # A collective of the step has its number in place of chunk and micro-batch.
    ROW = re.compile(r"^    action \{ kind = (\w+), (?:chunk = (\d+), micro_batch = (\d+)|collective = \d+), "
                     r"(start = \d+, duration = \d+) \}$")
    MERGED = re.compile(r"^    kind = paired_forward$", re.M)  # a body; else the program runs pairs one behind the other
    PLACEMENT = re.compile(r"^  placement \{ kind = (\w+), ranks = (\d+), chunks = (\d+) \}$", re.M)

    def __init__(self, text):
        self.lines, self.ranks = text.split("\n"), []  # of each rank: the numbers of its lines
        kind, ranks, chunks = self.PLACEMENT.search(text).groups()
        self.pipeline, self.turns, self.both = int(ranks), kind == "v_shaped", kind == "bidirectional"
        self.stages = self.pipeline * (1 if self.both else int(chunks))
        self.pair = "pair" if self.MERGED.search(text) else "forward"
        for number, line in enumerate(self.lines):
            if line == "  rank {":
                self.ranks.append([])
            elif self.ROW.match(line):
                self.ranks[-1].append(number)

    def label(self, number):
        kind, chunk, micro_batch, _ = self.ROW.match(self.lines[number]).groups()
        kind = {"paired_forward": self.pair}.get(kind, kind)
        return (kind, *((0, 0) if kind in NO_MICRO_BATCH else (int(micro_batch), int(chunk))))

    def passes(self):
        return [[self.label(number) for number in rank] for rank in self.ranks]

    def at(self, stage, of):
        """Rank and chunk of a stage; with `turns` every second chunk runs through the ranks backwards, with `both`
        those of the micro-batches that chunk `of` runs."""
        if self.both:
            return self.pipeline - 1 - stage if of else stage, of
        chunk, inside = divmod(stage, self.pipeline)
        return self.pipeline - 1 - inside if self.turns and chunk % 2 else inside, chunk

    def labels(self):
        """With receives before and sends behind the passes, of merged ones those of both."""
        lists = []
        for rank, labels in enumerate(self.passes()):
            lists.append([])
            while labels:
                together, labels = (labels[:2], labels[2:]) if labels[0][0] == "pair" else (labels[:1], labels[1:])
                messages = [self.messages(rank, *label) for label in together]
                lists[-1] += [m for before, _ in messages for m in before] + together
                lists[-1] += [m for _, after in messages for m in after]
        return lists

    def messages(self, rank, kind, micro_batch, chunk):
        """What a pass receives and sends, each at most one; a message is named by its sender's chunk."""
        stage = next(s for s in range(self.stages) if self.at(s, chunk) == (rank, chunk))
        step = {"forward": 1, "pair": 1, "backward": -1, "backward_input": -1}.get(kind, 0)
        what = "forward" if step == 1 else "backward"
        before, after = stage - step, stage + step
        crosses = [step and 0 <= other < self.stages and self.at(other, chunk)[0] != rank for other in (before, after)]
        return ([(f"receive_{what}", micro_batch, self.at(before, chunk)[1])] if crosses[0] else [],
                [(f"send_{what}", micro_batch, chunk)] if crosses[1] else [])

    def swapped(self, swap):
        """The text with passes moved; each place keeps its times."""
        kinds, order = swap.passes
        rank, at = place(self.passes(), kinds)
        numbers = self.ranks[rank]
        lines = list(self.lines)
        for number, source in zip(numbers, moved(numbers, at, order)):
            lines[number] = self.lines[source].replace(self.ROW.match(self.lines[source])[4],
                                                       self.ROW.match(self.lines[number])[4])
        return "\n".join(lines)


def rows(text, name):
    """The rows of one array of plan.h, and where they stand."""
    found = re.search(r"inline constexpr std::array<\w+, \d+> " + name + r"\{\{\n(.*?)\}\};\n", text, re.S)
    return found, re.findall(r"\{(.*?)\}, //", found[1])


def tables(text, swap):
    """plan.h with the operations moved: all loops are written out, so that any place can be reached."""
    operations = [row.split(", ") for row in rows(text, "operations")[1]]
    loops = [[int(part) for part in row.split(", ")] for row in rows(text, "loops")[1]]
    lists = []
    for row in rows(text, "ranks")[1]:
        first, count, _ = map(int, row.split(", "))
        lists.append([])
        for start, length, times in loops[first:first + count]:
            for turn in range(times):
                for kind, micro_batch, chunk, other in operations[start:start + length]:
                    lists[-1].append((kind, int(micro_batch) + turn, chunk, other))
    def kind_of(row):
        return re.sub(r"(?<!^)(?=[A-Z])", "_", row[0].split("::")[1]).lower()
    rank, at = place([[(kind_of(row),) for row in rows_of] for rows_of in lists], swap.kinds)
    lists[rank] = moved(lists[rank], at, swap.order)
    for name, kind, new in (
            ("operations", "Operation", ["%s, %d, %s, %s" % row for one in lists for row in one]),
            ("loops", "Loop", [f"{sum(map(len, lists[:i]))}, {len(one)}, 1" for i, one in enumerate(lists)]),
            ("ranks", "RankList", [f"{i}, 1, 0" for i in range(len(lists))])):
        found, _ = rows(text, name)
        body = "".join(f"    {{{row}}}, // {i}\n" for i, row in enumerate(new))
        text = text.replace(found[0], f"inline constexpr std::array<{kind}, {len(new)}> {name}{{{{\n{body}}}}};\n")
    return text
