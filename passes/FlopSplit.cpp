//===- FlopSplit.cpp - Divides layers into contiguous parts of nearly equal FLOP --------------===//
#include "passes/FlopSplit.h"
#include <algorithm>
#include <cmath>
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
    const std::vector<std::size_t> earliest = earliestBegins(limit);
    for (std::uint64_t piece = 0; piece < chunks; ++piece) {
      std::fill(next.begin(), next.end(), none);
      for (std::size_t begin = earliest[piece]; begin < n; ++begin) {
        if (best[begin] == none)
          continue;
        for (std::size_t end = std::max(begin, earliest[piece + 1]); end < n; ++end) {
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

  /// For each part, and for the end of the last one, the first layer from which it and the next
  /// parts can hold all other layers in the time `limit`.
  std::vector<std::size_t> earliestBegins(double limit) const {
    std::vector<std::size_t> begins(chunks + 1, sums.size() - 1);
    for (std::uint64_t piece = chunks; piece-- > 0;) {
      std::size_t& begin = begins[piece];
      begin = begins[piece + 1];
      while (begin > 0 && cost(piece, begin - 1, begins[piece + 1]) <= limit)
        --begin;
    }
    return begins;
  }

  /// The greedy split, in which each part takes as many layers as the time `limit` allows.
  struct Greedy {
    bool fits = true;
    double slowest = 0; ///< time of the slowest part, if the split fits
    /// The least time of a part with one more layer. Up to it the split is the same.
    double next = std::numeric_limits<double>::infinity();
  };
  Greedy greedy(double limit) const {
    Greedy out;
    std::size_t begin = 0;
    for (std::uint64_t piece = 0; piece < chunks; ++piece) {
      double time = cost(piece, begin, begin);
      if (time > limit)
        return {false, 0, std::min(out.next, time)};
      std::size_t end = begin;
      while (end + 1 < sums.size()) {
        const double more = cost(piece, begin, end + 1);
        if (more > limit) {
          out.next = std::min(out.next, more);
          break;
        }
        time = more, ++end;
      }
      out.slowest = std::max(out.slowest, time);
      begin = end;
    }
    out.fits = begin + 1 == sums.size();
    return out;
  }

  /// The least possible time of the slowest part, by bisection of the doubles between the bounds,
  /// which moves on to the next times of parts. It ends at adjacent doubles, so the result does not
  /// depend on a tolerance.
  double leastMaximum() const {
    double low = 0,
           high = (first + last + sums.back()) / *std::min_element(speeds.begin(), speeds.end());
    if (greedy(low).fits)
      return low;
    for (;;) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high)
        return high;
      if (const Greedy found = greedy(middle); found.fits)
        high = found.slowest;
      else if (found.next >= high)
        return high;
      else
        low = std::nextafter(found.next, 0.0);
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
