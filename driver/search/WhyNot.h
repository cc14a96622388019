#pragma once
//===- WhyNot.h - Why a layout is not what a search finds -------------------------------------===//
#include "driver/workspace/Workspace.h"
#include "ir/Space.h"

namespace dpl::search {

/// A reason against a layout.
struct Objection {
  std::string rule; ///< "memory", "program", "require" or "space"
  std::string text; ///< a sentence without a full stop; lines of a diagram follow it
};

/// What keeps a layout out of the ranking of a search: too little memory, a refusal of the program
/// that trains it, each `require` that it breaks, and fields whose values are not among the
/// candidates. Empty if it is only slower. `fields` are those of the plan (CompiledUnit::fieldsOf).
/// Relies on: `plan` is complete.
std::vector<Objection> objectionsTo(const ir::Plan& plan, llvm::ArrayRef<WrittenField> fields,
                                    const ir::Space& space);

} // namespace dpl::search
