#pragma once
//===- Messages.h - Diagnostics in the form of the Language Server Protocol -------------------===//
#include "tools/dplc/lsp/Documents.h"

namespace dpl::tool {

/// What the client can show.
struct ClientFeatures {
  bool relatedInformation = false;
  bool refreshesHints = false; ///< accepts `workspace/inlayHint/refresh`
  bool snippets = false;       ///< completion may place the cursor
  bool markdown = true;        ///< of hover texts
  bool watchesFiles = false;   ///< reports changes of files if it is asked to
  bool symbolTree = false;     ///< an outline of several levels
};

/// The place of a range: `{"uri": …, "range": …}`; null if no file can be opened there.
Json locationOf(const Documents& documents, const SourceManager& sources, SourceRange range);
/// The range in positions of the text as the client has it.
Json lspRange(const Documents& documents, const SourceManager& sources, SourceRange range);

/// The messages of a check by the path of the file that shows them; the file itself is always
/// there. Messages without a place, and about the library, stand at the start of the file.
std::map<std::string, std::vector<Json>>
messagesOf(const Documents& documents, const FileCheck& check, const ClientFeatures& client);

/// The fixes for messages that touch a range of a document, as code actions.
Json codeActions(const Documents& documents, const OpenDocument& document, const Json& params,
                 const ClientFeatures& client);

} // namespace dpl::tool
