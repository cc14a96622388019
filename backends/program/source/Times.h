//===- Times.h - Durations of operations ------------------------------------------------------===//
#pragma once
#include "Tables.h"
#include <string>
#include <vector>

namespace twin {

/// Times of each operation of one rank over the timed steps, in seconds of the host's clock.
class Times {
public:
  explicit Times(std::size_t operations) : entries(operations) {}
  /// Adds a time. `start` is relative to the start of the step.
  void add(std::size_t operation, double start, double seconds);
  void addStep(double seconds);

  /// The times of this rank's operations as a JSON object.
  std::string json(const Plan& plan, std::uint64_t pipelineRank, std::uint64_t rank,
                   const std::vector<Operation>& operations) const;

private:
  struct Entry {
    double start = 0, total = 0, least = 0, most = 0;
    unsigned count = 0;
    void add(double seconds);
  };
  static std::string json(const Entry& entry);
  std::vector<Entry> entries;
  Entry step;
};

const char* nameOf(OperationKind kind);
const char* nameOf(CallKind kind);

} // namespace twin
