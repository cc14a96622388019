#pragma once
//===- Exposure.h - Time of a step that communication causes ----------------------------------===//
#include "cost/execution/StepSweep.h"
#include "cost/step/Traffic.h"
#include <map>
#include <optional>
#include <tuple>

namespace dpl::cost {

/// Seconds by which the step gets shorter if some collectives take no time and cause no slowdown.
/// If two collectives hide one another, removing either one alone saves nothing.
class Exposure {
public:
  explicit Exposure(const ir::Plan& plan);
  double all();
  /// The value of all collectives along "tensor", "context", "expert", "pipeline" or "data".
  double along(llvm::StringRef axis);
  /// The axis with the largest value, and this value. The first axis wins a tie.
  std::pair<const char*, double> most();
  /// The value of all collectives with the purpose, kind and group of a row, on all pipeline ranks.
  double of(const Traffic& row);
  /// The value of all collectives that keep links of a type busy for at least half of their time;
  /// `link` is an index into Network::links. Without a value: of those that keep no links so busy,
  /// because latency takes most of their time.
  double boundBy(std::optional<std::size_t> link);

private:
  double without(llvm::function_ref<bool(const ir::Collective&)> takesNoTime);
  std::optional<std::size_t> linkThatBounds(const ir::Collective& c);
  const ir::Plan& plan;
  cost::StepSweep step;
  std::uint64_t whole; ///< ps of the step with all collectives
  /// Results of `linkThatBounds` by kind, group, bytes and time.
  std::map<std::tuple<ir::CollectiveKind, std::size_t, std::uint64_t, std::uint64_t>,
           std::optional<std::size_t>>
      links;
};

/// The axes of exposed communication in display order.
llvm::ArrayRef<const char*> exposedAxes();

} // namespace dpl::cost
