#pragma once
//===- PlanFile.h - A whole .dpl file with a model, a cluster and a layout --------------------===//
#include <cstdint>
#include <string>
#include <vector>

namespace dpl::imports {

/// What an imported launch becomes; texts are fields of blocks, a line each.
struct PlanFile {
  std::string source;  ///< the file that it was
  std::string remarks; ///< what of it the plan does not have, as lines of comment
  /// The declaration of the model `imported`, or of nothing where `model` is one of the library.
  std::string declaration;
  std::string model = "imported";
  std::string cluster; ///< of the library
  std::uint64_t nodes = 1, gpus = 8;
  std::string mesh, layout;
  std::string run; ///< a block, or nothing

  std::string text() const;
};

/// A remark as a line of comment.
std::string remark(const std::string& text);
/// Those of what a plan does not have, and of what was left out though it may change the plan.
std::string remarksOf(const std::vector<std::string>& unused,
                      const std::vector<std::string>& ignored);
/// The block of a run with one phase: "steps = 100step".
std::string runOf(const std::string& phase);

} // namespace dpl::imports
