#pragma once
//===- SandboxRun.h - Scripts that are executed for a test ------------------------------------===//
#include "frontend/import/sandbox/Sandbox.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>

namespace dpl::test {
namespace fs = std::filesystem;
namespace sandbox = imports::sandbox;
using testing::HasSubstr, testing::Not;

/// A folder that others may read, as a script's own folder mostly is.
class Folder {
public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "dpl-sandbox-XXXXXX").string();
    path = ::mkdtemp(name.data()) ? name : "";
    (void)::chmod(path.c_str(), 0755);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

inline std::string textOf(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct ScriptResult {
  bool ran = false;
  sandbox::ScriptOutput seen;
  std::string messages, commands;
};

inline ScriptResult runAt(const std::string& path, sandbox::ScriptRun run = {}) {
  DiagnosticEngine diags;
  run.script = path;
  ScriptResult out;
  const FailureOr<sandbox::ScriptOutput> seen = sandbox::execute(run, diags);
  if (!seen.failed()) {
    out.ran = true, out.seen = *seen;
    const FailureOr<std::string> commands = sandbox::commandsIn(seen->records, "run.sh", diags);
    out.commands = commands.failed() ? "" : *commands;
  }
  for (const Diagnostic& d : diags.diagnostics())
    out.messages += std::string(d.info.code) + " " + d.message + "\n";
  return out;
}

inline ScriptResult run(const std::string& script, const sandbox::ScriptRun& with = {}) {
  const Folder folder;
  return runAt(folder.write("run.sh", script), with);
}

/// Tests of what a script can do need a machine on which one is run at all.
class Sandbox : public testing::Test {
protected:
  void SetUp() override {
    if (const ScriptResult one = run("echo here"); !one.ran)
      GTEST_SKIP() << "no script is run on this machine: " << one.messages;
  }
};

} // namespace dpl::test
