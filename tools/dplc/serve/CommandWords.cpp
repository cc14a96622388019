//===- CommandWords.cpp - The parameters of a request as a command line -----------------------===//
#include "tools/dplc/serve/CommandWords.h"
#include "support/Utf8.h"
#include "tools/dplc/CommandLine.h"
#include "tools/dplc/Session.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
using namespace dpl;
using namespace dpl::tool;

namespace {
constexpr const char* commonParameters[] = {"text", "directory", "limits", "progress"};
/// Arguments that are lists.
constexpr const char* listArguments[] = {"files", "targets", "traces"};

/// An option of a command; null if there is none, as for a setting of an imported file.
const OptionWords* optionOf(llvm::StringRef command, llvm::StringRef name) {
  static const std::vector<CommandWords> commands = commandWords();
  for (const CommandWords& one : commands)
    if (command == one.name)
      for (const OptionWords& option : one.options)
        if (name == option.name)
          return &option;
  return nullptr;
}

/// Why a value does not suit an option; empty if it does. A bare option that needs a value would
/// take the next word of the command line.
std::string mistakeIn(const OptionWords& option, const Json& value) {
  if (value.is_null() || value == Json(false))
    return "";
  if (!option.hasValue)
    return value == Json(true) ? "" : "true or false, because the option takes no value";
  const auto isTrue = [](const Json& one) { return one == Json(true); };
  return isTrue(value) || (value.is_array() && std::any_of(value.begin(), value.end(), isTrue))
             ? "a text, because the option takes a value"
             : "";
}

/// The text of a scalar as an option takes it; empty for other values.
std::optional<std::string> scalar(const Json& value) {
  if (value.is_string())
    return value.str();
  if (value.is_number() || value.is_boolean())
    return value.dump();
  return std::nullopt;
}

/// Adds an option once for each of its values.
bool addOption(const std::string& option, const Json& value, std::vector<std::string>& words) {
  if (value.is_null() || value == Json(false))
    return true;
  if (value == Json(true)) {
    words.push_back(option);
    return true;
  }
  if (value.is_array())
    return std::all_of(value.begin(), value.end(), [&](const Json& one) {
      return !one.is_structured() && addOption(option, one, words);
    });
  for (const auto& [key, one] : value.items()) {
    const std::optional<std::string> text = scalar(one);
    if (!text)
      return false;
    words.push_back(option + "=" + key + "=" + *text);
  }
  if (const std::optional<std::string> text = scalar(value))
    words.push_back(option + "=" + *text);
  return true;
}

/// Adds an argument or, of a list, several.
bool addArguments(const Json& value, bool several, std::vector<std::string>& words) {
  if (value.is_null())
    return true;
  if (value.is_array() && several)
    return std::all_of(value.begin(), value.end(), [&](const Json& one) {
      return one.is_string() && addArguments(one, false, words);
    });
  if (value.is_string())
    words.push_back(value.str());
  return value.is_string();
}
} // namespace

llvm::ArrayRef<CommandMethod> tool::commandMethods() {
  static const std::vector<CommandMethod> methods = {
      {"check", "check", "legality, memory and step time of layouts", {"--json"}, {"files"}},
      {"report", "report", "all figures of a layout", {"--json"}, {"file"}},
      {"why",
       "report",
       "the derivation of a figure, or what sets a field",
       {"--json"},
       {"file"},
       {{"path", "why"}}},
      {"timeline",
       "report",
       "when each rank runs which action",
       {"--json", "--timeline"},
       {"file"}},
      {"advice",
       "report",
       "the changes of a layout that gain most",
       {"--json", "--advice"},
       {"file"}},
      {"diff", "diff", "the differences of two layouts", {"--json"}, {"files"}},
      {"simulate", "simulate", "steps or runs with jitter and failures", {"--json"}, {"file"}},
      {"study", "study", "a table of figures over varied fields", {"--json"}, {"file", "study"}},
      {"search", "search", "the best layouts of a space", {"--json"}, {"file", "search"}},
      {"emit", "emit", "launch files", {"--json"}, {"targets", "file"}},
      {"import", "import", "a file of another program as DPL", {}, {"kind", "file"}},
      {"score", "score", "measured runs and predictions", {"--json"}, {"files"}},
      {"collective", "collective", "the time of one collective", {"--json"}, {"file"}},
      {"compare", "compare", "traces laid over the predicted step", {"--json"}, {"file", "traces"}},
      {"calibrate", "calibrate", "links fitted to measurements", {"--json"}, {"files"}},
      {"explain", "explain", "a message, field, figure or word", {}, {"word"}},
      {"show", "show", "a declaration of the library", {}, {"name"}},
      {"format", "fmt", "a formatted text", {"-"}, {}},
  };
  return methods;
}

const CommandMethod* tool::commandMethod(llvm::StringRef name) {
  const auto found =
      llvm::find_if(commandMethods(), [&](const CommandMethod& one) { return name == one.name; });
  return found == commandMethods().end() ? nullptr : found;
}

bool tool::isCommonParameter(llvm::StringRef name) {
  return llvm::is_contained(commonParameters, name);
}

std::optional<std::vector<std::string>>
tool::commandLineOf(const CommandMethod& method, const Json& params, std::string& mistake) {
  std::vector<std::string> words{"dplc", method.command};
  const auto refuse = [&](llvm::StringRef name, const char* needed) {
    mistake = fmt::format("`{}` is {}", name, needed);
    return std::nullopt;
  };
  for (const auto& [ours, option] : method.renamed)
    if (const Json& value = params[ours]; !value.is_string() || value.str().empty()) {
      mistake = fmt::format("`{}` needs `{}`, a text", method.name, ours);
      return std::nullopt;
    }
  for (const auto& [key, value] : params.items()) {
    std::string name = key;
    if (isCommonParameter(name) || llvm::is_contained(method.arguments, llvm::StringRef(name)))
      continue;
    for (const auto& [ours, option] : method.renamed)
      if (name == ours)
        name = option;
    // Settings of an imported file keep their names: `training.seq_len`.
    if (name.find('.') == std::string::npos)
      std::replace(name.begin(), name.end(), '_', '-');
    const OptionWords* option = optionOf(method.command, name);
    if (const std::string needed = option ? mistakeIn(*option, value) : ""; !needed.empty()) {
      mistake = fmt::format("`{}` needs {}", key, needed);
      return std::nullopt;
    }
    if (name.empty() || !addOption("--" + name, value, words))
      return refuse(key, "true, a number, a text, or a list or an object of them");
  }
  // A page or a picture takes the place of JSON. These words follow the options: after `--merge`,
  // which takes several values, `--` would only end its values.
  const bool drawn = params["html"] == Json("-") || params["svg"] == Json("-");
  for (const char* word : method.words)
    if (!drawn || llvm::StringRef(word) != "--json")
      words.emplace_back(word);
  std::vector<std::string> arguments;
  for (const char* name : method.arguments) {
    const bool several = llvm::is_contained(listArguments, llvm::StringRef(name));
    if (!addArguments(params[name], several, arguments))
      return refuse(name, several ? "a text or a list of texts" : "a text");
  }
  // After `--` an argument is neither read as a value of the option before it nor as an option.
  if (!arguments.empty())
    words.emplace_back("--");
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (const std::string& word : words)
    if (const std::size_t end = word.find('\0'); end != std::string::npos) {
      mistake = fmt::format("`{}` is followed by a NUL character, which no argument has",
                            validUtf8(word.substr(0, end)));
      return std::nullopt;
    }
  if (llvm::is_contained(words, "-") && !params.contains("text"))
    return refuse("text", "needed in place of the file `-`");
  return words;
}

void tool::runWords(const std::vector<std::string>& words, Answer& answer,
                    const Progress::Listener& progress) {
  std::vector<const char*> pointers;
  for (const std::string& word : words)
    pointers.push_back(word.c_str());
  const CommandLine line = parseCommandLine(static_cast<int>(pointers.size()), pointers.data());
  Session session(line.command.options);
  session.answer = &answer;
  session.progress.listen(progress);
  const int code = runCommand(line, session);
  answer.code = std::max(answer.code, code); // `emit --diff` adds its own
}

bool tool::readCommonParameters(const Json& params, Job& job, std::string& mistake) {
  const auto wrong = [&](const char* text) {
    mistake = text;
    return false;
  };
  if (const Json* text = params.find("text")) {
    if (!text->is_string())
      return wrong("`text` is a text, which takes the place of the file `-`");
    job.texts["/dev/stdin"] = std::make_shared<const std::string>(text->str());
  }
  if (const Json* folder = params.find("directory")) {
    if (!folder->is_string() || folder->str().empty() ||
        folder->str().find('\0') != std::string::npos)
      return wrong("`directory` is the folder of relative paths");
    job.folder = folder->str();
  }
  if (const Json* progress = params.find("progress"); progress && *progress != Json(false))
    job.progressToken = job.id;
  const Json* limits = params.find("limits");
  if (!limits)
    return true;
  constexpr const char* needed = "`limits` is {\"seconds\": 5, \"bytes\": 1000000000}, with a "
                                 "number above 0 or null for no limit";
  if (!limits->is_object())
    return wrong(needed);
  const auto read = [&](const Json& value, auto& limit, double most) {
    if (value.is_null())
      limit.reset();
    else if (value.is_number() && value.get<double>() > 0 && value.get<double>() <= most)
      limit = value.get<typename std::remove_reference_t<decltype(limit)>::value_type>();
    else
      return false;
    return true;
  };
  for (const auto& [key, value] : limits->items())
    if (!(key == "seconds" ? read(value, job.limits.seconds, 1e9)
          : key == "bytes" ? read(value, job.limits.bytes, 1e18)
                           : false))
      return wrong(needed);
  return true;
}
