#pragma once
//===- Object.h - Instances of schemas, as ordered levels of settings -------------------------===//
//
// An object has no values of its own. It has the blocks and statements that set its fields, from
// the outermost level (schema) to the innermost (`--set`). A field is evaluated on demand, with its
// names bound to the final object. This is the late binding of `from`.
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

/// The value of a loop or comprehension variable in one iteration.
struct LoopVariable {
  llvm::StringRef name;
  Value value;
};

/// A link of the chain in which a name is looked up, innermost first.
struct Environment {
  enum class EnvironmentKind : std::uint8_t { Module, Object, Local, Variable };
  EnvironmentKind kind = EnvironmentKind::Module;
  const Environment* outer = nullptr;
  union {
    sema::SourceModule* module = nullptr;
    sema::Object* object;
    const ast::Block* block; ///< block of an `if` or `for`, with `let`s
    const sema::LoopVariable* variable;
  };
  const Environment* sibling = nullptr; ///< another one of the same object

  /// The module at the end of the chain.
  sema::SourceModule& ofModule() const {
    return kind == EnvironmentKind::Module ? *module : outer->ofModule();
  }
};

/// The origin of a setting. Two settings of one level and generation are duplicates.
struct SettingLevel {
  enum class SettingLevelKind : std::uint8_t { Schema, Framework, Block, Fragment, Vary, Set };
  SettingLevelKind kind = SettingLevelKind::Block;
  llvm::StringRef label; ///< "models.llama3_8b", "site.fast_ib", "megatron 0.19", "--set"
  const ast::Decl* decl = nullptr;
  unsigned fragment = 0; ///< index of the fragment in the header, from 1
};

/// A statement that sets some value. Steps `path[depth…]` remain; if none remain, the statement
/// sets the value itself by `= …` or `{ … }`.
struct Setting {
  const SettingLevel* level = nullptr;
  unsigned generation = 0; ///< increases when a finished value is amended
  unsigned depth = 0;
  const ast::FieldStmt* stmt = nullptr;
  const Environment* scope = nullptr; ///< scope of its expressions
  const ast::Block* block = nullptr;  ///< block of fields, which replaces `stmt`

  bool whole() const {
    return stmt && depth == stmt->path.size() && stmt->form != ast::FieldStmt::FieldForm::Amend;
  }
  SourceRange range() const { return stmt ? stmt->pathRange : block->range; }
};

/// The setting that determines a field, with the field's value. Fields with equal settings and
/// values share one.
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
  /// The objects after `for` and `on` of a block or its bases.
  struct Header {
    /// Names in the headers: true for `for llama70b`, false for `on pod`.
    std::vector<std::pair<llvm::StringRef, bool>> names;
    Object *forObject = nullptr, *onObject = nullptr;
  };

  /// Calls `visit` with each field of the schema, then with those of the choice.
  template <class Visit> void eachField(const Visit& visit) const {
    for (const FieldDecl& f : schema->fields)
      visit(f);
    if (member)
      for (const FieldDecl& f : member->fields)
        visit(f);
  }

  const sema::Schema* schema = nullptr;
  const sema::ChoiceSchema* member = nullptr;
  Object* parent = nullptr;             ///< the enclosing object
  llvm::StringRef field;                ///< field of the parent that contains it
  const ast::BlockDecl* decl = nullptr; ///< declaration of a block
  SourceRange range;
  bool checked = false;
  /// Whether the object was made only to check a schema. What only a block can set is then missing,
  /// not wrong.
  bool detached = false;
  const Header* header = nullptr; ///< null if there is none
  std::vector<Setting> levels;    ///< outermost first
  /// Slots of the schema's fields, then of the choice's; null before the first access.
  std::unique_ptr<ObjectSlot[]> slots;
  const Environment* scopes = nullptr; ///< scopes of its texts, made by Scopes

  /// The name of a declared block; else empty.
  llvm::StringRef name() const { return decl ? decl->name.text : llvm::StringRef(); }
  /// The choice or the object as the value of an expression.
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

/// The value of a field. Most fields have defaults and so no winner; most fields with an object
/// have it unchanged. Both save memory.
struct Object::ObjectSlot {
  /// Null before it is needed, `busy` while it is evaluated.
  llvm::PointerUnion<const Value*, const Winner*, Object*> holds;
  /// The setting; null for the default.
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

/// The name that an index is; empty if it is not one.
inline llvm::StringRef keyOf(const Value& index) {
  return index.is(Value::ValueKind::Choice)   ? index.member->name
         : index.is(Value::ValueKind::String) ? index.text
                                              : llvm::StringRef();
}

/// A map with indices: `layer[Count]`, `env[String]`, `peak[data_type]`. Elements are made on
/// demand, and equal neighbours share one.
class IndexedField {
public:
  struct Selector {
    bool all = false;
    std::int64_t first = 0, last = 0; ///< range of an index, both included
    llvm::StringRef key;              ///< name
    Setting setting;
    SourceRange range;
  };
  struct Element {
    llvm::SmallVector<unsigned, 4> selectors; ///< indices of the selectors that set it
    Value value;
  };
  const Type* type = nullptr;
  Object* owner = nullptr;
  llvm::StringRef field;
  std::vector<Selector> selectors;            ///< in order of levels
  std::vector<Element> made;                  ///< elements of a family with indices
  std::map<llvm::StringRef, Value> madeByKey; // a hash table would reserve 64 entries
  /// Whether the selector includes the element.
  static bool matches(const Selector& s, const Value& index) {
    if (s.all || !index.is(Value::ValueKind::Number))
      return s.all || s.key == keyOf(index);
    return Rational::compare(s.first, index.number.value) <= 0 &&
           Rational::compare(index.number.value, s.last) <= 0;
  }
  bool counted() const { return type->key->kind == Type::TypeKind::Count; }
};

} // namespace dpl::sema
