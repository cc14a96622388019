//===- Mistakes.cpp - Errors of a command line as messages of dplc ----------------------------===//
#include "tools/dplc/Mistakes.h"
#include "support/Near.h"
#include "tools/dplc/Terminal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::tool;

namespace {

std::string helpOf(const std::string& command) {
  return command.empty() ? "`dplc help` lists the commands"
                         : "`dplc help " + command + "` lists its arguments and options";
}

std::string quoted(llvm::StringRef words) { return "`" + words.str() + "`"; }

bool isOption(const std::string& argument) { return argument.size() > 1 && argument[0] == '-'; }

/// The error for an argument that no option or command accepts.
Mistake unexpected(const Unparsed& line, const std::string& argument) {
  const std::string& command = line.command;
  if (!isOption(argument))
    return {quoted(argument) + " is one argument too many",
            command == "check" || command == "report" || command == "ir"
                ? command + " takes one file"
                : helpOf(command)};
  const std::string name = argument.substr(0, argument.find('='));
  std::string help = didYouMean(nearNames(name, line.options), helpOf(command));
  if (llvm::StringRef(argument).endswith(".dpl"))
    help = "a file of that name is written `./" + argument + "`";
  return {quoted(command) + " has no option " + quoted(name), help};
}

} // namespace

std::optional<Mistake> tool::wrongCommand(llvm::ArrayRef<const char*> arguments,
                                          const std::vector<std::string>& commands) {
  const std::string first = arguments.front();
  if (llvm::is_contained(commands, first) || first == "--help" || first == "-h" ||
      first == "--version")
    return std::nullopt;
  if (first.empty() || first[0] != '-')
    return Mistake{"there is no command " + quoted(first),
                   didYouMean(nearNames(first, commands), helpOf(""))};
  for (const char* later : arguments.drop_front())
    if (llvm::is_contained(commands, later))
      return Mistake{quoted(first) + " is written before the command",
                     std::string("write `dplc ") + later + " … " + first + "`"};
  return Mistake{"there is no option " + quoted(first),
                 didYouMean(nearNames(first, {"--help", "--version"}), helpOf(""))};
}

std::optional<Mistake> tool::emptyValue(llvm::ArrayRef<const char*> arguments) {
  for (llvm::StringRef argument : arguments) {
    if (argument == "--")
      break;
    if (argument.startswith("--") && argument.consume_back("=") && !argument.contains('='))
      return Mistake{quoted(argument.str()) + " has no value", helpOf(arguments.front())};
  }
  return std::nullopt;
}

Mistake tool::explained(const Unparsed& line) {
  const std::string& command = line.command;
  llvm::StringRef text = line.text;
  const bool missing = line.kind == "RequiredError";
  // CLI11 reports a missing FILE before it finds that `-x.dpl` is no option.
  if (!command.empty() && (line.kind == "ExtrasError" || missing))
    for (const std::string& argument : line.extras)
      if (!missing || isOption(argument))
        return unexpected(line, argument);
  if (missing && text.consume_back(" is required"))
    return {command + " needs a " + text.str(), helpOf(command)};
  if (line.kind == "ExcludesError") {
    const auto [one, other] = text.split(" excludes ");
    return {quoted(one) + " and " + quoted(other) + " exclude each other", helpOf(command)};
  }
  if (line.kind == "RequiresError") {
    const auto [one, other] = text.split(" requires ");
    return {quoted(one) + " needs " + quoted(other), helpOf(command)};
  }
  if (line.kind == "ArgumentMismatch") {
    const auto [name, rest] = text.split(": ");
    if (text.contains("disallowed flag override"))
      return {"`--" + text.split(' ').first.ltrim('-').str() + "` takes no value", helpOf(command)};
    if (rest.endswith(" missing"))
      return {quoted(name) + " has no value", helpOf(command)};
    llvm::StringRef most = rest;
    if (unsigned number = 0;
        most.consume_front("At Most ") && !most.consumeInteger(10, number) && number > 1)
      return {fmt::format("{} is given {} times, at most {} are taken", quoted(name),
                          most.rsplit(' ').second, number),
              helpOf(command)};
    if (rest.startswith("At Most") || rest.startswith("1 required"))
      return {quoted(name) + " is given more than once", helpOf(command)};
  }
  if (line.kind == "ValidationError") {
    const auto [name, rest] = text.split(": ");
    return {quoted(name) + ": " + rest.str(), helpOf(command)};
  }
  return {text.str(), helpOf(command)};
}
