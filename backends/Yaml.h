#pragma once
//===- Yaml.h - A document as YAML ------------------------------------------------------------===//
#include "support/Json.h"
#include <string>

namespace dpl {

/// A JSON value in the block style of YAML 1.1 and 1.2, behind the line `---`. Strings that any
/// reader could take for something else are quoted: yaml-cpp, which is at hand, leaves "NO" and
/// "1.0" bare.
std::string yamlDocument(const Json& value);

} // namespace dpl
