#pragma once
//===- Python.h - Python files read as data ---------------------------------------------------===//
#include "frontend/import/settings/SettingValue.h"
#include <map>

namespace dpl::imports::settings {

/// Reads the functions of a module that return settings, without running them. It knows literals,
/// calls with keyword arguments, assignments to names and attributes, and `return`. A call of a
/// function without arguments is replaced by what the function returns. Other expressions become
/// `NotData`. A function with other statements cannot be read.
class PythonModule {
public:
  PythonModule(const SourceManager& sources, std::uint32_t file, DiagnosticEngine& diags)
      : text(sources.text(file)), file(file), diags(diags) {}
  /// Finds the functions, imports and global values of the module.
  LogicalResult read();
  /// The names of the functions that return something, in the order of the file.
  const std::vector<std::string>& functions() const { return order; }
  /// The value that a function returns. Fails after an error was reported.
  FailureOr<SettingValue> returned(const std::string& function, unsigned depth = 0);
  /// The module of an imported name: "a.b" for `from a.b import f`; empty if it is not imported.
  std::string moduleOf(const std::string& name) const;
  /// The text of a function's statements, without their indentation.
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
