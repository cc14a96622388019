#pragma once
//===- Ast.h - Syntax tree of a file ----------------------------------------------------------===//
//
// Nodes are in an Arena and are trivially destructible. A child is never null unless its comment
// says so. After syntax errors, missing expressions are ErrorExpr and broken statements are left
// out. The tree has no comments: the formatter works on tokens.
#include "support/Number.h"
#include "support/SourceManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"
#include <cstdint>

namespace dpl::ast {

struct Name {
  llvm::StringRef text;
  SourceRange range;
};
using QualifiedName = llvm::ArrayRef<Name>; ///< `models.llama3_8b`; empty if optional and absent

struct Block;

// ---- expressions -----------------------------------------------------------------------------

struct Expr {
  enum class ExprKind : std::uint8_t {
    Error,
    Number,
    String,
    Bool,
    Name,
    Member,
    Index,
    Call,
    Scoped,
    Unary,
    Binary,
    List,
    Comprehension,
    If,
    Group,
    Amend
  };
  ExprKind kind;
  SourceRange range;

protected:
  Expr(ExprKind k, SourceRange r) : kind(k), range(r) {}
};

#define DPL_AST_CLASSOF(KIND)                                                                      \
  static bool classof(const Expr* e) { return e->kind == ExprKind::KIND; }

/// An expression that is missing in the file or damaged, for which an error was reported.
struct ErrorExpr final : Expr {
  explicit ErrorExpr(SourceRange r, llvm::ArrayRef<const Expr*> p = {})
      : Expr(ExprKind::Error, r), parts(p) {}
  llvm::ArrayRef<const Expr*> parts; ///< operands that could be read, in the order of the text
  DPL_AST_CLASSOF(Error)
};
/// A number as `8`, `80GiB` or `3.35TB/s`: an exact value in base units, and the unit as written.
struct NumberExpr final : Expr {
  NumberExpr(SourceRange r, Number n) : Expr(ExprKind::Number, r), number(n) {}
  Number number;
  DPL_AST_CLASSOF(Number)
};
struct StringExpr final : Expr {
  StringExpr(SourceRange r, llvm::StringRef v) : Expr(ExprKind::String, r), value(v) {}
  llvm::StringRef value; ///< value of the string, without escapes
  DPL_AST_CLASSOF(String)
};
struct BoolExpr final : Expr {
  BoolExpr(SourceRange r, bool v) : Expr(ExprKind::Bool, r), value(v) {}
  bool value;
  DPL_AST_CLASSOF(Bool)
};
struct NameExpr final : Expr {
  NameExpr(SourceRange r, llvm::StringRef n) : Expr(ExprKind::Name, r), name(n) {}
  llvm::StringRef name;
  DPL_AST_CLASSOF(Name)
};
struct MemberExpr final : Expr {
  MemberExpr(SourceRange r, const Expr& b, Name n) : Expr(ExprKind::Member, r), base(b), name(n) {}
  const Expr& base;
  Name name;
  DPL_AST_CLASSOF(Member)
};
struct IndexExpr final : Expr {
  IndexExpr(SourceRange r, const Expr& b, const Expr& i)
      : Expr(ExprKind::Index, r), base(b), index(i) {}
  const Expr &base, &index;
  DPL_AST_CLASSOF(Index)
};
struct Argument {
  Name label; ///< name of the argument; empty text if it has none
  const Expr* value;
  const Expr* where = nullptr; ///< condition of `first(value where condition)`; otherwise null
};
struct CallExpr final : Expr {
  CallExpr(SourceRange r, const Expr& f, llvm::ArrayRef<Argument> a)
      : Expr(ExprKind::Call, r), function(f), arguments(a) {}
  const Expr& function;
  llvm::ArrayRef<Argument> arguments;
  DPL_AST_CLASSOF(Call)
};
/// A value with a scope: `400Gbps per gpu`.
struct ScopedExpr final : Expr {
  ScopedExpr(SourceRange r, const Expr& v, Name s)
      : Expr(ExprKind::Scoped, r), value(v), scope(s) {}
  const Expr& value;
  Name scope;
  DPL_AST_CLASSOF(Scoped)
};
enum class UnaryOp : std::uint8_t { Negate, Not };
struct UnaryExpr final : Expr {
  UnaryExpr(SourceRange r, UnaryOp o, const Expr& v)
      : Expr(ExprKind::Unary, r), op(o), operand(v) {}
  UnaryOp op;
  const Expr& operand;
  DPL_AST_CLASSOF(Unary)
};
enum class BinaryOp : std::uint8_t {
  Multiply,
  Divide,
  Remainder,
  Add,
  Subtract,
  Range,
  RangeExclusive,
  Equal,
  NotEqual,
  LessEqual,
  GreaterEqual,
  Less,
  Greater,
  In,
  And,
  Or
};
llvm::StringRef spelling(BinaryOp op); ///< "*", "..<", "and"
constexpr bool isComparison(BinaryOp op) { return op >= BinaryOp::Equal && op <= BinaryOp::In; }
struct BinaryExpr final : Expr {
  BinaryExpr(SourceRange r, BinaryOp o, SourceRange at, const Expr& a, const Expr& b)
      : Expr(ExprKind::Binary, r), op(o), opRange(at), left(a), right(b) {}
  BinaryOp op;
  SourceRange opRange;
  const Expr &left, &right;
  DPL_AST_CLASSOF(Binary)
};
struct ListExpr final : Expr {
  ListExpr(SourceRange r, llvm::ArrayRef<const Expr*> v) : Expr(ExprKind::List, r), values(v) {}
  llvm::ArrayRef<const Expr*> values;
  DPL_AST_CLASSOF(List)
};
/// A list built by a loop: `[for variable in over if condition: value]`.
struct ComprehensionExpr final : Expr {
  ComprehensionExpr(SourceRange r, Name v, const Expr& o, const Expr* c, const Expr& e)
      : Expr(ExprKind::Comprehension, r), variable(v), over(o), condition(c), value(e) {}
  Name variable;
  const Expr& over;
  const Expr* condition; ///< may be null
  const Expr& value;
  DPL_AST_CLASSOF(Comprehension)
};
struct IfExpr final : Expr {
  IfExpr(SourceRange r, const Expr& c, const Expr& t, const Expr& e)
      : Expr(ExprKind::If, r), condition(c), then(t), otherwise(e) {}
  const Expr &condition, &then, &otherwise;
  DPL_AST_CLASSOF(If)
};
/// A value in parentheses. It has a node of its own, so that messages about assertions print the
/// parentheses.
struct GroupExpr final : Expr {
  GroupExpr(SourceRange r, const Expr& v) : Expr(ExprKind::Group, r), inner(v) {}
  const Expr& inner;
  DPL_AST_CLASSOF(Group)
};
/// A copy of a named value with some fields changed: `base { … }`.
struct AmendExpr final : Expr {
  AmendExpr(SourceRange r, QualifiedName b, const Block& k)
      : Expr(ExprKind::Amend, r), base(b), block(k) {}
  QualifiedName base;
  const Block& block;
  DPL_AST_CLASSOF(Amend)
};

// ---- statements ------------------------------------------------------------------------------

/// One step of a field's path: `node`, `.gpu`, `[0..<3]`, `["slow"]`.
struct PathStep {
  Name name;         ///< name of the step; empty text if it is an index
  const Expr* index; ///< index of the step; null if it is a name
};
struct AxisPlacement {
  bool across; ///< whether the word is `across`; otherwise it is `within`
  Name level;
  SourceRange range;
};

struct Stmt {
  enum class StmtKind : std::uint8_t { Field, For, If, Assert, Require, Objective, Let };
  StmtKind kind;
  SourceRange range;

protected:
  Stmt(StmtKind k, SourceRange r) : kind(k), range(r) {}
};
#define DPL_AST_STMT_CLASSOF(KIND)                                                                 \
  static bool classof(const Stmt* s) { return s->kind == StmtKind::KIND; }

struct FieldStmt final : Stmt {
  enum class FieldForm : std::uint8_t {
    Assign,
    Candidates,
    Amend
  }; ///< `= value`, `in list`, `{ … }`
  FieldStmt(SourceRange r, llvm::ArrayRef<PathStep> p, SourceRange pr, FieldForm f, const Expr* v,
            llvm::ArrayRef<AxisPlacement> pl, const Block* b)
      : Stmt(StmtKind::Field, r), path(p), pathRange(pr), form(f), value(v), placements(pl),
        block(b) {}
  llvm::ArrayRef<PathStep> path; ///< at least one step; the first is a name
  SourceRange pathRange;
  FieldForm form;
  const Expr* value; ///< value; null for Amend
  llvm::ArrayRef<AxisPlacement> placements;
  const Block* block; ///< block; null except for Amend
  DPL_AST_STMT_CLASSOF(Field)
};
struct ForStmt final : Stmt {
  ForStmt(SourceRange r, Name v, Name v2, const Expr& o, const Block& b)
      : Stmt(StmtKind::For, r), variable(v), second(v2), over(o), body(b) {}
  Name variable, second; ///< `second` is the value of a map entry; empty text if absent
  const Expr& over;
  const Block& body;
  DPL_AST_STMT_CLASSOF(For)
};
struct IfStmt final : Stmt {
  IfStmt(SourceRange r, const Expr& c, const Block& t, const Block* e)
      : Stmt(StmtKind::If, r), condition(c), then(t), otherwise(e) {}
  const Expr& condition;
  const Block& then;
  const Block* otherwise; ///< block after `else`, or null; `else if` is a block with one IfStmt
  DPL_AST_STMT_CLASSOF(If)
};
/// An `assert` or `require`.
struct CheckStmt final : Stmt {
  CheckStmt(StmtKind k, SourceRange r, const Expr& c, llvm::StringRef m)
      : Stmt(k, r), condition(c), reason(m) {}
  const Expr& condition;
  llvm::StringRef reason; ///< text of the reason; empty if there is none
  static bool classof(const Stmt* s) {
    return s->kind == StmtKind::Assert || s->kind == StmtKind::Require;
  }
};
struct ObjectiveStmt final : Stmt {
  ObjectiveStmt(SourceRange r, bool max, const Expr& v)
      : Stmt(StmtKind::Objective, r), maximize(max), value(v) {}
  bool maximize;
  const Expr& value;
  DPL_AST_STMT_CLASSOF(Objective)
};
struct LetStmt final : Stmt {
  LetStmt(SourceRange r, Name n, const Expr& v) : Stmt(StmtKind::Let, r), name(n), value(v) {}
  Name name;
  const Expr& value;
  DPL_AST_STMT_CLASSOF(Let)
};
struct Block {
  SourceRange range; ///< range in the file, braces included
  llvm::ArrayRef<const Stmt*> statements;
};

// ---- declarations ----------------------------------------------------------------------------

struct TypeExpr {
  enum class TypeForm : std::uint8_t { Named, List, Map };
  SourceRange range;
  TypeForm form = TypeForm::Named;
  QualifiedName name;                ///< name of a Named type, or of a Map's values
  QualifiedName key;                 ///< key type of a Map
  const TypeExpr* element = nullptr; ///< element type of a List
  Name scope;                        ///< scope of `per gpu`; empty text if absent
  bool optional = false;             ///< whether `?` follows
};

struct SchemaField {
  SourceRange range;
  Name name;
  TypeExpr type;
  const Expr* value;  ///< default of the field; null if there is none
  const Block* block; ///< changes of the type's defaults, as in `network: link { … }`, or null
  llvm::StringRef doc;
};
struct ChoiceMember {
  Name name;
  llvm::ArrayRef<SchemaField> fields;
  llvm::ArrayRef<const Stmt*> asserts;
  llvm::StringRef doc;
};

struct Decl {
  enum class DeclKind : std::uint8_t { Import, Param, Let, Schema, Block, Assert };
  DeclKind kind;
  SourceRange range;
  llvm::StringRef doc; ///< text of the `///` lines above, without slashes, joined by newlines

protected:
  Decl(DeclKind k, SourceRange r, llvm::StringRef d) : kind(k), range(r), doc(d) {}
};
#define DPL_AST_DECL_CLASSOF(KIND)                                                                 \
  static bool classof(const Decl* d) { return d->kind == DeclKind::KIND; }

struct ImportDecl final : Decl {
  ImportDecl(SourceRange r, llvm::StringRef d, QualifiedName m, llvm::StringRef p, SourceRange at,
             Name a)
      : Decl(DeclKind::Import, r, d), module(m), path(p), target(at), alias(a) {}
  QualifiedName module; ///< name of the module, `std.models`; empty if a path is imported
  llvm::StringRef path; ///< path of the file, "./site.dpl"; empty if a module is imported
  SourceRange target;
  Name alias; ///< alias of `as site`; if its text is empty, the last name of the module or path
  DPL_AST_DECL_CLASSOF(Import)
};
struct ParamDecl final : Decl {
  ParamDecl(SourceRange r, llvm::StringRef d, Name n, TypeExpr t, const Expr* c, const Expr* v)
      : Decl(DeclKind::Param, r, d), name(n), type(t), candidates(c), value(v) {}
  Name name;
  TypeExpr type;
  const Expr* candidates; ///< list after `in`, or null
  const Expr* value;      ///< value, or null if it must be set on the command line
  DPL_AST_DECL_CLASSOF(Param)
};
struct LetDecl final : Decl {
  LetDecl(SourceRange r, llvm::StringRef d, const LetStmt& l) : Decl(DeclKind::Let, r, d), let(l) {}
  const LetStmt& let;
  DPL_AST_DECL_CLASSOF(Let)
};
struct SchemaDecl final : Decl {
  SchemaDecl(SourceRange r, llvm::StringRef d, Name n, QualifiedName b, llvm::ArrayRef<Name> f,
             Name o, llvm::ArrayRef<SchemaField> fs, llvm::ArrayRef<ChoiceMember> cs,
             llvm::ArrayRef<const Stmt*> st)
      : Decl(DeclKind::Schema, r, d), name(n), base(b), forKinds(f), onKind(o), fields(fs),
        choices(cs), statements(st) {}
  Name name;
  QualifiedName base;
  llvm::ArrayRef<Name> forKinds; ///< kinds after `for`: `schema study for run or layout`
  Name onKind;                   ///< kind after `on`: `schema layout for model on cluster`; empty
                                 ///< if absent
  llvm::ArrayRef<SchemaField> fields;
  llvm::ArrayRef<ChoiceMember> choices;
  llvm::ArrayRef<const Stmt*>
      statements; ///< `let`, `assert`, and `name = value`, which changes a default of the base
  DPL_AST_DECL_CLASSOF(Schema)
};
/// A block: `[search] kind name from base with fragments for what on where { … }`.
struct BlockDecl final : Decl {
  BlockDecl(SourceRange r, llvm::StringRef d, bool s, Name k, Name n, QualifiedName b,
            llvm::ArrayRef<QualifiedName> w, QualifiedName f, QualifiedName o, const Block* body)
      : Decl(DeclKind::Block, r, d), search(s), blockKind(k), name(n), base(b), fragments(w),
        forWhat(f), onWhere(o), block(body) {}
  bool search;
  Name blockKind, name;
  QualifiedName base;
  llvm::ArrayRef<QualifiedName> fragments;
  QualifiedName forWhat, onWhere;
  const Block* block; ///< contents in braces, or null
  DPL_AST_DECL_CLASSOF(Block)
};
struct AssertDecl final : Decl {
  AssertDecl(SourceRange r, llvm::StringRef d, const CheckStmt& c)
      : Decl(DeclKind::Assert, r, d), check(c) {}
  const CheckStmt& check;
  DPL_AST_DECL_CLASSOF(Assert)
};

struct File {
  std::uint32_t id = 0; ///< id in the SourceManager
  llvm::ArrayRef<const Decl*> declarations;
};

} // namespace dpl::ast
