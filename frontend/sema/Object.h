#pragma once
//===- Object.h - Instances of schemas, as ordered levels of settings -------------------------===//
//
// An object stores no values. It stores the blocks and statements that set its fields, from the
// outermost level (schema) to the innermost (`--set`). A field is evaluated when it is read, and
// names in it mean the fields of the final object. This is the late binding of `from`.
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

/// A scope: a link of the chain in which a name is looked up, from the innermost to the outermost.
struct Environment {
  enum class EnvironmentKind : std::uint8_t { Module, Object, Local, Variable };
  EnvironmentKind kind = EnvironmentKind::Module;
  const Environment* outer = nullptr;
  union {
    sema::SourceModule* module = nullptr;
    sema::Object* object;
    const ast::Block* block; ///< block of an `if` or `for`, which may have `let`s
    const sema::LoopVariable* variable;
  };
  const Environment* sibling = nullptr; ///< another scope of the same object, or null

  /// The module in which the chain ends.
  sema::SourceModule& ofModule() const {
    return kind == EnvironmentKind::Module ? *module : outer->ofModule();
  }
};

/// The origin of a setting. Two settings of one field with the same level and generation are
/// duplicates.
struct SettingLevel {
  enum class SettingLevelKind : std::uint8_t { Schema, Framework, Block, Fragment, Vary, Set };
  SettingLevelKind kind = SettingLevelKind::Block;
  llvm::StringRef label; ///< name of the level in messages: "models.llama3_8b", "site.fast_ib",
                         ///< "megatron 0.19", "--set"
  const ast::Decl* decl = nullptr;
  unsigned fragment = 0; ///< index of the fragment in the header, from 1 on; 0 for other levels
};

/// A statement that sets a value. The steps `path[depth…]` of its path lead from here to the value.
/// If none remain, the statement sets this value by `= …` or `{ … }`.
struct Setting {
  const SettingLevel* level = nullptr;
  unsigned generation = 0; ///< grows each time when a finished value is amended
  unsigned depth = 0;
  const ast::FieldStmt* stmt = nullptr;
  const Environment* scope = nullptr; ///< scope of the statement's expressions
  const ast::Block* block = nullptr;  ///< block of fields, if there is no `stmt`

  bool whole() const {
    return stmt && depth == stmt->path.size() && stmt->form != ast::FieldStmt::FieldForm::Amend;
  }
  SourceRange range() const { return stmt ? stmt->pathRange : block->range; }
};

/// The setting that determines a field, and the field's value. Fields with equal settings and
/// values share one object of this type.
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
  /// The objects that a block or its bases name after `for` and `on`.
  struct Header {
    /// Names in the headers, with true for `for llama70b` and false for `on pod`.
    std::vector<std::pair<llvm::StringRef, bool>> names;
    Object *forObject = nullptr, *onObject = nullptr;
  };

  /// Calls `visit` for each field of the schema, and then for the fields of the choice.
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
  llvm::StringRef field;                ///< field of the parent that contains the object
  const ast::BlockDecl* decl = nullptr; ///< declaration, if the object is a declared block
  SourceRange range;
  bool checked = false;
  /// Whether the object was made only to check a schema. A field that only a block can set is then
  /// missing, which is not an error.
  bool detached = false;
  const Header* header = nullptr; ///< null if there is no header
  std::vector<Setting> levels;    ///< settings, the outermost level first
  /// Slots for the schema's fields, then for those of the choice; null before one is needed.
  std::unique_ptr<ObjectSlot[]> slots;
  const Environment* scopes = nullptr; ///< scopes of the object's texts, which Scopes makes

  /// The name of a declared block; empty for other objects.
  llvm::StringRef name() const { return decl ? decl->name.text : llvm::StringRef(); }
  /// The object, or the choice that it stands for, as the value of an expression.
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

/// The value of a field, stored in little memory. Most fields have their default and no winner;
/// most fields that are objects have the object unchanged.
struct Object::ObjectSlot {
  /// Null before the value is needed, and `busy` while it is evaluated.
  llvm::PointerUnion<const Value*, const Winner*, Object*> holds;
  /// The setting that determines the field; null if the field has its default.
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

/// The name that an index is; empty if the index is a number.
inline llvm::StringRef keyOf(const Value& index) {
  return index.is(Value::ValueKind::Choice)   ? index.member->name
         : index.is(Value::ValueKind::String) ? index.text
                                              : llvm::StringRef();
}

/// The elements of a field with an index: `layer[Count]`, `env[String]`, `peak[data_type]`.
/// Elements are made when they are read, and equal neighbours share one.
class IndexedField {
public:
  struct Selector {
    bool all = false;
    std::int64_t first = 0, last = 0; ///< range of numbers, both ends included
    llvm::StringRef key;              ///< name, if the index is not a number
    Setting setting;
    SourceRange range;
  };
  struct Element {
    llvm::SmallVector<unsigned, 4> selectors; ///< indices of the selectors that set the element
    Value value;
  };
  const Type* type = nullptr;
  Object* owner = nullptr;
  llvm::StringRef field;
  std::vector<Selector> selectors;            ///< selectors in the order of levels
  std::vector<Element> made;                  ///< elements that were made, if indices are numbers
  std::map<llvm::StringRef, Value> madeByKey; // elements that were made, if indices are names; a
                                              // hash table would reserve 64 entries
  /// Whether a selector includes the element with an index.
  static bool matches(const Selector& s, const Value& index) {
    if (s.all || !index.is(Value::ValueKind::Number))
      return s.all || s.key == keyOf(index);
    return Rational::compare(s.first, index.number.value) <= 0 &&
           Rational::compare(index.number.value, s.last) <= 0;
  }
  bool counted() const { return type->key->kind == Type::TypeKind::Count; }
};

} // namespace dpl::sema
