//===- Script.cpp - The command that a launch script runs -------------------------------------===//
#include "frontend/import/shell/Script.h"
#include "frontend/import/shell/Processes.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
/// A statement that sets the variables whose names stand in it.
bool setsNames(const ShellWords& command) {
  const llvm::StringRef name = command[0].text;
  return isAny(name, {"read", "mapfile", "readarray", "let", "unset", "getopts"}) ||
         (name == "printf" && command.size() > 1 && command[1].text == "-v");
}
constexpr std::pair<const char*, const char*> batchVariables[] = {
    {"--nodes", "SLURM_NNODES"},
    {"--nodes", "SLURM_JOB_NUM_NODES"},
    {"--ntasks", "SLURM_NTASKS"},
    {"--ntasks-per-node", "SLURM_NTASKS_PER_NODE"}};

/// The first commands of a script that was run, for people.
std::string started(llvm::StringRef text) {
  constexpr std::size_t longest = 300;
  std::string out;
  llvm::StringRef line;
  while (!text.empty() && out.size() < longest) {
    std::tie(line, text) = text.split('\n');
    if (!line.startswith("#"))
      out += fmt::format("{}`{}`", out.empty() ? "" : ", ", line.take_front(longest));
  }
  return out;
}
} // namespace

Script::Script(const LaunchImport& request, DiagnosticEngine& diags)
    : request(request), diags(diags), text(request.sources.text(request.file)), file(request.file),
      variables(request.defines), in(text, file, variables), reading{file} {}

LogicalResult Script::refused(SourceRange at, const std::string& why) {
  return diags.report<diag::ImportRefused>(at, "the import", why);
}

/// What was set since `mark` is not known.
void Script::doubtSince(std::size_t mark, SourceRange at, const std::string& what,
                        const std::string& decides) {
  for (const std::string& name : variables.changedSince(mark))
    if (!addsNothing(name, mark))
      variables.doubt(name, at, what, decides);
}
void Script::doubtNames(llvm::StringRef written, SourceRange at, const std::string& what) {
  while (!written.empty()) {
    const llvm::StringRef name = written.take_while(nameChar);
    if (!name.empty() && nameStart(name[0]))
      variables.doubt(name.str(), at, what);
    written = written.drop_front(std::max<std::size_t>(1, name.size()));
  }
}

bool Script::pipeFollows() {
  in.skipBlanks();
  return (in.peek() == '|' && in.peek(1) != '|') || (in.peek() == '&' && in.peek(1) != '&');
}

/// `NAME=value`, `NAME+=value` or `NAME=( … )`; false when something else stands there.
bool Script::assignment() {
  const std::size_t begin = in.position();
  std::size_t end = begin;
  if (!nameStart(in.peek()))
    return false;
  while (end < text.size() && nameChar(text[end]))
    ++end;
  const std::string name = text.slice(begin, end).str();
  if (end < text.size() && text[end] == '[') { // an element of an array
    const std::size_t closing = text.find_first_of("]\n", end);
    const llvm::StringRef rest = text.substr(closing);
    if (!rest.startswith("]=") && !rest.startswith("]+="))
      return false;
    in.moveTo(closing + (rest[1] == '=' ? 2 : 3));
    in.word();
    variables.doubt(name, in.from(begin), in.written(begin).str());
    return true;
  }
  const bool adds = text.substr(end).startswith("+=");
  if (!adds && (end >= text.size() || text[end] != '='))
    return false;
  in.moveTo(end + (adds ? 2 : 1));
  ShellVariable given;
  given.array = in.peek() == '(';
  if (given.array) {
    in.moveTo(in.position() + 1);
    given.words = in.words(')');
  } else {
    const std::size_t from = in.position();
    ShellWords pieces = in.word(); // an assignment does not split
    ShellWord joined{"", in.from(from), nullptr};
    for (const ShellWord& piece : pieces) {
      joined.text += (joined.text.empty() ? "" : " ") + piece.text;
      joined.doubt = piece.doubt ? piece.doubt : joined.doubt;
    }
    given.words = {joined};
  }
  for (ShellWord& word : given.words) // what nobody knows can be given by this name
    if (word.doubt && word.doubt->outside && word.doubt->variable.empty() && !given.array &&
        !adds) {
      Doubt named = *word.doubt;
      named.variable = name;
      word.doubt = std::make_shared<const Doubt>(std::move(named));
    }
  if (!adds || !variables.find(name))
    variables.set(name, std::move(given));
  else if (!variables.add(name, std::move(given.words), given.array, Expansion::most))
    in.exceed();
  return true;
}

/// `export NAME=value …` and its relatives; `at` stands behind the keyword.
void Script::declaration(std::size_t mark) {
  const std::size_t begin = in.position();
  bool plain = true;
  for (in.skipBlanks(); assignment() || in.peek() == '-' || in.peek() == '+'; in.skipBlanks())
    if (in.peek() == '-' || in.peek() == '+') {
      const std::size_t option = in.position();
      in.word();
      plain &= in.written(option).find_first_not_of("-xrgap") == llvm::StringRef::npos;
      if (in.position() == option)
        break;
    }
  in.words('\0');
  if (!plain)
    doubtSince(mark, in.from(begin), "declare");
}

void Script::connector() {
  const char c = in.peek();
  const bool twice = in.peek(1) == c;
  if (c == ';') {
    in.moveTo(in.position() + 1);
    conditional = passedOver = false, connected.clear();
    return;
  }
  passedOver = twice && status && !conditional && *status == (c == '|');
  conditional = (twice || c == '|') && (conditional || !(twice && status));
  connected = twice ? std::string(2, c) : std::string(1, c);
  in.moveTo(in.position() + (twice ? 2 : 1));
  if (conditional || twice) // the statement stands on the next line, maybe
    for (;;) {
      in.skipBlanks();
      if (in.peek() == '#')
        in.skipLine();
      else if (in.peek() == '\n')
        in.newline();
      else
        return;
    }
}

LogicalResult Script::command(std::size_t begin, std::size_t mark) {
  ShellWords words = in.words('\0');
  if (words.empty())
    return LogicalResult::success();
  const std::string name = words[0].text;
  const SourceRange at{file, static_cast<std::uint32_t>(begin),
                       static_cast<std::uint32_t>(begin + name.size())};
  if (opens(name, begin) || closes(name))
    return LogicalResult::success();
  if (std::optional<ShellWords> inside = throughShell(words); inside && trains(*inside))
    return training(*inside, begin);
  if (isAny(name, {"then", "do", "else", "elif", "!"})) {
    in.moveTo(begin + name.size());
    conditional = false;
    if (name == "elif" || name == "else")
      nextBranch(name);
    return LogicalResult::success();
  }
  writesDocument |= onlyNames(name);
  const bool tests = isAny(name, {"[", "[[", "test"});
  status = std::nullopt;
  if (isAny(name, {"export", "declare", "local", "readonly", "typeset"})) {
    in.moveTo(begin + name.size());
    declaration(mark);
    status = true;
    if (name == "local" && !locals.empty())
      for (const std::string& set : variables.changedSince(mark))
        locals.back().emplace(set, variables.at(set, mark));
  } else if (in.peek() == '(' && words.size() == 1) {
    functionBody(name, begin);
    return LogicalResult::success();
  } else if (trains(words)) {
    return training(words, begin);
  } else if (tests) {
    const std::size_t behind = in.position();
    in.moveTo(begin);
    ShellBlock test{"if", begin, mark, false, ""};
    std::size_t end = behind;
    status = condition(test, &end);
    in.moveTo(std::max(end, behind));
  } else if (isAny(name, {"true", ":"})) {
    status = true;
  } else if (isAny(name, {"break", "continue"})) {
    leaveLoop();
  } else if (isAny(name, {"return", "exit"}) && runs() && !conditional &&
             llvm::all_of(blocks, [](const ShellBlock& b) {
               return b.live == true || (b.keyword == "{" && !b.conditional);
             })) {
    if (name == "exit")
      exit = at;
    (name == "exit" || (locals.empty() && reading.size() == 1) ? ended : returned) = true;
  } else if (name == "shift" || (name == "set" && words.size() > 1 && words[1].text == "--")) {
    const bool known =
        llvm::none_of(words, [](const ShellWord& word) { return word.doubt != nullptr; });
    const bool done = name == "shift"
                          ? variables.shift(words.size() > 1 ? llvm::StringRef(words[1].text) : "1")
                          : known;
    if (name == "set" && known)
      variables.setArguments({words.begin() + 2, words.end()});
    if (!done)
      variables.doubtPositional(at, name);
  } else if (setsNames(words)) {
    doubtNames(in.written(begin).drop_front(name.size()), at, name);
  } else if (isAny(name, {"source", ".", "eval"})) {
    if (llvm::any_of(words,
                     [](const ShellWord& w) {
                       return llvm::StringRef(w.text).endswith(".py") && !w.doubt;
                     }) &&
        runs())
      return diags.report<diag::ImportNotFollowed>(at, name);
    const std::optional<LogicalResult> done = name == "eval" ? std::nullopt : sourced(words);
    if (done && done->failed())
      return *done;
    if (const ShellWord* const word = name == "eval" && runs() ? mayStart(words) : nullptr)
      unknown.push_back(*word);
    if (!done)
      variables.doubtAll(at, name);
  } else if (const auto known = functions.find(name); known != functions.end()) {
    const std::optional<LogicalResult> done = callFunction(words);
    if (done && done->failed())
      return *done;
    if (!done)
      for (const std::string& set : known->second.names)
        variables.doubt(set, at, name);
  } else if (const ShellWord* const word = runs() ? mayStart(words) : nullptr) {
    unknown.push_back(*word);
  }
  if (conditional || pipeFollows())
    doubtSince(mark, at, (conditional ? connected + " " : "") + name);
  return LogicalResult::success();
}

LogicalResult Script::statement() {
  in.beginStatement();
  in.skipBlanks();
  const std::size_t begin = in.position();
  const char c = in.peek();
  if (in.done())
    return LogicalResult::success();
  if (c == '#') {
    in.skipLine();
  } else if (c == '\n') {
    in.newline();
    conditional = passedOver = false, connected.clear();
    return documents();
  } else if (pattern() || endsClause()) {
    conditional = false, connected.clear();
  } else if (c == ';' || c == '|' || (c == '&' && in.peek(1) != '>')) {
    connector();
  } else if (c == '(' && in.peek(1) == '(') {
    in.moveTo(begin + 2);
    const std::string inside = in.untilClosed('(', ')');
    in.moveTo(in.position() + (in.peek() == ')'));
    if (llvm::StringRef(inside).contains('=') || llvm::StringRef(inside).contains("++") ||
        llvm::StringRef(inside).contains("--"))
      doubtNames(inside, in.from(begin), "((…))");
    status = std::nullopt;
  } else if (c == '(') {
    in.moveTo(begin + 1);
    blocks.push_back({"(", begin, variables.mark(), conditional, ""});
    if (passedOver)
      blocks.back().live = false;
    conditional = passedOver = false;
  } else if (c == ')') { // of a subshell, or behind a pattern of `case`
    in.moveTo(begin + 1);
    if (!blocks.empty() && blocks.back().keyword == "(")
      closeBlock();
  } else {
    const std::size_t mark = variables.mark();
    const bool over = passedOver;
    passedOver = false;
    bool assigned = false;
    for (; assignment(); assigned = true)
      in.skipBlanks();
    if (assigned && (in.done() || llvm::StringRef("\n;&|)#").contains(in.peek()))) {
      if (conditional || pipeFollows())
        doubtSince(mark, in.from(begin),
                   (conditional ? connected + " " : "") + in.written(begin).rtrim().str());
      if (over) // the test before stays the last one
        return variables.rollBack(mark), LogicalResult::success();
      const llvm::StringRef assignments = in.written(begin);
      status = !assignments.contains("$(") && !assignments.contains('`') ? std::optional(true)
                                                                         : std::nullopt;
      return LogicalResult::success();
    }
    if (assigned) // for the one command only
      variables.rollBack(mark);
    const std::size_t before = in.position();
    if (over) {
      passedOver = true; // of a block
      const std::optional<bool> last = status;
      const std::size_t open = blocks.size();
      blocks.push_back({"{", before, mark, false, ""});
      blocks.back().live = false;
      const LogicalResult out = command(before, variables.mark());
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(open));
      passedOver = false;
      if (blocks.size() == open)
        variables.rollBack(mark), status = last;
      if (in.position() == begin)
        in.moveTo(begin + 1);
      return out;
    }
    const LogicalResult out = command(before, variables.mark());
    if (out.failed())
      return out;
    if (in.position() == begin)
      in.moveTo(begin + 1);
  }
  return LogicalResult::success();
}

void Script::setBatchVariables() {
  for (const auto& [option, variable] : batchVariables)
    if (const auto given = batch.find(option); given != batch.end())
      variables.set(variable, {{given->second}, false});
}

FailureOr<LaunchCommand> Script::launch() {
  batch = batchOptions(text, request.file);
  setBatchVariables();
  while (!in.done() && !ended) {
    const std::size_t begin = in.position();
    if (statement().failed())
      return LogicalResult::failure();
    if (in.tooLong()) {
      const llvm::StringRef line = text.substr(begin).ltrim().split('\n').first;
      const std::size_t at = text.size() - text.substr(begin).ltrim().size();
      return refused(
          {file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + line.size())},
          fmt::format("the values here are longer than {} KiB, or those of the script "
                      "together than {} MiB or {} words",
                      Expansion::most >> 10, Expansion::mostOfAll >> 20,
                      ShellVariables::mostWords));
    }
  }
  if (!found)
    found = std::move(inDocument);
  if (found)
    return LaunchCommand{std::move(*found), std::move(batch), std::move(followed), {}};
  if (uncalled)
    return notFollowed(*uncalled);
  if (!unknown.empty())
    return LaunchCommand{{}, {}, std::move(followed), std::move(unknown)};
  if (exit.valid())
    return diags.report<diag::ImportNoLaunch>(exit, request.sources.name(request.file))
        .help("it ends here");
  if (request.executed)
    return diags.report<diag::ImportNoLaunch>({}, request.sources.name(request.file))
        .help("what it started: " + started(request.sources.text(request.file)));
  return diags.report<diag::ImportNoLaunch>({}, request.sources.name(request.file))
      .help("a launch is `torchrun … pretrain_gpt.py …`, or a file of options, the first of "
            "which begins with `--`");
}
