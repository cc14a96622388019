#pragma once
//===- Schema.h - Schemas: kinds of blocks with their fields and types ------------------------===//
#include "frontend/ast/Ast.h"
#include "support/Number.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace dpl::sema {

struct SourceModule;
struct Schema;

/// The resolved type of a field.
struct Type {
  enum class TypeKind : std::uint8_t {
    Error,
    Bool,
    Count,
    Real,
    String,
    Name,       ///< name of a figure: `mfu`
    Field,      ///< path to a field of a block: `llama.grand.nodes`
    Column,     ///< name of a figure or of a `let`, or path of a field
    Axis,       ///< count or `rest`
    Batch,      ///< tokens, sequences or samples
    MicroBatch, ///< sequences, samples, or a plain count in the unit of the batch
    Quantity,
    Schema,
    List,
    Map,
    Vary ///< paths of other blocks, with candidates
  };
  TypeKind kind = TypeKind::Error;
  bool optional = false;
  bool automatic = false; ///< whether the value may be `auto`, so that the compiler finds it
  Scope scope = Scope::None;
  Dimension dimension; ///< dimension of a Quantity
  const sema::Schema* schema = nullptr;
  const Type* element = nullptr; ///< element type of a List or Map
  const Type* key = nullptr;     ///< key type of a Map
  llvm::StringRef text;          ///< text of the type in its declaration

  /// Whether it is a quantity that has no fractions: tokens, sequences, samples or steps.
  bool countsWhole() const {
    return kind == TypeKind::Quantity &&
           (dimension == *dimensionNamed("Tokens") || dimension == *dimensionNamed("Sequences") ||
            dimension == *dimensionNamed("Samples") || dimension == *dimensionNamed("Steps"));
  }
  bool isNumber() const {
    return kind == TypeKind::Count || kind == TypeKind::Real || kind == TypeKind::Quantity;
  }
};

struct FieldDecl {
  const ast::SchemaField* ast = nullptr;
  const Schema* owner = nullptr;
  mutable const Type* type = nullptr; ///< type of the field; resolved when it is needed
  unsigned index = 0;                 ///< index among the fields of the schema or choice
  bool ofMember = false;
  llvm::StringRef name() const { return ast->name.text; }
};

/// A choice that a schema declares.
struct ChoiceSchema {
  llvm::StringRef name;
  const ast::ChoiceMember* ast = nullptr;
  const Schema* owner = nullptr;
  llvm::SmallVector<FieldDecl, 0> fields;
};

struct SchemaLet {
  const ast::LetStmt* let = nullptr;
  const Schema* owner = nullptr;
};

struct Schema {
  llvm::StringRef name;
  const ast::SchemaDecl* ast = nullptr;
  SourceModule* module = nullptr;
  const Schema* base = nullptr;
  llvm::SmallVector<FieldDecl, 0> fields;            ///< fields, those of the base first
  llvm::SmallVector<const ChoiceSchema*, 0> members; ///< choices, those of the base first
  llvm::SmallVector<SchemaLet, 0> lets;
  /// statements `name = value`, which change defaults of the base; null if there are none
  const ast::Block* amendments = nullptr;

  bool isSum() const { return !members.empty(); }
  bool isA(llvm::StringRef schemaName) const;
  bool isA(const Schema& other) const;
  /// Whether a field of this schema may be `auto`, so that the compiler chooses its value.
  bool takesAuto() const { return isA("mesh") || isA("schedule"); }
  const ChoiceSchema* member(llvm::StringRef memberName) const;
  /// The field with a name, of a choice or of the schema.
  const FieldDecl* field(llvm::StringRef fieldName, const ChoiceSchema* of) const;
  /// The kinds after `for` and `on`, in the nearest schema of the chain that has a header.
  llvm::SmallVector<llvm::StringRef, 2> forKinds() const; ///< alternatives after `for`
  llvm::StringRef onKind() const;

private:
  mutable llvm::StringMap<std::size_t> positions; ///< indices in `fields`, by name
  mutable std::size_t indexed = 0;                ///< number of fields that are in `positions`
};

/// A type in the words of messages: "a count", "a number of bytes per gpu", "a `schedule`".
std::string describe(const Type& type);
/// A kind with its article: "a `layout`", "an `encoder`".
std::string withArticle(llvm::StringRef kind);
/// Several kinds with their articles: "a `run` or a `layout`".
std::string withArticles(llvm::ArrayRef<llvm::StringRef> kinds);
/// The field with which an example of the block begins: the first required field, or if there is
/// none the first field. Empty for a schema without fields.
llvm::StringRef firstField(const Schema& schema);
/// An example of how a field is set: "power { busy = … }". Empty for a schema without fields.
std::string exampleOf(llvm::StringRef field, const Schema& schema);

} // namespace dpl::sema
