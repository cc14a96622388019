#pragma once
//===- PlanFile.h - A whole .dpl file with a model, a cluster and a layout --------------------===//
#include <cstdint>
#include <string>

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

} // namespace dpl::imports
