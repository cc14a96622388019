#pragma once
//===- WrittenFields.h - All fields of an object as a file would set them ---------------------===//
#include "frontend/Frontend.h"
#include "frontend/sema/Evaluator.h"

namespace dpl::sema {

/// Adds the fields of an object and of what is nested in it, each under `path` and its own; `mesh`
/// is the text of the field that holds a mesh, whose axes have an order.
void writeFields(Evaluator& evaluator, Object& object, const std::string& path,
                 const std::string& mesh, std::vector<WrittenField>& out);

} // namespace dpl::sema
