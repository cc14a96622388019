#pragma once
//===- MatchTrace.h - The parts of a plan to which the work of a trace belongs ----------------===//
#include "driver/compare/Comparison.h"
#include <deque>

namespace dpl::compare {

/// Sums of parts over several traces.
class PartSums {
public:
  ComparedPart& part(ComparedPart::PartKind kind, const std::string& name);
  void unassigned(const std::string& name, double seconds, double count);
  /// The sums divided by the number of traces; parts with the largest difference first.
  void finish(double traces, Comparison& out);
  double kernelTime = 0, assigned = 0;

private:
  std::deque<ComparedPart> parts; ///< which do not move
  llvm::StringMap<std::size_t> places;
  std::map<std::string, UnassignedWork> rest;
};

/// Adds the work of a profile, and the prediction of its pipeline rank.
void addProfile(const Profile& profile, const Predicted& predicted, PartSums& sums);

/// The collectives of a plan that a measured one belongs to; null if there are none.
const PredictedCollectives* matchOf(const MeasuredCollective& measured,
                                    llvm::ArrayRef<PredictedCollectives> predicted);
/// The dimensions of a GEMM from the shapes of its inputs; none if they are not those of a
/// GEMM.
std::optional<GemmShape> gemmOfShapes(llvm::StringRef shapes);

} // namespace dpl::compare
