#pragma once
//===- Features.h - The requests about a document ---------------------------------------------===//
#include "tools/dplc/lsp/Messages.h"

namespace dpl::tool {

/// What a request about a document needs.
struct DocumentRequest {
  Documents& documents;
  OpenDocument& document;
  const Json& params;
  const ClientFeatures& client;
  std::string& mistake; ///< set instead of a result

  const SourceManager& sources() const { return document.check.sources(); }
  FileNames& names() const { return document.check.names(); }
  /// The id of the document among the sources, and the byte of `position` in it; none if the text
  /// cannot be read, as one that is too large.
  std::optional<SourceRange> place() const;
};

/// A request whose parameters name a document. Its check is up to date.
struct DocumentMethod {
  const char* name;
  Json (*answer)(const DocumentRequest& request);
};
/// The method with a name; null if there is none.
const DocumentMethod* documentMethod(llvm::StringRef name);

Json formatting(const DocumentRequest& request);
// Hover.cpp, Navigation.cpp, Rename.cpp
Json hover(const DocumentRequest& request);
Json definition(const DocumentRequest& request);
Json references(const DocumentRequest& request);
Json highlights(const DocumentRequest& request);
Json prepareRename(const DocumentRequest& request);
Json rename(const DocumentRequest& request);
// CompletionItems.cpp, InlayHints.cpp
Json completion(const DocumentRequest& request);
Json inlayHints(const DocumentRequest& request);
/// "step 10.5 s, MFU 38.0 %, peak 41.7 GiB"
std::string labelOf(const PlanSummary& summary);
// Outline.cpp, SemanticTokens.cpp
Json documentSymbols(const DocumentRequest& request);
Json foldingRanges(const DocumentRequest& request);
Json semanticTokens(const DocumentRequest& request);
/// The names of the kinds of tokens, and of their modifiers, for `initialize`.
Json semanticLegend();

/// The uses of a declaration in one file.
struct UsesInFile {
  std::string path;
  std::vector<Json> ranges;
  std::vector<std::string> texts; ///< text of each range
};
/// The uses of a declaration in the document and its imports, in the other open documents, and in
/// the files of the project that import the declaring file. `declaration` is a range of `sources`.
std::vector<UsesInFile> usesOf(const DocumentRequest& request, SourceRange declaration,
                               bool withDeclaration);

} // namespace dpl::tool
