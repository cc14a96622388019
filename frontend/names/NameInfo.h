#pragma once
//===- NameInfo.h - What an editor shows about the names of a file ----------------------------===//
#include "frontend/sema/FieldTexts.h"
#include "support/SourceManager.h"
#include <string>
#include <vector>

namespace dpl {

/// What a name stands for.
enum class NamedThing : std::uint8_t {
  Block,     ///< a declared block: a layout, a model, a run
  Field,     ///< a field of a block or of a choice
  Choice,    ///< one of the choices of a schema: `rotary`, `bf16`
  Let,       ///< a `let` of a file, a block or a schema
  Param,     ///< a `param` of a file
  Variable,  ///< the variable of a `for`
  Import,    ///< an imported file or library module, by its alias
  Module,    ///< a part of an import path: `std`, `models`
  Schema,    ///< a schema: the kind of a block, or the type of a field
  Type,      ///< a type of the language: `Count`, `Bytes`
  Figure,    ///< a figure of a plan, or a part of its path
  Statistic, ///< a statistic of a figure: `mean` in `step_time.mean`
  Key,       ///< an index that is a name: `train` in `run[train].updates`
  Function,  ///< a function of the language: `divisors`, `marginal`
  Scope,     ///< a level of the cluster: `gpu` in `per gpu`, `domain` in `within domain`
  Unit,      ///< the unit of a quantity: `GiB` in `80GiB`
  Word       ///< a word of the language that is a value: `rest`, `auto`, `none`, `true`
};
/// The word for it in a hover text: "block", "field".
const char* wordOf(NamedThing thing);

/// A name in a file, and what it stands for.
struct NameUse {
  SourceRange use;
  NamedThing thing = NamedThing::Block;
  SourceRange declaration;    ///< place of the name in its declaration; invalid for words, units,
                              ///< figures and other names that no file declares
  bool isDeclaration = false; ///< whether the use is the declaration itself
};

/// Everything that is known about a name.
struct NameInfo {
  NameUse name;
  std::string title; ///< the name in full: "memory.peak", "layout.micro_batch", "std.models"
  std::string type;  ///< type in words: "a count", "a `schedule`"; empty for a name without type
  std::string units; ///< usual units of the type: "MiB, GiB, GB"; the dimension of a figure
  std::string doc;   ///< text of the `///` lines of the declaration, or the definition of a figure
  std::string defaultValue; ///< default of a field, as its schema writes it; empty if there is none
  /// Path of the field from its declared block, as `history` takes it: "dense3d.mesh.tensor"; empty
  /// if the field is not of a declared block.
  std::string path;
  SourceRange target; ///< start of the imported file, for an import; else invalid
  std::string figure; ///< path of the figure: "memory.peak"; empty for other names
  std::string value;  ///< value as a file writes it: "4Mitok"; empty if it is not known
  std::string setBy;  ///< level that set the value: "block", "from models.decoder", "--set"
  std::vector<FieldLevel> levels; ///< all levels that set the field, the innermost last
};

/// A text that an editor may offer.
struct Offer {
  std::string text; ///< text to insert: "rotary", "memory.peak", "llama70b"
  NamedThing thing = NamedThing::Word;
  std::string detail; ///< type or kind, in few words: "Bandwidth per gpu", "layout"
  std::string doc;    ///< sentence of the declaration
  bool block = false; ///< whether a block `{ … }` follows the name
};

/// What may be written at a place of a file.
struct Expected {
  enum class ExpectedKind : std::uint8_t {
    Nothing,     ///< inside a comment, a string, or where nothing can be offered
    Declaration, ///< a declaration of the file
    Statement,   ///< a field, or another statement of a block
    Value,       ///< a value, such as after `=`
    Member,      ///< a name after a dot
    BlockName,   ///< the name of a block after `from`, `with`, `for` or `on`
    Module,      ///< a module or file after `import`
    Type         ///< a type in a schema
  };
  ExpectedKind kind = ExpectedKind::Nothing;
  SourceRange word;  ///< the part of a name that is already written around the place; may be empty
  std::string field; ///< path of the field whose value is expected: "mesh.tensor"; else empty
  std::string type;  ///< expected type in words: "a count or `rest`"; empty if any is possible
  std::string doc;   ///< sentence of the field
  std::vector<Offer> offers; ///< best first
};

/// A statement that sets a field.
struct FieldSetting {
  std::string field; ///< schema, choice and field: "layout.batch", "recompute.selective.modules"
  SourceRange path;  ///< path of the field as the statement writes it
  SourceRange value; ///< value of `= value` and of `in list`; invalid before a block of fields
  bool candidates = false; ///< whether the value is a list of candidates, after `in`
};

/// A declaration or block for the outline of a file.
struct Symbol {
  std::string name, detail; ///< "dense3d"; "layout for llama70b on pod"
  NamedThing thing = NamedThing::Block;
  SourceRange range, nameRange;
  std::vector<Symbol> children; ///< blocks of fields, fields of schemas, lets
};

} // namespace dpl
