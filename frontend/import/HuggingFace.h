#pragma once
//===- HuggingFace.h - A model from a Hugging Face config.json --------------------------------===//
#include "support/Diagnostics.h"
#include <string>

namespace dpl::imports {

/// Returns an unformatted .dpl file that declares the model of a `config.json` in `sources`. `name`
/// is the name of the model; if it is empty, the name comes from `_name_or_path` or `model_type`.
/// `as` replaces the file's `model_type`, unless it is empty. Both generations of the format are
/// read: `rope_scaling` with `torch_dtype` (transformers 4), and `rope_parameters` with `dtype`
/// (5). Absent keys have the defaults of the configuration class, because transformers omits
/// defaults when it saves a file.
FailureOr<std::string> huggingFaceModel(const SourceManager& sources, std::uint32_t file,
                                        const std::string& name, const std::string& as,
                                        DiagnosticEngine& diags);

/// Whether a name has another meaning in the .dpl file, so that a model cannot have it.
bool isTakenName(llvm::StringRef name);

} // namespace dpl::imports
