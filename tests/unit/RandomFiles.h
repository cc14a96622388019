#pragma once
//===- RandomFiles.h - Random files with a given mesh, for every framework --------------------===//
#include "SchemaCases.h"
#include "driver/workspace/Workspace.h"

namespace dpl::test {

/// A file of one layout: the lines before its fields, and a line for each of its fields.
struct LayoutFile {
  std::string head;
  std::vector<std::string> fields;
  std::string text() const;
  /// With fields as a message writes them: they take the place of those that set the same.
  LayoutFile with(const std::vector<std::string>& changes) const;
};
/// What stands between backquotes: "`micro_batch = 1seq` and `recompute = full`".
std::vector<std::string> quoted(const std::string& text);

/// Files of SchemaCases whose mesh is any point of their space instead of `auto`.
class RandomFiles {
public:
  explicit RandomFiles(unsigned seed) : cases(seed) {}
  /// The next file whose layout has legal degrees; its framework is any of the targets, or none.
  LayoutFile file();
  std::uint64_t below(std::uint64_t n) { return cases.below(n); }

private:
  SchemaCases cases;
};

} // namespace dpl::test
