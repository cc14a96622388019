//===- Script.cpp - The command that a launch script runs -------------------------------------===//
#include "frontend/import/shell/Script.h"
#include "frontend/import/shell/Processes.h"
#include "frontend/import/shell/ThroughShell.h"
#include "support/diagnostics/Imports.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::shell;

namespace {
/// Whether a command sets the variables that its words name.
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
} // namespace

Script::Script(const ScriptRequest& request, DiagnosticEngine& diags)
    : request(request), diags(diags), variables(request.defines),
      in(request.sources.text(request.file), request.file), expansion(in, variables),
      assignments(in, expansion, variables, request.hasNoEffect),
      blocks(in, expansion, variables, assignments, connection),
      search(request.trains, diags, request.sources, in, variables, blocks), reading{request.file} {
}

void Script::connector() {
  const char c = in.peek();
  const bool twice = in.peek(1) == c;
  if (c == ';') {
    in.advance();
    connection.end(), connection.passedOver = false;
    return;
  }
  const std::optional<bool>& status = connection.status;
  bool& conditional = connection.conditional;
  connection.passedOver = twice && status && !conditional && *status == (c == '|');
  conditional = (twice || c == '|') && (conditional || !(twice && status));
  connection.by = twice ? std::string(2, c) : std::string(1, c);
  in.advance(twice ? 2 : 1);
  if (conditional || twice) // the statement may continue on the next line
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

/// Handles `((…))` that is a statement.
void Script::arithmetic(std::size_t begin) {
  in.advance(2);
  const std::string inside = in.untilClosed('(', ')');
  in.advance(in.peek() == ')');
  const llvm::StringRef sets = inside;
  if (sets.contains('=') || sets.contains("++") || sets.contains("--"))
    assignments.doubtNames(inside, in.from(begin), "((…))");
  connection.status = std::nullopt;
}

void Script::declaration(const std::string& keyword, std::size_t begin, std::size_t mark) {
  in.moveTo(begin + keyword.size());
  assignments.declaration(mark);
  connection.status = true;
  if (keyword == "local" && !locals.empty())
    for (const std::string& set : variables.changedSince(mark))
      locals.back().emplace(set, variables.at(set, mark));
}

/// Handles `[ … ]`, `[[ … ]]` or `test …` that is a statement. The cursor is after its first words.
void Script::test(std::size_t begin) {
  const std::size_t after = in.position();
  in.moveTo(begin);
  const Condition condition = conditionAt(in, expansion, true);
  connection.status = condition.value;
  in.moveTo(std::max(condition.end, after));
}

void Script::leave(const std::string& keyword, SourceRange at) {
  if (keyword == "exit")
    exit = at;
  (keyword == "exit" || (locals.empty() && reading.size() == 1) ? ended : returned) = true;
}

/// Handles `shift` and `set --`.
void Script::changeArguments(const ShellWords& words, SourceRange at) {
  const std::string& name = words[0].text;
  bool known = llvm::none_of(words, [](const ShellWord& word) { return word.doubt != nullptr; });
  if (name == "shift")
    known = variables.shift(words.size() > 1 ? llvm::StringRef(words[1].text) : "1");
  else if (known)
    variables.setArguments({words.begin() + 2, words.end()});
  if (!known)
    variables.doubtPositional(at, name);
}

/// Handles `source`, `.` and `eval`, which run other text.
LogicalResult Script::otherText(const ShellWords& words, SourceRange at) {
  const std::string& name = words[0].text;
  const bool starts = llvm::any_of(words, [](const ShellWord& w) {
    return llvm::StringRef(w.text).endswith(".py") && !w.doubt;
  });
  if (starts && blocks.runs())
    return diags.report<diag::ImportNotFollowed>(at, name);
  if (name == "eval")
    search.noteDoubtful(words);
  else if (const std::optional<LogicalResult> done = sourced(words))
    return *done;
  variables.doubtAll(at, name);
  return LogicalResult::success();
}

LogicalResult Script::command(std::size_t begin) {
  const std::size_t mark = variables.mark();
  const ShellWords words = expansion.words('\0');
  if (words.empty())
    return LogicalResult::success();
  const std::string name = words[0].text;
  const SourceRange at{in.file(), static_cast<std::uint32_t>(begin),
                       static_cast<std::uint32_t>(begin + name.size())};
  if (blocks.opens(name, begin) || blocks.closes(name))
    return LogicalResult::success();
  if (std::optional<ShellWords> inside = throughShell(words, in.file(), variables);
      inside && search.trains(*inside))
    return search.found(*inside, begin);
  if (isAny(name, {"then", "do", "else", "elif", "!"})) {
    in.moveTo(begin + name.size());
    connection.conditional = false;
    if (name == "elif" || name == "else")
      blocks.nextBranch(name);
    return LogicalResult::success();
  }
  writesDocument |= onlyNames(name);
  connection.status = std::nullopt;
  LogicalResult out = LogicalResult::success();
  if (isAny(name, {"export", "declare", "local", "readonly", "typeset"})) {
    declaration(name, begin, mark);
  } else if (in.peek() == '(' && words.size() == 1) {
    blocks.defineFunction(name, begin);
    return out;
  } else if (search.trains(words)) {
    return search.found(words, begin);
  } else if (isAny(name, {"[", "[[", "test"})) {
    test(begin);
  } else if (isAny(name, {"true", ":"})) {
    connection.status = true;
  } else if (isAny(name, {"break", "continue"})) {
    blocks.leaveLoop();
  } else if (isAny(name, {"return", "exit"}) && !connection.conditional && blocks.runsForSure()) {
    leave(name, at);
  } else if (name == "shift" || (name == "set" && words.size() > 1 && words[1].text == "--")) {
    changeArguments(words, at);
  } else if (setsNames(words)) {
    assignments.doubtNames(in.written(begin).drop_front(name.size()), at, name);
  } else if (isAny(name, {"source", ".", "eval"})) {
    out = otherText(words, at);
  } else if (const ShellFunction* const function = blocks.function(name)) {
    out = call(*function, words, at);
  } else {
    search.noteDoubtful(words);
  }
  if (out.succeeded() && (connection.conditional || in.pipeFollows()))
    assignments.doubtSince(mark, at, (connection.conditional ? connection.by + " " : "") + name);
  return out;
}

/// Skips a command after `&&` or `||` that does not run.
LogicalResult Script::skippedCommand(std::size_t begin) {
  const std::size_t mark = variables.mark();
  connection.passedOver = true; // the command may be a block
  const std::optional<bool> last = connection.status;
  const std::size_t open = blocks.size();
  blocks.push("{", begin).live = false;
  const LogicalResult out = command(begin);
  blocks.remove(open);
  connection.passedOver = false;
  if (blocks.size() == open)
    variables.rollBack(mark), connection.status = last;
  return out;
}

/// Reads assignments, and a command after them. If there is a command, the assignments apply only
/// to it.
LogicalResult Script::simpleStatement(std::size_t begin) {
  const std::size_t mark = variables.mark();
  const bool over = std::exchange(connection.passedOver, false);
  bool assigned = false;
  for (; assignments.assignment(); assigned = true)
    in.skipBlanks();
  if (assigned && (in.done() || llvm::StringRef("\n;&|)#").contains(in.peek()))) {
    if (connection.conditional || in.pipeFollows())
      assignments.doubtSince(mark, in.from(begin),
                             (connection.conditional ? connection.by + " " : "") +
                                 in.written(begin).rtrim().str());
    if (over) // the status of the previous test is kept
      return variables.rollBack(mark), LogicalResult::success();
    const llvm::StringRef written = in.written(begin);
    connection.status =
        !written.contains("$(") && !written.contains('`') ? std::optional(true) : std::nullopt;
    return LogicalResult::success();
  }
  if (assigned)
    variables.rollBack(mark);
  const LogicalResult out = over ? skippedCommand(in.position()) : command(in.position());
  if (in.position() == begin)
    in.advance();
  return out;
}

LogicalResult Script::statement() {
  expansion.budget().beginStatement();
  in.skipBlanks();
  const std::size_t begin = in.position();
  const char c = in.peek();
  if (in.done())
    return LogicalResult::success();
  if (c == '#') {
    in.skipLine();
  } else if (c == '\n') {
    in.newline();
    connection.end(), connection.passedOver = false;
    return documents();
  } else if (blocks.pattern() || blocks.endsClause()) {
    connection.end();
  } else if (c == ';' || c == '|' || (c == '&' && in.peek(1) != '>')) {
    connector();
  } else if (c == '(' && in.peek(1) == '(') {
    arithmetic(begin);
  } else if (c == '(') {
    in.advance();
    ShellBlock& subshell = blocks.push("(", begin, connection.conditional);
    if (connection.passedOver)
      subshell.live = false;
    connection.conditional = connection.passedOver = false;
  } else if (c == ')') { // end of a subshell, or of a `case` pattern
    in.advance();
    if (blocks.inSubshell())
      blocks.closeInnermost();
  } else {
    return simpleStatement(begin);
  }
  return LogicalResult::success();
}

void Script::setBatchVariables() {
  for (const auto& [option, variable] : batchVariables)
    if (const auto given = batch.find(option); given != batch.end())
      variables.set(variable, {{given->second}, false});
}

/// Reports that the line at `begin` is too long.
LogicalResult Script::tooLong(std::size_t begin) {
  const llvm::StringRef rest = in.text().substr(begin).ltrim();
  const std::size_t at = in.text().size() - rest.size();
  return diags.report<diag::ImportRefused>(
      SourceRange{in.file(), static_cast<std::uint32_t>(at),
                  static_cast<std::uint32_t>(at + rest.split('\n').first.size())},
      "the import",
      fmt::format("the values here are longer than {} KiB, or those of the script "
                  "together than {} MiB or {} words",
                  ValueBudget::most >> 10, ValueBudget::mostOfAll >> 20,
                  ShellVariables::mostWords));
}

FailureOr<LaunchCommand> Script::launch() {
  batch = batchOptions(in.text(), in.file());
  setBatchVariables();
  while (!in.done() && !ended) {
    const std::size_t begin = in.position();
    if (statement().failed())
      return LogicalResult::failure();
    if (expansion.budget().exceeded())
      return tooLong(begin);
  }
  FailureOr<std::pair<ShellWords, ShellWords>> found = search.result();
  if (found.failed())
    return LogicalResult::failure();
  return LaunchCommand{std::move(found->first), std::move(found->second), std::move(batch),
                       std::move(followed), exit};
}
