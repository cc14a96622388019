#pragma once
//===- Formula.h - The formulas of figures, evaluated and with values plugged in --------------===//
#include "ir/Derivation.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dpl::report {

/// Value of a symbol of the formula; nothing when it is none of the figure's inputs.
using SymbolValue = std::function<std::optional<double>(const std::string&)>;
/// What stands in the symbol's place when it is plugged in; nothing leaves it as it is.
using SymbolText = std::function<std::optional<std::string>(const std::string&)>;

/// Evaluates + - * / ^, parentheses and min, max, sum, ceil, floor, sqrt over numbers and symbols.
/// Nothing when the text is no such formula: some figures are explained by a sentence.
std::optional<double> evaluateFormula(const std::string& formula, const SymbolValue& value);

/// The formula with every known symbol replaced by its text.
std::string plugIn(const std::string& formula, const SymbolText& text);

/// The operand of a formula that is one call of `max` or `min` whose value is the call's; empty for
/// any other formula. Who asks why only cares about that one.
std::string decidingSymbol(const std::string& formula, const SymbolValue& value);

/// The input of a figure that a symbol of its formula means: by whole path, or by the end of the
/// path where only one input ends so.
const ir::Quantity* symbolInput(const ir::Results& results, const ir::Quantity& q,
                                llvm::StringRef symbol);

} // namespace dpl::report
