#pragma once
//===- Python.h - A Python file read as data --------------------------------------------------===//
#include "frontend/import/settings/SettingValue.h"
#include <map>

namespace dpl::imports::settings {

/// The functions of a module that return settings, read and never run: literals, calls with keyword
/// arguments, assignments to names and attributes, `return`. A function that takes no arguments is
/// followed where another calls it. What is not of this kind is `Unread`, and a statement that is
/// not makes its function unreadable.
class PythonModule {
public:
  PythonModule(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags)
      : text(sources.text(file)), file(file), diags(diags) {}
  /// Finds functions, imports and the values of the module's names.
  LogicalResult read();
  /// Those that return something, in the order of the file.
  const std::vector<std::string>& functions() const { return order; }
  /// What the function returns; nothing after a report.
  FailureOr<SettingValue> returned(const std::string& function, unsigned depth = 0);
  /// Of `from a.b import f`: "a.b"; "" where nobody imports it.
  std::string moduleOf(const std::string& name) const;
  /// The body of a function, without what is around it.
  std::string bodyOf(const std::string& function) const;

private:
  struct Line {
    std::size_t begin, end;
  };
  struct PythonFunction {
    bool arguments;
    std::vector<Line> lines;
    SourceRange at;
  };
  using PythonNames = std::map<std::string, SettingValue>;
  friend class LiteralReader;

  FailureOr<Line> lineAt(std::size_t begin);
  LogicalResult top(Line line, PythonFunction*& open);
  FailureOr<bool> statement(Line line, PythonNames& names, SettingValue& result, unsigned depth);
  LogicalResult broken(const std::string& why, std::size_t begin);

  llvm::StringRef text;
  std::uint32_t file;
  DiagnosticEngine& diags;
  std::map<std::string, PythonFunction> bodies;
  std::map<std::string, std::string> imported;
  std::vector<std::string> order;
  PythonNames globals;
  ValueBudget budget;
};

} // namespace dpl::imports::settings
