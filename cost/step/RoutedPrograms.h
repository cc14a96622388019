#pragma once
//===- RoutedPrograms.h - What passes take by how many tokens the experts of a rank are sent
//---===//
//
// Tokens that choose experts by chance load ranks in every layer and micro-batch in another way. A
// plan holds the time of one load, the median of the busiest rank; here are those of others.
#include "ir/Plan.h"
#include "support/math/Random.h"
#include <array>
#include <memory>

namespace dpl::cost {

class RoutedPrograms {
public:
  /// Of random numbers, of which devices have 0: choices go on with micro-batches.
  static constexpr std::uint32_t ofPopularity = 1, ofChoices = 2, ofSenders = UINT32_MAX;

  /// Relies on: a complete plan.
  explicit RoutedPrograms(const ir::Plan& plan);

  /// Whether tokens of a plan choose by chance, and whose ranks then differ.
  static bool has(const ir::Plan& plan);

  /// How likely the experts of a layer are; what each of the ranks that divide them is sent of a
  /// micro-batch by such ranks, over the mean of what they send.
  std::vector<double> chances(simulate::Draws& draws) const;
  std::vector<double> loads(const std::vector<double>& chances, simulate::Draws& draws) const;

  /// Everything that loads depend on besides the draws.
  std::array<double, 7> routing() const;

  /// Whether the time of a segment of a body of the plan depends on loads.
  bool varies(std::size_t body, std::size_t block, std::size_t segment) const {
    return rowOf(body, block, segment) != fixed;
  }
  /// It with the times of a load, between those of loads that were worked out.
  ir::Segment at(std::size_t body, std::size_t block, std::size_t segment, double load) const;

private:
  static constexpr std::uint32_t fixed = UINT32_MAX;
  using ProgramVariants = std::vector<const ir::StageProgram*>; ///< by body of the plan
  std::uint32_t rowOf(std::size_t body, std::size_t block, std::size_t segment) const {
    return rows[blocks[firstBlock[body] + block] + segment];
  }
  void compare(const std::vector<ProgramVariants>& all);

  const ir::Plan& plan;
  const ir::FeedForward* feedForward = nullptr; ///< the first whose tokens choose by chance
  std::uint64_t ranks = 1;
  double tokens = 0; ///< that each of them routes in a micro-batch
  std::vector<double> knots;
  std::vector<std::uint32_t> firstBlock;       ///< of each body, into `blocks`
  std::vector<std::uint32_t> blocks;           ///< the first segment of each, into `rows`
  std::vector<std::uint32_t> rows;             ///< of each segment, into `times`
  std::vector<std::vector<ir::Segment>> times; ///< by row and knot
};

} // namespace dpl::cost
