#!/usr/bin/env python3
"""Sets an editor up with the commands of editors/README.md, as a new user would, and uses it without a screen.

    python3 clients_test.py --dplc build/release/dplc vscode

The commands run in an empty home folder. VS Code is its stub of the API under node (vscode/stub.js): its program `code`
unpacks the package as VS Code does. Exit status: 0 all as expected, 1 not so, 77 when the editor is not there.

`helix` and `neovim-with-parser` need editors newer than those of Debian 12, so they are run by hand. Those of Debian 13 do
all that is tried here: Helix 25.01.1, Neovim 0.10.4 and Emacs 30.1.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zipfile

import helix as helix_client
import texts

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
NEOVIM = ["nvim", "--headless", "-c", "luafile " + os.path.join(HERE, "neovim.lua")]
EXAMPLE = os.path.join(texts.ROOT, "examples", "llama3_70b_h100.dpl")
# The program `code` of the command line, which only has to note what it is asked to install.
CODE = """#!/bin/sh
[ "$1" = --install-extension ] && cp "$2" "$HOME/installed.vsix"
"""
# What each client does, with the member of the server's capabilities that says it can; None for what it always can.
STEPS = {
    "a message appears at its place": None,
    "a code action repairs it, and the message goes": "codeActionProvider",
    "hover says what a field is": "hoverProvider",
    "definition leads into the library, which is read-only": "definitionProvider",
    "the document is formatted": "documentFormattingProvider",
    "rename changes every use": "renameProvider",
    "completion lists the schedules": "completionProvider",
}
STEPS_OF_VSCODE = {
    **STEPS,
    "inlay hints show figures": "inlayHintProvider",
    "semantic tokens cover words": "semanticTokensProvider",
    "the outline has the declarations": "documentSymbolProvider",
    "the folds have the declarations": "foldingRangeProvider",
    "the server ends with the editor": None,
    "a missing program is reported": None,
    "a program that always ends is reported once": None,
}
STEPS_OF_HELIX = {
    "a code action repairs it, and the message goes": "codeActionProvider",
    "hover says what a field is": "hoverProvider",
    "definition leads into the library": "definitionProvider",
    "the document is formatted": "documentFormattingProvider",
    "rename changes every use": "renameProvider",
    "a new line is indented by the grammar": None,
}
STEPS_OF_VIM = dict.fromkeys(["words are highlighted", ":make lists the messages",
                              "lines are indented as dplc fmt does"])


class Failed(Exception):
    pass


class Unavailable(Exception):
    """What the editor needs and this machine lacks."""


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def fences(heading, language):
    """The code of a language below a heading of the README."""
    section = re.search(rf"(?ms)^## {heading}\n(.*?)(?=^## |\Z)", read(texts.ROOT, "editors", "README.md"))[1]
    found = re.findall(rf"(?ms)^```{language}\n(.*?)^```", section)
    if not found:
        raise Failed(f"editors/README.md has no {language} below {heading}")
    return found


def offered(dplc):
    """The members of the server's capabilities, as it answers `initialize`."""
    asked = [{"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
             {"id": 2, "method": "shutdown"}, {"method": "exit"}]
    stream = b"".join(texts.framed({"jsonrpc": "2.0", **message}) for message in asked)
    done = subprocess.run([dplc, "lsp"], input=stream, capture_output=True, timeout=60, check=True)
    answer = next(message for message in texts.unframed(done.stdout) if message.get("id") == 1)
    return [name for name, value in answer["result"]["capabilities"].items() if value not in (None, False)]


class User:
    """A home folder, a clone of the repository, and a plan."""

    def __init__(self, folder, dplc, capabilities):
        self.home, self.clone, programs = (os.path.join(folder, name) for name in ("home", "clone", "bin"))
        for name in (self.home, self.clone, programs):
            os.mkdir(name)
        for name in ("editors", "LICENSE", "CMakeLists.txt"):
            os.symlink(os.path.join(texts.ROOT, name), os.path.join(self.clone, name))
        os.symlink(os.path.abspath(dplc), os.path.join(programs, "dplc"))
        with open(os.path.join(programs, "code"), "w", encoding="utf-8") as file:
            file.write(CODE)
        os.chmod(os.path.join(programs, "code"), 0o755)
        self.plan = os.path.join(self.home, "plan.dpl")
        shutil.copy(EXAMPLE, self.plan)
        os.chmod(self.plan, 0o644)
        self.variables = {"HOME": self.home, "PATH": programs + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8",
                          "DPL_OFFERED": " ".join(capabilities)}

    def run(self, command, **more):
        done = subprocess.run(command, cwd=self.clone, env={**self.variables, **more}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise Failed(f"{command[0]}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def shell(self, *scripts):
        self.run(["sh", "-euc", "\n".join(scripts)])

    def path(self, *parts):
        return os.path.join(self.home, *parts)


def check_package(path):
    """The parts that VS Code reads of a package before it unpacks it."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        types = xml.fromstring(archive.read("[Content_Types].xml"))
        manifest = xml.fromstring(archive.read("extension.vsixmanifest"))
        package = json.loads(archive.read("extension/package.json"))
    known = {each.get("Extension") for each in types}
    unknown = [name for name in names if os.path.splitext(name)[1] not in known and name != "[Content_Types].xml"]
    space = {"": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
    identity = manifest.find("Metadata/Identity", space)
    if unknown or (identity.get("Id"), identity.get("Version")) != (package["name"], package["version"]):
        raise Failed(f"the package is wrong: {unknown} {identity.attrib}")
    if f"project(dpl VERSION {package['version']} " not in read(texts.ROOT, "CMakeLists.txt"):
        raise Failed("the package has another version than CMakeLists.txt")
    contributed = package["contributes"]
    for part in [each.get("Path") for each in manifest.findall("Assets/Asset", space)] + [
            "extension/" + os.path.normpath(name) for name in (
                package["main"], contributed["grammars"][0]["path"], contributed["languages"][0]["configuration"])]:
        if part not in names:
            raise Failed(f"the package has no {part}")


def vscode(user):
    user.shell(*fences("VS Code", "sh"))
    package = user.path("installed.vsix")
    check_package(package)
    with zipfile.ZipFile(package) as archive:
        archive.extractall(user.path(".vscode"))
    extension = user.path(".vscode", "extension")
    return user.run(["node", os.path.join(HERE, "vscode", "client_test.js"), extension, user.plan])


def neovim(user):
    user.shell(fences("Neovim", "sh")[0])
    return user.run(NEOVIM + [user.plan])


def neovim_with_parser(user):
    """By hand, where Neovim is 0.9 or newer."""
    user.shell(*fences("Neovim", "sh"))
    return user.run(NEOVIM + [user.plan], DPL_TREE_SITTER="1")


def helix(user):
    """By hand, as Debian 12 has no Helix."""
    user.shell(*fences("Helix", "sh"))
    with open(user.path(".config", "helix", "languages.toml"), "w", encoding="utf-8") as file:
        file.write(fences("Helix", "toml")[0])
    health = user.run(["hx", "--health", "dpl"])
    for part in ("Tree-sitter parser", "Highlight queries", "Indent queries"):
        if not re.search(rf"{part}: \S*✓", health):
            raise Failed(health)
    return helix_client.use(user)


def emacs(user):
    eglot = "(progn (package-initialize) (kill-emacs (if (require 'eglot nil t) 0 77)))"
    if subprocess.run(["emacs", "--batch", "--eval", eglot], capture_output=True, check=False).returncode != 0:
        raise Unavailable("Emacs has no eglot")
    user.shell(re.search(r"`(mkdir -p ~/\.emacs\.d/lisp && [^`]*)`", read(texts.ROOT, "editors", "README.md"))[1])
    init = user.path(".emacs.d", "init.el")
    with open(init, "w", encoding="utf-8") as file:
        file.write(fences("Emacs", "elisp")[0])
    return user.run(["emacs", "--batch", "-l", os.path.join(HERE, "emacs.el"), init, user.plan])


def vim(user):
    user.shell(*fences("Vim", "sh"))
    settings = user.path(".vimrc")
    with open(settings, "w", encoding="utf-8") as file:
        file.write("source $VIMRUNTIME/defaults.vim\n")
    log = user.path("log")
    files = [path for path in texts.files() if os.path.relpath(path, texts.ROOT).split("/")[0] in ("examples", "stdlib")]
    try:
        user.run(["vim.basic", "--not-a-term", "-n", "-i", "NONE", "-S", os.path.join(HERE, "vim.vim"), user.plan],
                 TERM="xterm-256color", DPL_LOG=log, DPL_FILES="\n".join(files))
    except Failed as why:  # the output of Vim is its screen
        raise Failed(read(log) if os.path.exists(log) else str(why)) from why
    return read(log)


CLIENTS = {
    "vscode": ("node", vscode, STEPS_OF_VSCODE),
    "neovim": ("nvim", neovim, STEPS),
    "neovim-with-parser": ("nvim", neovim_with_parser, STEPS),
    "emacs": ("emacs", emacs, STEPS),
    "helix": ("hx", helix, STEPS_OF_HELIX),
    "vim": ("vim.basic", vim, STEPS_OF_VIM),  # Debian's name; `vim` may be Neovim
}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dplc", required=True)
    options.add_argument("client", choices=CLIENTS)
    given = options.parse_args()
    program, use, steps = CLIENTS[given.client]
    if shutil.which(program) is None:
        print(f"skipped: there is no {program}")
        return SKIPPED
    capabilities = offered(given.dplc)
    with tempfile.TemporaryDirectory() as folder:
        try:
            out = use(User(folder, given.dplc, capabilities))
        except Unavailable as why:
            print(f"skipped: {why}")
            return SKIPPED
        except Failed as why:
            print(why)
            return 1
    print(out, end="")
    wanted = [step for step, capability in steps.items() if capability is None or capability in capabilities]
    if without := [step for step in steps if step not in wanted]:
        print(f"note: the server does not offer: {'; '.join(without)}")
    missing = [step for step in wanted if f"ok {step}\n" not in out]
    if missing:
        print(f"not checked: {missing}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
