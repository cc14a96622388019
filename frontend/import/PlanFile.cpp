//===- PlanFile.cpp - A whole .dpl file with a model, a cluster and a layout ------------------===//
#include "frontend/import/PlanFile.h"
#include "support/Utf8.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;

std::string PlanFile::text() const {
  const std::string node = gpus == 8 ? "" : fmt::format(", node.gpus = {}", gpus);
  return fmt::format(
      "/// Imported from {}.{}\nimport std.models\nimport std.clusters\n\n{}// A launch does not "
      "say which machine it runs on.\ncluster pod from {} {{ nodes = {}{} }}\n\nlayout launched "
      "for {} on pod {{\n  mesh {{\n{}  }}\n{}}}\n{}",
      oneLine(source), remarks, declaration, cluster, nodes, node, model, mesh, layout, run);
}

std::string dpl::imports::remark(const std::string& text) { return "\n/// " + oneLine(text) + "."; }

std::string dpl::imports::remarksOf(const std::vector<std::string>& unused,
                                    const std::vector<std::string>& ignored) {
  std::string out;
  if (!unused.empty())
    out += remark(fmt::format("Not part of a plan: {}", fmt::join(unused, ", ")));
  if (!ignored.empty())
    out +=
        remark(fmt::format("Ignored, though it may change the plan: {}", fmt::join(ignored, ", ")));
  return out;
}

std::string dpl::imports::runOf(const std::string& phase) {
  return fmt::format("\nrun train for launched {{\n  phase[0] {{ {} }}\n}}\n", phase);
}
