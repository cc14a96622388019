#pragma once
//===- NameDetails.h - Everything that is known about a name ----------------------------------===//
#include "frontend/names/Shape.h"

namespace dpl::names {

/// Writes what hover texts show: types, values and who set them, definitions of figures.
class NameDetails {
public:
  explicit NameDetails(StaticLookup& lookup) : lookup(lookup), evaluator(lookup.evaluator) {}

  /// `main` is the file in which indices of paths are evaluated.
  NameInfo of(const NameUse& use, const Meaning& meaning, sema::SourceModule& main);

private:
  void field(const Meaning& meaning, sema::SourceModule& main, NameInfo& out);
  void block(const Meaning& meaning, NameInfo& out);
  void import(const Meaning& meaning, NameInfo& out);
  void figure(const Meaning& meaning, NameInfo& out);
  void unit(const Meaning& meaning, NameInfo& out);
  void let(const Meaning& meaning, NameInfo& out);
  void value(const sema::Value& value, NameInfo& out);

  StaticLookup& lookup;
  sema::Evaluator& evaluator;
};

/// The sentence about a function of the language; empty for other names.
std::string functionSentence(llvm::StringRef name);
/// The sentence about a figure, by its path; empty if there is no such figure.
std::string figureSentence(llvm::StringRef path);
/// The dimension of a figure in words; empty for plain numbers and other paths.
std::string figureUnits(llvm::StringRef path);
/// The sentence about a word of the language: `rest`, `auto`, `none`; empty for other words.
llvm::StringRef wordSentence(llvm::StringRef word);

} // namespace dpl::names
