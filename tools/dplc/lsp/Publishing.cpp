//===- Publishing.cpp - The start of the language server, and the messages that it shows ------===//
#include "support/Utf8.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/lsp/Features.h"
#include "tools/dplc/lsp/LibraryFiles.h"
#include "tools/dplc/lsp/LspProtocol.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
Json capabilities(PositionEncoding encoding) {
  return {
      {"positionEncoding", encoding == PositionEncoding::Utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync",
       {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"completionProvider", {{"triggerCharacters", Json::array({".", "="})}}},
      {"documentSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"semanticTokensProvider", {{"legend", semanticLegend()}, {"full", true}}},
      {"codeActionProvider", {{"codeActionKinds", Json::array({"quickfix"})}}},
      {"documentFormattingProvider", true},
      {"inlayHintProvider", true},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}};
}

/// The features that the capabilities of a client name.
ClientFeatures featuresOf(const Json& can) {
  ClientFeatures client;
  const Json& document = can["textDocument"];
  const auto has = [](const Json& value) { return value == Json(true); };
  client.relatedInformation = has(document["publishDiagnostics"]["relatedInformation"]);
  client.refreshesHints = has(can["workspace"]["inlayHint"]["refreshSupport"]);
  client.snippets = has(document["completion"]["completionItem"]["snippetSupport"]);
  client.symbolTree = has(document["documentSymbol"]["hierarchicalDocumentSymbolSupport"]);
  client.watchesFiles = has(can["workspace"]["didChangeWatchedFiles"]["dynamicRegistration"]);
  const Json& formats = document["hover"]["contentFormat"];
  client.markdown = !formats.is_array() || llvm::any_of(formats, [](const Json& format) {
    return format == Json("markdown");
  });
  return client;
}

/// Paths of the folders of a project.
std::vector<std::string> foldersOf(const Json& list) {
  std::vector<std::string> out;
  for (const Json& folder : list)
    if (const std::string uri = textAt(folder, "uri"); llvm::StringRef(uri).startswith("file://"))
      out.push_back(pathOfUri(uri));
  return out;
}
} // namespace

void LspProtocol::initialize(Server& server, const Request& request) {
  if (!request.id)
    return;
  if (started)
    return server.send(
        errorText(*request.id, RpcError::InvalidRequest, "the server is initialized already"));
  started = true;
  const Json& can = request.params["capabilities"];
  for (const Json& encoding : can["general"]["positionEncodings"])
    if (encoding == Json("utf-8"))
      documents.encoding = PositionEncoding::Utf8;
  client = featuresOf(can);
  documents.folders = foldersOf(request.params["workspaceFolders"]);
  if (const std::string root = textAt(request.params, "rootUri");
      documents.folders.empty() && !root.empty())
    documents.folders = foldersOf(Json::array({Json{{"uri", root}}}));
  server.send(
      resultText(*request.id, {{"capabilities", capabilities(documents.encoding)},
                               {"serverInfo", {{"name", "dplc"}, {"version", DPL_VERSION}}}}));
}

/// Asks the client to tell of changes of files that are not open.
void LspProtocol::watchFiles(Server& server) {
  if (!client.watchesFiles)
    return;
  const Json watcher{{"globPattern", "**/*.dpl"}};
  const Json registration{{"id", "files"},
                          {"method", "workspace/didChangeWatchedFiles"},
                          {"registerOptions", {{"watchers", Json::array({watcher})}}}};
  request(server, "client/registerCapability", {{"registrations", Json::array({registration})}});
}

void LspProtocol::changeFolders(const Json& event) {
  const std::vector<std::string> removed = foldersOf(event["removed"]);
  llvm::erase_if(documents.folders,
                 [&](const std::string& one) { return llvm::is_contained(removed, one); });
  for (std::string& folder : foldersOf(event["added"]))
    documents.folders.push_back(std::move(folder));
}

void LspProtocol::request(Server& server, const std::string& method, Json params) {
  server.send(requestText("dplc-" + std::to_string(++requests), method, std::move(params)));
}

/// Publishes the messages of a document, and those about other files that have changed.
void LspProtocol::publish(Server& server, OpenDocument& document) {
  document.unpublished = false;
  std::set<std::string> paths{document.path};
  std::map<std::string, std::vector<Json>>& list = messages[document.uri];
  std::map<std::string, std::vector<Json>> before = std::move(list);
  list = messagesOf(documents, document.check, client);
  for (const auto* known : {&before, &list})
    for (const auto& [path, others] : *known)
      if (before[path] != list[path])
        paths.insert(path);
  for (const std::string& path : paths)
    publish(server, path, documents.findPath(path));
}

/// Publishes the messages about a file: those of its own document first, then those that other
/// documents add.
void LspProtocol::publish(Server& server, const std::string& path, const OpenDocument* document) {
  std::vector<Json> all;
  const auto add = [&](const std::map<std::string, std::vector<Json>>& byPath) {
    if (const auto found = byPath.find(path); found != byPath.end() && !isLibraryFile(path))
      for (const Json& one : found->second)
        if (!llvm::is_contained(all, one))
          all.push_back(one);
  };
  if (document)
    add(messages[document->uri]);
  for (const auto& [uri, byPath] : messages)
    if (!document || uri != document->uri)
      add(byPath);
  if (!document && !(all.empty() ? shown.erase(path) > 0 : (shown.insert(path), true)))
    return; // the file has no messages and had none
  Json params{{"uri", documents.uriOf(path)}};
  if (document)
    params.append("version", document->version);
  params.append("diagnostics", all);
  server.send(notificationText("textDocument/publishDiagnostics", std::move(params)));
}
