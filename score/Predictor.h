#pragma once
//===- Predictor.h - What the compiler says of the plan of a row ------------------------------===//
#include "driver/Workspace.h"
#include "score/Mapping.h"

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
  /// `asked` are sums of figures: "memory.peak - device.reserved"; of a collective
  /// "collective.bus_bandwidth" or "collective.time".
  Prediction predict(const Settings& settings, llvm::ArrayRef<std::string> asked);

private:
  Prediction predictStep(ir::Plan& plan, DiagnosticEngine& diags,
                         llvm::ArrayRef<std::string> asked);
  Prediction predictCall(const Settings& settings, ir::Plan& plan, DiagnosticEngine& diags,
                         llvm::ArrayRef<std::string> asked);
  std::unique_ptr<Workspace> workspace;
  unsigned compiled = 0;
};

} // namespace dpl::score
