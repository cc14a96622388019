//===- Formula.cpp - The formulas of figures, evaluated and with values plugged in ------------===//
#include "backends/report/Formula.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace dpl;
using namespace dpl::report;

namespace {

bool startsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// End of the name that starts at `at`: `memory.rank[0].peak` is one name.
std::size_t endOfName(const std::string& s, std::size_t at) {
  while (at < s.size()) {
    if (startsName(s[at]) || isDigit(s[at]))
      ++at;
    else if (s[at] == '.' && at + 1 < s.size() && (startsName(s[at + 1]) || isDigit(s[at + 1])))
      ++at;
    else if (s[at] == '[') {
      const std::size_t close = s.find(']', at);
      if (close == std::string::npos)
        return at;
      at = close + 1;
    } else
      return at;
  }
  return at;
}

/// Recursive descent over the text; `ok` turns false at the first thing that is no formula.
class Evaluator {
public:
  Evaluator(const std::string& s, const SymbolValue& value) : s(s), value(value) {}

  std::optional<double> run() {
    const double v = sum();
    skip();
    return ok && at == s.size() && std::isfinite(v) ? std::optional(v) : std::nullopt;
  }
  /// The arguments of a call that starts at the current place, as text and value.
  struct Argument {
    std::string text;
    double value;
  };
  std::vector<Argument> arguments() {
    std::vector<Argument> out;
    if (!accept("("))
      ok = false;
    do {
      skip();
      const std::size_t begin = at;
      const double v = sum();
      out.push_back({llvm::StringRef(s).slice(begin, at).trim().str(), v});
    } while (ok && accept(","));
    if (!accept(")"))
      ok = false;
    return out;
  }

private:
  void skip() {
    while (at < s.size() && s[at] == ' ')
      ++at;
  }
  bool accept(llvm::StringRef token) {
    skip();
    if (!llvm::StringRef(s).substr(at).startswith(token))
      return false;
    at += token.size();
    return true;
  }
  double sum() {
    double v = product();
    while (ok) {
      if (accept("+"))
        v += product();
      else if (accept("-") || accept("−"))
        v -= product();
      else
        break;
    }
    return v;
  }
  double product() {
    double v = power();
    while (ok) {
      if (accept("*") || accept("×") || accept("·"))
        v *= power();
      else if (accept("/"))
        v /= power();
      else
        break;
    }
    return v;
  }
  double power() {
    if (accept("-"))
      return -power();
    const double base = atom();
    return accept("^") ? std::pow(base, power()) : base;
  }
  double atom() {
    skip();
    if (at == s.size())
      return fail();
    if (depth > 100)
      return fail();
    if (accept("(")) {
      ++depth;
      const double v = sum();
      --depth;
      return accept(")") ? v : fail();
    }
    if (isDigit(s[at])) {
      char* end = nullptr;
      const double v = std::strtod(s.c_str() + at, &end);
      at = static_cast<std::size_t>(end - s.c_str());
      return v;
    }
    if (!startsName(s[at]))
      return fail();
    const std::size_t begin = at;
    at = endOfName(s, at);
    const std::string name = s.substr(begin, at - begin);
    if (at < s.size() && s[at] == '(')
      return call(name);
    const std::optional<double> v = value(name);
    return v ? *v : fail();
  }
  double call(const std::string& name) {
    ++depth;
    std::vector<double> values;
    for (const Argument& a : arguments())
      values.push_back(a.value);
    --depth;
    if (!ok)
      return 0;
    if (name == "max")
      return *std::max_element(values.begin(), values.end());
    if (name == "min")
      return *std::min_element(values.begin(), values.end());
    if (name == "sum") {
      double total = 0;
      for (double v : values)
        total += v;
      return total;
    }
    if (values.size() != 1)
      return fail();
    if (name == "ceil")
      return std::ceil(values[0]);
    if (name == "floor")
      return std::floor(values[0]);
    if (name == "sqrt")
      return std::sqrt(values[0]);
    return fail();
  }
  double fail() {
    ok = false;
    return 0;
  }

  const std::string& s;
  const SymbolValue& value;
  std::size_t at = 0;
  unsigned depth = 0;
  bool ok = true;
};

} // namespace

std::optional<double> report::evaluateFormula(const std::string& formula,
                                              const SymbolValue& value) {
  return Evaluator(formula, value).run();
}

std::string report::plugIn(const std::string& formula, const SymbolText& text) {
  std::string out;
  for (std::size_t at = 0; at < formula.size();) {
    if (!startsName(formula[at])) {
      // A number is copied whole, so that the `e` of 1e9 is not taken for a name.
      do
        out += formula[at++];
      while (at < formula.size() &&
             (isDigit(formula[at - 1]) && (isDigit(formula[at]) || formula[at] == 'e')));
      continue;
    }
    const std::size_t end = endOfName(formula, at);
    const std::string name = formula.substr(at, end - at);
    const std::optional<std::string> shown =
        end < formula.size() && formula[end] == '(' ? std::nullopt : text(name);
    out += shown ? *shown : name;
    at = end;
  }
  return out;
}

std::string report::decidingSymbol(const std::string& formula, const SymbolValue& value) {
  const bool isMax = llvm::StringRef(formula).startswith("max(");
  if (!isMax && !llvm::StringRef(formula).startswith("min("))
    return {};
  const std::optional<double> whole = evaluateFormula(formula, value);
  if (!whole)
    return {};
  const std::string call = formula.substr(3);
  Evaluator evaluator(call, value);
  for (const Evaluator::Argument& a : evaluator.arguments())
    if (a.value == *whole && value(a.text)) // the same computation: equal to the last bit
      return a.text;
  return {};
}

const ir::Quantity* report::symbolInput(const ir::Results& results, const ir::Quantity& q,
                                        llvm::StringRef symbol) {
  const ir::Quantity* found = nullptr;
  for (const std::string& path : q.inputs) {
    if (path == symbol)
      return results.find(path);
    if (llvm::StringRef(path).endswith((llvm::Twine(".") + symbol).str())) {
      if (found)
        return nullptr;
      found = results.find(path);
    }
  }
  return found;
}
