#pragma once
//===- Fit.h - Link parameters fitted to timed collectives ------------------------------------===//
#include "driver/collective/Collective.h"
#include "driver/collective/TimedCall.h"

namespace dpl::score {

enum class FactPlace : std::uint8_t { ScaleUp, Network, All };

/// A kind of parameter in the levels of a network.
struct FactKind {
  const char* path; ///< path of the parameter: "domain.efficiency"
  FactPlace place;
  bool isTime; ///< whether it is a time in seconds; otherwise it is a share of at most 1
  double most;
  double usual; ///< typical change, by which the penalty is scaled
  double parts; ///< values are multiples of 1 / parts (of a second, if it is a time)
  double (*get)(const ir::LinkLevel&);
  void (*set)(ir::LinkLevel&, double);
  std::optional<ir::CollectiveLibrary> only = std::nullopt; ///< the only library whose collectives
                                                            ///< have the parameter, if there is
                                                            ///< only one
};

struct Fact {
  const FactKind* kind = nullptr;
  double was = 0, is = 0;
};

struct StartValue {
  const FactKind* kind;
  double value = 0;
};
/// The kind of a parameter by its path.
const FactKind& factKind(llvm::StringRef path);

/// Fits link parameters to collectives, within physical limits and with the smallest change. All
/// links get the same parameters.
class Fit {
public:
  /// The parameters start at the values of the first links that have them.
  explicit Fit(std::vector<MeasuredCollective> collectives);
  /// Fits only the parameters in `starts`, from the values there.
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
  std::vector<std::size_t> first; ///< for each collective, the index of the first equal one;
                                  ///< measured times are not compared
  double loss() const;
  /// Minimizes the loss over some of the parameters. The first steps are `window` of their range.
  void descend(llvm::ArrayRef<Fact*> open, double window);
  void improve(Fact& fact, double window);
  void extrapolate(llvm::ArrayRef<Fact*> open, llvm::ArrayRef<double> before) const;
};

} // namespace dpl::score
