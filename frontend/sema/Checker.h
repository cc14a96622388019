#pragma once
//===- Checker.h - Checks everything in a block -----------------------------------------------===//
#include "frontend/sema/CandidateNames.h"
#include "ir/Space.h"

namespace dpl::sema {
struct RowsOfStudy;

class Checker {
public:
  /// `point` says that this compiles a point of a study or a search. The compilation of the whole
  /// file has then checked what the study varies and asserts.
  explicit Checker(Evaluator& evaluator, bool point = false)
      : evaluator(evaluator), shared(evaluator.shared), point(point) {}

  /// Evaluates all fields of the object and of objects inside it, and checks its statements.
  void check(Object& object);
  /// Checks the parts of a schema that need no block: defaults, `let`s and assertions.
  void check(const Schema& schema);
  /// `of` is the schema that has the assertion; null if a block or file has it. Returns false if
  /// the assertion is known not to hold, which is then reported.
  bool checkAssert(const ast::CheckStmt& check, const Environment& scope, Object* object,
                   const Schema* of = nullptr);
  /// The assertions of a layout that depend on its figures.
  std::vector<ir::Assertion> waiting(Object& layout);
  /// Constraints, objectives and outputs that a search or study requests.
  struct SpaceRequests {
    std::vector<ir::Assertion> constraints;
    std::vector<ir::Objective> objectives;
    bool pareto = false;                 ///< whether the objectives are equally important
    std::vector<ir::DerivedOutput> lets; ///< the `let`s of a study that are numbers or truth values
  };
  SpaceRequests wanted(const Object& search) { return spaces[&search]; }
  /// A field that a study varies. Its path begins with a block.
  struct Varied {
    std::string path;
    Value written; ///< values in the file: a list or a range; Poison if there is one value
    std::vector<Value> all;
    SourceRange at;     ///< place of the path
    bool worst = false; ///< of `worst_of` of a search
  };
  bool ofPoint() const { return point; }
  llvm::ArrayRef<Varied> varied(const Object& study) { return studies[&study]; }

private:
  struct SchemaPlace {
    const Schema* schema;
    const ChoiceSchema* member; ///< choice of the schema; null if it can be any
  };
  /// An assertion, and where it is evaluated.
  struct Asserted {
    const ast::CheckStmt* check;
    const Environment* scope;
    Object* object;   ///< object that has the statement or the schema; null for a file
    const Schema* of; ///< schema that has the assertion; null if a block or file has it
  };
  ir::Assertion lowered(const Asserted& asserted);
  void visit(const Value& value);
  void schemaAsserts(Object& object);
  /// The setting of the first field that an expression reads. Null if all these fields have
  /// defaults.
  const Winner* settingRead(const ast::Expr& expr, Object& object);
  void statements(Object& object, unsigned level);
  void block(const ast::Block& block, SchemaPlace place, Object& object);
  void path(const ast::FieldStmt& stmt, unsigned position, SchemaPlace place, Object& object);
  void unknownField(const ast::Name& name, const ast::FieldStmt& stmt, SchemaPlace place,
                    Object& object);
  std::string kindsWith(const Schema& schema, llvm::StringRef field);
  std::string blockWith(const Schema& schema, llvm::StringRef field);
  /// Executes the statements `assert`, `require`, objectives and `let` of a block, with guards and
  /// loops.
  void runStatements(const ast::Block& block, const Environment& scope, Object& object);
  void searchStatement(const ast::Stmt& stmt, const Environment& scope, Object& object);
  /// Reports statements of a search that open, require or rank something, inside an `if` that reads
  /// an open field.
  void checkOpenBranches(const ast::IfStmt& guard, const Environment& scope, const Object& object);
  /// Checks that all candidates of an open field are valid and different.
  void candidates(Object& object, const FieldDecl& field);
  /// Checks that a search has an objective, if its layouts have a complete header.
  void objective(const Object& search);
  void noObjective(const Object& search, SourceRange at);
  void objectives(const Object& root, const ast::ObjectiveStmt& stmt, const Environment& scope);
  /// Adds a constraint of a search or study.
  const ir::Assertion& constrain(const Object& root, const ast::CheckStmt& check,
                                 const Environment& scope);
  SpaceOf spaceOf(const Object& root);
  void batch(Object& layout);
  void vary(Object& study, const FieldDecl& field);
  bool variedValues(const ast::FieldStmt& stmt, const Environment& scope, const Type& type,
                    Varied& varied);
  void points(Object& study, SourceRange at);
  RowsOfStudy rowsOf(Object& study);
  void order(Object& mesh);

  static const Object& outermost(const Object& object);

  Evaluator& evaluator;
  Shared& shared;
  const bool point;
  llvm::DenseSet<const void*> reported;
  /// The assertions of each object. They are stored without trees, which would be larger than the
  /// rest of a layout.
  llvm::DenseMap<Object*, llvm::SmallVector<Asserted, 1>> assertions;
  llvm::DenseMap<const Object*, SpaceRequests> spaces;
  llvm::DenseMap<const Object*, std::vector<Varied>> studies;
  unsigned depth = 0;
  bool another = false; ///< whether a candidate other than the first is being checked
};

/// Lowers a `let` to a tree for compiler passes and the diagram. Constants are evaluated; fields
/// that a search or study varies are not constants.
ir::DerivedOutput lowerLet(Evaluator& evaluator, const ast::LetStmt& let, const Value& value,
                           const Environment& scope, const SpaceOf& space);
ir::Assertion lowerAssertion(Evaluator& evaluator, const ast::CheckStmt& check,
                             const Environment& scope, const SpaceOf& space = {});
/// Whether the nodes have one value for all candidates. An empty list may depend on the candidate.
bool sameForAll(const std::vector<ir::AssertionNode>& nodes);
/// The call of `pareto` in `minimize pareto(a, b)`; null if objectives have an order.
const ast::CallExpr* paretoOf(const ast::Expr& value);
struct LoweredObjective {
  SourceRange at;
  ir::Objective objective;
};
std::vector<LoweredObjective> lowerObjectives(Evaluator& evaluator, const ast::ObjectiveStmt& stmt,
                                              const Environment& scope, const SpaceOf& space);

} // namespace dpl::sema
