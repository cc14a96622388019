//===- TextCommands.cpp - dplc fmt, show, explain, new and completion -------------------------===//
#include "ir/FigureNames.h"
#include "support/FileIo.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Targets.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// What `dplc new` writes. A test compiles it and finds it formatted.
constexpr const char* firstFile = R"dpl(// Does an 8B model train on one node?
import std.models
import std.clusters

model llm from models.llama3_8b
cluster node from clusters.dgx_h100 { nodes = 1 }

layout fits for llm on node {
  batch = 64seq
  mesh = auto  // degrees, recomputation, ZeRO stage: what fits and is fastest
}
)dpl";

/// "DPL0301" for "DPL0301", "dpl0301", "0301", "301" and "mesh-size-mismatch"; else empty.
std::string codeNamed(llvm::StringRef topic) {
  for (const DiagInfo& row : allDiagnostics()) {
    const llvm::StringRef code = row.code;
    unsigned number = 0, wanted = 0;
    const bool digits =
        !topic.getAsInteger(10, wanted) && !code.drop_front(3).getAsInteger(10, number);
    if (code.equals_insensitive(topic) || topic.equals_insensitive(row.name) ||
        (digits && number == wanted))
      return row.code;
  }
  return "";
}

/// What a figure is, as its row of the table says it; empty for another name.
std::string figurePage(llvm::StringRef name) {
  const ir::FigureRow* row = ir::figureNamed(name);
  for (const ir::FigureRow& other : ir::figureRows()) // as the list of them writes it
    if (!row && name.equals_insensitive(other.path))
      row = &other;
  if (!row)
    return "";
  const llvm::StringRef dimension = row->dimension;
  return fmt::format("# {}{}\n\n{}\n\n`dplc report FILE --why {}` says how it comes about; "
                     "`docs/reference/figures.md` lists all figures.\n",
                     row->path, dimension.empty() ? "" : fmt::format(", a `{}`", dimension),
                     row->note, name);
}

std::vector<std::string> topics() {
  std::vector<std::string> names{"units"};
  for (const ir::FigureRow& row : ir::figureRows())
    if (!row.hasHoles())
      names.emplace_back(row.path);
  for (const Target* target : allTargets())
    names.emplace_back(target->name);
  for (const DiagInfo& row : allDiagnostics())
    if (row.severity != Severity::Note)
      names.emplace_back(row.name);
  return names;
}

/// Figures whose path ends so: "run[RUN].goodput" for "goodput".
std::vector<std::string> figuresThatEnd(llvm::StringRef name) {
  std::vector<std::string> out;
  for (const ir::FigureRow& row : ir::figureRows())
    if (llvm::StringRef(row.path).rsplit('.').second == name)
      out.emplace_back(row.path);
  return out;
}

/// Where something of that name is told about, if not by `explain`.
std::string elsewhere(const std::string& topic) {
  constexpr std::size_t most = 3;
  if (std::vector<std::string> figures = figuresThatEnd(topic); !figures.empty()) {
    figures.resize(std::min(figures.size(), most));
    return didYouMean(figures, "");
  }
  for (const std::string& name : libraryNames())
    if (name == topic || llvm::StringRef(name).endswith("." + topic))
      return fmt::format("`dplc show {}` shows it", name);
  return didYouMean( // A release says which rules hold, not another page.
      nearNames(llvm::StringRef(topic).split('@').first.str(), topics()),
      "`dplc explain` lists the codes; `dplc explain units` prints the units");
}

/// "zero_3" of "zero-3" and of "zero 3".
std::string asOneWord(std::string topic) {
  for (char& c : topic)
    c = c == '-' || c == ' ' ? '_' : c;
  return topic;
}

/// `plan.dpl:12:5`.
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

/// "is a field, declared at std.prelude:120:3"; a figure has no declaration.
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

/// What the name at a place of a file means; mistakes of the file do not matter.
void showName(Session& session, const std::string& topic, const Position& at) {
  DiagnosticEngine mistakes;
  std::swap(mistakes, session.diags);
  const std::unique_ptr<CompiledUnit> unit = session.compile(at.path, true);
  std::swap(mistakes, session.diags);
  const std::optional<std::uint32_t> file = unit->source();
  if (!file) { // it cannot be read
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
    const FailureOr<std::uint32_t> file = loadSource(session.sources, session.diags, path);
    if (file.failed())
      continue;
    const FailureOr<std::string> formatted = format(session.sources, *file, session.diags);
    session.diags.endPhase();
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

int tool::runExplain(Session& session, const ExplainOptions& options) {
  const std::string& topic = options.topic;
  if (topic == "units") {
    session.out = flowList(unitTable(), pageWidth());
    return session.finish();
  }
  if (topic.empty()) {
    for (const DiagInfo& row : allDiagnostics())
      if (row.severity != Severity::Note)
        session.out += fmt::format("{}  {:<8} {}\n", row.code, name(row.severity), row.name);
    return session.finish();
  }
  const std::string lower = llvm::StringRef(topic).lower();
  std::string explained = explainRule(topic);
  if (explained.empty())
    explained = flowMarkdown(explainPage(codeNamed(topic)), pageWidth());
  session.out = explained;
  if (explained.empty()) // a name can be a figure, a field and a schema
    for (const std::string& page : {flowMarkdown(figurePage(lower), pageWidth()),
                                    flowMarkdown(showFields(lower), pageWidth()),
                                    flowSource(showLibrary("std.prelude." + lower), pageWidth())})
      session.out += (session.out.empty() || page.empty() ? "" : "\n") + page;
  if (const std::string words = flowMarkdown(showFirstWord(asOneWord(lower)), pageWidth());
      !words.empty() && explained.empty())
    session.out += (session.out.empty() ? "" : "\n") + words;
  if (session.out.empty())
    (void)session.diags.report<diag::UnknownTopic>({}, topic).help(elsewhere(lower));
  return session.finish();
}

int tool::runNew(Session& session, const NewOptions& options) {
  const std::string& path = options.files.front();
  if (Session::isStandardOutput(path))
    session.out = firstFile;
  else if (session.writeNew(path, firstFile).succeeded())
    session.out = fmt::format("wrote {0}; now try\n  dplc check {0}\n  dplc report {0}\n", path);
  return session.finish();
}

int tool::runCompletion(Session& session, const CompletionOptions& options) {
  session.out = completionScript(options.shell);
  return session.finish();
}
