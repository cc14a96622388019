#!/usr/bin/env python3
"""Index every declaration and reference of the project's C++ by libclang 14 into SQLite.

usage: index.py SRC COMPILE_COMMANDS ORIGINAL_ROOT DB
SRC is a checkout; COMPILE_COMMANDS was made in ORIGINAL_ROOT (paths are mapped to SRC).
"""

import ctypes, json, os, re, shlex, sqlite3, sys, time
import clang.cindex as ci
from clang.cindex import CursorKind as K, Index, TranslationUnit, conf

SRC, CC, ROOT, DB = sys.argv[1:5]
RES = "/usr/lib/llvm-14/lib/clang/14.0.6"
lib = conf.lib
lib.clang_getFileLocation.argtypes = [ci.SourceLocation, ctypes.POINTER(ctypes.c_void_p)] + [
    ctypes.POINTER(ctypes.c_uint)
] * 3
lib.clang_getFileName.argtypes = [ctypes.c_void_p]
lib.clang_getFileName.restype = ci._CXString
lib.clang_getNumOverloadedDecls.argtypes = [ci.Cursor]
lib.clang_getNumOverloadedDecls.restype = ctypes.c_uint
lib.clang_getOverloadedDecl.argtypes = [ci.Cursor, ctypes.c_uint]
lib.clang_getOverloadedDecl.restype = ci.Cursor
lib.clang_getOverloadedDecl.errcheck = ci.Cursor.from_cursor_result

db = sqlite3.connect(DB)
db.executescript("""
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
create table if not exists ent(id integer primary key, usr text unique, kind text, name text, qual text, scope text, file text, line int, off int, type text, local int, anon int, isdef int);
create table if not exists occ(ent int, file text, off int, decl int, macro int, primary key(ent, file, off)) without rowid;
create table if not exists unres(file text, off int, name text, kind text, primary key(file, off)) without rowid;
create table if not exists done(file text primary key);
create table if not exists errs(tu text, msg text);
""")
done = {r[0] for r in db.execute("select file from done")}
ids = {r[0]: r[1] for r in db.execute("select usr,id from ent")}
texts, fnames = {}, {}


def text(f):
    if f not in texts:
        try:
            texts[f] = open(os.path.join(SRC, f), "rb").read()
        except OSError:
            texts[f] = b""
    return texts[f]


def rel(p):
    p = os.path.normpath(p)
    return p[len(SRC) + 1 :] if p.startswith(SRC + "/") else None


fp, l_, c_, o_ = ctypes.c_void_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()


def loc(cur):
    lib.clang_getFileLocation(
        lib.clang_getCursorLocation(cur),
        ctypes.byref(fp),
        ctypes.byref(l_),
        ctypes.byref(c_),
        ctypes.byref(o_),
    )
    if not fp.value:
        return None, 0, 0
    f = fnames.get(fp.value)
    if f is None:
        f = fnames[fp.value] = rel(lib.clang_getFileName(fp)) or ""
    return f, o_.value, l_.value


DECLS = {
    K.STRUCT_DECL,
    K.CLASS_DECL,
    K.UNION_DECL,
    K.ENUM_DECL,
    K.ENUM_CONSTANT_DECL,
    K.FIELD_DECL,
    K.FUNCTION_DECL,
    K.CXX_METHOD,
    K.VAR_DECL,
    K.PARM_DECL,
    K.TYPEDEF_DECL,
    K.TYPE_ALIAS_DECL,
    K.NAMESPACE,
    K.FUNCTION_TEMPLATE,
    K.CLASS_TEMPLATE,
    K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
    K.CONSTRUCTOR,
    K.DESTRUCTOR,
    K.CONVERSION_FUNCTION,
    K.TYPE_ALIAS_TEMPLATE_DECL,
    K.TEMPLATE_TYPE_PARAMETER,
    K.TEMPLATE_NON_TYPE_PARAMETER,
    K.NAMESPACE_ALIAS,
    K.UNEXPOSED_DECL,
    K.CONCEPT_DECL if hasattr(K, "CONCEPT_DECL") else K.NAMESPACE_ALIAS,
}
REFS = {
    K.DECL_REF_EXPR,
    K.MEMBER_REF_EXPR,
    K.TYPE_REF,
    K.TEMPLATE_REF,
    K.NAMESPACE_REF,
    K.MEMBER_REF,
    K.VARIABLE_REF,
    K.OVERLOADED_DECL_REF,
    K.CXX_BASE_SPECIFIER and K.TYPE_REF,
}
FUNCS = {
    K.FUNCTION_DECL,
    K.CXX_METHOD,
    K.FUNCTION_TEMPLATE,
    K.CONSTRUCTOR,
    K.DESTRUCTOR,
    K.CONVERSION_FUNCTION,
    K.LAMBDA_EXPR,
}
import clang.cindex

entcache = {}


def ent(cur):
    """Entity id of a declaration cursor, or None when it is not ours."""
    h = cur.hash
    hit = entcache.get(h)
    if hit is not None:
        for c, e in hit:
            if c == cur:
                return e
    e = makeEnt(cur)
    entcache.setdefault(h, []).append((cur, e))
    return e


def makeEnt(cur):
    # a member of an instantiation belongs to its template
    g = lib.clang_getSpecializedCursorTemplate(cur)
    if g is not None and isinstance(g, ci.Cursor) and not g.kind.is_invalid():
        cur = g
    f, off, line = loc(cur)
    if not f:
        return None
    name = cur.spelling
    if not name:
        return None
    usr = cur.get_usr()
    parts, anon, local = [], 0, 0
    p = cur.semantic_parent
    pk = None
    while p is not None and p.kind != K.TRANSLATION_UNIT:
        if p.kind in FUNCS:
            local = 1
        s = p.spelling
        if p.kind == K.NAMESPACE and not s:
            anon = 1
        parts.append(s or "(anonymous)")
        p = p.semantic_parent
    if cur.kind in (K.PARM_DECL, K.TEMPLATE_TYPE_PARAMETER, K.TEMPLATE_NON_TYPE_PARAMETER):
        local = 1
    scope = "::".join(reversed(parts))
    if not usr or local:
        usr = f"{f}:{off}:{name}"
    elif anon or cur.linkage == ci.LinkageKind.INTERNAL and not f.endswith(".h"):
        usr = usr + "@" + f
    if cur.kind == K.CONSTRUCTOR or cur.kind == K.DESTRUCTOR:
        c = cur.semantic_parent
        return ent(c) if c is not None else None
    i = ids.get(usr)
    if i is None:
        try:
            ty = cur.type.spelling
        except Exception:
            ty = ""
        i = ids[usr] = len(ids) + 1
        db.execute(
            "insert into ent values(?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                i,
                usr,
                cur.kind.name,
                name,
                (scope + "::" if scope else "") + name,
                scope,
                f,
                line,
                off,
                ty,
                local,
                anon,
                int(cur.is_definition()),
            ),
        )
    elif cur.is_definition() and cur.kind not in (K.PARM_DECL,):
        db.execute(
            "update ent set file=?,line=?,off=?,isdef=1,kind=? where id=? and isdef=0",
            (f, line, off, cur.kind.name, i),
        )
    return i


def add(e, cur, name, decl):
    f, off, _ = loc(cur)
    if not f:
        return
    t = text(f)
    b = name.encode()
    if t[off : off + len(b)] == b:
        m = 0
    elif t[off : off + 1] == b"~" and t[off + 1 :].lstrip()[: len(b)] == b:
        off = t.index(b, off)
        m = 0
    elif t[off : off + 8] == b"operator":
        return
    else:
        m = 1
    db.execute("insert or ignore into occ values(?,?,?,?,?)", (e, f, off, decl, m))


OPER = re.compile(r"operator(\W|$)")


def overloads(c, at):
    n = lib.clang_getNumOverloadedDecls(c)
    for i in range(n):
        r = lib.clang_getOverloadedDecl(c, i)
        if r is not None:
            e = ent(r)
            if e is not None:
                add(e, at, names_(e), 0)
    if n == 0:
        unres(at)


def visit(cur, parent):
    k = cur.kind
    if k in DECLS:
        name = cur.spelling
        if name and k != K.UNEXPOSED_DECL:
            e = ent(cur)
            if e is not None:
                if k in (K.CONSTRUCTOR, K.DESTRUCTOR):
                    name = names_(e)
                if k != K.CONVERSION_FUNCTION and not OPER.match(name):
                    add(e, cur, name, 1)
    elif k in REFS:
        if k == K.OVERLOADED_DECL_REF:
            overloads(cur, cur)
        else:
            r = cur.referenced
            if r is None or r.kind.is_invalid():
                unres(cur)
            elif r.kind == K.OVERLOADED_DECL_REF:
                overloads(r, cur)
            else:
                e = ent(r)
                if e is not None:
                    if not OPER.match(r.spelling):
                        add(e, cur, names_(e), 0)
    return True


nm = {}


def names_(e):
    if e not in nm:
        nm[e] = db.execute("select name from ent where id=?", (e,)).fetchone()[0]
    return nm[e]


def unres(cur):
    s = cur.spelling
    f, off, _ = loc(cur)
    if f and not s:
        m = re.match(rb"[A-Za-z_]\w*", text(f)[off : off + 100])
        s = m.group(0).decode() if m else ""
    if not s:
        return
    if f:
        db.execute("insert or ignore into unres values(?,?,?,?)", (f, off, s, cur.kind.name))


CB = ci.callbacks["cursor_visit"]


def walk(root):
    tu = root._tu

    def cb(child, parent, _):
        child._tu = tu
        visit(child, None)
        return 2

    fn = CB(cb)
    lib.clang_visitChildren(root, fn, None)


idx = Index.create(excludeDecls=True)


def parse(file, args, pch=None):
    a = list(args)
    if pch:
        a += ["-include-pch", pch]
    return idx.parse(file, a, options=TranslationUnit.PARSE_NONE)


def process(tu, name):
    global entcache
    entcache = {}
    fnames.clear()
    for d in tu.diagnostics:
        if d.severity >= 3:
            db.execute("insert into errs values(?,?)", (name, str(d)))
    newly = set()
    for top in tu.cursor.get_children():
        f, off, _ = loc(top)
        if not f:
            continue
        if f.endswith(".h"):
            if f in done:
                continue
            newly.add(f)
        if top.kind in DECLS:
            visit(top, None)
        walk(top)
    done.update(newly)
    for f in newly:
        db.execute("insert or ignore into done values(?)", (f,))
    db.execute("insert or ignore into done values(?)", (name,))
    done.add(name)
    db.commit()


def main():
    cmds = json.load(open(CC))
    cmds2 = []
    for extra in sys.argv[5:]:
        cmds += [c for c in json.load(open(extra)) if "/fuzz/" in c["file"]]
    seen = set()
    base = [
        "-std=c++20",
        "-D_GNU_SOURCE",
        "-D__STDC_CONSTANT_MACROS",
        "-D__STDC_FORMAT_MACROS",
        "-D__STDC_LIMIT_MACROS",
        "-fno-exceptions",
        "-I" + SRC,
        "-isystem",
        "/usr/lib/llvm-14/include",
        "-resource-dir",
        RES,
        "-DGTEST_HAS_PTHREAD=1",
        "-w",
        "-x",
        "c++",
    ]
    pchdir = os.path.dirname(os.path.abspath(DB))

    def pch(header, file):
        out = os.path.join(pchdir, os.path.basename(DB) + file)
        if not os.path.exists(out):
            tu = idx.parse(header, base + ["-x", "c++-header"], options=TranslationUnit.PARSE_INCOMPLETE)
            process(tu, os.path.relpath(header, SRC))
            tu.save(out)
        return out

    support = pch(SRC + "/support/Precompiled.h", ".support.pch")
    irp = pch(SRC + "/ir/Precompiled.h", ".ir.pch")
    t0 = time.time()
    for n, c in enumerate(cmds):
        f = c["file"]
        if not f.startswith(ROOT + "/") or f.startswith(ROOT + "/build"):
            continue
        r = f[len(ROOT) + 1 :]
        if r in seen or r in done or r.endswith(".c"):
            continue
        seen.add(r)
        args = [a for a in shlex.split(c["command"])[1:]]
        keep = [a for a in args if a.startswith("-DDPL")]
        inc = []
        for a, b in zip(args, args[1:] + [""]):
            if a == "-isystem" and b != "/usr/lib/llvm-14/include":
                inc += ["-isystem", b]
            if a.startswith("-I") and a != "-I" + ROOT:
                inc.append(
                    a.replace("-I" + ROOT + "/", "-I" + SRC + "/")
                    if not a.startswith("-I" + ROOT + "/build")
                    else a
                )
        exc = "-fexceptions" in args
        isup = "dpl_support.dir/cmake_pch" in c["command"]
        p = None if exc or "cmake_pch" not in c["command"] else support if isup else irp
        a = list(base) + keep + inc
        if "_tests.dir/cmake_pch" in c["command"]:
            a += ["-include", "gtest/gtest.h"]
        if r.endswith("ParseTree.cpp"):
            a += ["-isystem", ROOT + "/grammar"] if False else []
        if exc:
            a = [x for x in a if x != "-fno-exceptions"] + ["-fexceptions"]
        try:
            tu = parse(os.path.join(SRC, r), a, p)
        except Exception as ex:
            db.execute("insert into errs values(?,?)", (r, repr(ex)))
            continue
        process(tu, r)
        if n % 20 == 0:
            print(n, r, round(time.time() - t0), flush=True)


main()
