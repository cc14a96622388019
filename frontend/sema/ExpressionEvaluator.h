#pragma once
//===- ExpressionEvaluator.h - Values of expressions
//-------------------------------------------===//
//
// Files: Evaluate.cpp (kinds of expression), Names.cpp (what a name means), Members.cpp (`a.b`,
// `a[i]`), Paths.cpp (paths that name a field), Operators.cpp, Functions.cpp, Derived.cpp (`let`,
// `param`, results). How a field comes about is not known here: see Evaluator.h.
#include "frontend/sema/Conversions.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::sema {

class ExpressionEvaluator : public Conversions {
public:
  using Conversions::Conversions;

  Value evaluate(const ast::Expr& expr, const Environment& scope, const Type* expected);
  std::optional<bool> condition(const ast::Expr& expr, const Environment& scope);
  /// The value of a param, a `let` or a block.
  Value declared(Declared d, llvm::StringRef name, SourceRange use);
  /// A field or `let` of an object by name; for paths from outside the language.
  Value named(Object& object, llvm::StringRef name, SourceRange use);
  /// The type of the field that a path names; null after a message.
  const Type* pathType(llvm::ArrayRef<ast::Name> path, const Environment& scope);
  /// One side of a comparison, to which the other gives a type.
  Value evaluateBeside(const ast::Expr& expr, const Environment& scope, const Value& other);
  /// Says when a loop cannot run over the value; makes no items.
  void checkLoop(const Value& value, SourceRange at);
  /// The items of a loop that is about to run. Loops within a loop multiply, so all rounds of the
  /// outermost one count. Hold `LoopScope` while the body runs.
  bool roundsOf(const Value& value, SourceRange at, std::vector<Value>& out);
  struct LoopScope {
    explicit LoopScope(ExpressionEvaluator& of) : of(of) { ++of.loops; }
    ~LoopScope() { --of.loops; }
    LoopScope(const LoopScope&) = delete;
    LoopScope& operator=(const LoopScope&) = delete;
    ExpressionEvaluator& of;
  };

  /// `--set` of params: the expression that replaces the default.
  llvm::DenseMap<const ast::ParamDecl*, const ast::Expr*> parameterValues;
  /// Whether figures of the passes may be read: in `assert`, `require`, objectives and studies.
  bool resultsAllowed = false;
  bool schemaAlone = false; ///< a schema is checked without a block

protected:
  friend class FrameGuard;
  /// A field or `let` that is being worked out.
  struct Frame {
    Object* object;
    llvm::StringRef name;
    const void* identity; ///< FieldDecl with its object, or the LetStmt
    SourceRange use;
  };

  // What objects give.
  virtual Object* block(Declared declared) = 0;
  virtual Value field(Object& object, const FieldDecl& field, SourceRange use) = 0;
  virtual Value element(IndexedField& family, const Value& index, SourceRange at) = 0;
  virtual Value amended(const Value& base, llvm::ArrayRef<Setting> amends, const Type& type,
                        Object* owner, llvm::StringRef name) = 0;
  virtual const Winner* winner(Object& object, const FieldDecl& field) = 0;

  void reportTooDeep(SourceRange at, std::size_t limit);
  Value reportCycle(const void* identity, Object* object, llvm::StringRef name, SourceRange use);

  /// Of the fields that a text of the library names what sets one of them elsewhere, in the
  /// innermost level; null where nothing does.
  const Winner* setElsewhere(const ast::Expr& expr, const Environment& scope);

  std::vector<Frame> frames;
  const SettingLevel* currentLevel = nullptr; ///< of the setting whose value is being worked out
  llvm::DenseSet<const void*> reported;       ///< statements and blocks whose mistake was told

private:
  // Evaluate.cpp
  Value scoped(const ast::ScopedExpr& expr, const Environment& scope);
  Value list(const ast::ListExpr& expr, const Environment& scope, const Type* expected);
  Value comprehension(const ast::ComprehensionExpr& expr, const Environment& scope,
                      const Type* expected);
  Value conditional(const ast::IfExpr& expr, const Environment& scope, const Type* expected);
  Value amend(const ast::AmendExpr& expr, const Environment& scope, const Type* expected);
  Value makeRange(const ast::BinaryExpr& expr, const Environment& scope, const Type* expected);
  llvm::DenseMap<const ast::BinaryExpr*, llvm::ArrayRef<Value>> lastRange; ///< its two ends

  // Names.cpp
  Value name(const ast::NameExpr& expr, const Environment& scope, const Type* expected);
  std::optional<Value> expectedMember(llvm::StringRef name, const Type* expected, SourceRange at,
                                      const Environment& scope);
  Value valueOf(const FoundName& found, llvm::StringRef name, SourceRange at);
  bool couldBe(const FoundName& found, const Type& expected);
  bool notOfStructure(const ast::NameExpr& expr, const Environment& scope, const Type* expected);
  void unknownName(const ast::NameExpr& expr, const Environment& scope, const Type* expected);
  bool isCurrent(const FoundName& found) const;
  Value selfReference(const ast::NameExpr& expr, const FoundName& found, const Environment& scope);

  // Derived.cpp
  Value let(const ast::LetStmt& stmt, const Environment& scope, Object* object, SourceRange use);
  Value parameter(SourceModule& module, const ast::ParamDecl& param, SourceRange use);
  Value result(llvm::StringRef path, SourceRange at);

  // Members.cpp, Paths.cpp
  std::string inItsBlock(llvm::StringRef field, const Environment& scope);
  Value member(const ast::MemberExpr& expr, const Environment& scope, const Type* expected);
  Value memberOf(const Value& base, const ast::Name& name, const ast::Expr& baseExpr);
  Value memberOfModule(SourceModule& module, const ast::Name& name, llvm::StringRef alias);
  Value index(const ast::IndexExpr& expr, const Environment& scope, const Type* expected);
  std::optional<Value> qualified(const ast::MemberExpr& expr, const Environment& scope);
  std::string resultPath(const ast::Expr& expr, const Environment& scope);
  static bool isFree(const FoundName& found);
  Value fieldPath(const ast::Expr& expr, const Environment& scope);

  // Operators.cpp, Functions.cpp
  Value binary(const ast::BinaryExpr& expr, const Environment& scope);
  Value logic(const ast::BinaryExpr& expr, const Environment& scope);
  Value compare(const ast::BinaryExpr& expr, const Environment& scope);
  Value compareNumbers(const ast::BinaryExpr& expr, const Value& left, const Value& right);
  /// The value of a field that is `auto` is not known yet.
  Value reportAuto(const ast::Expr& expr, const Value& value);
  Value contains(const ast::BinaryExpr& expr, const Value& item, const Value& in);
  Value arithmetic(const ast::BinaryExpr& expr, const Value& left, const Value& right,
                   const Environment& scope);
  bool zeroField(const ast::Expr& divisor, const Environment& scope);
  void divisorIsZero(const ast::BinaryExpr& expr, const Value& divisor, const Environment& scope);
  Value unary(const ast::UnaryExpr& expr, const Environment& scope);
  Value call(const ast::CallExpr& expr, const Environment& scope, const Type* expected);

  llvm::DenseMap<const ast::Decl*, Value> declaredValues;
  llvm::DenseMap<std::pair<const ast::LetStmt*, const Environment*>, Value> letValues;
  llvm::DenseSet<std::pair<std::uint32_t, std::uint32_t>> reportedResults; ///< file and byte
  unsigned depth = 0;
  unsigned loops = 0;       ///< that are being run, one inside another
  std::uint64_t rounds = 0; ///< of the outermost of them and all within
};

} // namespace dpl::sema
