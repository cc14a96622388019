//===- TinyPlan.cpp - A small model on sixteen devices ----------------------------------------===//
#include "tests/unit/TinyPlan.h"
using namespace dpl;

ir::Plan test::tinyPlan(const std::string& mesh, const std::string& rest,
                        const std::string& cluster) {
  return completedPlan("small.dpl",
                       "import std.models\nimport std.clusters\n"
                       "cluster pod from clusters.dgx_h100 { nodes = 2" +
                           cluster +
                           " }\nmodel tiny from models.gpt2_small { hidden = 1024, heads = 16 }\n"
                           "layout train for tiny on pod {\n  mesh { " +
                           mesh + " }\n  batch = 64seq\n  micro_batch = 1seq\n" + rest + "}\n");
}
