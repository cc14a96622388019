#pragma once
//===- CommandBuilder.h - The commands and options of dplc ------------------------------------===//
//
// Only CommandLine.cpp may include this file, because it includes CLI11.
#include "tools/dplc/CommandLine.h"
#include "llvm/ADT/StringRef.h"
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace dpl::tool {

DiagnosticFormat formatNamed(llvm::StringRef name);

/// A parser of command lines.
class CommandBuilder {
public:
  /// If `only` is set, only the options of this command are made, because making all takes time.
  /// `overrides` are overrides for `import`, which were removed from the words to parse.
  explicit CommandBuilder(llvm::StringRef only = "", std::vector<std::string> overrides = {});
  CLI::App app;
  Invocation command; ///< the parsed command

private:
  /// Accepts values that are not empty; an empty one is usually a shell variable that is not set.
  static CLI::Validator given();
  /// Accepts numbers without a sign.
  static CLI::Validator whole();
  /// Accepts only these words.
  static CLI::Validator oneOf(std::vector<std::string> words);
  template <class Options> struct AddedCommand {
    CLI::App* sub; ///< null if the options of the command are not needed
    Options& options;
  };
  /// Adds a command, which owns its options.
  template <class Options>
  AddedCommand<Options> add(int (*run)(Session&, const Options&), const char* name,
                            const std::string& summary, const char* footer) {
    const auto own = std::make_shared<Options>();
    CLI::App* const sub = subcommand(name, summary, footer);
    sub->callback([this, own, run] {
      if constexpr (std::is_base_of_v<CompileOptions, Options>)
        command.options = *own;
      else if constexpr (std::is_base_of_v<CommandOptions, Options>)
        static_cast<CommandOptions&>(command.options) = *own;
      command.run = [own, run](Session& session) { return run(session, *own); };
    });
    return {only.empty() || only == name ? sub : nullptr, *own};
  }
  CLI::App* subcommand(const char* name, const std::string& summary, const char* footer);
  /// The next functions add options with a number, a nonempty text, several such texts, or no
  /// value.
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
  /// Adds a required argument of one or several words.
  template <class T>
  static CLI::Option* words(CLI::App* sub, const char* name, T& to, const char* text) {
    return sub->add_option(name, to, text)->required()->check(given())->type_name("");
  }
  static void exclude(CLI::Option* option, std::initializer_list<CLI::Option*> others) {
    for (CLI::Option* other : others)
      option->excludes(other);
  }
  static CLI::Option* file(CLI::App* sub, CommandOptions& options, bool required = true);
  static void layout(CLI::App* sub, CompileOptions& options, const char* text);
  static void launch(CLI::App* sub, std::string& launch);
  static CLI::Option* figures(CLI::App* sub, std::vector<std::string>& paths, const char* text);
  static CLI::Option* html(CLI::App* sub, std::string& path);
  /// Adds the options of every command that compiles a file. Returns `--diagnostics`.
  static CLI::Option* compilation(CLI::App* sub, CompileOptions& options);
  void check();
  void report();
  void diff();
  void simulate();
  void emit();
  void ir();

  // In SpaceCommandBuilder.cpp: commands over many layouts.
  void study();
  void search();

  // In TextCommandBuilder.cpp: commands that compile no layout.
  void fmt();
  void show();
  void explain();
  void create();
  void import();
  void score();
  void collective();
  void compare();
  void calibrate();
  void serve();
  void completion();
  void help();

  llvm::StringRef only;
  std::vector<std::string> overrides;
};

} // namespace dpl::tool
