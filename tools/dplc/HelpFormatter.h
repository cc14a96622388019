#pragma once
//===- HelpFormatter.h - How the help of dplc is set ------------------------------------------===//
#include "support/Text.h"
#include "tools/dplc/Terminal.h"
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstring>

namespace dpl::tool {

/// Help as a sentence, `Usage`, the lists, the examples; all of it fits the terminal.
class HelpFormatter final : public CLI::Formatter {
public:
  HelpFormatter() {
    label("SUBCOMMAND", "COMMAND");
    label("Positionals", "Arguments");
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, name);
    if (app->get_name() == "emit") // its last word is the file
      usage.replace(usage.find("[TARGET...]"), std::strlen("[TARGET...]"), "TARGET... FILE");
    return usage;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    // What the option takes is in its name; CLI11 would add its type and the word REQUIRED.
    std::string type = option->get_type_name();
    type = type.substr(0, type.find(":{")); // the description says which
    return option->get_positional() || type.empty() ? "" : " " + type;
  }
  std::string make_option(const CLI::Option* option, bool positional) const override {
    return listRow("  " + make_option_name(option, positional) + make_option_opts(option),
                   make_option_desc(option), firstColumn, width());
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return listRow("  " + sub->get_name(), sub->get_description(), 14, width());
  }
  std::string make_description(const CLI::App* app) const override {
    return flow(app->get_description(), width()) + "\n";
  }
  std::string make_footer(const CLI::App* app) const override {
    return flow(app->get_footer(), width());
  }
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override {
    std::string list = CLI::Formatter::make_subcommands(app, mode);
    const std::string heading = "\nSubcommands:\n";
    return list.rfind(heading, 0) == 0 ? "\nCommands:\n" + list.substr(heading.size()) : list;
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string help = CLI::Formatter::make_help(app, name, mode);
    return help.substr(0, help.find_last_not_of('\n') + 1) + "\n";
  }

private:
  static constexpr unsigned firstColumn = 24;
  /// Longer lines of prose are hard to read.
  static unsigned width() { return std::min(terminalWidth(), 100U); }
};

} // namespace dpl::tool
