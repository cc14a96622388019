#pragma once
//===- PlanFile.h - A whole .dpl file with a model, a cluster and a layout --------------------===//
#include <cstdint>
#include <string>
#include <vector>

namespace dpl::imports {

/// The parts of the .dpl file for an imported launch. Texts are fields of blocks, one per line.
struct PlanFile {
  std::string source;  ///< name of the imported file
  std::string remarks; ///< comment lines about options and settings that the plan does not have
  /// The declaration of a model named `imported`; empty if `model` is a library model.
  std::string declaration;
  std::string model = "imported";
  std::string cluster; ///< name of the cluster in the library
  std::uint64_t nodes = 1, gpus = 8;
  std::string mesh, layout;
  std::string run; ///< text of a `run` block, or empty

  std::string text() const;
};

/// A text as a comment line.
std::string remark(const std::string& text);
/// Comment lines that list options without a meaning for a plan, and options that `--ignore` left
/// out.
std::string remarksOf(const std::vector<std::string>& unused,
                      const std::vector<std::string>& ignored);
/// The text of a `run` block with one phase, such as "steps = 100step".
std::string runOf(const std::string& phase);

} // namespace dpl::imports
