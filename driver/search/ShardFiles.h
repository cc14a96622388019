#pragma once
//===- ShardFiles.h - The parts of a search that several processes share ----------------------===//
#include "planner/search/CandidateSearch.h"
#include "support/Diagnostics.h"

namespace dpl::search {

/// Identifies the search to which the files of a folder belong.
struct ShardHeader {
  std::string search;
  std::string key; ///< hash of the files, settings and compiler that produced the part
  std::uint64_t candidates = 0;
};

/// Writes the part of a shard to `folder/shard-2-of-3.json`. Fails after an error was reported.
LogicalResult writePart(const std::string& folder, const ShardHeader& header, std::uint64_t shard,
                        std::uint64_t shards, const planner::SearchedPart& part,
                        DiagnosticEngine& diags);
/// The part of a shard of this search in the folder; nothing if it is missing or damaged.
std::optional<planner::SearchedPart> partIn(const std::string& folder, const ShardHeader& header,
                                            std::uint64_t shard, std::uint64_t shards);
/// "2, 5" of the shards whose parts the folder lacks; empty if it has all.
std::string missingShards(const std::string& folder, const ShardHeader& header,
                          std::uint64_t shards);
/// The parts of all shards in these folders. Fails after a report if one is missing, damaged or of
/// another search.
FailureOr<std::vector<planner::SearchedPart>> readParts(const std::vector<std::string>& folders,
                                                        const ShardHeader& header,
                                                        DiagnosticEngine& diags);

} // namespace dpl::search
