"""Reads names.txt and resolves its lines against the index that index.py made."""

import re, sqlite3, os, collections

HERE = os.path.dirname(os.path.abspath(__file__))
DB = os.environ.get("DPL_NAMES_INDEX", os.path.join("build", "names.sqlite"))
TYPES = {
    "STRUCT_DECL",
    "CLASS_DECL",
    "UNION_DECL",
    "ENUM_DECL",
    "CLASS_TEMPLATE",
    "TYPE_ALIAS_DECL",
    "TYPEDEF_DECL",
    "TYPE_ALIAS_TEMPLATE_DECL",
    "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION",
}
FUNCS = {"CXX_METHOD", "FUNCTION_DECL", "FUNCTION_TEMPLATE"}


def kindOf(k):
    return (
        "type"
        if k in TYPES
        else (
            "enumerator"
            if k == "ENUM_CONSTANT_DECL"
            else (
                "function"
                if k in FUNCS
                else "member" if k == "FIELD_DECL" else "constant" if k == "VAR_DECL" else k
            )
        )
    )


def load():
    slices = []
    for f in ("names.txt",):
        p = os.path.join(HERE, f)
        if not os.path.exists(p):
            continue
        head = None
        for n, line in enumerate(open(p), 1):
            line = line.strip()
            if not line:
                continue
            if line.startswith("## "):
                slices.append(
                    {
                        "title": line[3:],
                        "rows": [],
                        "files": [],
                        "locals": [],
                        "edits": [],
                        "suites": [],
                        "where": f"{f}:{n}",
                    }
                )
                continue
            if line.startswith("["):
                head = line[1:-1]
                continue
            if head == "files":
                a, b = line.split(" -> ")
                if b != "=":
                    slices[-1]["files"].append((a, b))
            elif head == "suites":
                slices[-1]["suites"].append(tuple(line.split(" -> ")))
            elif head == "edits":
                a, b, c = re.match(r"(\S+) :: (.*) => (.*)$", line).groups()
                slices[-1]["edits"].append((a, b, c))
            elif head == "locals":
                m = re.match(r"(\w+)(?: @(\S+))? : (.*) -> (\w+)$", line)
                slices[-1]["locals"].append(m.groups())
            else:
                a, b = line.split(" -> ")
                slices[-1]["rows"].append((head, a, b, f"{f}:{n}"))
    return slices


def resolve(db, head, name):
    if "#" in head:
        f = head.split("#")[0]
        rows = db.execute(
            "select * from ent where file=? and local=0 and name=?", (f, name.split("::")[-1])
        ).fetchall()
        out = []
        for r in rows:
            q = r["qual"].replace("(anonymous)::", "")
            if q == name or q.endswith("::" + name):
                rest = q[: -len(name)].rstrip(":")
                if rest == "" or rest.startswith("dpl"):
                    out.append(r)
        return out
    q = head + "::" + name
    rows = db.execute("select * from ent where qual=? and local=0", (q,)).fetchall()
    return rows


def open_db():
    db = sqlite3.connect(DB)
    db.row_factory = sqlite3.Row
    return db
