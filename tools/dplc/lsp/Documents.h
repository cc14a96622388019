#pragma once
//===- Documents.h - The texts that the editor has opened -------------------------------------===//
#include "tools/dplc/lsp/FileCheck.h"
#include "tools/dplc/lsp/Positions.h"

namespace dpl::tool {

struct OpenDocument {
  OpenDocument(std::string uri, std::string text, std::int64_t version, const FileSource& files,
               PlanTable& table);

  std::string uri, path, text;
  std::int64_t version;
  bool changed = true;      ///< whether its check is not of this text
  bool unpublished = false; ///< whether its messages are not those that the client knows
  FileCheck check;

  /// Applies the changes of `textDocument/didChange` in order; others than texts and ranges are
  /// ignored.
  void apply(const Json& changes, PositionEncoding encoding);
};

/// The open texts, in place of the files on disk.
class Documents : public FileSource {
public:
  FileText textOf(const std::string& path) const override;
  std::uint64_t stampOf(const std::string& path) const override;

  OpenDocument& open(std::string uri, std::string text, std::int64_t version);
  void close(const std::string& uri);
  /// The open document; null if there is none.
  OpenDocument* find(const std::string& uri);
  OpenDocument* findPath(const std::string& path);
  std::map<std::string, OpenDocument>& all() { return documents; }
  /// The URI by which the client knows a file.
  std::string uriOf(const std::string& path) const;

  bool isOpen(const std::string& path) const;

  std::vector<std::string> folders; ///< of the project, as the client has them
  PositionEncoding encoding = PositionEncoding::Utf16;
  PlanTable table;

private:
  std::map<std::string, OpenDocument> documents; ///< by URI
};

} // namespace dpl::tool
