#pragma once
//===- Object.h - Instances of schemas, as ordered levels of texts ----------------------------===//
//
// An object holds no values of its own: it holds the blocks and statements that set its fields,
// from the outermost level (schema) to the innermost (`--set`). A field is worked out when it is
// asked for, with the names in it bound to the final object; that is the late binding of `from`.
#include "frontend/ast/Ast.h"
#include "frontend/sema/Schema.h"
#include "frontend/sema/Value.h"
#include "support/Arena.h"
#include "llvm/ADT/PointerUnion.h"
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace dpl::sema {

/// What a loop or comprehension runs over, in one round.
struct LoopVariable {
  llvm::StringRef name;
  Value value;
};

/// One link of the chain in which a name is looked up, innermost first.
struct Environment {
  enum class EnvironmentKind : std::uint8_t { Module, Object, Local, Variable };
  EnvironmentKind kind = EnvironmentKind::Module;
  const Environment* outer = nullptr;
  union {
    sema::SourceModule* module = nullptr;
    sema::Object* object;
    const ast::Block* block; ///< of Local: an `if` or `for` body, for its `let`s
    const sema::LoopVariable* variable;
  };
  const Environment* sibling = nullptr; ///< of Object: another one of the same object

  /// The module that all names end in.
  sema::SourceModule& ofModule() const {
    return kind == EnvironmentKind::Module ? *module : outer->ofModule();
  }
};

/// Who set something. Two settings of one level and generation are a duplicate.
struct SettingLevel {
  enum class SettingLevelKind : std::uint8_t { Schema, Framework, Block, Fragment, Vary, Set };
  SettingLevelKind kind = SettingLevelKind::Block;
  llvm::StringRef label; ///< "models.llama3_8b", "site.fast_ib", "megatron 0.19", "--set"
  const ast::Decl* decl = nullptr;
  unsigned fragment = 0; ///< which fragment of the header, from 1
};

/// A statement that is about some value: `path[depth…]` remains; with nothing left it is the
/// value's own `= …` or `{ … }`.
struct Setting {
  const SettingLevel* level = nullptr;
  unsigned generation = 0; ///< grows where a finished value is amended
  unsigned depth = 0;
  const ast::FieldStmt* stmt = nullptr;
  const Environment* scope = nullptr; ///< where its expressions are evaluated
  const ast::Block* block = nullptr;  ///< instead of `stmt`: a whole block of fields

  bool whole() const {
    return stmt && depth == stmt->path.size() && stmt->form != ast::FieldStmt::FieldForm::Amend;
  }
  SourceRange range() const { return stmt ? stmt->pathRange : block->range; }
};

/// The setting that won a field, and what the field came to. Fields that the same setting won with
/// the same value share one.
struct Winner {
  const SettingLevel* level;
  const ast::FieldStmt* stmt;
  const Value* value;
  bool whole;
  bool operator==(const Winner&) const = default;
  SourceRange range() const { return stmt->pathRange; }
};

inline bool sameLevel(const Setting& a, const Setting& b) {
  return a.level == b.level && a.generation == b.generation;
}

class Object {
public:
  struct ObjectSlot;
  /// What stands behind `for` and `on` of a block, or of its bases.
  struct Header {
    /// Names that the headers use: `for llama70b` (first) or `on pod`.
    std::vector<std::pair<llvm::StringRef, bool>> names;
    Object *forObject = nullptr, *onObject = nullptr;
  };

  /// Calls `visit` with the declaration of each field: those of the schema, then the choice's own.
  template <class Visit> void eachField(const Visit& visit) const {
    for (const FieldDecl& f : schema->fields)
      visit(f);
    if (member)
      for (const FieldDecl& f : member->fields)
        visit(f);
  }

  const sema::Schema* schema = nullptr;
  const sema::ChoiceSchema* member = nullptr;
  Object* parent = nullptr;             ///< the enclosing block
  llvm::StringRef field;                ///< of a nested one: where it stands in the parent
  const ast::BlockDecl* decl = nullptr; ///< of a declared block
  SourceRange range;
  bool checked = false;
  /// Of no block: made to check a schema that no block may use. What only a block can give is
  /// missing, not wrong.
  bool detached = false;
  const Header* header = nullptr; ///< null where there is none
  std::vector<Setting> levels;    ///< outermost first
  /// Of the schema's fields, then of the member's; none before one is asked for.
  std::unique_ptr<ObjectSlot[]> slots;
  const Environment* scopes = nullptr; ///< in which its texts are read, as Scopes made them

  /// Empty but for a declared block.
  llvm::StringRef name() const { return decl ? decl->name.text : llvm::StringRef(); }
  /// The choice or the object itself, as an expression that means it and nothing else.
  Value value() {
    Value v = member ? Value::choice(*schema, member) : Value::plain(Value::ValueKind::Object);
    v.object = this;
    return v.at(range);
  }
  Object* forObject() const { return header ? header->forObject : nullptr; }
  Object* onObject() const { return header ? header->onObject : nullptr; }
  const FieldDecl* find(llvm::StringRef fieldName) const {
    return schema->field(fieldName, member);
  }
  ObjectSlot& slot(const FieldDecl& f);
  bool isSearch() const { return decl && decl->search; }
  unsigned nextGeneration() const;
};

/// Of a field. Most fields are set by nobody, so that what won stands elsewhere; most of those that
/// hold an object hold it as it was made.
struct Object::ObjectSlot {
  /// Null before it is asked for, `busy` while it is worked out.
  llvm::PointerUnion<const Value*, const Winner*, Object*> holds;
  /// Null for the default.
  const Winner* winner() const { return holds.dyn_cast<const Winner*>(); }
  std::optional<Value> value() const {
    if (auto* object = holds.dyn_cast<Object*>())
      return object->value();
    const Winner* won = winner();
    const Value* found = won ? won->value : holds.get<const Value*>();
    return found ? std::optional(*found) : std::nullopt;
  }
  bool isBusy() const { return holds.dyn_cast<const Value*>() == &busy; }
  static const Value busy;
};

/// The name that an index is; empty where it is none.
inline llvm::StringRef keyOf(const Value& index) {
  return index.is(Value::ValueKind::Choice)   ? index.member->name
         : index.is(Value::ValueKind::String) ? index.text
                                              : llvm::StringRef();
}

/// A map by index: `layer[Count]`, `env[String]`, `peak[data_type]`. Elements are not made before
/// they are asked for, and equal neighbours are one.
class IndexedField {
public:
  struct Selector {
    bool all = false;
    std::int64_t first = 0, last = 0; ///< of an index, both included
    llvm::StringRef key;              ///< of a name
    Setting setting;
    SourceRange range;
  };
  struct Element {
    llvm::SmallVector<unsigned, 4> selectors; ///< that it is made of
    Value value;
  };
  const Type* type = nullptr;
  Object* owner = nullptr;
  llvm::StringRef field;
  std::vector<Selector> selectors;            ///< in order of level
  std::vector<Element> made;                  ///< of a family by index
  std::map<llvm::StringRef, Value> madeByKey; // a hash table would keep 64 places for three
  /// Whether what a selector says holds for an element.
  static bool matches(const Selector& s, const Value& index) {
    if (s.all || !index.is(Value::ValueKind::Number))
      return s.all || s.key == keyOf(index);
    return Rational::compare(s.first, index.number.value) <= 0 &&
           Rational::compare(index.number.value, s.last) <= 0;
  }
  bool counted() const { return type->key->kind == Type::TypeKind::Count; }
};

} // namespace dpl::sema
