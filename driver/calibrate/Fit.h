#pragma once
//===- Fit.h - Facts of links that timed collectives agree with -------------------------------===//
#include "driver/collective/Collective.h"
#include "driver/collective/TimedCall.h"

namespace dpl::score {

enum class FactPlace : std::uint8_t { ScaleUp, Network, All };

/// A fact as it stands in the levels of a network.
struct FactKind {
  const char* path; ///< "domain.efficiency"
  FactPlace place;
  bool isTime; ///< in s; else a share, of at most 1
  double most;
  double usual; ///< a move of this size counts as one
  double parts; ///< of 1 or of a second; it is a whole number of these
  double (*get)(const ir::LinkLevel&);
  void (*set)(ir::LinkLevel&, double);
  std::optional<ir::CollectiveLibrary> only = std::nullopt; ///< the library that has it
};

struct Fact {
  const FactKind* kind = nullptr;
  double was = 0, is = 0;
};

struct StartValue {
  const FactKind* kind;
  double value = 0;
};
/// Of those that a calibration moves.
const FactKind& factKind(llvm::StringRef path);

/// Moves facts of links as little as the calls ask for, within what is physical: the same for the
/// links of all of them.
class Fit {
public:
  /// The facts start at what the first links that have them say.
  explicit Fit(std::vector<MeasuredCollective> collectives);
  /// Only these, at these values.
  Fit(std::vector<MeasuredCollective> collectives, llvm::ArrayRef<StartValue> starts);

  void run();

  /// Of any call, with the facts as they are.
  cost::CollectiveCost cost(const MeasuredCollective& collective) const;
  double predicted(const MeasuredCollective& collective) const {
    return cost(collective).seconds + collective.launch;
  }
  /// Whether a call depends on a fact.
  bool isSeen(Fact& fact) const;

  std::vector<MeasuredCollective> collectives;
  std::vector<Fact> facts;

private:
  std::vector<std::size_t> first; ///< the first call that differs in its measured time alone
  double loss() const;
  /// Down from where the open facts are, by steps that begin at a share of their range.
  void descend(llvm::ArrayRef<Fact*> open, double window);
  void improve(Fact& fact, double window);
  void extrapolate(llvm::ArrayRef<Fact*> open, llvm::ArrayRef<double> before) const;
};

} // namespace dpl::score
