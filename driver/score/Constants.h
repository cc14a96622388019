#pragma once
//===- Constants.h - Constants that were fitted to measured step times ------------------------===//
#include "driver/score/Mapping.h"
#include "ir/Plan.h"
#include <array>
#include <functional>

namespace dpl::score {

/// The fields that were fitted, by the index that `ConstantUse` has.
constexpr std::size_t constantCount = 10;
const char* constantName(std::size_t constant);

/// A fitted constant and its value in a plan. Devices of one compute capability share constants.
struct ConstantUse {
  std::size_t constant = 0;     ///< index of the field
  std::uint32_t capability = 0; ///< tenths of the compute capability; 0 for constants of networks
  std::uint32_t value = 0;      ///< millionths; launch overheads are in µs
  friend auto operator<=>(const ConstantUse&, const ConstantUse&) = default;
};

/// The values of the constants that a plan takes from the library, in millionths; 0 for constants
/// that the row sets, that the plan does not read, or that were not fitted.
using ConstantValues = std::array<std::uint32_t, constantCount>;
struct PlanConstants {
  ConstantValues values{};
  std::uint32_t capability = 0; ///< tenths of the compute capability
  ConstantUse use(std::size_t constant) const;
};
PlanConstants constantsOf(const ir::Plan& plan, const RowSettings& settings);

/// The factor by which a constant is multiplied; 1 leaves it unchanged.
using ConstantFactor = std::function<double(const ConstantUse&)>;
/// Multiplies the constants of a plan whose passes have not run. Returns whether one changes.
bool scaleConstants(ir::Plan& plan, const PlanConstants& constants, const ConstantFactor& factor);

} // namespace dpl::score
