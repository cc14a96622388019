#pragma once
//===- HuggingFace.h - A model from a Hugging Face config.json --------------------------------===//
#include "support/Diagnostics.h"
#include <string>

namespace dpl::imports {

/// Text of a .dpl file that declares the model of a `config.json` in `sources`, formatted by nobody
/// yet. `name` is the model's; empty takes it from `_name_or_path` or `model_type`. `as` reads the
/// file as another `model_type`; empty takes the file's own. Both generations of the format are
/// read: `rope_scaling` with `torch_dtype` (transformers 4) and `rope_parameters` with `dtype` (5).
/// Absent keys take the defaults of the architecture's configuration class, which files are saved
/// against.
FailureOr<std::string> huggingFaceModel(const SourceManager& sources, std::uint32_t file,
                                        const std::string& name, const std::string& as,
                                        DiagnosticEngine& diags);

/// Whether the written file has another meaning for the name, so that no model can have it.
bool isTakenName(llvm::StringRef name);

} // namespace dpl::imports
