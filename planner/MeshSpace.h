#pragma once
//===- MeshSpace.h - The layouts that `mesh = auto` chooses from ------------------------------===//
#include "cost/legality/LayoutCandidate.h"
#include "cost/legality/Legality.h"
#include "ir/Plan.h"
#include "planner/OpenChoices.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace dpl::planner {

/// Every legal point of docs/internals/auto-mesh.md, in the order that settles ties: least tensor,
/// then least context, no sequence parallelism first, least expert tensor, least expert, least
/// pipeline, and the smallest micro-batch. Points differ in the pipeline last, so that points of
/// one division stand together. What the file fixes has one value.
std::vector<cost::LayoutCandidate> meshSpace(const ir::Plan& plan);
/// The points that are legal with at least one of the choices.
std::vector<cost::LayoutCandidate> meshSpace(const ir::Plan& plan,
                                             llvm::ArrayRef<OpenChoice> choices);
/// The facts about each choice that the rules of legality need.
std::vector<cost::LegalityInputs> legalityInputsOf(const ir::Plan& plan,
                                                   llvm::ArrayRef<OpenChoice> choices);
/// Whether a choice is legal at a point.
bool isLegal(const ir::Plan& plan, const cost::LegalityInputs& facts, const OpenChoice& choice,
             const cost::LayoutCandidate& candidate);

/// Writes a point into a layout, as the file could have said it.
void writeCandidate(const cost::LayoutCandidate& candidate, ir::Layout& layout, bool experts);

/// The point of a plan whose mesh is resolved.
cost::LayoutCandidate candidateOf(const ir::Plan& plan);

/// "tensor 2 × pipeline 4 × data 2, micro-batch 1, sequence over tensor".
std::string textOf(const cost::LayoutCandidate& candidate, bool experts);

} // namespace dpl::planner
