#pragma once
//===- CommandBuilder.h - The commands and options of dplc ------------------------------------===//
//
// Includes CLI11: for CommandLine.cpp alone.
#include "tools/dplc/ToolOptions.h"
#include <CLI/App.hpp>
#include <CLI/Config.hpp>

namespace dpl::tool {

DiagnosticFormat formatNamed(llvm::StringRef name);

/// A parser of command lines that writes what it reads into the options.
class CommandBuilder {
public:
  /// With `only` the options of this command alone: there are many, and making them takes time.
  explicit CommandBuilder(ToolOptions& options, llvm::StringRef only = "");
  CLI::App app;

private:
  /// A value that is not empty; `''` is more often a variable that was not set than meant.
  static CLI::Validator given();
  /// A number without a sign.
  static CLI::Validator whole();
  /// One of a few words.
  static CLI::Validator oneOf(std::vector<std::string> words);
  /// Null where the options of the command are not needed.
  CLI::App* add(ToolCommand command, const char* name, const std::string& summary,
                const char* footer);
  /// Options whose value is a number, a text that is not empty, such a text each time they are
  /// given, or nothing.
  template <class T>
  static CLI::Option* number(CLI::App* sub, const char* name, T& to, const char* text) {
    return sub->add_option(name, to, text)->type_name("N")->check(whole());
  }
  template <class T>
  static CLI::Option* value(CLI::App* sub, const char* name, T& to, const char* type,
                            std::string text) {
    return sub->add_option(name, to, std::move(text))->type_name(type)->check(given());
  }
  static CLI::Option* each(CLI::App* sub, const char* name, std::vector<std::string>& to,
                           const char* type, const char* text) {
    return value(sub, name, to, type, text)->allow_extra_args(false);
  }
  static CLI::Option* flag(CLI::App* sub, const char* name, bool& to, const char* text) {
    return sub->add_flag(name, to, text)->disable_flag_override();
  }
  CLI::Option* file(CLI::App* sub, bool required = true);
  void layout(CLI::App* sub, const char* text);
  void launch(CLI::App* sub);
  /// What every command that compiles a file takes. Returns `--diagnostics`.
  CLI::Option* compilation(CLI::App* sub);
  void check();
  void report();
  void diff();
  void simulate();
  void study();
  void emit();
  void ir();

  // TextCommandBuilder.cpp: those that compile no layout.
  void fmt();
  void show();
  void explain();
  void create();
  void import();
  void score();
  void collective();
  void calibrate();
  void completion();

  ToolOptions& options;
  llvm::StringRef only;
};

} // namespace dpl::tool
