#pragma once
//===- Evaluator.h - Values of expressions and fields -----------------------------------------===//
//
// Fields are worked out when asked for and kept. Files: Evaluate.cpp (expressions), Names.cpp (what
// a name means), Members.cpp (`a.b`, `a[i]`), Operators.cpp, Functions.cpp, Convert.cpp (does a
// value fit a type), ObjectFields.cpp (levels of a field), Blocks.cpp (declared blocks),
// Families.cpp, Fragments.cpp.
#include "frontend/sema/Schemas.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::sema {

/// What a name in an expression refers to.
struct Found {
  enum class Kind : std::uint8_t { Nothing, Field, Let, Value, Object, Declared, Import, Failed };
  Kind kind = Kind::Nothing;
  Object* object = nullptr; ///< of Field, Object
  const FieldDecl* field = nullptr;
  const ast::LetStmt* let = nullptr;
  const Environment* scope = nullptr; ///< in which a Let is evaluated
  const Value* value = nullptr;
  Declared declared;
  Module* module = nullptr; ///< of Import
  explicit operator bool() const { return kind != Kind::Nothing; }
};

class Evaluator {
public:
  Evaluator(Shared& shared, Modules& modules, Schemas& schemas)
      : shared(shared), modules(modules), schemas(schemas) {}

  Shared& shared;
  Modules& modules;
  Schemas& schemas;

  /// The object of a declared block; null when it was reported as broken.
  Object* block(Declared declared);
  /// An object of a schema with nothing but the schema's defaults.
  Object& instance(const Schema& schema, const Member* member, Object* parent, SourceRange at);

  /// Whether the object belongs to no block, so that no other block is around it.
  static bool isDetached(const Object& object);
  /// The value of a field, checked against its type. `use` is where it is read.
  Value field(Object& object, const FieldDecl& field, SourceRange use);
  /// Statements that set a field, outermost level first; guards and loops are worked out.
  llvm::SmallVector<Setting, 4> settingsOf(Object& object, llvm::StringRef name);
  /// Axes of a mesh that are set, in rank order; false when a level adds an axis and restates none.
  bool axesInOrder(Object& mesh, llvm::SmallVectorImpl<llvm::StringRef>& names);
  /// The setting that won a field; null for a default.
  const Setting* winner(Object& object, const FieldDecl& field);
  /// The value of a param, a `let` or a block.
  Value declared(Declared d, llvm::StringRef name, SourceRange use);
  /// What a field of a search is open over, of the setting that won it; null where it has one
  /// value. Known once the field was worked out.
  struct Candidates {
    Value written; ///< a list or a range
    llvm::ArrayRef<Value> all;
  };
  const Candidates* candidatesOf(const Object& object, const Setting& winner) const;
  /// A field or `let` of an object by name; for paths from outside the language.
  Value named(Object& object, llvm::StringRef name, SourceRange use);

  struct Run {
    std::uint64_t first, count;
    Value value;
  };
  /// Size of a family by index, and its runs of equal elements. Gaps are reported.
  bool runs(Family& family, std::vector<Run>& out);
  struct Entry {
    llvm::StringRef key;
    Value value;
    SourceRange range;
  };
  std::vector<Entry> entries(Family& family);
  /// Whether it has no size of its own and no index names an element.
  bool hasNoElement(Family& family);
  Value element(Family& family, const Value& index, SourceRange at);

  /// The type of the field that a path names; null after a message.
  const Type* pathType(llvm::ArrayRef<ast::Name> path, const Environment& scope);
  Value fieldPath(const ast::Expr& expr, const Environment& scope);
  Value evaluate(const ast::Expr& expr, const Environment& scope, const Type* expected);
  /// The value as the type wants it, or Poison after a message. `what` is the field's name.
  Value convert(const Value& value, const Type& type, llvm::StringRef what, SourceRange at,
                Object* owner);
  /// Items of what `for` runs over; nothing after a message.
  bool items(const Value& value, SourceRange at, std::vector<Value>& out);
  /// Says when a loop cannot run over the value; makes no items.
  void checkLoop(const Value& value, SourceRange at);
  /// The items of a loop that is about to run. Loops within a loop multiply, so all rounds of the
  /// outermost one count. Hold `LoopScope` while the body runs.
  bool roundsOf(const Value& value, SourceRange at, std::vector<Value>& out);
  struct LoopScope {
    explicit LoopScope(Evaluator& of) : of(of) { ++of.loops; }
    ~LoopScope() { --of.loops; }
    LoopScope(const LoopScope&) = delete;
    LoopScope& operator=(const LoopScope&) = delete;
    Evaluator& of;
  };
  /// Says once that a required field was needed and not given. `path` starts in the declared block.
  void reportMissing(Object& block, const std::string& path, SourceRange at,
                     llvm::StringRef neededBy);
  void reportTooDeep(SourceRange at, std::size_t limit);
  /// Says once that what stands before an index in a path takes none; `type` is of what does.
  void reportNoFamily(const ast::FieldStmt& stmt, std::size_t index, const Type& type);
  const Type& typeOf(const FieldDecl& f) { return schemas.typeOf(f); }
  /// "400Gbps per gpu", "`gated`", "a list": what messages say was found.
  std::string describe(const Value& value) const;
  std::string describe(const Object& object) const;
  Found lookup(llvm::StringRef name, const Environment& scope);
  /// The type that one side of a comparison gives to the other.
  const Type* typeForOther(const Value& value);
  /// The scope in which the block or path of one level is read; and that of a schema's own texts.
  const Environment& scopeOf(Object& object, unsigned level);
  const Environment& schemaScope(Object& object, Module& module);
  const Environment& variable(llvm::StringRef name, const Value& value, const Environment& outer);
  /// Levels that `--set` adds to a declared block.
  std::function<void(Object&)> addOuterLevels;
  const Level& level(Level::Kind kind, llvm::StringRef label, const ast::Decl* decl,
                     unsigned fragment = 0);

  /// `--set` of params: the expression that replaces the default.
  llvm::DenseMap<const ast::ParamDecl*, const ast::Expr*> parameterValues;
  /// Whether figures of the passes may be read: in `assert`, `require`, objectives and studies.
  bool resultsAllowed = false;
  bool schemaAlone = false; ///< a schema is checked without a block

private:
  friend class FrameGuard;
  /// A field or `let` that is being worked out.
  struct Frame {
    Object* object;
    llvm::StringRef name;
    const void* identity; ///< FieldDecl with its object, or the LetStmt
    SourceRange use;
  };

  // Names.cpp
  Value name(const ast::NameExpr& expr, const Environment& scope, const Type* expected);
  std::optional<Value> expectedMember(llvm::StringRef name, const Type* expected, SourceRange at,
                                      const Environment& scope);
  Found lookupInObject(llvm::StringRef name, Object& object, const Environment* scope);
  Found lookupEnclosing(llvm::StringRef name, Object& object);
  void tellMeaning(const Found& found, SourceRange use, const Module& module) const;
  Value valueOf(const Found& found, llvm::StringRef name, SourceRange at);
  bool couldBe(const Found& found, const Type& expected);
  std::string describe(const Found& found, llvm::StringRef name);
  bool notOfStructure(const ast::NameExpr& expr, const Environment& scope, const Type* expected);
  void unknownName(const ast::NameExpr& expr, const Environment& scope, const Type* expected);
  Value let(const ast::LetStmt& stmt, const Environment& scope, Object* object, SourceRange use);
  Value parameter(Module& module, const ast::ParamDecl& param, SourceRange use);
  bool isCurrent(const Found& found) const;
  Value selfReference(const ast::NameExpr& expr, const Found& found, const Environment& scope);
  Value reportCycle(const void* identity, Object* object, llvm::StringRef name, SourceRange use);
  Value result(llvm::StringRef path, SourceRange at);

  // Members.cpp
  Value member(const ast::MemberExpr& expr, const Environment& scope, const Type* expected);
  Value memberOf(const Value& base, const ast::Name& name, const ast::Expr& baseExpr);
  Value memberOfModule(Module& module, const ast::Name& name, llvm::StringRef alias);
  Value index(const ast::IndexExpr& expr, const Environment& scope, const Type* expected);
  std::optional<Value> qualified(const ast::MemberExpr& expr, const Environment& scope);
  std::string resultPath(const ast::Expr& expr, const Environment& scope);
  static bool isFree(const Found& found);

  // Evaluate.cpp, Operators.cpp, Functions.cpp
  Value binary(const ast::BinaryExpr& expr, const Environment& scope);
  Value logic(const ast::BinaryExpr& expr, const Environment& scope);
  Value compare(const ast::BinaryExpr& expr, const Environment& scope);
  Value contains(const ast::BinaryExpr& expr, const Value& item, const Value& in);
  Value makeRange(const ast::BinaryExpr& expr, const Environment& scope, const Type* expected);
  Value arithmetic(const ast::BinaryExpr& expr, const Value& left, const Value& right,
                   const Environment& scope);
  bool zeroField(const ast::Expr& divisor, const Environment& scope);
  Value unary(const ast::UnaryExpr& expr, const Environment& scope);
  Value scoped(const ast::ScopedExpr& expr, const Environment& scope);
  Value list(const ast::ListExpr& expr, const Environment& scope, const Type* expected);
  Value comprehension(const ast::ComprehensionExpr& expr, const Environment& scope,
                      const Type* expected);
  Value conditional(const ast::IfExpr& expr, const Environment& scope, const Type* expected);
  Value amend(const ast::AmendExpr& expr, const Environment& scope, const Type* expected);
  Value call(const ast::CallExpr& expr, const Environment& scope, const Type* expected);
  std::optional<bool> condition(const ast::Expr& expr, const Environment& scope);
  bool equal(const Value& a, const Value& b) const;

  // Convert.cpp
  Value convertNumber(const Value& value, const Type& type, llvm::StringRef what, SourceRange at);
  /// The list that is the whole of one choice, where just one is: `split = [20, 20]` is that one.
  const FieldDecl* heldList(const Type& type);
  Value convertToSchema(const Value& value, const Type& type, llvm::StringRef what, SourceRange at,
                        Object* owner);
  Value wrongType(const Value& value, const Type& type, llvm::StringRef what, SourceRange at);

  // ObjectFields.cpp
  Value work(Object& object, const FieldDecl& field, Object::Slot& slot);
  /// The value that settings and a default come to.
  Value fold(const Type& type, llvm::ArrayRef<Setting> settings, Object* owner,
             llvm::StringRef name, llvm::function_ref<Value()> fallback, const Setting** last);
  Value assigned(const Setting& setting, const Type& type, llvm::StringRef name, Object* owner);
  Value candidates(const Setting& setting, const Type& type, llvm::StringRef name, Object* owner);
  Value amended(const Value& base, llvm::ArrayRef<Setting> amends, const Type& type, Object* owner,
                llvm::StringRef name);
  Value defaultOf(Object& object, const FieldDecl& field);
  void collect(const ast::Block& block, const Setting& from, const Environment& scope,
               llvm::StringRef name, llvm::SmallVectorImpl<Setting>& out);
  Object& clone(Object& base, Object* parent, llvm::StringRef field);

  // Fragments.cpp
  bool sameValues(Object& a, Object& b);
  bool amendsAnother(llvm::ArrayRef<Setting> settings, const Setting& winner, const Type& type,
                     llvm::StringRef name, Object* owner);
  bool settled(llvm::ArrayRef<Setting> settings, unsigned last, const Type& type,
               llvm::StringRef name, Object* owner);

  // Blocks.cpp
  Object* makeBlock(Declared declared);
  bool addHeader(Object& object, const ast::BlockDecl& decl, Module& module);
  bool swapped(const ast::BlockDecl& decl, llvm::StringRef forKind, llvm::StringRef onKind,
               Module& module);
  Object* headerObject(ast::QualifiedName name, llvm::StringRef kind, Module& module);
  bool addFragments(Object& object, const ast::BlockDecl& decl, Module& module);
  void addFramework(Object& layout);
  void addSchemaLevels(Object& object, const Schema* known = nullptr);

  // Families.cpp
  Value family(const Type& type, llvm::ArrayRef<Setting> settings, Object* owner,
               llvm::StringRef name);
  bool addSelector(Family& family, const Setting& setting);
  bool overlapsReported(Family& family);
  Value elementFrom(Family& family, llvm::ArrayRef<unsigned> selectors);
  std::optional<std::uint64_t> sizeOf(Family& family);

  std::deque<Object> objects;
  std::deque<Family> families;
  std::deque<Level> levels;
  llvm::DenseMap<const ast::Decl*, Object*> blocks;
  std::vector<const ast::Decl*> making;
  llvm::DenseMap<const ast::Decl*, Value> declaredValues;
  llvm::DenseMap<std::pair<const Object*, const ast::FieldStmt*>, Candidates> open;
  llvm::DenseMap<std::pair<const ast::LetStmt*, const Environment*>, Value> letValues;
  llvm::DenseMap<std::pair<Object*, Module*>, const Environment*> schemaScopes;
  llvm::DenseSet<const void*> reported; ///< statements and blocks whose mistake was told
  llvm::DenseSet<std::pair<std::uint32_t, std::uint32_t>> toldResults; ///< file and byte
  const Level* currentLevel = nullptr; ///< of the setting whose value is being worked out
  std::vector<Frame> frames;
  unsigned depth = 0;
  unsigned loops = 0;       ///< that are being run, one inside another
  std::uint64_t rounds = 0; ///< of the outermost of them and all within
};

} // namespace dpl::sema
