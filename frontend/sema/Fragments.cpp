//===- Fragments.cpp - Reports duplicate settings and contradictory fragments -----------------===//
#include "frontend/sema/Evaluator.h"
#include "support/diagnostics/Schema.h"
#include "support/diagnostics/Sema.h"
using namespace dpl;
using namespace dpl::sema;

/// Whether two values are equal. Blocks and choices are compared field by field. A missing value is
/// equal to every other value.
bool Evaluator::sameValues(const Value& a, const Value& b) {
  if (a.unknown() || b.unknown())
    return true;
  if (a.is(Value::ValueKind::Family) && b.is(Value::ValueKind::Family))
    return a.family->selectors.size() == b.family->selectors.size();
  if (a.kind != b.kind || !a.object || !b.object)
    return equal(a, b);
  Object &x = *a.object, &y = *b.object;
  const auto same = [&](const FieldDecl& f) {
    return sameValues(field(x, f, {}), field(y, f, {}));
  };
  return x.schema == y.schema && x.member == y.member && llvm::all_of(x.schema->fields, same) &&
         (!x.member || llvm::all_of(x.member->fields, same));
}

/// Reports a fragment that sets fields of a value that another fragment sets as a whole. The order
/// of fragments in the header must not matter.
bool Evaluator::amendsAnother(llvm::ArrayRef<Setting> settings, const Setting& winner,
                              const Type& type, llvm::StringRef name, Object* owner) {
  if (winner.level->kind != SettingLevel::SettingLevelKind::Fragment ||
      type.kind != Type::TypeKind::Schema)
    return false;
  for (const Setting& s : settings) {
    if (s.whole() || s.level->kind != SettingLevel::SettingLevelKind::Fragment ||
        s.generation != winner.generation || s.level->fragment == winner.level->fragment)
      continue;
    const Value whole = assigned(winner, type, name, owner);
    const Value changed = whole.unknown() ? whole : amended(whole, s, type, owner, name);
    if (sameValues(whole, changed))
      continue;
    const bool before = s.level->fragment < winner.level->fragment;
    shared.diags
        .report<diag::FragmentsDisagree>(winner.range(), (before ? s : winner).level->label,
                                         (before ? winner : s).level->label, name)
        .label(fmt::format("{} here", describe(whole)))
        .note<diag::SetHere>(s.range(), shared.sources.text(s.range()))
        .help(fmt::format("set `{}` in the block itself to settle it", name));
    return true;
  }
  return false;
}

bool Evaluator::settled(llvm::ArrayRef<Setting> settings, unsigned last, const Type& type,
                        llvm::StringRef name, Object* owner) {
  const Setting* previous = nullptr;
  for (unsigned i = 0; i <= last; ++i) {
    const Setting& s = settings[i];
    if (!s.whole())
      continue;
    if (previous && sameLevel(*previous, s)) {
      shared.diags.report<diag::DuplicateField>(s.range(), name)
          .note<diag::AlsoSetHere>(previous->range());
      return false;
    }
    previous = &s;
  }
  const Setting& winner = settings[last];
  if (winner.level->kind != SettingLevel::SettingLevelKind::Fragment)
    return true;
  for (const Setting& s : settings.take_front(last))
    if (s.whole() && s.level->kind == SettingLevel::SettingLevelKind::Fragment &&
        s.generation == winner.generation && s.level->fragment != winner.level->fragment) {
      const Value a = assigned(s, type, name, owner), b = assigned(winner, type, name, owner);
      if (sameValues(a, b))
        continue;
      shared.diags
          .report<diag::FragmentsDisagree>(winner.range(), s.level->label, winner.level->label,
                                           name)
          .label(fmt::format("{} here", describe(b)))
          .note<diag::SetHere>(s.range(), name)
          .help(fmt::format("set `{}` in the block itself to settle it", name));
      return false;
    }
  return true;
}
