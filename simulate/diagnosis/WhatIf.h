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
  double value = 0; ///< factor of the property, or the number of devices
  double step = 0;  ///< seconds
  bool fits = true; ///< in the memory of the devices and hosts
};

/// A property of the machine and the steps with less and more of it. None if the passes refuse
/// the changed plan.
struct Sensitivity {
  std::string key, words; ///< "memory_bandwidth", "memory bandwidth"
  bool devices = false;   ///< whether the values are numbers of devices
  std::optional<ChangedMachine> less, more;
};

/// The sensitivities of a step, the largest effect first. Properties that the step does not depend
/// on come last.
struct SensitivityTable {
  double step = 0; ///< seconds
  std::vector<Sensitivity> rows;
};

/// The share by which each property is changed. Numbers of devices are the next ones with a legal
/// number of data ranks.
constexpr double sensitivityShare = 0.2;

/// Relies on: a complete plan. Results of `auto` stay as they are.
SensitivityTable sensitivitiesOf(const ir::Plan& plan);

std::string sensitivitiesText(const ir::Plan& plan, const SensitivityTable& table, unsigned width);
std::string sensitivitiesSvg(const ir::Plan& plan, const SensitivityTable& table);
Json sensitivitiesJson(const SensitivityTable& table);

} // namespace dpl::diagnosis
