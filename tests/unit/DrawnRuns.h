#pragma once
//===- DrawnRuns.h - Runs of each kind, drawn many times --------------------------------------===//
#include "support/math/SavedRun.h"
#include "support/math/Statistics.h"
#include <limits>

namespace dpl::test {

constexpr double minute = 60, hour = 3600, day = 24 * hour;
constexpr double never = std::numeric_limits<double>::infinity();

template <class Run> std::vector<simulate::RunTime> drawn(const Run& run, std::uint32_t n) {
  std::vector<simulate::RunTime> out;
  for (std::uint32_t i = 0; i < n; ++i) {
    simulate::Draws draws({5, i, 0, 0});
    out.push_back(simulate::draw(run, draws));
  }
  return out;
}
inline simulate::Sample times(const std::vector<simulate::RunTime>& of) {
  std::vector<double> out;
  for (const simulate::RunTime& one : of)
    out.push_back(one.time);
  return simulate::Sample(std::move(out));
}

} // namespace dpl::test
