#pragma once
//===- CalibrationMachines.h - Machines whose collectives were timed --------------------------===//
#include "driver/calibrate/CalibrationText.h"
#include "driver/workspace/Workspace.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dpl::score {

/// A machine of the library.
struct Machine {
  std::string base;
  std::uint64_t nodes;
  bool inSwitch = false;
  /// What a machine has of which nothing is known.
  std::string unknown() const {
    return fmt::format(" domain {{ efficiency = 0.8{} }}\n network {{ efficiency = 0.8, latency = "
                       "5us }}\n collectives = nccl {{ overhead = 0us }}",
                       inSwitch ? ", sharp_efficiency = 0.6" : "");
  }
};

/// As its file states it, with these fields in the place of its own.
inline ir::Cluster whole(const Machine& of, const std::string& fields) {
  DiagnosticEngine diags;
  Workspace workspace;
  workspace.overlay("m.dpl",
                    fmt::format("import std.clusters\nimport std.models\nmodel any from "
                                "models.gpt2_small {{}}\ncluster machine from {} {{\n nodes = "
                                "{}\n{}\n}}\nlayout run for any on machine {{\n{}}}\n",
                                of.base, of.nodes, fields, layoutOfRanks(2)));
  const std::unique_ptr<CompiledUnit> unit = workspace.compile("m.dpl", diags);
  EXPECT_EQ(diags.errors(), 0U) << renderText(diags, workspace.sources(), false);
  return unit->file->plans.front().cluster;
}

} // namespace dpl::score
