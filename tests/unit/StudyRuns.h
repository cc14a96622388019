#pragma once
//===- StudyRuns.h - A study of a small file, run in memory -----------------------------------===//
#include "driver/study/Study.h"

namespace dpl::test {

/// A file whose study `scale` of the layout `plain` has these lines.
std::string fileOf(const std::string& study);

/// The results of a study and what was reported.
struct Ran {
  std::string errors;
  std::optional<study::Results> results;
  double value(std::size_t point, std::size_t output = 0) const {
    return results->points.at(point).values.at(output);
  }
};

Ran run(const std::string& text, unsigned threads = 2, std::uint64_t shard = 1,
        std::uint64_t shards = 1, const char* layout = "plain");

} // namespace dpl::test
