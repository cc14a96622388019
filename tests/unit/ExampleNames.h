#pragma once
//===- ExampleNames.h - The names and plans of the examples, for tests that damage them -------===//
#include "driver/workspace/Workspace.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dpl::test {

/// The paths of all examples, sorted.
std::vector<std::string> examplePaths();

/// The declarations of a file that refer to the one at a place, also indirectly, and that
/// declaration itself.
std::set<std::string> usersOf(std::uint32_t place, FileNames& names);

/// The hash of what is predicted. Assertions may read a missing `let` and predict nothing.
std::string hashOfPrediction(ir::Plan& plan);

/// A change of a text: `removed` bytes at `at` become `added`.
struct TextEdit {
  std::uint32_t at = 0, removed = 0;
  std::string added = {};
  std::string appliedTo(const std::string& text) const {
    return text.substr(0, at) + added + text.substr(at + removed);
  }
};

/// One example, as it is and after edits of it.
class EditedExample {
public:
  explicit EditedExample(std::string path);

  const std::string text;
  FileNames& names() { return *whole; }
  const std::map<std::string, std::string>& hashes();

  /// Opens the text with an edit.
  void edit(const TextEdit& edit);
  /// The share of the names outside of the edit that keep their meaning, in percent.
  double keptNames();
  /// The layouts that have no plan after the edit, or another one.
  std::set<std::string> changedPlans();

private:
  std::string path;
  Workspace undamaged, damaged;
  std::unique_ptr<FileNames> whole;
  std::optional<std::map<std::string, std::string>> known;
  TextEdit last;
};

} // namespace dpl::test
