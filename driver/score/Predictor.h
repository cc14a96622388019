#pragma once
//===- Predictor.h - Predictions for table rows -----------------------------------------------===//
#include "driver/collective/TimedCall.h"
#include "driver/score/Constants.h"
#include "driver/score/Mapping.h"
#include "driver/workspace/Workspace.h"
#include "figures/ErrorModel.h"
#include <map>

namespace dpl::score {

struct Prediction {
  enum class PredictionState : std::uint8_t {
    Fits,
    DoesNotFit, ///< legal, but does not fit in a device
    Refused,
    Unchanged, ///< no constant of the plan is scaled; it is not predicted
  };
  PredictionState state = PredictionState::Refused;
  std::string reason; ///< reason if it does not fit or is refused: "DPL0318: a batch of …"
  std::vector<double> values; ///< values of `asked`, in base units; NaN if there is none
  std::uint64_t devices = 0, tensor = 1, pipeline = 1, microBatch = 1, context = 0, hidden = 0,
                batch = 0, zeroStage = 0;
  double peakBytes = 0; ///< peak bytes of the fullest device, without reserved memory
  figures::ErrorShares errorShares{};
  double headroomShare = 0;   ///< share of free memory at the peak
  double collectiveBytes = 0; ///< buffer of a measured collective
  PlanConstants constants;    ///< fitted constants that it rests on
};

/// Compiles plans one after another. Only one thread at a time may use it.
class Predictor {
public:
  /// Predicts the figures `asked` of a row. They may be sums: "memory.peak -
  /// device.non_tensor_memory". For collectives they are "collective.bus_bandwidth" or
  /// "collective.time". With `factor`, the fitted constants of the plan are multiplied.
  Prediction predict(const RowSettings& settings, llvm::ArrayRef<std::string> asked,
                     const ConstantFactor& factor = nullptr);
  /// A collective without a measured time, or the reason why there is none.
  struct RowCollective {
    std::optional<MeasuredCollective> collective;
    std::string whyNot;
  };
  /// The collective that a row measures. None if the row measures something else, or if the
  /// compiler refuses its cluster.
  RowCollective collective(const RowSettings& settings);

private:
  /// The group of all ranks with its links, without a measurement.
  RowCollective groupOf(const RowSettings& settings);
  /// Compiles the plan of a row. Null if the compiler reports an error.
  std::unique_ptr<CompiledUnit> compile(const RowSettings& settings, DiagnosticEngine& diags);
  Prediction predictStep(ir::Plan& plan, DiagnosticEngine& diags,
                         llvm::ArrayRef<std::string> asked);
  Prediction predictCollectiveRow(const RowSettings& settings, ir::Plan& plan,
                                  DiagnosticEngine& diags, llvm::ArrayRef<std::string> asked);
  std::map<std::string, RowCollective> groups; ///< groups by the text of the plan without
                                               ///< measurements
  std::unique_ptr<Workspace> workspace;
  unsigned compiled = 0;
};

} // namespace dpl::score
