#pragma once
//===- FilledFields.h - Framework defaults that depend on other fields ------------------------===//
#include "ir/Plan.h"

namespace dpl::ir {

/// Updates each field that the framework filled in and whose value depends on another field, after
/// that field was chosen (`mesh = auto`, `schedule = auto`) or changed (a proposal). A field whose
/// rule gives the value that was filled in stays as it is: a change may have written it.
/// stdlib/frameworks.dpl has the same rules in the language; a unit test compares the two.
void updateFilledFields(Plan& plan);

/// The modules of a framework whose selective recomputation cannot be chosen by module:
/// torchtitan's policy by operator. Empty for other frameworks, whose modules are listed.
llvm::ArrayRef<ModuleKind> selectivePolicy(llvm::StringRef framework);

} // namespace dpl::ir
