//===- CommandLine.cpp - The command line of dplc ---------------------------------------------===//
//
// Only this file, the three CommandBuilders and HelpFormatter.h include CLI11. These files and
// frontend/parse/ParseTree.cpp are the only ones of dplc that are compiled with exceptions, because
// CLI11 reports errors by throwing.
#include "support/FileIo.h"
#include "tools/dplc/CommandBuilder.h"
#include "tools/dplc/Mistakes.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Version.h"
#include "llvm/ADT/STLExtras.h"
#include <unistd.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// All long options of a command, without `--`.
std::vector<OptionWords> optionsOf(const CLI::App& app) {
  std::vector<OptionWords> words;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      words.push_back({name, option->get_description(), option->get_items_expected_max() > 0});
  return words;
}

std::vector<const CLI::App*> commandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> commandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commandsOf(app))
    names.push_back(command->get_name());
  return names;
}

Mistake mistakeOf(const CLI::ParseError& error, const CLI::App& app) {
  // get_name() of an ExtrasError returns the name of the command.
  const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  Unparsed line{
      extra ? "ExtrasError" : error.get_name(), error.what(), "", {}, app.remaining(true)};
  for (const CLI::App* parsed : app.get_subcommands()) {
    line.command = parsed->get_name();
    for (const OptionWords& option : optionsOf(*parsed))
      line.options.push_back("--" + option.name);
  }
  return explained(line);
}

/// The invocation that reports a usage error. It is `check` if the command is `check`, because its
/// `--json` always prints an object; otherwise it only finishes the session. The format of messages
/// is read from the command line without CLI11, so that programs can read this error too.
Invocation reporter(int argc, const char* const* argv) {
  CheckOptions options;
  for (int i = 2; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--json")
      options.json = true;
    else if (argument.consume_front("--diagnostics="))
      options.diagnostics = formatNamed(argument);
    else if (argument == "--diagnostics" && i + 1 < argc)
      options.diagnostics = formatNamed(argv[i + 1]);
  }
  Invocation out{options, {}};
  if (argc > 1 && llvm::StringRef(argv[1]) == "check")
    out.run = [options](Session& session) { return runCheck(session, options); };
  return out;
}

/// The output for the command lines `--version` and `[COMMAND] --help`; empty for others. CLI11
/// throws for these, and the first exception of a static program reads all its exception tables.
std::string answerAtOnce(llvm::ArrayRef<const char*> words) {
  if (words.size() == 1 && llvm::StringRef(words[0]) == "--version")
    return std::string(versionText()) + "\n";
  const llvm::StringRef last = words.empty() ? "" : words.back();
  if (words.size() > 2 || (last != "--help" && last != "-h"))
    return "";
  return helpText(words.size() == 1 ? "" : words[0]);
}
/// Runs `dplc` without a command. A script that forgot the command gets the exit code of a usage
/// error.
int printStart(Session& session) {
  (void)writeAll(STDERR_FILENO, startText());
  (void)session.finish();
  return ExitUsage;
}

/// Whether a word may be the configuration file that the import for torchtitan reads.
bool maybeFile(llvm::StringRef word) {
  return !word.startswith("-") && (word.endswith(".toml") || word.endswith(".py"));
}

/// Whether the word after an override without `=` is the value of the override. A word such as
/// `train.toml` is the value only if another word is the file: an earlier word that was kept, or a
/// later word that does not follow an option.
bool isValue(llvm::StringRef word, llvm::ArrayRef<const char*> kept,
             llvm::ArrayRef<const char*> later) {
  double number = 0;
  if (word.empty() || (word.startswith("-") && word.getAsDouble(number)))
    return false;
  if (!maybeFile(word) || llvm::any_of(kept, maybeFile))
    return true;
  llvm::StringRef before = word;
  return llvm::any_of(later, [&](llvm::StringRef next) {
    const bool isFile = maybeFile(next) && !before.startswith("-");
    before = next;
    return isFile;
  });
}

/// Moves options of `import` such as `--training.seq_len=4096` and `--training.seq_len 4096` from
/// the words to the overrides. An option with a point in its name overrides a setting of the
/// framework whose file is imported.
std::vector<const char*> withoutOverrides(llvm::ArrayRef<const char*> words,
                                          std::vector<std::string>& overrides) {
  std::vector<const char*> out;
  const bool imports = words.size() > 1 && llvm::StringRef(words[1]) == "import";
  for (std::size_t i = 0; i < words.size(); ++i) {
    llvm::StringRef word = words[i];
    const llvm::StringRef name = word.split('=').first;
    if (!imports || !word.consume_front("--") || !name.contains('.')) {
      out.push_back(words[i]);
      continue;
    }
    const bool valued = !word.contains('=') && i + 1 < words.size() &&
                        isValue(words[i + 1], out, words.drop_front(i + 2));
    overrides.push_back(word.str() + (valued ? std::string("=") + words[i + 1] : ""));
    i += valued;
  }
  return out;
}
} // namespace

CommandLine tool::parseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  std::vector<std::string> overrides;
  const std::vector<const char*> kept =
      withoutOverrides(llvm::makeArrayRef(argv, static_cast<std::size_t>(argc)), overrides);
  argc = static_cast<int>(kept.size()), argv = kept.data();
  const llvm::ArrayRef<const char*> words =
      llvm::makeArrayRef(argv, static_cast<std::size_t>(argc)).drop_front(argc > 0);
  line.text = answerAtOnce(words);
  if (!line.text.empty())
    return line;
  if (words.empty()) {
    line.command.run = printStart;
    return line;
  }
  const auto refuse = [&](Mistake mistake) {
    line.exitCode = ExitUsage;
    line.text = std::move(mistake.text);
    line.help = std::move(mistake.help);
    line.command = reporter(argc, argv);
  };
  try {
    const llvm::StringRef first = words.empty() ? "" : words.front();
    CommandBuilder builder(first.startswith("-") ? "" : first, std::move(overrides));
    try {
      if (std::optional<Mistake> wrong = wrongCommand(words, commandNames(builder.app))) {
        refuse(std::move(*wrong));
      } else if ((wrong = emptyValue(words))) {
        refuse(std::move(*wrong));
      } else {
        builder.app.parse(argc, argv);
        line.command = std::move(builder.command);
      }
    } catch (const CLI::CallForHelp&) {
      line.text = builder.app.help();
    } catch (const CLI::CallForVersion&) {
      line.text = std::string(versionText()) + "\n";
    } catch (const CLI::ParseError& error) {
      refuse(mistakeOf(error, builder.app));
    }
  } catch (const std::exception& error) {
    refuse(explained({"", error.what(), "", {}, {}}));
  }
  return line;
}

std::vector<CommandWords> tool::commandWords() {
  const CommandBuilder builder;
  std::vector<CommandWords> commands;
  for (const CLI::App* sub : commandsOf(builder.app))
    commands.push_back({sub->get_name(), sub->get_description(), optionsOf(*sub)});
  return commands;
}

std::string tool::helpText(const std::string& command) {
  const CommandBuilder builder(command.empty() ? "help" : command);
  if (command.empty())
    return builder.app.help();
  for (const CLI::App* sub : commandsOf(builder.app))
    if (sub->get_name() == command)
      return sub->help(builder.app.get_name());
  return "";
}
