#pragma once
//===- Checker.h - Everything that a block says, checked --------------------------------------===//
#include "frontend/sema/CandidateNames.h"
#include "ir/Space.h"

namespace dpl::sema {

class Checker {
public:
  /// `point`: of a study, whose lists are known and are not worked out again.
  explicit Checker(Evaluator& evaluator, bool point = false)
      : evaluator(evaluator), shared(evaluator.shared), point(point) {}

  /// Works out every field of the object and of those it holds, and checks its statements.
  void check(Object& object);
  /// As far as the schema can be checked without a block: its defaults, `let`s, assertions.
  void check(const Schema& schema);
  /// `of` is the schema that asserts it, null for the assertion of a block or a file.
  void checkAssert(const ast::CheckStmt& check, const Environment& scope, Object* object,
                   const Schema* of = nullptr);
  /// Assertions of a layout that wait for its results.
  std::vector<ir::Assertion> waiting(Object& layout);
  /// What a search or a study says of its candidates.
  struct SpaceRequests {
    std::vector<ir::Assertion> constraints;
    std::vector<ir::Objective> objectives;
    std::vector<ir::DerivedOutput> lets; ///< of a study, those that are numbers
  };
  SpaceRequests wanted(const Object& search) { return spaces[&search]; }
  /// A field that a study varies, by a path from a block on.
  struct Varied {
    std::string path;
    Value written;          ///< a list or a range; Poison for one value
    std::vector<Value> all; ///< none at a point
    SourceRange at;         ///< the path
  };
  bool ofPoint() const { return point; }
  llvm::ArrayRef<Varied> varied(const Object& study) { return studies[&study]; }

private:
  struct SchemaPlace {
    const Schema* schema;
    const ChoiceSchema* member; ///< null: any choice of a sum
  };
  /// An assertion, where it is read.
  struct Asserted {
    const ast::CheckStmt* check;
    const Environment* scope;
    Object* object;   ///< whose statement it is, or of whose schema; null of a file
    const Schema* of; ///< that asserts it; null for a block or a file
  };
  ir::Assertion lowered(const Asserted& asserted);
  void visit(const Value& value);
  void schemaAsserts(Object& object);
  /// Where the object's file sets the first field that the expression reads; null for defaults.
  const Winner* settingRead(const ast::Expr& expr, Object& object);
  void statements(Object& object, unsigned level);
  void block(const ast::Block& block, SchemaPlace place, Object& object);
  void path(const ast::FieldStmt& stmt, unsigned position, SchemaPlace place, Object& object);
  void unknownField(const ast::Name& name, const ast::FieldStmt& stmt, SchemaPlace place,
                    Object& object);
  std::string kindsWith(const Schema& schema, llvm::StringRef field);
  std::string blockWith(const Schema& schema, llvm::StringRef field);
  /// `assert`, `require`, objectives and `let` of a block, guards and loops worked out.
  void runStatements(const ast::Block& block, const Environment& scope, Object& object);
  void searchStatement(const ast::Stmt& stmt, const Environment& scope, Object& object);
  /// That each candidate of an open field could be chosen, and is there once.
  void candidates(Object& object, const FieldDecl& field);
  /// A search over a layout whose header is complete has an objective.
  void objective(const Object& search);
  void noObjective(const Object& search, SourceRange at);
  void objectives(const Object& root, const ast::ObjectiveStmt& stmt, const Environment& scope);
  /// The expression is of a search or a study.
  const ir::Assertion& constrain(const Object& root, const ast::CheckStmt& check,
                                 const Environment& scope);
  SpaceOf spaceOf(const Object& root);
  void batch(Object& layout);
  void vary(Object& study, const FieldDecl& field);
  bool variedValues(const ast::FieldStmt& stmt, const Environment& scope, const Type& type,
                    Varied& varied);
  void points(Object& study, SourceRange at);
  void order(Object& mesh);

  static const Object& outermost(const Object& object);

  Evaluator& evaluator;
  Shared& shared;
  const bool point;
  llvm::DenseSet<const void*> reported;
  /// As trees they would take more than all else that a layout says.
  llvm::DenseMap<Object*, llvm::SmallVector<Asserted, 1>> assertions;
  llvm::DenseMap<const Object*, SpaceRequests> spaces;
  llvm::DenseMap<const Object*, std::vector<Varied>> studies;
  unsigned depth = 0;
  bool another = false; ///< a candidate that its field does not stand for
};

/// The expression as a tree with every constant worked out, for the passes and the diagram. What a
/// search or a study varies is no constant.
ir::DerivedOutput lowerLet(Evaluator& evaluator, const ast::LetStmt& let,
                           const Dimension& dimension, const Environment& scope,
                           const SpaceOf& space);
ir::Assertion lowerAssertion(Evaluator& evaluator, const ast::CheckStmt& check,
                             const Environment& scope, const SpaceOf& space = {});
/// Whether no candidate changes what the nodes come to. What is not in them may hang on one.
bool sameForAll(const std::vector<ir::AssertionNode>& nodes);
struct LoweredObjective {
  SourceRange at;
  ir::Objective objective;
};
std::vector<LoweredObjective> lowerObjectives(Evaluator& evaluator, const ast::ObjectiveStmt& stmt,
                                              const Environment& scope, const SpaceOf& space);

} // namespace dpl::sema
