//===- FieldTexts.cpp - The fields of a plan, a path and a text each --------------------------===//
#include "ir/FieldTexts.h"
#include "ir/PrintScalar.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::ir;

namespace {

class Flattener {
public:
  std::vector<FieldText> out;

  template <class T> void operator()(const char* name, T& value) {
    const std::size_t before = path.size();
    path += (path.empty() ? "" : ".") + std::string(name);
    if constexpr (RecordList<T>) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        const std::size_t list = path.size();
        path += "[" + std::to_string(i) + "]";
        value[i].fields(*this);
        path.resize(list);
      }
    } else if constexpr (Record<T>) {
      value.fields(*this);
    } else if constexpr (IsOptional<T>::value) {
      if (value)
        text(*value);
    } else {
      text(value);
    }
    path.resize(before);
  }

private:
  template <class T> void text(const T& value) {
    out.push_back({path, ""});
    printValue(out.back().value, value);
  }

  std::string path;
};

} // namespace

std::vector<FieldText> ir::fieldTexts(const Plan& plan) {
  Plan& readable = const_cast<Plan&>(plan); // a visitor takes members that it may change
  Flattener flattener;
  flattener("model", readable.model);
  flattener("cluster", readable.cluster);
  flattener("layout", readable.layout);
  flattener("framework", readable.framework);
  flattener("lint", readable.lint);
  flattener("run", readable.runs);
  llvm::erase_if(flattener.out, [](const FieldText& field) { // what check-runs fills in
    const llvm::StringRef path = field.path;
    return path.startswith("run[") && path.contains("].phase[") && path.endswith("].step");
  });
  return std::move(flattener.out);
}
