#pragma once
//===- Predictor.h - What the compiler says of the plan of a row ------------------------------===//
#include "driver/collective/TimedCall.h"
#include "driver/score/Mapping.h"
#include "driver/workspace/Workspace.h"
#include <map>

namespace dpl::score {

struct Prediction {
  enum class State : std::uint8_t {
    Fits,
    DoesNotFit, ///< legal, and too large for a device
    Refused,
  };
  State state = State::Refused;
  std::string reason;         ///< "DPL0318: a batch of …" where it is not Fits
  std::vector<double> values; ///< of what was asked, base units; not a number where there is none
  std::uint64_t devices = 0, tensor = 1, pipeline = 1, microBatch = 1, context = 0, hidden = 0,
                batch = 0;
  double taken = 0;           ///< bytes of the fullest device at its peak, without what is reserved
  double left = 0;            ///< of its memory at that time, a share
  double collectiveBytes = 0; ///< of a row that measures a collective
};

/// Compiles plans one after another. Not for several threads at once.
class Predictor {
public:
  /// `asked` are sums of figures: "memory.peak - device.non_tensor_memory"; of a collective
  /// "collective.bus_bandwidth" or "collective.time".
  Prediction predict(const Settings& settings, llvm::ArrayRef<std::string> asked);
  /// A collective without its time, or why there is none.
  struct MeasuredCall {
    std::optional<TimedCall> call;
    std::string whyNot;
  };
  /// The collective of a row that measures one; none where it measures none or the compiler refuses
  /// its cluster.
  MeasuredCall call(const Settings& settings);

private:
  /// The group of all ranks and its links, without what is measured.
  MeasuredCall groupOf(const Settings& settings);
  /// Null where the compiler has an error.
  std::unique_ptr<CompiledUnit> compile(const Settings& settings, DiagnosticEngine& diags);
  Prediction predictStep(ir::Plan& plan, DiagnosticEngine& diags,
                         llvm::ArrayRef<std::string> asked);
  Prediction predictCall(const Settings& settings, ir::Plan& plan, DiagnosticEngine& diags,
                         llvm::ArrayRef<std::string> asked);
  std::map<std::string, MeasuredCall> groups; ///< by text of the plan, nothing measured
  std::unique_ptr<Workspace> workspace;
  unsigned compiled = 0;
};

} // namespace dpl::score
