//===- Features.cpp - The requests about a document -------------------------------------------===//
#include "tools/dplc/lsp/Features.h"
#include "frontend/Frontend.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
Json actions(const DocumentRequest& request) {
  return codeActions(request.documents, request.document, request.params, request.client);
}

constexpr DocumentMethod methods[] = {
    {"textDocument/codeAction", actions},
    {"textDocument/completion", completion},
    {"textDocument/definition", definition},
    {"textDocument/documentHighlight", highlights},
    {"textDocument/documentSymbol", documentSymbols},
    {"textDocument/foldingRange", foldingRanges},
    {"textDocument/formatting", formatting},
    {"textDocument/hover", hover},
    {"textDocument/inlayHint", inlayHints},
    {"textDocument/prepareRename", prepareRename},
    {"textDocument/references", references},
    {"textDocument/rename", rename},
    {"textDocument/semanticTokens/full", semanticTokens},
};
} // namespace

std::optional<SourceRange> DocumentRequest::place() const {
  const std::optional<std::uint32_t> file = document.check.source();
  if (!file)
    return std::nullopt;
  const std::size_t byte = LineIndex(document.text, documents.encoding).byteAt(params["position"]);
  const std::size_t skipped = sources().skipped(*file);
  const auto here = static_cast<std::uint32_t>(byte - std::min(byte, skipped));
  return SourceRange{*file, here, here};
}

const DocumentMethod* tool::documentMethod(llvm::StringRef name) {
  const auto* found =
      llvm::find_if(methods, [&](const DocumentMethod& one) { return name == one.name; });
  return found == std::end(methods) ? nullptr : found;
}

/// Replaces the lines that the formatter changes, from the first to the last.
Json tool::formatting(const DocumentRequest& request) {
  const OpenDocument& document = request.document;
  SourceManager sources;
  DiagnosticEngine diags;
  const FailureOr<std::uint32_t> file = loadSource(
      sources, diags, document.path, [&](const std::string&) { return FileText(document.text); });
  const FailureOr<std::string> formatted = file.failed()
                                               ? FailureOr<std::string>(LogicalResult::failure())
                                               : format(sources, *file, diags);
  if (formatted.failed()) {
    request.mistake = "a text with syntax errors is not formatted: " + diags.firstError();
    return nullptr;
  }
  const llvm::StringRef before = document.text, after = *formatted;
  if (before == after)
    return Json::array();
  std::size_t same = 0;
  while (same < before.size() && same < after.size() && before[same] == after[same])
    ++same;
  const std::size_t begin = before.take_front(same).rfind('\n') + 1; // npos + 1 is 0
  std::size_t tail = 0;
  while (tail < before.size() - begin && tail < after.size() - begin &&
         before[before.size() - tail - 1] == after[after.size() - tail - 1])
    ++tail;
  // The common end begins with a whole line.
  const std::size_t line = before.take_back(tail).find('\n');
  tail = line == llvm::StringRef::npos ? 0 : tail - line - 1;
  const LineIndex lines(before, request.documents.encoding);
  return Json::array({{{"range", lines.range(begin, before.size() - tail)},
                       {"newText", after.slice(begin, after.size() - tail)}}});
}
