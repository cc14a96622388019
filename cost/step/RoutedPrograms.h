#pragma once
//===- RoutedPrograms.h - Times of segments by expert load ------------------------------------===//
//
// If tokens choose experts at random, the load of a rank differs in every layer and micro-batch. A
// plan has the times of one load, the median of the busiest rank. This class has the times of other
// loads.
#include "ir/Plan.h"
#include "support/math/Random.h"
#include <array>
#include <memory>

namespace dpl::cost {

class RoutedPrograms {
public:
  /// Numbers of the random streams. Devices use stream 0; micro-batch i uses `ofChoices` + i.
  static constexpr std::uint32_t ofPopularity = 1, ofChoices = 2, ofSenders = UINT32_MAX;

  /// Relies on: a complete plan.
  explicit RoutedPrograms(const ir::Plan& plan);

  /// Whether tokens choose experts at random, so that the loads of ranks differ.
  static bool has(const ir::Plan& plan);

  /// `chances` draws the probability of each expert of a layer. `loads` draws the tokens that each
  /// expert rank receives in a micro-batch, divided by the mean.
  std::vector<double> chances(simulate::Draws& draws) const;
  std::vector<double> loads(const std::vector<double>& chances, simulate::Draws& draws) const;

  /// All inputs of the loads except the random draws.
  std::array<double, 7> routing() const;

  /// Whether the time of a segment in a stage program depends on loads.
  bool varies(std::size_t body, std::size_t block, std::size_t segment) const {
    return rowOf(body, block, segment) != fixed;
  }
  /// The segment with its times at a load, interpolated between computed loads.
  ir::Segment at(std::size_t body, std::size_t block, std::size_t segment, double load) const;

private:
  static constexpr std::uint32_t fixed = UINT32_MAX;
  using ProgramVariants = std::vector<const ir::StageProgram*>; ///< one per stage program
  std::uint32_t rowOf(std::size_t body, std::size_t block, std::size_t segment) const {
    return rows[blocks[firstBlock[body] + block] + segment];
  }
  void compare(const std::vector<ProgramVariants>& all);

  const ir::Plan& plan;
  const ir::FeedForward* feedForward = nullptr; ///< first one with random choices
  std::uint64_t ranks = 1;
  double tokens = 0; ///< tokens that each rank routes in a micro-batch
  std::vector<double> knots;
  std::vector<std::uint32_t> firstBlock;       ///< index into `blocks`, by stage program
  std::vector<std::uint32_t> blocks;           ///< index of the first segment into `rows`, by block
  std::vector<std::uint32_t> rows;             ///< index into `times`, by segment
  std::vector<std::vector<ir::Segment>> times; ///< segments by row and knot
};

} // namespace dpl::cost
