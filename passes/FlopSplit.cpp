//===- FlopSplit.cpp - Divides layers into contiguous parts of nearly equal FLOP --------------===//
#include "passes/FlopSplit.h"
#include <algorithm>
#include <limits>

namespace {

using Costs = std::vector<double>;

class Splitter {
public:
  Splitter(const Costs& layers, double first, double last, const Costs& speeds)
      : first(first), last(last), chunks(speeds.size()), speeds(speeds),
        sums(layers.size() + 1, 0) {
    for (std::size_t i = 0; i < layers.size(); ++i)
      sums[i + 1] = sums[i] + layers[i];
  }

  std::vector<std::uint64_t> run() const {
    const double limit = leastMaximum();
    const std::size_t n = sums.size();
    constexpr double none = std::numeric_limits<double>::infinity();
    // best[i] is the least sum of squares of the parts' times so far, for parts with the first i
    // layers.
    Costs best(n, none), next(n, none);
    std::vector<std::vector<std::uint32_t>> cut(chunks, std::vector<std::uint32_t>(n, 0));
    best[0] = 0;
    for (std::uint64_t piece = 0; piece < chunks; ++piece) {
      std::fill(next.begin(), next.end(), none);
      for (std::size_t begin = 0; begin < n; ++begin) {
        if (best[begin] == none)
          continue;
        for (std::size_t end = begin; end < n; ++end) {
          const double c = cost(piece, begin, end);
          if (c > limit)
            break;
          if (best[begin] + c * c < next[end]) {
            next[end] = best[begin] + c * c;
            cut[piece][end] = static_cast<std::uint32_t>(begin);
          }
        }
      }
      best.swap(next);
    }
    std::vector<std::uint64_t> counts(chunks);
    std::size_t end = n - 1;
    for (std::uint64_t piece = chunks; piece-- > 0;) {
      counts[piece] = end - cut[piece][end];
      end = cut[piece][end];
    }
    return counts;
  }

private:
  double cost(std::uint64_t piece, std::size_t begin, std::size_t end) const {
    return (sums[end] - sums[begin] + (piece == 0 ? first : 0) + (piece + 1 == chunks ? last : 0)) /
           speeds[piece];
  }

  /// Whether parts that are filled greedily up to the time `limit` hold all layers.
  bool fits(double limit) const {
    std::size_t begin = 0;
    for (std::uint64_t piece = 0; piece < chunks; ++piece) {
      if (cost(piece, begin, begin) > limit)
        return false;
      std::size_t end = begin;
      while (end + 1 < sums.size() && cost(piece, begin, end + 1) <= limit)
        ++end;
      begin = end;
    }
    return begin + 1 == sums.size();
  }

  /// The least possible time of the slowest part, by bisection of the doubles between the bounds.
  /// The bisection ends at adjacent doubles, so the result does not depend on a tolerance.
  double leastMaximum() const {
    double low = 0,
           high = (first + last + sums.back()) / *std::min_element(speeds.begin(), speeds.end());
    if (fits(low))
      return low;
    for (;;) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high)
        return high;
      (fits(middle) ? high : low) = middle;
    }
  }

  double first, last;
  std::uint64_t chunks;
  const Costs& speeds; ///< relative speed of each part
  Costs sums;          ///< sums[i]: cost of the first i layers
};

} // namespace

std::vector<std::uint64_t> dpl::flopSplit(const Costs& layers, double first, double last,
                                          const Costs& speeds) {
  return Splitter(layers, first, last, speeds).run();
}
