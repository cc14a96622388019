#pragma once
//===- Evaluator.h - Values of fields, from the levels that set them --------------------------===//
//
// Fields are worked out when asked for and kept. Files: ObjectFields.cpp (levels of a field),
// Blocks.cpp (declared blocks), Frameworks.cpp, Families.cpp, Fragments.cpp, MeshOrder.cpp. Below
// it lie, each without knowing the next: Scopes, Lookup, Conversions, Expressions.
#include "frontend/sema/ExpressionEvaluator.h"

namespace dpl::sema {

class Evaluator final : public ExpressionEvaluator {
public:
  using ExpressionEvaluator::ExpressionEvaluator;

  /// The object of a declared block; null when it was reported as broken.
  Object* block(Declared declared) override;
  /// An object of a schema with nothing but the schema's defaults.
  Object& instance(const Schema& schema, const ChoiceSchema* member, Object* parent,
                   SourceRange at) override;

  /// A layout on another cluster, under the name of the block that puts it there.
  Object& onCluster(const Object& layout, Object& cluster, const Object& by);

  /// Whether the object belongs to no block, so that no other block is around it.
  static bool isDetached(const Object& object);
  /// The value of a field, checked against its type. `use` is where it is read.
  Value field(Object& object, const FieldDecl& field, SourceRange use) override;
  /// Statements that set a field, outermost level first; guards and loops are worked out.
  llvm::SmallVector<Setting, 4> settingsOf(Object& object, llvm::StringRef name);
  /// Axes of a mesh that are set, in rank order; false when a level adds an axis and restates none.
  bool axesInOrder(Object& mesh, llvm::SmallVectorImpl<llvm::StringRef>& names);
  /// The setting that won a field; null for a default.
  const Winner* winner(Object& object, const FieldDecl& field) override;
  /// What a field of a search is open over, of the setting that won it; null where it has one
  /// value. Known once the field was worked out.
  struct Candidates {
    Value written; ///< a list or a range
    llvm::ArrayRef<Value> all;
  };
  const Candidates* candidatesOf(const Object& object, const Winner& winner) const;

  using EvaluatedRun = ElementRun;
  /// Size of a family by index, and its runs of equal elements. Gaps are reported.
  bool runs(IndexedField& family, std::vector<EvaluatedRun>& out) override;
  using EvaluatedEntry = ElementEntry;
  std::vector<EvaluatedEntry> entries(IndexedField& family) override;
  /// Whether it has no size of its own and no index names an element.
  bool hasNoElement(IndexedField& family);
  Value element(IndexedField& family, const Value& index, SourceRange at) override;

  /// Says once that a required field was needed and not given. `path` starts in the declared block.
  void reportMissing(Object& block, const std::string& path, SourceRange at,
                     llvm::StringRef neededBy);
  /// Says once that what stands before an index in a path takes none; `type` is of what does.
  void reportNoFamily(const ast::FieldStmt& stmt, std::size_t index, const Type& type);
  /// Levels that `--set` adds to a declared block.
  std::function<void(Object&)> addOuterLevels;

private:
  /// An object with places for its fields, without its levels.
  static constexpr std::uint64_t stepsOfAnObject = 8;

  // ObjectFields.cpp
  Value work(Object& object, const FieldDecl& field, Setting& won);
  /// The value that settings and a default come to.
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
  /// Of one of the kinds; of any where there are none.
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

  llvm::DenseMap<const FieldDecl*, const Value*> lastValue; ///< that was worked out
  llvm::DenseMap<const FieldDecl*, const Winner*> lastWinner;
  llvm::SpecificBumpPtrAllocator<Object> objects;
  llvm::SpecificBumpPtrAllocator<Object::Header> headers;
  llvm::SpecificBumpPtrAllocator<IndexedField> families;
  llvm::DenseMap<const ast::Decl*, Object*> blocks;
  std::vector<const ast::Decl*> making;
  llvm::DenseMap<std::pair<const Object*, const ast::FieldStmt*>, Candidates> open;
};

} // namespace dpl::sema
