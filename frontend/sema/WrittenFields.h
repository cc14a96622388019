#pragma once
//===- WrittenFields.h - All fields of an object as a file would set them ---------------------===//
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/FieldTexts.h"

namespace dpl::sema {

/// Adds the fields of an object and of its nested objects. Their paths begin with `path`. A field
/// that holds a mesh, or leaves it to the search, gets the text `mesh`: the order of axes has a
/// meaning.
void writeFields(Evaluator& evaluator, Object& object, const std::string& path,
                 const std::string& mesh, std::vector<WrittenField>& out);

} // namespace dpl::sema
