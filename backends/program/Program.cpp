//===- Program.cpp - The files of the communication program -----------------------------------===//
#include "backends/program/Program.h"

using namespace dpl;

namespace {
constexpr const char* shared[] = {"Checks.cpp",  "Links.cpp", "Links.h",   "main.cpp",   "Mesh.h",
                                  "Options.cpp", "Options.h", "Pattern.h", "Runner.cpp", "Runner.h",
                                  "Tables.h",    "Times.cpp", "Times.h",   "Transport.h"};
} // namespace

std::vector<EmittedFile> dpl::program::render(const TargetRequest& request,
                                              llvm::ArrayRef<const char*> own) {
  std::vector<EmittedFile> files{{"plan.h", planTables(request)}};
  const auto add = [&](const std::string& folder, const std::string& name) {
    const bool code =
        llvm::StringRef(name).endswith(".cpp") || llvm::StringRef(name).endswith(".h");
    files.push_back({name, headerOf(request, code ? "//" : "#") +
                               sourceText(folder + "/source/" + name).str()});
  };
  for (const char* name : own)
    add(request.target.name, name);
  for (const char* name : shared)
    add("program", name);
  return files;
}
