//===- UnitSuggestions.cpp - Suggestions for unknown units ------------------------------------===//
#include "support/Near.h"
#include "support/Number.h"
#include "support/UnitTable.h"
#include <algorithm>
using namespace dpl;

namespace {
/// A common spelling that is not a unit, with its likely meaning.
struct Habit {
  const char* written;
  const char* meant;
};
constexpr Habit habits[] = {
    {"gb", "GB"},        {"mb", "MB"},         {"tb", "TB"},       {"pb", "PB"},
    {"gib", "GiB"},      {"mib", "MiB"},       {"tib", "TiB"},     {"kib", "KiB"},
    {"GBps", "GB/s"},    {"MBps", "MB/s"},     {"TBps", "TB/s"},   {"KBps", "kB/s"},
    {"kBps", "kB/s"},    {"GiBps", "GiB/s"},   {"MiBps", "MiB/s"}, {"TiBps", "TiB/s"},
    {"gbps", "Gbps"},    {"mbps", "Mbps"},     {"tbps", "Tbps"},   {"Kbps", "kbps"},
    {"Gbit", "Gb"},      {"Mbit", "Mb"},       {"Gbits", "Gb"},    {"bit", "b"},
    {"bits", "b"},       {"byte", "B"},        {"bytes", "B"},     {"sec", "s"},
    {"secs", "s"},       {"second", "s"},      {"seconds", "s"},   {"hr", "h"},
    {"hrs", "h"},        {"hour", "h"},        {"hours", "h"},     {"days", "d"},
    {"minute", "min"},   {"minutes", "min"},   {"mins", "min"},    {"weeks", "week"},
    {"usec", "us"},      {"msec", "ms"},       {"nsec", "ns"},     {"token", "tok"},
    {"tokens", "tok"},   {"toks", "tok"},      {"Mtoken", "Mtok"}, {"Mtokens", "Mtok"},
    {"sequence", "seq"}, {"sequences", "seq"}, {"seqs", "seq"},    {"samples", "sample"},
    {"steps", "step"},   {"dollar", "usd"},    {"dollars", "usd"}, {"percent", "pct"},
    {"watt", "W"},       {"watts", "W"},       {"joule", "J"},     {"joules", "J"},
    {"TF", "TFLOPS"},    {"PF", "PFLOPS"},     {"GF", "GFLOPS"},   {"flop", "FLOP"},
    {"flops", "FLOPS"},
};

using UnitNames = std::vector<std::string>;

void addOnce(UnitNames& names, std::string text) {
  if (std::find(names.begin(), names.end(), text) == names.end())
    names.push_back(std::move(text));
}

/// The units that start with a single letter such as `G`: tokens, bytes, FLOP, and bits per second.
UnitNames fromPrefix(llvm::StringRef prefix) {
  UnitNames names;
  const std::string letter = prefix.equals("K") ? "k" : prefix.str();
  const std::string binary = prefix.upper() + "i";
  for (const std::string& text :
       {letter + "tok", binary + "tok", letter + "B", binary + "B", letter + "bps", letter + "B/s",
        letter + "FLOPS", letter + "FLOP", letter + "W"})
    if (findUnit(text))
      names.push_back(text);
  // The likely units differ: `context = 8k`, `batch = 4M` and `tokens = 1T` are tokens, but `memory
  // = 80G` is bytes.
  if (letter == "G")
    std::rotate(names.begin(), names.begin() + 2, names.begin() + 4);
  return names;
}

/// Suggestions for a unit without `/`.
UnitNames single(llvm::StringRef text) {
  if (findUnit(text))
    return {text.str()};
  for (const Habit& habit : habits)
    if (text == habit.written)
      return {habit.meant};
  if (text.size() == 1 && llvm::StringRef("kKMGTP").contains(text))
    return fromPrefix(text);
  UnitNames names;
  for (const Unit& unit : units())
    if (text.equals_insensitive(unit.text))
      addOnce(names, unit.text);
  // Case matters in units, so other errors are tried with the exact case first.
  for (const bool exactCase : {true, false})
    if (names.empty() && text.size() >= 3)
      for (const Unit& unit : units()) {
        const llvm::StringRef known = unit.text;
        if ((exactCase ? spellingDistance(text, known, 1)
                       : spellingDistance(text.lower(), known.lower(), 1)) == 1)
          addOnce(names, unit.text);
      }
  return names;
}
} // namespace

std::vector<std::string> dpl::suggestUnits(llvm::StringRef text, std::optional<Dimension> wanted) {
  UnitNames names;
  const std::size_t slash = text.find('/');
  if (slash == llvm::StringRef::npos) {
    names = single(text);
  } else {
    for (const std::string& over : single(text.take_front(slash)))
      for (const std::string& under : single(text.drop_front(slash + 1)))
        if (over.find('/') == std::string::npos && under.find('/') == std::string::npos)
          addOnce(names, over + "/" + under);
  }
  names.erase(std::remove(names.begin(), names.end(), text), names.end());
  if (wanted) {
    UnitNames fitting;
    for (const std::string& name : names)
      if (const Unit* unit = findUnit(name); unit && unit->dimension == *wanted)
        fitting.push_back(name);
    if (!fitting.empty())
      names = std::move(fitting);
  }
  if (names.size() > 3)
    names.resize(3);
  return names;
}

std::string dpl::suggestUnit(llvm::StringRef text, std::optional<Dimension> wanted) {
  const UnitNames names = suggestUnits(text, wanted);
  return names.size() == 1 ? names.front() : "";
}

std::string dpl::byteSpelling(const Unit& unit) {
  const llvm::StringRef text = unit.text;
  const llvm::StringRef over = text.take_front(text.find('/'));
  const llvm::StringRef under = text.drop_front(over.size());
  std::string spelling;
  if (over.endswith("bps"))
    spelling = over.drop_back(3).str() + "B/s";
  else if (over.endswith("b"))
    spelling = over.drop_back(1).str() + "B" + under.str();
  return findUnit(spelling) ? spelling : "";
}
