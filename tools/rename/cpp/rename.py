#!/usr/bin/env python3
"""Applies slices of names.txt to a checkout that the index (DPL_NAMES_INDEX, build/names.sqlite) was made of.

usage: rename.py CHECKOUT [SLICE-NUMBERS, e.g. 1,2,3; default all] [--no-locals] [--dry]

Identifiers are renamed at the places that clang resolved to the entity, never by their spelling. Words of
macro bodies (#define) are renamed where an expansion names a renamed entity. Comments, docs/*.md and the
code fences in them follow by word for names that are unique and by `Type::member`.
"""

import sys, os, re, collections, subprocess

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from spec import *

args = [a for a in sys.argv[1:] if not a.startswith("--")]
ROOT = os.path.abspath(args[0])
want = set(map(int, args[1].split(","))) if len(args) > 1 else None
DRY = "--dry" in sys.argv
LOCALS = "--no-locals" not in sys.argv
db = open_db()
slices = load()
E2N, E2O = {}, {}
for k, s in enumerate(slices, 1):
    if want and k not in want:
        continue
    for head, a, b, w in s["rows"]:
        for r in resolve(db, head, a):
            E2N[r["id"]] = b
            E2O[r["id"]] = r["name"]


# ---- locals and parameters
def enclosing(scope):  # the class whose members a function sees
    p = scope.split("::")
    return ["::".join(p[:i]) for i in range(len(p), 0, -1)]


members = collections.defaultdict(set)
for r in db.execute(
    "select id,scope,name,kind from ent where local=0 and kind in('FIELD_DECL','CXX_METHOD','VAR_DECL')"
):
    members[r["scope"]].add(E2N.get(r["id"], r["name"]))
localsOf = collections.defaultdict(set)
allLocals = db.execute("select * from ent where local=1 and kind in('PARM_DECL','VAR_DECL')").fetchall()
for r in allLocals:
    localsOf[(r["scope"], r["file"])].add(r["name"])
LOCAL_ROWS, skipped = [], []
if LOCALS:
    byName = collections.defaultdict(list)
    for r in allLocals:
        byName[r["name"]].append(r)
    renamedTo = collections.defaultdict(set)
    original = {k: set(v) for k, v in localsOf.items()}
    oldMembers = collections.defaultdict(set)
    for r in db.execute(
        "select scope,name from ent where local=0 and kind in('FIELD_DECL','CXX_METHOD','VAR_DECL')"
    ):
        oldMembers[r["scope"]].add(r["name"])
    freeFns = {
        r["name"]
        for r in db.execute(
            "select name from ent where local=0 and kind in('FUNCTION_DECL','FUNCTION_TEMPLATE')"
        )
    }
    for k, s in enumerate(slices, 1):
        if want and k not in want:
            continue
        for old, where, rx, new in s["locals"]:
            for r in byName.get(old, []):
                if r["id"] in E2N:
                    continue
                if where and not r["file"].startswith(where):
                    continue
                if "/source/" in r["file"]:
                    continue
                if not re.search(rx, r["type"] or ""):
                    continue
                key = (r["scope"], r["file"])
                shadowsAlready = any(old in oldMembers.get(c, ()) for c in enclosing(r["scope"]))
                if (
                    new in original[key]
                    or any(o != old for o, n in renamedTo[key] if n == new)
                    or (not shadowsAlready and any(new in members.get(c, ()) for c in enclosing(r["scope"])))
                ):
                    skipped.append((r["file"], r["line"], r["scope"], old, new))
                    continue
                E2N[r["id"]] = new
                E2O[r["id"]] = old
                LOCAL_ROWS.append((k, r, new))
                renamedTo[key].add((old, new))
# ---- occurrences
edits = collections.defaultdict(dict)
macro = []
conflicts = []
ids = list(E2N)
occs = collections.defaultdict(list)
for i in range(0, len(ids), 500):
    q = ",".join(map(str, ids[i : i + 500]))
    for r in db.execute(f"select * from occ where ent in ({q})"):
        occs[(r["file"], r["off"])].append((r["ent"], r["macro"]))
# other entities at the same place that are not renamed
for (f, off), es in occs.items():
    if "/source/" in f or f.startswith("build/") or f.startswith("/"):
        continue
    news = {(E2O[e], E2N[e]) for e, m in es}
    plain = [e for e, m in es if not m]
    if not plain:
        macro += [(f, off, E2O[e], E2N[e]) for e, m in es]
        continue
    if len({E2N[e] for e in plain}) > 1:
        conflicts.append((f, off, news))
        continue
    edits[f][off] = (E2O[plain[0]], E2N[plain[0]])
# ---- macro bodies
files = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split("\n")[:-1]
cpp = [
    f
    for f in files
    if re.search(r"\.(h|cpp|def|inc)$", f)
    and "/source/" not in f
    and not f.startswith("tests/conformance/nccl/standin")
    and not f.startswith("tests/golden/targets")
]
text = {f: open(os.path.join(ROOT, f), encoding="utf-8").read() for f in cpp}
defs = collections.defaultdict(list)
for f in cpp:
    for m in re.finditer(r"^#define (\w+)(?:\([^)]*\))?((?:.*\\\n)*.*)", text[f], re.M):
        defs[m.group(1)].append((f, m.start(2), m.group(2)))
raw = {f: text[f].encode() for f in cpp}
macroWords = collections.defaultdict(set)


def inBody(name, old, new, seen):
    hit = False
    if name in seen:
        return False
    seen.add(name)
    for f, at, body in defs.get(name, []):
        for m in re.finditer(r"\b" + old + r"\b", body):
            off = len(text[f][: at + m.start()].encode())
            edits[f][off] = (old, new)
            hit = True
        if not hit:
            for m in re.finditer(r"\b([A-Z][A-Z_0-9]+)\b", body):
                hit |= inBody(m.group(1), old, new, seen)
    return hit


lostMacro = set()
for f, off, old, new in macro:
    if f not in raw:
        continue
    m = re.match(rb"\w+", raw[f][off : off + 80])
    name = m.group(0).decode() if m else ""
    if not inBody(name, old, new, set()):
        lostMacro.add((f, name, old, new))
# ---- `using enum X`, which libclang 14 does not visit
quals = {}
for r in db.execute("select id,qual,kind,file,anon from ent where local=0"):
    if kindOf(r["kind"]) == "type" or r["kind"] == "NAMESPACE":
        quals.setdefault(r["qual"].replace("(anonymous)::", ""), r["id"])
enums = [r for r in db.execute("select id,qual,file from ent where local=0 and kind='ENUM_DECL'")]
for f in cpp:
    for m in re.finditer(r"using enum ([\w:]+);", text[f]):
        q = m.group(1)
        c = [r for r in enums if ("::" + r["qual"].replace("(anonymous)::", "")).endswith("::" + q)]
        if len(c) > 1:
            c = (
                [r for r in c if r["file"] == f]
                or [r for r in c if r["file"].split("/")[0] == f.split("/")[0]]
                or c
            )
        if not c:
            continue
        full = c[0]["qual"].replace("(anonymous)::", "").split("::")
        n = len(q.split("::"))
        at = m.start(1)
        for i in range(len(full) - n, len(full)):
            e = quals.get("::".join(full[: i + 1]))
            if i == len(full) - 1:
                e = c[0]["id"]
            w = full[i]
            if e in E2N:
                edits[f][len(text[f][:at].encode())] = (w, E2N[e])
            at += len(w) + 2
# ---- names that libclang 14 does not visit: types named through a using-declaration, classes of member pointers
typeByName = collections.defaultdict(list)
for r in db.execute(
    "select id,name,file,qual,anon,kind from ent where local=0 and file not like '%/source/%'"
):
    if kindOf(r["kind"]) == "type":
        typeByName[r["name"]].append(r)
renamedTypes = {E2O[i] for i in E2N if any(r["id"] == i for r in typeByName.get(E2O[i], ()))}
occIn = collections.defaultdict(set)
entIn = collections.defaultdict(set)
for r in db.execute("select ent,file,off from occ"):
    occIn[r["file"]].add(r["off"])
    entIn[r["file"]].add(r["ent"])
TOK = re.compile(
    rb'//[^\n]*|/\*.*?\*/|R"\w*\(.*?\)\w*"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|^[ \t]*#[ \t]*include[^\n]*|(?P<id>[A-Za-z_]\w*)',
    re.S | re.M,
)
orphans = []
for f in cpp:
    if f.endswith((".def", ".inc")):
        continue
    for m in TOK.finditer(raw[f]):
        w = m.group("id")
        if not w:
            continue
        n = w.decode()
        off = m.start()
        if n not in renamedTypes or off in occIn[f] or off in edits[f]:
            continue
        cand = typeByName[n]
        used = re.findall(r"using ([\w:]+)::" + n + ";", text[f])
        before = raw[f][max(0, off - 60) : off].decode(errors="ignore")
        q = re.search(r"([\w:]+)::$", before)
        qual = q.group(1) if q else None
        if qual:
            c = [
                r for r in cand if r["qual"].replace("(anonymous)::", "").rsplit("::", 1)[0].endswith(qual)
            ] or cand
        elif used:
            c = [r for r in cand if ("::" + r["qual"]).endswith("::" + used[0] + "::" + n)] or cand
        else:
            c = (
                [r for r in cand if r["id"] in entIn[f]]
                or [r for r in cand if r["file"].split("/")[0] == f.split("/")[0]]
                or cand
            )
        after = raw[f][m.end() : m.end() + 4]
        if not used and not qual and not after.startswith(b"::*") and not after.startswith(b" ::*"):
            orphans.append((f, raw[f][:off].count(b"\n") + 1, n, {E2N.get(r["id"], n) for r in c}, "LEFT"))
            continue
        news = {E2N.get(r["id"], n) for r in c}
        if len(news) == 1 and next(iter(news)) != n:
            edits[f][off] = (n, next(iter(news)))
            orphans.append((f, text[f][:0] or raw[f][:off].count(b"\n") + 1, n, next(iter(news)), "renamed"))
        elif len(news) > 1:
            orphans.append((f, raw[f][:off].count(b"\n") + 1, n, news, "AMBIGUOUS"))
# ---- comments and documents
types = collections.defaultdict(set)
memb = collections.defaultdict(set)
allNames = collections.defaultdict(set)
for r in db.execute("select id,name,scope,kind,local,file from ent where file not like '%/source/%'"):
    n = E2N.get(r["id"], r["name"])
    if not r["local"]:
        allNames[r["name"]].add(n)
    if not r["local"] and kindOf(r["kind"]) == "type":
        types[r["name"]].add(n)
    if not r["local"] and r["scope"]:
        memb[(r["scope"].split("::")[-1], r["name"])].add(n)


def humps(n):
    return len(re.findall(r"[A-Z][a-z0-9]*|^[a-z0-9]+", n))


unique = {o: next(iter(ns)) for o, ns in allNames.items() if len(ns) == 1 and next(iter(ns)) != o}
wordSafe = {o: n for o, n in unique.items() if humps(o) >= 2}


def inProse(s):
    def qualified(m):
        a, b = m.group(1), m.group(2)
        ns = memb.get((a, b), set())
        nb = next(iter(ns)) if len(ns) == 1 else b
        ta = types.get(a, set())
        na = next(iter(ta)) if len(ta) == 1 else a
        return na + "::" + nb

    s = re.sub(r"\b([A-Z]\w*)::(\w+)", qualified, s)
    return (
        re.sub(
            r"\b("
            + "|".join(sorted(map(re.escape, wordSafe), key=len, reverse=True))
            + r")\b(?!\.(?:h|cpp)\b)",
            lambda m: wordSafe[m.group(1)],
            s,
        )
        if wordSafe
        else s
    )


# ---- apply
moved = {}
for k, s in enumerate(slices, 1):
    if want and k not in want:
        continue
    for a, b in s["files"]:
        moved[a] = b
bad = 0
out = {}
for f in cpp:
    b = raw[f]
    res = []
    at = 0
    for off in sorted(edits.get(f, {})):
        old, new = edits[f][off]
        if b[off : off + len(old)] != old.encode():
            print("MISMATCH", f, off, old, b[off : off + 20])
            bad += 1
            continue
        res.append(b[at:off])
        res.append(new.encode())
        at = off + len(old)
    res.append(b[at:])
    t = b"".join(res).decode()
    t = re.sub(r"//[^\n]*", lambda m: inProse(m.group(0)), t)
    for k, s in enumerate(slices, 1):
        if want and k not in want:
            continue
        if f.startswith("tests/"):
            for so, sn in s["suites"]:
                t = re.sub(
                    r"\b(TEST(?:_F|_P)?\(|INSTANTIATE_TEST_SUITE_P\(\w+,\s*)" + so + r",",
                    r"\g<1>" + sn + ",",
                    t,
                )
        for ef, eo, en in s["edits"]:
            if ef == f:
                if eo not in t:
                    print("EDIT NOT FOUND", ef, eo)
                t = t.replace(eo, en)
    out[f] = t
docs = [
    f
    for f in files
    if f != "CHANGELOG.md"
    and (
        f.endswith((".md", ".cmake", ".py", ".sh", "CMakeLists.txt"))
        or f.startswith(".ci/")
        or f == "CMakePresets.json"
    )
    and not f.startswith("tests/golden/")
    and not os.path.islink(os.path.join(ROOT, f))
]
for f in docs:
    try:
        t = open(os.path.join(ROOT, f), encoding="utf-8").read()
    except UnicodeDecodeError:
        continue
    for k, s in enumerate(slices, 1):
        if want and k not in want:
            continue
        for so, sn in s["suites"]:
            t = (
                re.sub(r"(?<![\w])" + so + r"\.(?=[A-Z*])", sn + ".", t)
                if f in ("CMakePresets.json",) or f.startswith(".ci/")
                else t
            )
    if f.endswith(".md"):
        t = re.sub(r"(?s)```cpp\n.*?```", lambda m: inProse(m.group(0)), t)
        t = re.sub(r"`[^`\n]+`", lambda m: inProse(m.group(0)), t)
    for k, s in enumerate(slices, 1):
        if want and k not in want:
            continue
        for ef, eo, en in s["edits"]:
            if ef == f:
                if eo not in t:
                    print("EDIT NOT FOUND", ef, eo)
                t = t.replace(eo, en)
    out[f] = t
# file names
if moved:
    full = sorted(moved, key=len, reverse=True)
    rx = re.compile(r"(?<![\w/.-])(" + "|".join(map(re.escape, full)) + r")(?![\w-])")
    bases = collections.Counter(os.path.basename(f) for f in files)
    for f in list(out):
        t = rx.sub(lambda m: moved[m.group(1)], out[f])

        def base(m):
            hits = [a for a in moved if os.path.basename(a) == m.group(1)]
            return (
                os.path.basename(moved[hits[0]]) if len(hits) == 1 and bases[m.group(1)] == 1 else m.group(0)
            )

        t = re.sub(r"(?<![\w/])(\w+\.(?:h|cpp|def))\b", base, t)
        if f in moved:
            a, b2 = os.path.basename(f), os.path.basename(moved[f])

            def head(m):
                rest = m.group(2).rstrip("-").rstrip()
                line = f"//===- {b2} - {rest} "
                return line + "-" * max(1, 94 - len(line) + 2) + "===//"

            t = re.sub(
                r"//===- (?:" + re.escape(a) + "|" + re.escape(b2) + r") - (.*)",
                lambda m: head(re.match(r"()(.*)", m.group(1).replace("===//", "").rstrip())),
                t,
                1,
            )
        out[f] = t
if not DRY:
    for f, t in out.items():
        p = os.path.join(ROOT, f)
        if open(p, encoding="utf-8").read() != t:
            open(p, "w", encoding="utf-8").write(t)
    for a, b in moved.items():
        os.makedirs(os.path.dirname(os.path.join(ROOT, b)), exist_ok=True)
        subprocess.check_call(["git", "mv", a, b], cwd=ROOT)
print(
    len(E2N),
    "entities",
    len(LOCAL_ROWS),
    "locals",
    sum(map(len, edits.values())),
    "edits in",
    len(edits),
    "files; skipped locals",
    len(skipped),
    "conflicts",
    len(conflicts),
    "lost macros",
    len(lostMacro),
    "mismatches",
    bad,
)
if "--orphans" in sys.argv:
    for o_ in orphans:
        print("ORPHAN", *o_)
print("orphans", collections.Counter(o_[4] for o_ in orphans))
for c in conflicts[:40]:
    print("CONFLICT", c)
for l in sorted(lostMacro)[:40]:
    print("LOSTMACRO", l)
if "--skipped" in sys.argv:
    for s_ in skipped:
        print("SKIPPED", s_)
