#pragma once
//===- WhyNot.h - Why a layout is not what a search finds -------------------------------------===//
#include "driver/workspace/Workspace.h"
#include "ir/Space.h"

namespace dpl::search {

/// A reason why a layout is not in the ranking.
struct Objection {
  std::string rule; ///< kind of reason: "memory", "program", "require" or "space"
  std::string text; ///< sentence without a full stop; lines of a diagram may follow it
};

/// The reasons why a layout is not in the ranking of a search: too little memory, a refusal by the
/// program that trains it, each `require` that it breaks, and fields whose values are not
/// candidates. Empty if it is only slower. `fields` are the fields of the plan
/// (CompiledUnit::fieldsOf), and `best` is the best layout of the search. Relies on: both plans are
/// complete.
std::vector<Objection> objectionsTo(const ir::Plan& plan, llvm::ArrayRef<WrittenField> fields,
                                    const ir::Space& space, const ir::Plan& best);

} // namespace dpl::search
