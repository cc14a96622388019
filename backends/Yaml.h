#pragma once
//===- Yaml.h - JSON values as YAML -----------------------------------------------------------===//
#include "support/Json.h"
#include <string>

namespace dpl {

/// Writes a JSON value in the block style of YAML 1.1 and 1.2, after a line `---`. Strings that a
/// reader could parse as another type, such as "NO" and "1.0", are quoted. yaml-cpp does not quote
/// these.
std::string yamlDocument(const Json& value);

} // namespace dpl
