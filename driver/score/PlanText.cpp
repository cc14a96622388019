//===- PlanText.cpp - A table row as a .dpl file ----------------------------------------------===//
#include "driver/score/PlanText.h"
#include "llvm/Support/xxhash.h"
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::score;

namespace {
/// A line `path = value` for each setting of a block. A value in braces amends the field.
std::string fieldsOf(const RowSettings& settings, llvm::StringRef block) {
  std::string text;
  for (const auto& [path, value] : settings.all()) {
    llvm::StringRef field = path;
    if (value.empty() || !field.consume_front(block))
      continue;
    text += fmt::format("  {} {}{}\n", field, llvm::StringRef(value).startswith("{") ? "" : "= ",
                        value);
  }
  return text;
}
} // namespace

std::string score::planText(const RowSettings& settings) {
  const llvm::StringRef model = settings["model"], cluster = settings["cluster"];
  return fmt::format(
      "import std.models\nimport std.clusters\nimport std.servers\nimport std.devices\n{}\n"
      "model trained from {} {{\n{}}}\n\n"
      "cluster machine from {} {{\n{}}}\n\n"
      "layout run for trained on machine {{\n{}}}\n",
      settings["import"].empty() ? "" : fmt::format("import \"{}\" as site\n", settings["import"]),
      model.empty() ? "models.decoder" : model, fieldsOf(settings, "model."),
      cluster.empty() ? "clusters.dgx_h100" : cluster, fieldsOf(settings, "cluster."),
      fieldsOf(settings, "layout."));
}

std::uint64_t score::choiceOf(const RowSettings& settings, std::uint64_t batch) {
  // The batch is hashed as a number, because rows may write it as different products.
  std::string text = fmt::format("batch={}\n", batch);
  for (const auto& [path, value] : settings.all()) {
    const llvm::StringRef p = path;
    if (p.startswith("model") || p.startswith("cluster") || p.startswith("layout.precision") ||
        p == "label.family" || p == "label.software")
      text += fmt::format("{}={}\n", path, value);
  }
  return llvm::xxHash64(text);
}
