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
    Name,       ///< name of a metric: `mfu`
    Field,      ///< path to a field of a block: `llama.grand.nodes`
    Column,     ///< name of a metric or of a `let`, or path to a field
    Axis,       ///< count or `rest`
    Batch,      ///< tokens, sequences or samples
    MicroBatch, ///< sequences, samples, or a plain count in the batch's unit
    Quantity,
    Schema,
    List,
    Map,
    Vary ///< paths of other blocks with candidates
  };
  TypeKind kind = TypeKind::Error;
  bool optional = false;
  bool automatic = false; ///< whether `auto` lets the compiler find a value
  Scope scope = Scope::None;
  Dimension dimension; ///< dimension of a Quantity
  const sema::Schema* schema = nullptr;
  const Type* element = nullptr; ///< element type of a List or Map
  const Type* key = nullptr;     ///< key type of a Map
  llvm::StringRef text;          ///< text in the declaration

  /// Whether it is a quantity without fractions: tokens, sequences, samples or steps.
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
  mutable const Type* type = nullptr; ///< resolved on demand
  unsigned index = 0;                 ///< index in the schema's or member's fields
  bool ofMember = false;
  llvm::StringRef name() const { return ast->name.text; }
};

/// A `choice` of a schema.
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
  llvm::SmallVector<FieldDecl, 0> fields;            ///< the base's fields first
  llvm::SmallVector<const ChoiceSchema*, 0> members; ///< the base's members first
  llvm::SmallVector<SchemaLet, 0> lets;
  /// `name = value`, which changes defaults of the base; null if there are none.
  const ast::Block* amendments = nullptr;

  bool isSum() const { return !members.empty(); }
  bool isA(llvm::StringRef schemaName) const;
  bool isA(const Schema& other) const;
  /// Whether the compiler chooses a value for a field that is `auto`.
  bool takesAuto() const { return isA("mesh") || isA("schedule"); }
  const ChoiceSchema* member(llvm::StringRef memberName) const;
  /// A field of the member, or of the schema.
  const FieldDecl* field(llvm::StringRef fieldName, const ChoiceSchema* of) const;
  /// The kinds that `for` and `on` name, in the nearest schema of the chain that has a header.
  llvm::SmallVector<llvm::StringRef, 2> forKinds() const; ///< alternatives
  llvm::StringRef onKind() const;

private:
  mutable llvm::StringMap<std::size_t> positions; ///< index into `fields`, by name
  mutable std::size_t indexed = 0;                ///< number of fields in `positions`
};

/// "a count", "a number of bytes per gpu", "a `schedule`": a type in words of messages.
std::string describe(const Type& type);
/// "a `layout`", "an `encoder`".
std::string withArticle(llvm::StringRef kind);
/// "a `run` or a `layout`".
std::string withArticles(llvm::ArrayRef<llvm::StringRef> kinds);
/// The field with which an example of the block begins: the first required field, else the first
/// one. Empty for a schema without fields.
llvm::StringRef firstField(const Schema& schema);
/// An example of a field: "power { busy = … }"; empty for a schema without fields.
std::string exampleOf(llvm::StringRef field, const Schema& schema);

} // namespace dpl::sema
