#pragma once
//===- Predictor.h - What the compiler says of the plan of a row ------------------------------===//
#include "driver/collective/TimedCall.h"
#include "driver/score/Mapping.h"
#include "driver/workspace/Workspace.h"
#include <map>

namespace dpl::score {

struct Prediction {
  enum class PredictionState : std::uint8_t {
    Fits,
    DoesNotFit, ///< legal, and too large for a device
    Refused,
  };
  PredictionState state = PredictionState::Refused;
  std::string reason;         ///< "DPL0318: a batch of …" where it is not Fits
  std::vector<double> values; ///< of what was asked, base units; not a number where there is none
  std::uint64_t devices = 0, tensor = 1, pipeline = 1, microBatch = 1, context = 0, hidden = 0,
                batch = 0;
  double peakBytes = 0;       ///< bytes of the fullest device at its peak, without what is reserved
  double headroomShare = 0;   ///< of its memory at that time, a share
  double collectiveBytes = 0; ///< of a row that measures a collective
};

/// Compiles plans one after another. Not for several threads at once.
class Predictor {
public:
  /// `asked` are sums of figures: "memory.peak - device.non_tensor_memory"; of a collective
  /// "collective.bus_bandwidth" or "collective.time".
  Prediction predict(const RowSettings& settings, llvm::ArrayRef<std::string> asked);
  /// A collective without its time, or why there is none.
  struct RowCollective {
    std::optional<MeasuredCollective> collective;
    std::string whyNot;
  };
  /// The collective of a row that measures one; none where it measures none or the compiler refuses
  /// its cluster.
  RowCollective collective(const RowSettings& settings);

private:
  /// The group of all ranks and its links, without what is measured.
  RowCollective groupOf(const RowSettings& settings);
  /// Null where the compiler has an error.
  std::unique_ptr<CompiledUnit> compile(const RowSettings& settings, DiagnosticEngine& diags);
  Prediction predictStep(ir::Plan& plan, DiagnosticEngine& diags,
                         llvm::ArrayRef<std::string> asked);
  Prediction predictCollectiveRow(const RowSettings& settings, ir::Plan& plan,
                                  DiagnosticEngine& diags, llvm::ArrayRef<std::string> asked);
  std::map<std::string, RowCollective> groups; ///< by text of the plan, nothing measured
  std::unique_ptr<Workspace> workspace;
  unsigned compiled = 0;
};

} // namespace dpl::score
