#pragma once
//===- Comparison.h - Measured traces laid over the predicted step ----------------------------===//
#include "driver/compare/Predicted.h"

namespace dpl::compare {

/// A part of the step on the mean rank: seconds of one step, predicted and measured.
struct ComparedPart {
  enum class PartKind : std::uint8_t { Step, Operator, Gemm, Collective, Action, Segment };
  PartKind kind = PartKind::Step;
  std::string name;
  double predicted = 0, measured = 0;           ///< seconds
  double predictedCount = 0, measuredCount = 0; ///< kernels, collectives or actions of a step
  double predictedBytes = 0, measuredBytes = 0; ///< of collectives; 0 if unknown
  double difference() const { return measured - predicted; }
  /// Measured over predicted; none without both.
  std::optional<double> ratio() const {
    return predicted > 0 && measured > 0 ? std::optional(measured / predicted) : std::nullopt;
  }
};
/// The name of a kind in JSON: "step", "operator".
const char* nameOf(ComparedPart::PartKind kind);

/// Work that is not a part of the plan, by its name.
struct UnassignedWork {
  std::string name;
  double seconds = 0, count = 0; ///< of a step
};

struct Comparison {
  std::vector<ComparedPart> parts;
  std::vector<UnassignedWork> unassigned; ///< longest first
  std::uint64_t traces = 0, steps = 0;    ///< steps of all traces together
  double kernelTime = 0, assigned = 0;    ///< seconds of a step; the part of it that is assigned
  bool marked = true;                     ///< all traces mark their steps
  bool hostOnly = false, emitted = false;
  std::vector<std::string> notes;       ///< what traces say of another plan, cluster or device
  std::vector<std::string> withoutRank; ///< traces whose rank is unknown, compared as rank 0
};

/// Compares traces with a plan that every compiler pass has completed. Fails after a report.
FailureOr<Comparison> compareTraces(const ir::Plan& plan, llvm::ArrayRef<Profile> profiles,
                                    DiagnosticEngine& diags);

/// What the head of a trace says that contradicts the plan: "it is of 64 ranks, layout `a` has 8
/// devices"; empty if nothing does.
std::string contradictionOf(const TraceHead& head, const ir::Plan& plan);
/// Whether a maker's product ("NVIDIA H100 80GB HBM3") is another than a device of the library
/// ("h100_sxm"). Names without the number of a model are no other ones.
bool isOtherDevice(llvm::StringRef product, llvm::StringRef device);

} // namespace dpl::compare
