#pragma once
//===- ClusterFields.h - Reads fields of a cluster and checks their bounds --------------------===//
#include "frontend/sema/Lowering.h"

namespace dpl::sema {

/// Reads fields for all parts of the lowering of a cluster. Reports numbers that are out of bounds.
struct ClusterFields {
  ClusterFields(Lowering& to, const ObjectFields& fields)
      : to(to), fields(fields), cluster(to.plan.cluster) {}

  bool failed() const { return to.failed || fields.failed(); }
  /// Reads a count from 1 to mostDevices.
  std::uint64_t positive(const ObjectFields& from, const char* field) const;
  void notZero(std::uint64_t n, const ObjectFields& from, const char* field) const;

  /// A ratio, with the values that the formulas allow for it.
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
  /// Whether a file of the user sets the field, and not only the library.
  bool isStated(const ObjectFields& from, const char* field) const;

  Lowering& to;
  const ObjectFields& fields;
  ir::Cluster& cluster;
};

/// Lowers node types and their devices.
void lowerDevices(Lowering& to, const ObjectFields& cluster);
/// Lowers units and links. It comes after node types, which have the ports.
void lowerNetwork(Lowering& to, const ObjectFields& cluster);

} // namespace dpl::sema
