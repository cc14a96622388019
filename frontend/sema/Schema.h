#pragma once
//===- Schema.h - Kinds of block: their fields, choices and types -----------------------------===//
#include "frontend/ast/Ast.h"
#include "support/Number.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::sema {

struct SourceModule;
struct Schema;

/// The type of a field, resolved.
struct Type {
  enum class TypeKind : std::uint8_t {
    Error,
    Bool,
    Count,
    Real,
    String,
    Name,       ///< of a metric: `mfu`
    Field,      ///< a path to a field of a block: `llama.grand.nodes`
    Axis,       ///< a count or `rest`
    Batch,      ///< tokens, sequences or samples
    MicroBatch, ///< sequences, samples, or a plain count of whichever the batch has
    Quantity,
    Schema,
    List,
    Map,
    Vary ///< paths of other blocks with candidates
  };
  TypeKind kind = TypeKind::Error;
  bool optional = false;
  bool automatic = false; ///< or `auto`, with which the compiler finds a value
  Scope scope = Scope::None;
  Dimension dimension; ///< of a Quantity
  const sema::Schema* schema = nullptr;
  const Type* element = nullptr; ///< of a List or Map
  const Type* key = nullptr;     ///< of a Map
  llvm::StringRef text;          ///< as the declaration writes it

  /// Tokens, sequences, samples and steps: a quantity that has no parts.
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
  mutable const Type* type = nullptr; ///< resolved when it is first asked for
  unsigned index = 0;                 ///< among its schema's, or its member's, fields
  bool ofMember = false;
  llvm::StringRef name() const { return ast->name.text; }
};

/// One `choice` of a schema.
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
  llvm::SmallVector<FieldDecl, 0> fields;            ///< the base's first
  llvm::SmallVector<const ChoiceSchema*, 0> members; ///< the base's first
  llvm::SmallVector<SchemaLet, 0> lets;
  /// `name = value` over the base's defaults; null when there are none.
  const ast::Block* amendments = nullptr;

  bool isSum() const { return !members.empty(); }
  bool isA(llvm::StringRef schemaName) const;
  bool isA(const Schema& other) const;
  /// Whether the compiler chooses a value where a field of it is `auto`.
  bool takesAuto() const { return isA("mesh") || isA("schedule"); }
  const ChoiceSchema* member(llvm::StringRef memberName) const;
  /// Among the member's own fields and those that all members share.
  const FieldDecl* field(llvm::StringRef fieldName, const ChoiceSchema* of) const;
  /// What the header names: the nearest schema of the chain that has one.
  llvm::SmallVector<llvm::StringRef, 2> forKinds() const; ///< any of them
  llvm::StringRef onKind() const;
};

/// "a count", "a number of bytes per gpu", "a `schedule`": what messages call a type.
std::string describe(const Type& type);
/// "a `layout`", "an `encoder`".
std::string withArticle(llvm::StringRef kind);
/// "a `run` or a `layout`".
std::string withArticles(llvm::ArrayRef<llvm::StringRef> kinds);
/// What a block of the schema is started with: its first required field, else its first. Empty for
/// a schema without fields.
llvm::StringRef firstField(const Schema& schema);
/// "power { busy = … }": how a value of the field is written; empty for a schema without fields.
std::string exampleOf(llvm::StringRef field, const Schema& schema);

} // namespace dpl::sema
