#pragma once
//===- ClusterFields.h - Bounded numbers of a cluster's fields --------------------------------===//
#include "frontend/sema/Lowering.h"

namespace dpl::sema {

/// What the parts of the lowering of a cluster share. A number out of its bounds is reported.
struct ClusterFields {
  ClusterFields(Lowering& to, const ObjectFields& fields)
      : to(to), fields(fields), cluster(to.plan.cluster) {}

  bool failed() const { return to.failed || fields.failed(); }
  /// A count from 1 to mostDevices.
  std::uint64_t positive(const ObjectFields& from, const char* field) const;
  void notZero(std::uint64_t n, const ObjectFields& from, const char* field) const;

  /// What a ratio can be for the formulas that multiply or divide by it.
  struct Ratio {
    bool (*holds)(double);
    const char* words;
  };
  static constexpr Ratio share{[](double r) { return r > 0 && r <= 1; }, "above 0 and at most 1"};
  static constexpr Ratio lost{[](double r) { return r >= 0 && r < 1; }, "at least 0 and below 1"};
  static constexpr Ratio noneOrShare{[](double r) { return r >= 0 && r <= 1; }, "from 0 to 1"};
  static constexpr Ratio tapered{[](double r) { return r >= 1; }, "at least 1"};
  static constexpr Ratio capability{[](double r) { return r >= 1 && r < 100; },
                                    "at least 1 and below 100"};
  static constexpr Ratio spread{[](double r) { return r >= 0 && r <= 10; }, "from 0 to 10"};
  static constexpr Ratio finiteMean{[](double r) { return r > 1; },
                                    "above 1, where the mean is finite"};

  double ratio(const ObjectFields& from, const char* field, Ratio wanted) const;

  Lowering& to;
  const ObjectFields& fields;
  ir::Cluster& cluster;
};

/// Classes of nodes with their devices.
void lowerDevices(Lowering& to, const ObjectFields& cluster);
/// Units and links, after the classes of nodes, which the ports are of.
void lowerNetwork(Lowering& to, const ObjectFields& cluster);

} // namespace dpl::sema
