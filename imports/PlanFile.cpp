//===- PlanFile.cpp - A whole .dpl file with a model, a cluster and a layout ------------------===//
#include "imports/PlanFile.h"
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

std::string dpl::imports::remark(const std::string& text) { return "\n/// " + text + "."; }
