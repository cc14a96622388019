//===- TextCommands.cpp - dplc fmt, show, completion, help and version ------------------------===//
#include "support/FileIo.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Version.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// A place in a file, such as `plan.dpl:12:5`.
struct Position {
  std::string path;
  LineColumn place;
};

std::optional<Position> positionIn(llvm::StringRef topic) {
  Position at;
  const auto [before, column] = topic.rsplit(':');
  const auto [path, line] = before.rsplit(':');
  if (path.empty() || line.getAsInteger(10, at.place.line) ||
      column.getAsInteger(10, at.place.column))
    return std::nullopt;
  at.path = path.str();
  return at;
}

/// A text such as "is a field, declared at std.prelude:120:3"; a figure has no declaration.
std::string sentenceOf(const NameMeaning& meaning, const SourceManager& sources) {
  using Kind = NameMeaning::NameKind;
  const char* what = "";
  switch (meaning.kind) {
  case Kind::Block:
    what = "a block";
    break;
  case Kind::Field:
    what = "a field";
    break;
  case Kind::Choice:
    what = "a choice";
    break;
  case Kind::Let:
    what = "a `let`";
    break;
  case Kind::Param:
    what = "a parameter";
    break;
  case Kind::Variable:
    what = "the variable of a `for`";
    break;
  case Kind::Import:
    what = "an import";
    break;
  case Kind::Schema:
    what = "a kind of block";
    break;
  case Kind::Figure:
    what = "a figure; `dplc report FILE --why` says what it is made of";
    break;
  }
  return meaning.declaration.valid()
             ? fmt::format("{}, declared at {}", what, sources.describe(meaning.declaration))
             : what;
}

/// Shows the meaning of the name at a place in a file, even if the file has errors.
void showName(Session& session, const std::string& topic, const Position& at) {
  DiagnosticEngine mistakes;
  std::swap(mistakes, session.diags);
  const std::unique_ptr<CompiledUnit> unit = session.compile(at.path, true);
  std::swap(mistakes, session.diags);
  const std::optional<std::uint32_t> file = unit->source();
  if (!file) { // the file cannot be read
    for (const Diagnostic& d : mistakes.diagnostics())
      session.diags.issue(d);
    return;
  }
  const std::optional<std::uint32_t> byte = session.sources.byteAt(*file, at.place);
  const std::optional<NameAt> name = byte ? unit->nameAt(*file, *byte) : std::nullopt;
  if (!name) {
    (void)session.diags.report<diag::NoNameThere>({}, topic);
    return;
  }
  const NameMeaning& meaning = name->meaning;
  session.out = fmt::format("`{}` is {}\n", session.sources.text(name->use),
                            sentenceOf(meaning, session.sources));
  if (!meaning.declaration.valid())
    return;
  const SourceRange declared = meaning.declaration;
  session.out += fmt::format("  {}\n", session.sources.line(declared.file, declared.begin).trim());
  if (!meaning.doc.empty())
    session.out += flow(meaning.doc, terminalWidth());
}
} // namespace

int tool::runFmt(Session& session, const FmtOptions& options) {
  for (const std::string& path : options.files) {
    const bool piped = path == "-";
    const FailureOr<std::uint32_t> file = loadSource(
        session.sources, session.diags, Session::nameOf(path),
        [&](const std::string& named) { return readFile(piped ? "/dev/stdin" : named); });
    if (file.failed())
      continue;
    const FailureOr<std::string> formatted = format(session.sources, *file, session.diags);
    session.diags.endPhase();
    if (piped && !options.checkOnly && !formatted.failed()) {
      session.out += *formatted;
      session.exact = true;
      continue;
    }
    if (formatted.failed() || *formatted == session.sources.text(*file))
      continue;
    if (options.checkOnly)
      (void)session.diags.report<diag::NotFormatted>({}, path).help(
          fmt::format("`dplc fmt {}` formats it", path));
    else if (writeFile(path, *formatted, session.diags).succeeded())
      session.out += path + "\n";
  }
  return session.finish();
}

int tool::runShow(Session& session, const ShowOptions& options) {
  const std::string& topic = options.name;
  if (const std::optional<Position> at = positionIn(topic)) {
    showName(session, topic, *at);
    return session.finish();
  }
  llvm::StringRef module = topic;
  const std::vector<std::string> modules = libraryModules();
  if (topic == "std") {
    for (const std::string& name : modules)
      session.out += "std." + name + "\n";
    return session.finish();
  }
  if (module.consume_front("std."))
    session.out = libraryText(module).str();
  if (session.out.empty())
    session.out = showLibrary(topic);
  session.out = flowSource(session.out, pageWidth());
  if (session.out.empty())
    (void)session.diags.report<diag::UnknownDeclaration>({}, topic).help(
        didYouMean(nearNames(topic, libraryNames()),
                   "`dplc show std` lists the modules, `dplc show std.models` is one of them"));
  return session.finish();
}

int tool::runCompletion(Session& session, const CompletionOptions& options) {
  session.out = completionScript(options.shell);
  return session.finish();
}

int tool::runHelp(Session& session, const HelpOptions& options) {
  session.out = helpText(options.command);
  if (!session.out.empty())
    return session.finish();
  std::vector<std::string> names;
  for (const CommandWords& command : commandWords())
    names.push_back(command.name);
  return session.refuse(
      fmt::format("there is no command `{}`", options.command),
      didYouMean(nearNames(options.command, names), "`dplc help` lists the commands"));
}

int tool::runVersion(Session& session, const VersionOptions&) {
  session.out = fmt::format("{}\n", versionText());
  return session.finish();
}
