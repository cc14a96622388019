#pragma once
//===- Fit.h - Link parameters fitted to timed collectives ------------------------------------===//
#include "driver/collective/Collective.h"
#include "driver/collective/TimedCall.h"

namespace dpl::score {

enum class FactPlace : std::uint8_t { ScaleUp, Network, All };

/// A kind of parameter in the levels of a network.
struct FactKind {
  const char* path; ///< "domain.efficiency"
  FactPlace place;
  bool isTime; ///< seconds; otherwise a share of at most 1
  double most;
  double usual; ///< typical change, which scales the penalty
  double parts; ///< resolution: a multiple of 1 / parts, of 1 or a second
  double (*get)(const ir::LinkLevel&);
  void (*set)(ir::LinkLevel&, double);
  std::optional<ir::CollectiveLibrary> only = std::nullopt; ///< only library that has it
};

struct Fact {
  const FactKind* kind = nullptr;
  double was = 0, is = 0;
};

struct StartValue {
  const FactKind* kind;
  double value = 0;
};
/// The kind of a parameter that calibration fits.
const FactKind& factKind(llvm::StringRef path);

/// Fits link parameters to the collectives with the smallest change, within physical limits. All
/// links have the same parameters.
class Fit {
public:
  /// The parameters start at the values of the first links that have them.
  explicit Fit(std::vector<MeasuredCollective> collectives);
  /// Fits only these parameters, from these values.
  Fit(std::vector<MeasuredCollective> collectives, llvm::ArrayRef<StartValue> starts);

  void run();

  /// The cost of a collective with the current parameters.
  cost::CollectiveCost cost(const MeasuredCollective& collective) const;
  double predicted(const MeasuredCollective& collective) const {
    return cost(collective).seconds + collective.launch;
  }
  /// Whether a collective depends on a parameter.
  bool isSeen(Fact& fact) const;

  std::vector<MeasuredCollective> collectives;
  std::vector<Fact> facts;

private:
  std::vector<std::size_t> first; ///< first collective that differs only in its measured time
  double loss() const;
  /// Minimizes the loss over the open parameters, with initial steps of `window` of their range.
  void descend(llvm::ArrayRef<Fact*> open, double window);
  void improve(Fact& fact, double window);
  void extrapolate(llvm::ArrayRef<Fact*> open, llvm::ArrayRef<double> before) const;
};

} // namespace dpl::score
