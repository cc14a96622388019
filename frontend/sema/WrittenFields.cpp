//===- WrittenFields.cpp - Writes all fields of an object -------------------------------------===//
#include "frontend/sema/Written.h"
#include "llvm/ADT/STLExtras.h"
using namespace dpl;
using namespace dpl::sema;

namespace {
class WrittenFieldCollector {
public:
  WrittenFieldCollector(Evaluator& evaluator, const std::string& mesh)
      : evaluator(evaluator), mesh(mesh) {}

  void object(Object& object, const std::string& path, std::vector<WrittenField>& out) {
    object.eachField([&](const FieldDecl& f) {
      const Value of = evaluator.field(object, f, {});
      const std::string name = path + "." + f.name().str();
      if (of.is(Value::ValueKind::Auto) && object.schema->isA("layout") && f.name() == "mesh")
        out.push_back({name, mesh, ""});
      else
        value(of, name, out);
    });
  }

private:
  void value(const Value& value, const std::string& path, std::vector<WrittenField>& out) {
    if (value.unknown() || value.is(Value::ValueKind::Absent))
      return;
    if (value.is(Value::ValueKind::Family))
      return value.family->counted() ? elements(*value.family, path, out)
                                     : entries(*value.family, path, out);
    Object* const nested = value.is(Value::ValueKind::Object) || value.is(Value::ValueKind::Choice)
                               ? value.object
                               : nullptr;
    if (nested && nested->schema->isA("mesh"))
      return out.push_back({path, mesh, ""});
    const bool block = nested && !nested->member;
    if (block && !nested->decl)
      return object(*nested, path, out);
    WrittenField field{path, writtenAs(evaluator, value), ""};
    if (value.is(Value::ValueKind::Choice))
      field.name = value.member->name.str();
    else if (block)
      field.name = field.value;
    out.push_back(std::move(field));
    // If the field is the layout of a phase, it is left out, because it is compared under its own
    // name.
    if (nested && !nested->schema->isA("layout"))
      object(*nested, path, out);
  }

  void entries(IndexedField& family, const std::string& path, std::vector<WrittenField>& out) {
    for (const Evaluator::EvaluatedEntry& entry : evaluator.entries(family))
      value(entry.value, fmt::format("{}[{}]", path, keyText(family, entry.key)), out);
  }

  /// The fields of a range of elements, by their path inside an element.
  struct Range {
    std::uint64_t first, count;
    std::vector<WrittenField> fields;
    const WrittenField* find(llvm::StringRef below) const {
      const auto found = llvm::find_if(fields, [&](const auto& f) { return f.path == below; });
      return found == fields.end() ? nullptr : &*found;
    }
  };

  /// Writes the fields of elements. A field that has one value in all elements is written once,
  /// without an index.
  void elements(IndexedField& family, const std::string& path, std::vector<WrittenField>& out) {
    std::vector<Evaluator::EvaluatedRun> runs;
    if (!evaluator.runs(family, runs))
      return;
    std::vector<Range> ranges;
    std::vector<std::string> below;
    for (const Evaluator::EvaluatedRun& run : runs) {
      Range& range = ranges.emplace_back(Range{run.first, run.count, {}});
      value(run.value, "", range.fields);
      for (const WrittenField& field : range.fields)
        if (!llvm::is_contained(below, field.path))
          below.push_back(field.path);
    }
    const auto same = [](const WrittenField* a, const WrittenField* b) {
      return a && b && a->value == b->value;
    };
    for (const std::string& name : below) {
      const WrittenField* const first = ranges.front().find(name);
      const bool shared = !name.empty() && llvm::all_of(ranges, [&](const Range& range) {
        return same(range.find(name), first);
      });
      if (shared) {
        out.push_back({path + name, first->value, first->name});
        continue;
      }
      for (std::size_t i = 0; i < ranges.size();) {
        const WrittenField* const here = ranges[i].find(name);
        std::size_t end = i + 1;
        while (end < ranges.size() && same(ranges[end].find(name), here))
          ++end;
        const std::uint64_t from = ranges[i].first,
                            to = ranges[end - 1].first + ranges[end - 1].count;
        const std::string index =
            to - from == 1 ? std::to_string(from) : fmt::format("{}..<{}", from, to);
        if (here)
          out.push_back({fmt::format("{}[{}]{}", path, index, name), here->value, here->name});
        i = end;
      }
    }
  }

  Evaluator& evaluator;
  const std::string& mesh;
};
} // namespace

void sema::writeFields(Evaluator& evaluator, Object& object, const std::string& path,
                       const std::string& mesh, std::vector<WrittenField>& out) {
  WrittenFieldCollector(evaluator, mesh).object(object, path, out);
}
