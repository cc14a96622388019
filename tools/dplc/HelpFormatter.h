#pragma once
//===- HelpFormatter.h - The format of the help of dplc ---------------------------------------===//
#include "support/Text.h"
#include "tools/dplc/Terminal.h"
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstring>
#include <tuple>

namespace dpl::tool {

/// Writes help as a sentence, `Usage`, the lists and the examples; all of it fits the terminal.
class HelpFormatter final : public CLI::Formatter {
public:
  HelpFormatter() {
    label("SUBCOMMAND", "COMMAND");
    label("Positionals", "Arguments");
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, name);
    if (app->get_name() == "emit") // because its last word is the file
      usage.replace(usage.find("[TARGET...]"), std::strlen("[TARGET...]"), "TARGET... FILE");
    return usage;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    // CLI11 would add the C++ type, the checks after a colon, and the word REQUIRED.
    std::string type = option->get_type_name();
    type = type.substr(0, type.find(':'));
    return option->get_positional() || type.empty() ? "" : " " + type;
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    if (option->get_expected_max() != 2)
      return CLI::Formatter::make_option_usage(option);
    const std::string name = make_option_name(option, true);
    return name + " [" + name + "]";
  }
  std::string make_option(const CLI::Option* option, bool positional) const override {
    return listRow("  " + make_option_name(option, positional) + make_option_opts(option),
                   make_option_desc(option), width() < 80 ? 18 : 24, width());
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return listRow("  " + sub->get_name(), sub->get_description(), 14, width());
  }
  std::string make_description(const CLI::App* app) const override {
    return flow(app->get_description(), width()) + "\n";
  }
  std::string make_footer(const CLI::App* app) const override {
    return flow(examplesThatFit(app->get_footer()), width());
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

  /// Moves the description of an example below its command if both are too wide for one line.
  static std::string examplesThatFit(llvm::StringRef text) {
    std::string out;
    for (llvm::StringRef line; !text.empty();) {
      std::tie(line, text) = text.split('\n');
      const std::size_t blanks = line.rfind("  ");
      if (line.startswith("  ") && line.size() > width() && blanks > 2)
        out +=
            line.take_front(blanks).rtrim().str() + "\n      " + line.drop_front(blanks + 2).str();
      else
        out += line.str();
      out += '\n';
    }
    return out;
  }

private:
  /// The width of help: longer lines of prose are hard to read.
  static unsigned width() { return std::min(terminalWidth(), 100U); }
};

} // namespace dpl::tool
