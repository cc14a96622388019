"""Swapped pairs of operations: in a printed plan, and in the tables of an emitted program.

An operation is known by its label: (kind, micro-batch, chunk) with the kinds of the emitted program.
"""
import re

NO_MICRO_BATCH = ("collective", "overlapped", "optimizer")


def label(entry):
    """Of an operation in the times that the program writes."""
    kind = "collective" if entry["kind"] == "overlapped" else entry["kind"]
    return (kind, *((0, 0) if kind in NO_MICRO_BATCH else (entry["micro_batch"], entry["chunk"])))


class Swap:
    """Where in the lists of labels something is moved, and how the program has to end."""

    def __init__(self, name, kinds, order, status, message):
        self.name, self.kinds, self.order = name, kinds, order
        self.status, self.message = status, message

    def place(self, lists):
        """Pipeline rank and index of the first operations of these kinds that follow one another."""
        for rank, labels in enumerate(lists):
            for at in range(len(labels) - len(self.kinds) + 1):
                if all(kind == labels[at + i][0] for i, kind in enumerate(self.kinds)):
                    return rank, at
        raise AssertionError(f"the plan has no {self.kinds} in a row")

    def apply(self, items, at):
        return items[:at] + [items[at + i] for i in self.order] + items[at + len(self.kinds):]


class Printed:
    """The operations in what `dplc ir` prints."""

    ROW = re.compile(r"^    operation \{ kind = (\w+), micro_batch = (\d+), chunk = (\d+), forward = (\w+),.*"
                     r"(start = \d+, duration = \d+) \}$")

    def __init__(self, text):
        self.lines, self.ranks = text.split("\n"), []  # of each rank: the numbers of its lines
        for number, line in enumerate(self.lines):
            if line == "  rank {":
                self.ranks.append([])
            elif self.ROW.match(line):
                self.ranks[-1].append(number)

    def label(self, number):
        kind, micro_batch, chunk, forward, _ = self.ROW.match(self.lines[number]).groups()
        if kind in ("send", "receive"):
            kind += "_forward" if forward == "true" else "_backward"
        return (kind, *((0, 0) if kind in NO_MICRO_BATCH else (int(micro_batch), int(chunk))))

    def labels(self):
        return [[self.label(number) for number in rank] for rank in self.ranks]

    def swapped(self, swap):
        """The text with the operations moved; each place keeps its times."""
        rank, at = swap.place(self.labels())
        numbers = self.ranks[rank]
        lines = list(self.lines)
        for place, source in zip(numbers, swap.apply(numbers, at)):
            lines[place] = self.lines[source].replace(self.ROW.match(self.lines[source])[5],
                                                      self.ROW.match(self.lines[place])[5])
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
    rank, at = swap.place([[(kind_of(row),) for row in rows_of] for rows_of in lists])
    lists[rank] = swap.apply(lists[rank], at)
    for name, kind, new in (
            ("operations", "Operation", ["%s, %d, %s, %s" % row for one in lists for row in one]),
            ("loops", "Loop", [f"{sum(map(len, lists[:i]))}, {len(one)}, 1" for i, one in enumerate(lists)]),
            ("ranks", "RankList", [f"{i}, 1, 0" for i in range(len(lists))])):
        found, _ = rows(text, name)
        body = "".join(f"    {{{row}}}, // {i}\n" for i, row in enumerate(new))
        text = text.replace(found[0], f"inline constexpr std::array<{kind}, {len(new)}> {name}{{{{\n{body}}}}};\n")
    return text
