#pragma once
//===- MeshSpace.h - The candidates of `mesh = auto` ------------------------------------------===//
#include "cost/legality/LayoutCandidate.h"
#include "cost/legality/Legality.h"
#include "cost/legality/PlanCandidate.h"
#include "ir/Plan.h"
#include "planner/OpenChoices.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace dpl::planner {

/// All legal candidates of docs/internals/auto-mesh.md in the order that breaks ties: least tensor,
/// then least context, no sequence parallelism first, least expert tensor, least expert, the
/// smallest micro-batch, and least pipeline. The pipeline varies fastest, so that candidates of one
/// division are adjacent. Fields set in the file have one value.
std::vector<cost::LayoutCandidate> meshSpace(const ir::Plan& plan);
/// The candidates that are legal with at least one of the choices.
std::vector<cost::LayoutCandidate> meshSpace(const ir::Plan& plan,
                                             llvm::ArrayRef<OpenChoice> choices);
/// The facts about each choice that the rules of legality need.
std::vector<cost::LegalityInputs> legalityInputsOf(const ir::Plan& plan,
                                                   llvm::ArrayRef<OpenChoice> choices);
/// Whether a choice is legal for a candidate.
bool isLegal(const ir::Plan& plan, const cost::LegalityInputs& facts, const OpenChoice& choice,
             const cost::LayoutCandidate& candidate);

/// Writes a candidate into a layout, as if the file set it.
void writeCandidate(const cost::LayoutCandidate& candidate, ir::Layout& layout, bool experts);

using cost::candidateOf;

/// The text of a candidate: "tensor 2 × pipeline 4 × data 2, micro-batch 1, sequence over tensor".
std::string textOf(const cost::LayoutCandidate& candidate, bool experts);

} // namespace dpl::planner
