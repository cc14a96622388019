#pragma once
//===- ExpressionEvaluator.h - Evaluates expressions ------------------------------------------===//
//
// Files: Evaluate.cpp (kinds of expression), Names.cpp (names), Members.cpp (`a.b`, `a[i]`),
// Paths.cpp (paths of fields), Operators.cpp, Functions.cpp, RowFunctions.cpp, Derived.cpp (`let`,
// `param`, results).
// Evaluator.h evaluates fields.
#include "frontend/sema/Conversions.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::ir {
struct RowFunction;
}

namespace dpl::sema {
struct RowsOfStudy;

class ExpressionEvaluator : public Conversions {
public:
  using Conversions::Conversions;

  Value evaluate(const ast::Expr& expr, const Environment& scope, const Type* expected);
  std::optional<bool> condition(const ast::Expr& expr, const Environment& scope);
  /// The value of a param, a `let` or a block.
  Value declared(Declared d, llvm::StringRef name, SourceRange use);
  /// The value of a field or `let` of an object by its name, for paths that are not in a file.
  Value named(Object& object, llvm::StringRef name, SourceRange use);
  /// The type of the field that a path names. Null after an error was reported.
  const Type* pathType(llvm::ArrayRef<ast::Name> path, const Environment& scope);
  /// Evaluates one side of a comparison, with the type of the other side.
  Value evaluateBeside(const ast::Expr& expr, const Environment& scope, const Value& other);
  /// Reports a value over which a loop cannot run. The items are not created.
  void checkLoop(const Value& value, SourceRange at);
  /// The items of a loop that is about to run. A `LoopScope` must exist while the loop runs, so
  /// that the iterations of nested loops are counted together.
  bool roundsOf(const Value& value, SourceRange at, std::vector<Value>& out);
  struct LoopScope {
    explicit LoopScope(ExpressionEvaluator& of) : of(of) { ++of.loops; }
    ~LoopScope() { --of.loops; }
    LoopScope(const LoopScope&) = delete;
    LoopScope& operator=(const LoopScope&) = delete;
    ExpressionEvaluator& of;
  };

  /// Values of params from `--set`, which replace the defaults.
  llvm::DenseMap<const ast::ParamDecl*, const ast::Expr*> parameterValues;
  /// Whether figures may be read: in `assert`, `require`, objectives and studies.
  bool resultsAllowed = false;
  const RowsOfStudy* rows = nullptr; ///< rows of the study whose statements are checked; null
                                     ///< outside of studies
  bool schemaAlone = false;          ///< whether a schema is checked without a block
  bool inSearchStatement = false;    ///< whether a `require` or an objective is evaluated

protected:
  friend class FrameGuard;
  /// A field or `let` that is being evaluated.
  struct Frame {
    Object* object;
    llvm::StringRef name;
    const void* identity; ///< the FieldDecl with its object, or the LetStmt
    SourceRange use;
  };

  // Operations on objects, which the derived class implements.
  virtual Object* block(Declared declared) = 0;
  virtual Value field(Object& object, const FieldDecl& field, SourceRange use) = 0;
  virtual Value element(IndexedField& family, const Value& index, SourceRange at) = 0;
  virtual Value amended(const Value& base, llvm::ArrayRef<Setting> amends, const Type& type,
                        Object* owner, llvm::StringRef name) = 0;
  virtual const Winner* winner(Object& object, const FieldDecl& field) = 0;

  void reportTooDeep(SourceRange at, std::size_t limit);
  Value reportCycle(const void* identity, Object* object, llvm::StringRef name, SourceRange use);

  /// The innermost setting outside of the library for a field that an expression of the library
  /// reads; null if there is none.
  const Winner* setElsewhere(const ast::Expr& expr, const Environment& scope);

  std::vector<Frame> frames;
  const SettingLevel* currentLevel = nullptr; ///< level of the setting that is being evaluated
  llvm::DenseSet<const void*> reported;       ///< statements and blocks with reported errors

private:
  // Evaluate.cpp
  Value scoped(const ast::ScopedExpr& expr, const Environment& scope);
  Value list(const ast::ListExpr& expr, const Environment& scope, const Type* expected);
  Value comprehension(const ast::ComprehensionExpr& expr, const Environment& scope,
                      const Type* expected);
  Value conditional(const ast::IfExpr& expr, const Environment& scope, const Type* expected);
  Value amend(const ast::AmendExpr& expr, const Environment& scope, const Type* expected);
  Value makeRange(const ast::BinaryExpr& expr, const Environment& scope, const Type* expected);
  llvm::DenseMap<const ast::BinaryExpr*, llvm::ArrayRef<Value>> lastRange; ///< both ends

  // Names.cpp
  Value name(const ast::NameExpr& expr, const Environment& scope, const Type* expected);
  std::optional<Value> expectedMember(llvm::StringRef name, const Type* expected, SourceRange at,
                                      const Environment& scope);
  Value valueOf(const FoundName& found, llvm::StringRef name, SourceRange at);
  /// Adds the field that an expression reads to `shared.reads`.
  void recordRead(const Object& object, llvm::StringRef name) const;
  bool couldBe(const FoundName& found, const Type& expected);
  bool notOfStructure(const ast::NameExpr& expr, const Environment& scope, const Type* expected);
  void unknownName(const ast::NameExpr& expr, const Environment& scope, const Type* expected);
  bool isCurrent(const FoundName& found) const;
  Value selfReference(const ast::NameExpr& expr, const FoundName& found, const Environment& scope);

  // Derived.cpp
  Value let(const ast::LetStmt& stmt, const Environment& scope, Object* object, SourceRange use);
  Value parameter(SourceModule& module, const ast::ParamDecl& param, SourceRange use);
  Value result(llvm::StringRef path, SourceRange at);
  Value resultInField(llvm::StringRef path, SourceRange at);

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
  Value column(const ast::Expr& expr, const Environment& scope);

  // Operators.cpp, Functions.cpp, RowFunctions.cpp
  Value binary(const ast::BinaryExpr& expr, const Environment& scope);
  Value logic(const ast::BinaryExpr& expr, const Environment& scope);
  Value compare(const ast::BinaryExpr& expr, const Environment& scope);
  Value compareNumbers(const ast::BinaryExpr& expr, const Value& left, const Value& right);
  /// Reports that the value of a field that is `auto` is not known yet.
  Value reportAuto(const ast::Expr& expr, const Value& value);
  Value contains(const ast::BinaryExpr& expr, const Value& item, const Value& in);
  Value arithmetic(const ast::BinaryExpr& expr, const Value& left, const Value& right,
                   const Environment& scope);
  bool zeroField(const ast::Expr& divisor, const Environment& scope);
  void divisorIsZero(const ast::BinaryExpr& expr, const Value& divisor, const Environment& scope);
  Value unary(const ast::UnaryExpr& expr, const Environment& scope);
  Value call(const ast::CallExpr& expr, const Environment& scope, const Type* expected);
  Value overRows(const ast::CallExpr& expr, const ir::RowFunction& function,
                 const Environment& scope);
  bool rowArguments(const ast::CallExpr& expr, const ir::RowFunction& function,
                    const Environment& scope, llvm::SmallVectorImpl<Value>& out);

  llvm::DenseMap<const ast::Decl*, Value> declaredValues;
  llvm::DenseMap<std::pair<const ast::LetStmt*, const Environment*>, Value> letValues;
  llvm::DenseSet<std::pair<std::uint32_t, std::uint32_t>> reportedResults; ///< file, byte
  unsigned depth = 0;
  unsigned loops = 0;       ///< number of loops that are running
  std::uint64_t rounds = 0; ///< iterations of the outermost loop and of all loops inside it
};

} // namespace dpl::sema
