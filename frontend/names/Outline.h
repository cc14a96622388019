#pragma once
//===- Outline.h - The outline of a file ------------------------------------------------------===//
#include "frontend/names/NameInfo.h"
#include "frontend/sema/Modules.h"

namespace dpl::names {

/// The declarations of a file in the order of its text, with their blocks, fields and `let`s.
std::vector<Symbol> outlineOf(const sema::SourceModule& module, const SourceManager& sources);

} // namespace dpl::names
