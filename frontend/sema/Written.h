#pragma once
//===- Written.h - A value as the language writes it ------------------------------------------===//
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/FieldTexts.h"

namespace dpl::sema {

/// Text that gives the value again, with every field of a choice: "interleaved_1f1b { chunks = 2
/// }". A block of a file is written as the file names it.
std::string writtenAs(Evaluator& evaluator, const Value& value);

/// The text between the brackets of an entry: `bf16` of `peak[bf16]`, `"NCCL_ALGO"` of
/// `env["NCCL_ALGO"]`.
std::string keyText(const IndexedField& family, llvm::StringRef key);

/// The first that is written as one before it.
std::optional<std::size_t> listedTwice(Evaluator& evaluator, llvm::ArrayRef<Value> values);

/// Adds the fields of an object and of its nested objects. Their paths begin with `path`. A field
/// that holds a mesh, or leaves it to the search, gets the text `mesh`: the order of axes has a
/// meaning.
void writeFields(Evaluator& evaluator, Object& object, const std::string& path,
                 const std::string& mesh, std::vector<WrittenField>& out);

} // namespace dpl::sema
