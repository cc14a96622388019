#pragma once
//===- Written.h - Writes values in the syntax of the language --------------------------------===//
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/FieldTexts.h"

namespace dpl::sema {

/// The text of a value in DPL. A choice has all its fields: "interleaved_1f1b { chunks = 2 }". A
/// block of a file is written as its name.
std::string writtenAs(Evaluator& evaluator, const Value& value);

/// The texts of a candidate. There is one for each combination of candidates of the fields inside
/// it, in which the last field varies fastest: "interleaved_1f1b { chunks in [2, 4] }" has two
/// texts.
std::vector<std::string> candidateTexts(Evaluator& evaluator, const Value& value);

/// The text between the brackets of an entry: `bf16` for `peak[bf16]`, `"NCCL_ALGO"` for
/// `env["NCCL_ALGO"]`.
std::string keyText(const IndexedField& family, llvm::StringRef key);

/// The index of the first value whose text equals that of an earlier value.
std::optional<std::size_t> listedTwice(Evaluator& evaluator, llvm::ArrayRef<Value> values);

/// Adds the fields of an object and of objects inside it. Their paths begin with `path`. A field
/// that is a mesh, or that a search is to choose, has the text `mesh`, because the order of axes
/// matters.
void writeFields(Evaluator& evaluator, Object& object, const std::string& path,
                 const std::string& mesh, std::vector<WrittenField>& out);

} // namespace dpl::sema
