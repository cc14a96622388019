#pragma once
//===- FieldTexts.h - The fields of a plan, a path and a text each ----------------------------===//
#include "ir/Plan.h"

namespace dpl::ir {

struct FieldText {
  std::string path;  ///< "cluster.node.count", "model.class[1].attention.window"
  std::string value; ///< as `ir` prints it
};

/// Of what the front end fills in, but for assertions: model, cluster, layout, framework, lint and
/// runs, in the order in which a plan is printed.
std::vector<FieldText> fieldTexts(const Plan& plan);

} // namespace dpl::ir
