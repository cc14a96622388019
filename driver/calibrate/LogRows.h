#pragma once
//===- LogRows.h - Rows of a log, with the values of its header -------------------------------===//
#include "driver/calibrate/CollectiveLog.h"
#include <set>

namespace dpl::score {

/// Collects the rows of one log. The ranks and the collective come from its header.
class LogRows {
public:
  LogRows(std::uint32_t file, const LogDefaults& defaults, SourceManager& sources,
          DiagnosticEngine& diags, std::vector<CollectiveTiming>& rows);

  /// The range in the file of a part of the text.
  SourceRange at(llvm::StringRef piece) const;
  /// Reports an error at a part of the text.
  LogicalResult wrong(llvm::StringRef piece, const std::string& what);

  /// Begins a further test, whose devices follow.
  void beginDevices();
  /// Reads the name of the program: "all_reduce_perf", with or without a folder.
  LogicalResult program(llvm::StringRef name);
  /// Adds `ranks` ranks of a process on `host`, of which the last is `lastRank`.
  void process(llvm::StringRef host, std::uint64_t lastRank);
  LogicalResult row(llvm::StringRef piece, std::uint64_t bytes, double microseconds);
  /// Ends the log. Fails, after a report, if it had no rows.
  LogicalResult end();

  const llvm::StringRef text;
  std::uint64_t ofThread = 0; ///< devices per launching thread; 0 if not known
  std::string device;         ///< "NVIDIA H100 80GB HBM3"; empty if not known

private:
  LogicalResult missingInput(llvm::StringRef piece, const char* what, const char* option);

  const std::uint32_t file;
  const LogDefaults& defaults;
  SourceManager& sources;
  DiagnosticEngine& diags;
  std::vector<CollectiveTiming>& rows;
  const std::size_t before;
  std::optional<ir::CollectiveKind> kind;
  std::uint64_t ranks = 0;
  std::set<std::string> hosts;
};

/// Reads the JSON of nccl-tests `-J`.
LogicalResult readJsonLog(LogRows& rows);

} // namespace dpl::score
