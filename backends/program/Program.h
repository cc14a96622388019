#pragma once
//===- Program.h - The C++ program that runs the communication of a plan ----------------------===//
//
// The targets `mpi` and `nccl` write the same program over another transport. Its sources are those
// of backends/program/source and backends/TARGET/source, carried by dplc as they are; only plan.h,
// the tables, is made for a plan.
#include "backends/Target.h"

namespace dpl::program {

/// The text of a file below backends/, "program/source/main.cpp"; all of them are embedded when
/// dplc is built.
llvm::StringRef sourceText(llvm::StringRef path);

/// plan.h: the plan as constexpr tables.
std::string planTables(const TargetRequest& request);

namespace rule {
#define DPL_RULES "backends/program/Rules.def"
#include "backends/RuleTypes.inc"
} // namespace rule

/// A plan has at most 2^24 ranks, and every kind of collective and operation that a plan has is one
/// of the program's; what is left is the schedule.
void check(const TargetRequest& request, Findings& findings);

/// The whole folder: tables, shared sources, and `own` files of backends/TARGET/source.
std::vector<EmittedFile> render(const TargetRequest& request, llvm::ArrayRef<const char*> own);

} // namespace dpl::program
