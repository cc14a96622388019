#!/usr/bin/env python3
"""Rewrites files of version 0.1.0 with the names of the table, all rows at once: tools/rename/README.md says what for."""

import argparse
import pathlib
import re
import sys

import data
import golden
import plan
import prose
import schemas
import sources
import table

FENCE = re.compile(r"^( *)(```+)([^\n]*)\n(.*?)^\1\2[ \t]*$", re.S | re.M)


class Tool:
    def __init__(self, renames, library=golden.LIBRARY):
        sys.setrecursionlimit(20_000)
        self.renames, self.talk = renames, prose.Prose(renames)
        self.golden = golden.Golden(renames, self.talk, library)
        self.talk.page = self.markdown
        self.sources = sources.Sources(renames, self.talk, data.Keys(renames))
        self.left = []

    def text(self, path, text, sibling=None):
        """The new text of a file. `sibling` gives the text of a file next to it by name, or None."""
        suffix, name = path.suffix, path.name
        if suffix == ".dpl":
            return self.dpl(name, text, sibling)
        if suffix == ".expected":
            test = sibling(path.with_suffix(".dpl").name) if sibling else None
            return self.golden.expected(path.with_suffix(".dpl").name, text, test)
        if suffix in (".json", ".jsonl"):
            return data.json_text(text, self.renames, self.talk) or text
        if suffix == ".csv":
            return data.csv_text(text, self.renames, self.talk)
        if suffix == ".ir" or text.startswith("plan {"):
            return plan.text(text, self.renames, self.talk)
        if suffix == ".md":
            return self.markdown(text)
        if suffix in (".cpp", ".h", ".def"):
            return self.sources.cpp(text)
        if suffix in (".py", ".sh"):
            return self.sources.reader(self.talk.ticked(text, bare=False))
        if not suffix and sources.DECLARATION.search(text):
            return self.dpl(name, text, sibling)
        return self.golden.screen(text, None, None)

    def dpl(self, name, text, sibling):
        if re.search(r"(?m)^// ---( |$)|^// RUN: ", text):
            self.note(name, self.golden.read(name, text))
            return self.golden.source(name, text)
        files = {}
        for path in re.findall(r'(?m)^\s*import\s+"([^"]+)"', text):
            files[path.removeprefix("./")] = sibling(path) if sibling else None
        source = golden.Source(text, self.renames, self.talk, files)
        self.left += [(name, *left) for left in source.unresolved(self.renames.olds)]
        return source.new()

    def note(self, name, cases):
        for case in cases:
            for file, source in case.sources.items():
                self.left += [(f"{name}: {file}", *left) for left in source.unresolved(self.renames.olds)]

    def markdown(self, text):
        out, at, case, body = [], 0, None, ""
        for fence in FENCE.finditer(text):
            out.append(self.prose(text[at:fence.start()]))
            kind, old = fence[3].strip(), fence[4]
            if kind.startswith("dpl"):
                new = self.fragment(old) if "fragment" in kind else self.golden.source("plan.dpl", old)
                case, body = self.golden.read("plan.dpl", old)[-1], old
            else:
                new = self.fence(kind, old, case, body)
            out.append(f"{fence[1]}{fence[2]}{fence[3]}\n{new}{fence[1]}{fence[2]}")
            at = fence.end()
        return "".join(out) + self.prose(text[at:])

    def fence(self, kind, text, case, source):
        """A fence of another language; one of no language is what `dplc` prints of the file above it."""
        if kind in ("json", "jsonl"):
            return data.json_text(text, self.renames, self.talk) or text
        if kind in ("sh", "console", "bash"):
            return "\n".join(self.talk.command(l) if "dplc " in l else l for l in text.split("\n"))
        if kind in ("cpp", "python"):
            return self.sources.cpp(text) if kind == "cpp" else self.sources.reader(text)
        if kind:
            return text
        if text.startswith("$ "):
            return self.golden.expected("plan.dpl", text, source or None)
        return self.golden.section(text, case, "", "")

    def fragment(self, text):
        """Fields without the layout around them."""
        if sources.DECLARATION.search(text):
            return golden.Source(text, self.renames, self.talk, {}).new()
        head, tail = "layout fragment for m on c {\n", "}\n"
        return golden.Source(head + text + tail, self.renames, self.talk, {}).new()[len(head):-len(tail)]

    def prose(self, text):
        title = lambda m: m[1] + self.renames.diagnostic(m[2])
        return self.talk.ticked(re.sub(r"(?m)^(# DPL\d{4} )([\w-]+)$", title, text))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", default=table.TABLE, help="a table of old and new names in place of names.tsv")
    parser.add_argument("--slice", type=int, default=0, metavar="N", help="only the rows of slice N, behind those of 1 to N-1")
    parser.add_argument("--inverse", action="store_true", help="from the new names back to the old ones")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file would change")
    parser.add_argument("--report-unresolved", action="store_true", help="list names equal to an old one that were left")
    parser.add_argument("--freeze", metavar="ROOT", help="write schemas.tsv from the sources below ROOT")
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args(arguments)
    if options.freeze:
        lines = ["\t".join(line) + "\n" for line in schemas.freeze(options.freeze).lines()]
        head = "# What `rename.py --freeze` read from the sources of version 0.1.0. Columns: kind, scope, name, detail.\n"
        schemas.FROZEN.write_text(head + "".join(lines))
        return 0
    tool = Tool(table.renames(options.table, options.slice, options.inverse))
    texts = {path: read(path) for path in options.files}
    known = {path.resolve(): text for path, text in texts.items()}

    def find(name):
        for folder in (pathlib.Path(), golden.LIBRARY.parent):
            path = (folder / name).resolve()
            if path in known or path.is_file():
                return known[path] if path in known else read(path)
        return None
    tool.golden.find = find
    changed = 0
    for path, text in texts.items():
        def sibling(name, folder=path.parent):
            other = folder / name
            return texts.get(other) or (read(other) if other.is_file() else None)
        new = tool.text(path, text, sibling)
        if new != text:
            changed += 1
            if options.check:
                print(f"{path} changes")
            else:
                path.write_bytes(new.encode("utf-8", "surrogateescape"))
    if options.report_unresolved:
        for name, line, token in tool.left:
            print(f"{name}:{line}: `{token}` is left")
        for name, count in sorted(tool.talk.left.items()):
            print(f"`{name}` is left in {count} comments, messages or sentences")
    return 1 if options.check and changed else 0


def read(path):
    return path.read_bytes().decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    sys.exit(main())
