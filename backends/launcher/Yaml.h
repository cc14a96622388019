#pragma once
//===- Yaml.h - A document as YAML ------------------------------------------------------------===//
#include "support/Json.h"
#include <string>

namespace dpl::launcher {

/// A JSON value in the block style of YAML 1.1 and 1.2, behind the line `---`. Strings that any
/// reader could take for something else are quoted.
std::string yamlDocument(const Json& value);

} // namespace dpl::launcher
