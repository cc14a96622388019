#pragma once
//===- Object.h - Instances of schemas, as ordered levels of texts ----------------------------===//
//
// An object holds no values of its own: it holds the blocks and statements that set its fields,
// from the outermost level (schema) to the innermost (`--set`). A field is worked out when it is
// asked for, with the names in it bound to the final object; that is the late binding of `from`.
#include "frontend/sema/Schema.h"
#include "frontend/sema/Value.h"
#include "llvm/ADT/TinyPtrVector.h"
#include <map>
#include <vector>

namespace dpl::sema {

/// One link of the chain in which a name is looked up, innermost first.
struct Environment {
  enum class Kind : std::uint8_t { Module, Object, Local, Variable };
  Kind kind = Kind::Module;
  const Environment* outer = nullptr;
  union {
    sema::Module* module = nullptr;
    sema::Object* object;
    const ast::Block* block; ///< of Local: an `if` or `for` body, for its `let`s
    const Value* value;      ///< of Variable
  };
  llvm::StringRef name; ///< of Variable

  /// The module that all names end in.
  sema::Module& ofModule() const { return kind == Kind::Module ? *module : outer->ofModule(); }
};

/// Who set something. Two settings of one level and generation are a duplicate.
struct Level {
  enum class Kind : std::uint8_t { Schema, Framework, Block, Fragment, Vary, Set };
  Kind kind = Kind::Block;
  llvm::StringRef label; ///< "models.llama3_8b", "site.fast_ib", "megatron 0.19", "--set"
  const ast::Decl* decl = nullptr;
  unsigned fragment = 0; ///< which fragment of the header, from 1
};

/// A statement that is about some value: `path[depth…]` remains; with nothing left it is the
/// value's own `= …` or `{ … }`.
struct Setting {
  const Level* level = nullptr;
  unsigned generation = 0; ///< grows where a finished value is amended
  unsigned depth = 0;
  const ast::FieldStmt* stmt = nullptr;
  const Environment* scope = nullptr; ///< where its expressions are evaluated
  const ast::Block* block = nullptr;  ///< instead of `stmt`: a whole block of fields

  bool whole() const {
    return stmt && depth == stmt->path.size() && stmt->form != ast::FieldStmt::Form::Amend;
  }
  SourceRange range() const { return stmt ? stmt->pathRange : block->range; }
};

inline bool sameLevel(const Setting& a, const Setting& b) {
  return a.level == b.level && a.generation == b.generation;
}

class Object {
public:
  struct Slot {
    const Value* value = nullptr;  ///< null before it is asked for, `busy` while it is worked out
    const Setting* last = nullptr; ///< the setting that won; null for the default
    static const Value busy;
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
  const sema::Member* member = nullptr;
  Object* parent = nullptr; ///< the enclosing block
  llvm::StringRef name;     ///< of a declared block
  llvm::StringRef field;    ///< of a nested one: where it stands in the parent
  const ast::BlockDecl* decl = nullptr;
  Module* module = nullptr; ///< of a declared block
  SourceRange range;
  Object *forObject = nullptr, *onObject = nullptr;
  /// Names that the headers of the block and of its bases use: `for llama70b` (first) or `on pod`.
  std::vector<std::pair<llvm::StringRef, bool>> headerNames;
  std::vector<Setting> levels; ///< outermost first
  std::vector<Slot> slots;     ///< the schema's fields, then the member's
  /// In which its texts are read, as Scopes made them.
  llvm::TinyPtrVector<const Environment*> scopes;
  bool checked = false;
  /// Of no block: made to check a schema that no block may use. What only a block can give is
  /// missing, not wrong.
  bool detached = false;

  const FieldDecl* find(llvm::StringRef fieldName) const {
    return schema->field(fieldName, member);
  }
  Slot& slot(const FieldDecl& f);
  bool isSearch() const { return decl && decl->search; }
  unsigned nextGeneration() const;
};

/// The name that an index is; empty where it is none.
inline llvm::StringRef keyOf(const Value& index) {
  return index.is(Value::Kind::Choice)   ? index.member->name
         : index.is(Value::Kind::String) ? index.text
                                         : llvm::StringRef();
}

/// A map by index: `layer[Count]`, `env[String]`, `peak[data_type]`. Elements are not made before
/// they are asked for, and equal neighbours are one.
class Family {
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
    if (s.all || !index.is(Value::Kind::Number))
      return s.all || s.key == keyOf(index);
    return Rational::compare(s.first, index.number.value) <= 0 &&
           Rational::compare(index.number.value, s.last) <= 0;
  }
  bool counted() const { return type->key->kind == Type::Kind::Count; }
};

} // namespace dpl::sema
