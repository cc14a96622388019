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
  std::string type;      ///< type as the schema writes it: "Bandwidth per gpu", "Count?"
  std::string units;     ///< usual units of the type: "GB/s, Gbps"; empty for a type without unit
  std::string value;     ///< default value on one line; empty if there is none
  std::string sentence;  ///< text of the field's `///` lines, joined by blanks
  bool optional = false; ///< whether the field may be left out although it has no default
  /// The default in words: "required", "optional" or "default 5us".
  std::string defaultText() const;
};
struct LibraryChoice {
  std::string name, sentence;
};
struct LibrarySchema {
  std::string name, base, sentence;
  std::vector<LibraryChoice> choices;
  std::vector<LibraryField> fields; ///< fields of the schema, then those of its choices
};
/// The units that files usually write with a type: "GB/s, Gbps"; empty for a type without unit.
llvm::StringRef usualUnits(llvm::StringRef type);
/// The schemas of the prelude in the order of its text.
std::vector<LibrarySchema> librarySchemas();

/// A block of a module of the library: a device, cluster, model or framework.
struct LibraryBlock {
  std::string kind, name, base;
  std::string sentence; ///< text of the block's `///` lines, joined by blanks
};
std::vector<LibraryBlock> libraryBlocks(llvm::StringRef module);

} // namespace dpl
