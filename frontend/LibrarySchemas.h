#pragma once
//===- LibrarySchemas.h - The schemas of the library as a reference prints them ---------------===//
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace dpl {

/// A field as `dplc explain` and docs/reference/blocks.md print it.
struct LibraryField {
  std::string name;
  std::string choice;    ///< the choice that has the field; empty for a field of the schema itself
  std::string type;      ///< as the schema writes it: "Bandwidth per gpu", "Count?"
  std::string units;     ///< usual units of the type: "GB/s, Gbps"; empty for a type without unit
  std::string value;     ///< the default, on one line; empty if there is none
  std::string sentence;  ///< its `///` lines, joined by blanks
  bool optional = false; ///< the field may be left out without a default
  /// "required", "optional" or "default 5us".
  std::string defaultText() const;
};
struct LibraryChoice {
  std::string name, sentence;
};
struct LibrarySchema {
  std::string name, base, sentence;
  std::vector<LibraryChoice> choices;
  std::vector<LibraryField> fields; ///< those of the schema, then those of its choices
};
/// The schemas of the prelude in the order of its text.
std::vector<LibrarySchema> librarySchemas();

/// A block of a module of the library: a device, cluster, model or framework.
struct LibraryBlock {
  std::string kind, name, base;
  std::string sentence; ///< its `///` lines, joined by blanks
};
std::vector<LibraryBlock> libraryBlocks(llvm::StringRef module);

} // namespace dpl
