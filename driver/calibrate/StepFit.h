#pragma once
//===- StepFit.h - Device and link efficiencies fitted to measured steps ----------------------===//
//
// Minimizes the sum of squared errors of ln(predicted / measured), with less weight for outliers,
// plus the squared distances of the logarithms of the parameters from their library values in
// standard deviations of healthy machines. So two runs are enough: what they do not determine stays
// as it was. Gauss-Newton steps with derivatives by differences, inside physical bounds.
#include "driver/calibrate/StepFacts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace dpl::score {

/// A measured time that a plan predicts.
struct TimedPart {
  std::string name;     ///< id of the run, or part of its step
  std::size_t plan = 0; ///< index of the plan
  std::size_t part = 0; ///< index in what `PredictParts` returns
  double measured = 0;  ///< seconds
  double noise = 0;     ///< standard deviation of the logarithm of measured over predicted
};

/// The times of the parts of a plan whose parameters are set; NaN for a part without a prediction.
using PredictParts =
    llvm::function_ref<std::vector<double>(std::size_t index, const ir::Plan& plan)>;

struct FittedStepFact {
  const StepFactKind* kind = nullptr;
  double was = 0, is = 0;
  double low = 0, high = 0; ///< 80 % interval, inside the physical bounds
  /// The share of its prior variance that the runs leave; 1: they say nothing about it.
  double varianceLeft = 1;
};

struct StepFit {
  std::vector<FittedStepFact> facts; ///< those on which some part depends
  std::vector<double> before, after; ///< predicted times of the parts
};

/// Fits parameters of these kinds. The plans are not complete.
StepFit fitSteps(const std::vector<ir::Plan>& plans, llvm::ArrayRef<TimedPart> parts,
                 llvm::ArrayRef<const StepFactKind*> kinds, PredictParts predict);

} // namespace dpl::score
