#pragma once
//===- Program.h - The C++ program that runs the communication of a plan ----------------------===//
//
// The targets `mpi` and `nccl` write the same program with another transport. Its sources, in
// backends/program/source and backends/TARGET/source, are embedded in dplc. Only plan.h, the
// tables, is generated for a plan.
#include "backends/Target.h"

namespace dpl::program {

/// The text of a file below backends/, such as "program/source/main.cpp", from those embedded in
/// dplc.
llvm::StringRef sourceText(llvm::StringRef path);

/// plan.h: the plan as constexpr tables.
std::string planTables(const TargetRequest& request);

namespace rule {
#define DPL_RULES "backends/program/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule

/// Refuses schedules that the program cannot run. It supports all plan sizes (at most 2^24 ranks)
/// and all kinds of collectives and operations.
void check(const TargetRequest& request, Findings& findings);

/// Returns all files: tables, shared sources, and the files `own` of backends/TARGET/source.
std::vector<EmittedFile> render(const TargetRequest& request, llvm::ArrayRef<const char*> own);

} // namespace dpl::program
