#pragma once
//===- LogRows.h - Rows of a log with what its head says --------------------------------------===//
#include "driver/calibrate/CollectiveLog.h"
#include <set>

namespace dpl::score {

/// Collects the rows of one log behind what its head says of ranks and collective.
class LogRows {
public:
  LogRows(std::uint32_t file, const LogDefaults& defaults, SourceManager& sources,
          DiagnosticEngine& diags, std::vector<CollectiveTiming>& rows);

  /// The bytes of a piece of the text.
  SourceRange at(llvm::StringRef piece) const;
  /// The range of the piece and what is wrong there.
  LogicalResult wrong(llvm::StringRef piece, const std::string& what);

  /// Another test begins: the devices so far are of the one before.
  void beginDevices();
  /// "all_reduce_perf", with or without a folder.
  LogicalResult program(llvm::StringRef name);
  /// `ranks` of a process that runs on `host`, the last of them `lastRank`.
  void process(llvm::StringRef host, std::uint64_t lastRank);
  LogicalResult row(llvm::StringRef piece, std::uint64_t bytes, double microseconds);
  /// Fails after a report where there were no rows at all.
  LogicalResult end();

  const llvm::StringRef text;
  std::uint64_t ofThread = 0; ///< as Measured has it

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

/// JSON as nccl-tests writes it with `-J`.
LogicalResult readJsonLog(LogRows& rows);

} // namespace dpl::score
