//===- ExplainCommand.cpp - dplc explain: messages, figures, fields and words of the field ----===//
#include "ir/FigureNames.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Targets.h"
#include <cctype>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The code of a message: "DPL0301" for "DPL0301", "dpl0301", "0301", "301" and
/// "mesh-size-mismatch"; otherwise empty.
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

/// The page of a figure, from its row of the table; empty for any other name.
std::string figurePage(llvm::StringRef name) {
  const ir::FigureRow* row = ir::figureNamed(name);
  for (const ir::FigureRow& other : ir::figureRows()) // the list of figures writes the path in the
                                                      // same way
    if (!row && name.equals_insensitive(other.path))
      row = &other;
  if (!row)
    return "";
  const llvm::StringRef dimension = row->dimension;
  return fmt::format("# {}{}\n\n{}\n\n`dplc report FILE --why {}` shows how it is computed; "
                     "`docs/reference/figures.md` lists all figures.\n",
                     row->path, dimension.empty() ? "" : fmt::format(", a `{}`", dimension),
                     row->note, name);
}

/// The word in lower case without `-`, `_`, `/`, points and blanks: "zero3" for "ZeRO-3", "zero_3"
/// and "zero 3".
std::string lettersOf(llvm::StringRef word) {
  std::string out;
  for (const char c : word.lower())
    if (c != '-' && c != '_' && c != ' ' && c != '/' && c != '.')
      out += c;
  return out;
}

/// A line of docs/glossary.md: "- **tensor parallelism, TP** (`tensor`): Tensor parallelism …".
struct GlossaryEntry {
  llvm::SmallVector<llvm::StringRef, 4> terms; ///< "tensor parallelism", "TP"
  std::vector<std::string> names;              ///< names of fields, figures and messages: "tensor"
  std::string text;                            ///< text of the line without its marks
};

/// The path of a block or field: "shard.optimizer" for "shard { optimizer }".
std::string pathOf(llvm::StringRef name) {
  std::string out;
  for (const char c : name)
    out += c == '{' ? "." : c == ' ' || c == '}' ? "" : std::string(1, c);
  return out;
}

std::vector<GlossaryEntry> glossary() {
  std::vector<GlossaryEntry> entries;
  for (llvm::StringRef rest = explainPage("glossary"), line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    if (!line.consume_front("- **"))
      continue;
    const auto [terms, after] = line.split("**");
    GlossaryEntry entry{{}, {}, terms.str() + after.str()};
    terms.split(entry.terms, ", ");
    llvm::SmallVector<llvm::StringRef, 4> names;
    if (llvm::StringRef list = after; list.consume_front(" ("))
      list.split("):").first.split(names, ", ");
    for (const llvm::StringRef name : names)
      entry.names.push_back(pathOf(name.trim('`')));
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Topics that a suggestion can name.
std::vector<std::string> topics() {
  std::vector<std::string> names{"units", "glossary"};
  for (const GlossaryEntry& entry : glossary())
    for (const llvm::StringRef term : entry.terms)
      names.push_back(term.lower());
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

/// Figures whose path ends with this name: "run[RUN].goodput" for "goodput".
std::vector<std::string> figuresThatEnd(llvm::StringRef name) {
  std::vector<std::string> out;
  for (const ir::FigureRow& row : ir::figureRows())
    if (llvm::StringRef(row.path).rsplit('.').second == name)
      out.emplace_back(row.path);
  return out;
}

/// Advice for a topic that `explain` does not know: similar topics, or the command that shows the
/// topic.
std::string elsewhere(const std::string& topic) {
  constexpr std::size_t most = 3;
  if (std::vector<std::string> figures = figuresThatEnd(topic); !figures.empty()) {
    figures.resize(std::min(figures.size(), most));
    return didYouMean(figures, "");
  }
  for (const std::string& name : libraryNames())
    if (name == topic || llvm::StringRef(name).endswith("." + topic))
      return fmt::format("`dplc show {}` shows it", name);
  return didYouMean( // the release of a target has no page of its own
      nearNames(llvm::StringRef(topic).split('@').first.str(), topics()),
      "`dplc explain` lists the codes, `dplc explain glossary` the terms");
}

/// The topic with underscores: "zero_3" for "zero-3" and "zero 3".
std::string asOneWord(std::string topic) {
  for (char& c : topic)
    c = c == '-' || c == ' ' ? '_' : c;
  return topic;
}

/// The pages of the figure, the fields and, if `schema` is set, the schema with this name.
std::string pagesOf(const std::string& name, bool schema) {
  std::string out;
  for (const std::string& page :
       {flowMarkdown(figurePage(name), pageWidth()), showFields(name),
        schema ? flowSource(showLibrary("std.prelude." + name), pageWidth()) : std::string()})
    out += (out.empty() || page.empty() ? "" : "\n") + page;
  return out;
}

/// The sentence of the glossary, then the pages about the word itself or about the names in its
/// entry.
std::string wordPage(const std::string& topic) {
  const std::string lower = llvm::StringRef(topic).lower(), letters = lettersOf(topic);
  std::string out, pages = pagesOf(lower, true);
  for (const GlossaryEntry& entry : glossary()) {
    if (llvm::none_of(entry.terms,
                      [&](llvm::StringRef term) { return lettersOf(term) == letters; }))
      continue;
    out += (out.empty() ? "" : "\n") + flow(entry.text, terminalWidth());
    for (const std::string& name : entry.names)
      if (!codeNamed(name).empty())
        out += fmt::format("`dplc explain {}` has the page of this message.\n", name);
      else if (pages.empty() && std::islower(static_cast<unsigned char>(name.front())))
        pages = pagesOf(name, false); // names with capitals are types and symbols
  }
  out += (out.empty() || pages.empty() ? "" : "\n") + pages;
  const std::string words = flowMarkdown(showFirstWord(asOneWord(lower)), pageWidth());
  return out + (out.empty() || words.empty() ? "" : "\n") + words;
}
} // namespace

int tool::runExplain(Session& session, const ExplainOptions& options) {
  const std::string& topic = options.topic;
  if (topic.empty()) {
    for (const DiagInfo& row : allDiagnostics())
      if (row.severity != Severity::Note)
        session.out += fmt::format("{}  {:<8} {}\n", row.code, name(row.severity), row.name);
    return session.finish();
  }
  if (topic == "units")
    session.out = flowList(unitTable(), pageWidth());
  else if (topic == "glossary")
    for (const GlossaryEntry& entry : glossary())
      session.out += wrapped(entry.text, terminalWidth(), 2, 2) + "\n";
  for (const auto& page : {+[](const std::string& word) { return explainRule(word); },
                           +[](const std::string& word) {
                             return flowMarkdown(explainPage(codeNamed(word)), pageWidth());
                           },
                           +wordPage})
    if (session.out.empty())
      session.out = page(topic);
  if (session.out.empty())
    (void)session.diags.report<diag::UnknownTopic>({}, topic).help(
        elsewhere(llvm::StringRef(topic).lower()));
  return session.finish();
}
