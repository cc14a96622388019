#pragma once
//===- Written.h - Writes values in the syntax of the language --------------------------------===//
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/FieldTexts.h"

namespace dpl::sema {

/// Text that evaluates to the value, with all fields of a choice: "interleaved_1f1b { chunks = 2
/// }". A block of a file is written as its name.
std::string writtenAs(Evaluator& evaluator, const Value& value);

/// The texts of a candidate: one for each combination of the candidates of fields inside it, the
/// last of them varying fastest. "interleaved_1f1b { chunks in [2, 4] }" has two.
std::vector<std::string> candidateTexts(Evaluator& evaluator, const Value& value);

/// The text between the brackets of an entry: `bf16` of `peak[bf16]`, `"NCCL_ALGO"` of
/// `env["NCCL_ALGO"]`.
std::string keyText(const IndexedField& family, llvm::StringRef key);

/// The index of the first value with the same text as an earlier one.
std::optional<std::size_t> listedTwice(Evaluator& evaluator, llvm::ArrayRef<Value> values);

/// Adds the fields of an object and of its nested objects, with paths that begin with `path`. A
/// field that is a mesh, or leaves it to the search, has the text `mesh`, because the order of axes
/// matters.
void writeFields(Evaluator& evaluator, Object& object, const std::string& path,
                 const std::string& mesh, std::vector<WrittenField>& out);

} // namespace dpl::sema
