#pragma once
//===- Predictor.h - Predictions for table rows -----------------------------------------------===//
#include "driver/collective/TimedCall.h"
#include "driver/score/Mapping.h"
#include "driver/workspace/Workspace.h"
#include "figures/ErrorModel.h"
#include <map>

namespace dpl::score {

struct Prediction {
  enum class PredictionState : std::uint8_t {
    Fits,
    DoesNotFit, ///< legal, but too large for a device
    Refused,
  };
  PredictionState state = PredictionState::Refused;
  std::string reason;         ///< "DPL0318: a batch of …" unless it fits
  std::vector<double> values; ///< values of `asked` in base units, or NaN
  std::uint64_t devices = 0, tensor = 1, pipeline = 1, microBatch = 1, context = 0, hidden = 0,
                batch = 0, zeroStage = 0;
  double peakBytes = 0; ///< peak bytes of the fullest device, without reserved memory
  figures::ErrorShares errorShares{};
  double headroomShare = 0;   ///< share of free memory at the peak
  double collectiveBytes = 0; ///< buffer of a measured collective
};

/// Compiles plans one after another, on one thread at a time.
class Predictor {
public:
  /// `asked` are sums of figures: "memory.peak - device.non_tensor_memory". For collectives they
  /// are "collective.bus_bandwidth" or "collective.time".
  Prediction predict(const RowSettings& settings, llvm::ArrayRef<std::string> asked);
  /// A collective without its time, or the reason for none.
  struct RowCollective {
    std::optional<MeasuredCollective> collective;
    std::string whyNot;
  };
  /// The measured collective of a row. None if it measures none or the compiler refuses its
  /// cluster.
  RowCollective collective(const RowSettings& settings);

private:
  /// The group of all ranks and its links, without measurements.
  RowCollective groupOf(const RowSettings& settings);
  /// Null if the compiler reports an error.
  std::unique_ptr<CompiledUnit> compile(const RowSettings& settings, DiagnosticEngine& diags);
  Prediction predictStep(ir::Plan& plan, DiagnosticEngine& diags,
                         llvm::ArrayRef<std::string> asked);
  Prediction predictCollectiveRow(const RowSettings& settings, ir::Plan& plan,
                                  DiagnosticEngine& diags, llvm::ArrayRef<std::string> asked);
  std::map<std::string, RowCollective> groups; ///< by text of the plan without measurements
  std::unique_ptr<Workspace> workspace;
  unsigned compiled = 0;
};

} // namespace dpl::score
