#pragma once
//===- Program.h - The C++ program that runs the communication of a plan ----------------------===//
//
// The targets `mpi` and `nccl` write the same program, each with its own transport. The sources, in
// backends/program/source and backends/TARGET/source, are embedded in dplc. Only plan.h, which
// contains the tables, is generated for a plan.
#include "backends/Target.h"

namespace dpl::program {

/// The text of a source file that is embedded in dplc. `path` is relative to backends/, such as
/// "program/source/main.cpp".
llvm::StringRef sourceText(llvm::StringRef path);

/// The text of plan.h: the plan as constexpr tables.
std::string planTables(const TargetRequest& request);

namespace rule {
#define DPL_RULES "backends/program/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule

/// Refuses plans that the program cannot run. It supports all plan sizes (at most 2^24 ranks) and
/// all kinds of collectives and operations.
void check(const TargetRequest& request, Findings& findings);

/// Returns all files: plan.h, the shared sources, and the files of backends/TARGET/source that
/// `own` names.
std::vector<EmittedFile> render(const TargetRequest& request, llvm::ArrayRef<const char*> own);

} // namespace dpl::program
