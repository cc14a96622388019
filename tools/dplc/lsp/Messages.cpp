//===- Messages.cpp - Diagnostics in the form of the Language Server Protocol -----------------===//
#include "tools/dplc/lsp/Messages.h"
#include "support/Utf8.h"
#include "support/diagnostics/Files.h"
#include "tools/dplc/lsp/LibraryFiles.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Numbers of the protocol: error, warning, information.
int severityOf(Severity severity) {
  return severity == Severity::Error ? 1 : severity == Severity::Warning ? 2 : 3;
}

bool isLibrary(const SourceManager& sources, SourceRange range) {
  return range.valid() && sources.name(range.file).startswith("std.");
}

Json atStart() {
  const Json start{{"line", 0}, {"character", 0}};
  return {{"start", start}, {"end", start}};
}

/// The message with its label, its help, and notes that have no place of their own.
std::string textOf(const Documents& documents, const SourceManager& sources, const Diagnostic& d,
                   const ClientFeatures& client, Json& related) {
  std::string text = d.message;
  if (!d.label.empty())
    text += "\n" + d.label;
  for (const Diagnostic& note : d.notes) {
    Json location = client.relatedInformation && note.range.valid()
                        ? locationOf(documents, sources, note.range)
                        : Json();
    if (!location.is_null())
      related.push_back({{"location", std::move(location)}, {"message", validUtf8(note.message)}});
    else
      text += "\nnote: " + note.message +
              (note.range.valid() ? " (" + sources.describe(note.range) + ")" : "");
  }
  if (!d.help.empty())
    text += "\nhelp: " + d.help;
  return validUtf8(text);
}

Json asLsp(const Documents& documents, const SourceManager& sources, const Diagnostic& d,
           bool placed, const ClientFeatures& client) {
  Json related = Json::array();
  if (!placed && d.range.valid() && client.relatedInformation)
    if (Json location = locationOf(documents, sources, d.range); !location.is_null())
      related.push_back({{"location", std::move(location)}, {"message", validUtf8(d.message)}});
  const std::string text = textOf(documents, sources, d, client, related);
  Json out{{"range", placed ? lspRange(documents, sources, d.range) : atStart()},
           {"severity", severityOf(d.info.severity)},
           {"code", d.info.code},
           {"source", "dplc"},
           {"message", text}};
  if (!related.empty())
    out.append("relatedInformation", std::move(related));
  return out;
}

/// The edits of a message by file; empty if one of them is in the library.
std::map<std::string, Json> changesOf(const Documents& documents, const SourceManager& sources,
                                      const Diagnostic& d) {
  std::map<std::string, Json> changes;
  for (const Edit& edit : d.edits) {
    if (!edit.range.valid() || isLibrary(sources, edit.range))
      return {};
    changes[documents.uriOf(sources.name(edit.range.file).str())].push_back(
        {{"range", lspRange(documents, sources, edit.range)}, {"newText", edit.text}});
  }
  return changes;
}
} // namespace

Json tool::lspRange(const Documents& documents, const SourceManager& sources, SourceRange range) {
  const auto position = [&](std::uint32_t byte) -> Json {
    const llvm::StringRef line = sources.line(range.file, byte);
    const auto start = static_cast<std::size_t>(line.data() - sources.text(range.file).data());
    const std::uint32_t number = sources.at(range.file, byte).line - 1;
    std::size_t character = unitsOf(line.take_front(byte - start), documents.encoding);
    // A byte order mark is a character of the first line for the client.
    if (number == 0 && sources.skipped(range.file) > 0)
      character += unitsOf("\xEF\xBB\xBF", documents.encoding);
    return {{"line", number}, {"character", character}};
  };
  return {{"start", position(range.begin)}, {"end", position(range.end)}};
}

Json tool::locationOf(const Documents& documents, const SourceManager& sources, SourceRange range) {
  const std::string name = sources.name(range.file).str();
  const bool library = isLibrary(sources, range);
  const std::string path = library ? libraryFile(name) : name;
  if (path.empty())
    return nullptr;
  return {{"uri", library ? uriOfPath(path) : documents.uriOf(path)},
          {"range", lspRange(documents, sources, range)}};
}

std::map<std::string, std::vector<Json>>
tool::messagesOf(const Documents& documents, const FileCheck& check, const ClientFeatures& client) {
  std::map<std::string, std::vector<Json>> out;
  out[check.path()];
  const SourceManager& sources = check.sources();
  for (const Diagnostic& d : check.diagnostics().diagnostics()) {
    const bool placed = d.range.valid() && !isLibrary(sources, d.range);
    out[placed ? sources.name(d.range.file).str() : check.path()].push_back(
        asLsp(documents, sources, d, placed, client));
  }
  if (const unsigned more = check.diagnostics().heldBack(); more > 0)
    out[check.path()].push_back({{"range", atStart()},
                                 {"severity", severityOf(Severity::Remark)},
                                 {"code", diag::HeldBack::info.code},
                                 {"source", "dplc"},
                                 {"message", diag::HeldBack::format(more)}});
  return out;
}

Json tool::codeActions(const Documents& documents, const OpenDocument& document, const Json& params,
                       const ClientFeatures& client) {
  Json actions = Json::array();
  const SourceManager& sources = document.check.sources();
  const LineIndex lines(document.text, documents.encoding);
  const Json& range = params["range"];
  const std::size_t begin = lines.byteAt(range["start"]), end = lines.byteAt(range["end"]);
  const Json& only = params["context"]["only"];
  if (only.is_array() && llvm::none_of(only, [](const Json& kind) {
        return kind == Json("quickfix") || kind == Json("");
      }))
    return actions;
  for (const Diagnostic& d : document.check.diagnostics().diagnostics()) {
    if (!d.range.valid() || sources.name(d.range.file) != document.path)
      continue;
    const std::uint32_t skipped = sources.skipped(d.range.file);
    if (d.range.end + skipped < begin || d.range.begin + skipped > end)
      continue;
    std::map<std::string, Json> changes = changesOf(documents, sources, d);
    if (changes.empty())
      continue;
    const std::string title = d.help.empty() ? "replace by `" + d.edits.front().text + "`" : d.help;
    actions.push_back({{"title", validUtf8(title)},
                       {"kind", "quickfix"},
                       {"isPreferred", true},
                       {"diagnostics", Json::array({asLsp(documents, sources, d, true, client)})},
                       {"edit", {{"changes", changes}}}});
  }
  return actions;
}
