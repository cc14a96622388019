#pragma once
//===- WhatIf.h - The step on a machine with one property changed -----------------------------===//
#include "ir/Plan.h"
#include "support/Json.h"
#include <optional>
#include <string>
#include <vector>

namespace dpl::diagnosis {

/// A step on a changed machine.
struct ChangedMachine {
  double value = 0; ///< factor on the property, or the number of devices
  double step = 0;  ///< step time in seconds
  bool fits = true; ///< whether the plan fits in the memory of the devices and hosts
};

/// A property of the machine, and the steps with less and with more of it. A side is empty if the
/// passes refuse the changed plan.
struct Sensitivity {
  std::string key, words; ///< key in JSON and words, such as "memory_bandwidth" and "memory
                          ///< bandwidth"
  bool devices = false;   ///< whether the values are numbers of devices
  std::optional<ChangedMachine> less, more;
};

/// The sensitivities of a step, the largest effect first. Properties that the step does not depend
/// on come last.
struct SensitivityTable {
  double step = 0; ///< step time of the unchanged machine, in seconds
  std::vector<Sensitivity> rows;
};

/// The share by which each property is changed. The number of devices instead changes to the next
/// one with a legal number of data ranks.
constexpr double sensitivityShare = 0.2;

/// Computes the sensitivities. Values that `auto` chose are not chosen again. Relies on: a complete
/// plan.
SensitivityTable sensitivitiesOf(const ir::Plan& plan);

std::string sensitivitiesText(const ir::Plan& plan, const SensitivityTable& table, unsigned width);
std::string sensitivitiesSvg(const ir::Plan& plan, const SensitivityTable& table);
Json sensitivitiesJson(const SensitivityTable& table);

} // namespace dpl::diagnosis
