#pragma once
//===- Json.h - JSON with keys in the order they were written ---------------------------------===//
#include "support/Number.h"
#include "support/Utf8.h"
#include "llvm/ADT/StringRef.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dpl {

using Json = nlohmann::ordered_json;

/// A quantity: `{"value": 85899345920, "unit": "B"}`, the value in base units. Whole numbers are
/// exact integers; others are the nearest double.
Json quantity(double value, const Dimension& dimension);
/// The same with the exact decimal and, where it was written in one, the user's unit:
/// `{"value": 85899345920, "unit": "B", "written": "80GiB"}`.
Json quantity(const Number& number);

/// Indented by two, with a line end; bytes that are not UTF-8 become U+FFFD.
std::string textOf(const Json& value);

class DiagnosticEngine;
class SourceManager;
/// The diagnostics as `renderJson` writes them, a value each.
std::vector<Json> diagnosticsAsJson(const DiagnosticEngine& engine, const SourceManager& sources);

} // namespace dpl
