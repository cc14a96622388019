#pragma once
//===- Evaluator.h - Values of fields, from the levels that set them --------------------------===//
//
// Fields are evaluated when they are first read, and cached. Files: ObjectFields.cpp (levels of a
// field), Blocks.cpp (declared blocks), Frameworks.cpp, Families.cpp, Fragments.cpp, MeshOrder.cpp.
// The base classes are, from the lowest: Scopes, Lookup, Conversions, ExpressionEvaluator.
#include "frontend/sema/ExpressionEvaluator.h"

namespace dpl::sema {

class Evaluator final : public ExpressionEvaluator {
public:
  using ExpressionEvaluator::ExpressionEvaluator;

  /// The object of a declared block; null if errors in it were reported.
  Object* block(Declared declared) override;
  /// An object with the defaults of its schema.
  Object& instance(const Schema& schema, const ChoiceSchema* member, Object* parent,
                   SourceRange at) override;

  /// A copy of a layout on another cluster. It has the name of the block `by`.
  Object& onCluster(const Object& layout, Object& cluster, const Object& by);

  /// Whether an object is not part of a block.
  static bool isDetached(const Object& object);
  /// The value of a field, checked against its type. `use` is the place that reads it.
  Value field(Object& object, const FieldDecl& field, SourceRange use) override;
  /// The statements that set a field, outermost level first. Guards and loops are executed.
  llvm::SmallVector<Setting, 4> settingsOf(Object& object, llvm::StringRef name);
  /// The axes that a mesh sets, in the order of ranks. False if a level adds an axis without
  /// restating all.
  bool axesInOrder(Object& mesh, llvm::SmallVectorImpl<llvm::StringRef>& names);
  /// The setting that determines a field; null if the field has its default.
  const Winner* winner(Object& object, const FieldDecl& field) override;
  /// The candidates of an open field, for the setting that determines it; null if the field has one
  /// value. They are known after the field was evaluated.
  struct Candidates {
    Value written; ///< candidates in the file: a list or a range
    llvm::ArrayRef<Value> all;
  };
  const Candidates* candidatesOf(const Object& object, const Winner& winner) const;

  using EvaluatedRun = ElementRun;
  /// The runs of equal elements of a family with indices. Gaps are reported.
  bool runs(IndexedField& family, std::vector<EvaluatedRun>& out) override;
  using EvaluatedEntry = ElementEntry;
  std::vector<EvaluatedEntry> entries(IndexedField& family) override;
  /// Whether a family has no elements: no size is set, and no index names an element.
  bool hasNoElement(IndexedField& family);
  Value element(IndexedField& family, const Value& index, SourceRange at) override;

  /// Reports, once, that a required field is missing. `path` begins with the declared block.
  void reportMissing(Object& block, const std::string& path, SourceRange at,
                     llvm::StringRef neededBy);
  /// Reports, once, that a path has an index where `type` has no elements.
  void reportNoFamily(const ast::FieldStmt& stmt, std::size_t index, const Type& type);
  /// Adds the levels of `--set` to a declared block.
  std::function<void(Object&)> addOuterLevels;

private:
  /// Budget steps for an object with slots for its fields, without its levels.
  static constexpr std::uint64_t stepsOfAnObject = 8;

  // ObjectFields.cpp
  Value work(Object& object, const FieldDecl& field, Setting& won);
  /// Computes the value of a field from its settings and its default.
  Value fold(const Type& type, llvm::ArrayRef<Setting> settings, Object* owner,
             llvm::StringRef name, llvm::function_ref<Value()> fallback, Setting* won);
  Value assigned(const Setting& setting, const Type& type, llvm::StringRef name, Object* owner);
  Value candidates(const Setting& setting, const Type& type, llvm::StringRef name, Object* owner);
  Value amended(const Value& base, llvm::ArrayRef<Setting> amends, const Type& type, Object* owner,
                llvm::StringRef name) override;
  Value defaultOf(Object& object, const FieldDecl& field);
  bool notWhole(const FieldDecl& field, const Value& value, const Environment& scope);
  void collect(const ast::Block& block, const Setting& from, const Environment& scope,
               llvm::StringRef name, llvm::SmallVectorImpl<Setting>& out);
  Object& clone(Object& base, Object* parent, llvm::StringRef field);

  // Fragments.cpp
  bool sameValues(const Value& a, const Value& b);
  bool amendsAnother(llvm::ArrayRef<Setting> settings, const Setting& winner, const Type& type,
                     llvm::StringRef name, Object* owner);
  bool settled(llvm::ArrayRef<Setting> settings, unsigned last, const Type& type,
               llvm::StringRef name, Object* owner);

  // Blocks.cpp, Frameworks.cpp
  const Schema* kindOf(const ast::BlockDecl& decl, SourceModule& module);
  bool addBase(Object& o, const ast::BlockDecl& decl, SourceModule& module);
  Object* makeBlock(Declared declared);
  bool addHeader(Object& object, const ast::BlockDecl& decl, SourceModule& module);
  bool swapped(const ast::BlockDecl& decl, llvm::ArrayRef<llvm::StringRef> forKinds,
               llvm::StringRef onKind, SourceModule& module);
  /// The object that a name in the header means. It must be of one of `kinds`, if there are any.
  Object* headerObject(ast::QualifiedName name, llvm::ArrayRef<llvm::StringRef> kinds,
                       SourceModule& module);
  bool addFragments(Object& object, const ast::BlockDecl& decl, SourceModule& module);
  void addFramework(Object& layout);
  void addSchemaLevels(Object& object, const Schema* known = nullptr);

  // Families.cpp
  Value family(const Type& type, llvm::ArrayRef<Setting> settings, Object* owner,
               llvm::StringRef name);
  bool addSelector(IndexedField& family, const Setting& setting);
  bool overlapsReported(IndexedField& family);
  Value elementFrom(IndexedField& family, llvm::ArrayRef<unsigned> selectors);
  std::optional<std::uint64_t> sizeOf(IndexedField& family);

  llvm::DenseMap<const FieldDecl*, const Value*> lastValue; ///< value that the field had in its
                                                            ///< last evaluation
  llvm::DenseMap<const FieldDecl*, const Winner*> lastWinner;
  llvm::SpecificBumpPtrAllocator<Object> objects;
  llvm::SpecificBumpPtrAllocator<Object::Header> headers;
  llvm::SpecificBumpPtrAllocator<IndexedField> families;
  llvm::DenseMap<const ast::Decl*, Object*> blocks;
  std::vector<const ast::Decl*> making;
  llvm::DenseMap<std::pair<const Object*, const ast::FieldStmt*>, Candidates> open;
};

} // namespace dpl::sema
