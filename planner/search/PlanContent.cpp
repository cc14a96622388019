//===- PlanContent.cpp - The content of a plan as bytes, to compare plans ---------------------===//
#include "planner/search/PlanContent.h"
#include "ir/Fields.h"
#include "planner/OpenChoices.h"

using namespace dpl;
using namespace dpl::planner;

namespace {
/// Appends the values of records, and before each list or text its length.
class ContentWriter {
public:
  template <class T> void operator()(const char*, T& value) { write(value); }
  template <class T> void write(T& value) {
    if constexpr (ir::IsOptional<std::remove_const_t<T>>::value) {
      write(value.has_value());
      if (value)
        write(*value);
    } else if constexpr (ir::IsMap<std::remove_const_t<T>>::value) {
      write(value.size());
      for (auto& [key, mapped] : value)
        write(key), write(mapped);
    } else if constexpr (ir::RecordList<std::remove_const_t<T>> ||
                         ir::ScalarList<std::remove_const_t<T>>) {
      write(value.size());
      for (auto&& element : value)
        write(element);
    } else if constexpr (ir::Record<std::remove_const_t<T>>) {
      value.fields(*this);
    } else if constexpr (std::is_same_v<std::remove_const_t<T>, std::string>) {
      write(value.size());
      out += value;
    } else {
      scalar(value);
    }
  }
  // Takes sizes and truth values, which are not members of a record.
  void write(std::size_t&& size) { scalar(size); }
  void write(bool&& flag) { scalar(flag); }

  std::string out;

private:
  template <class T> void scalar(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    out.append(reinterpret_cast<const char*>(&value), sizeof value); // NOLINT: bytes of a scalar
  }
};
} // namespace

std::string dpl::planner::contentOf(ir::Plan& plan) {
  const OpenChoice written(plan.layout);
  // The printer writes some members only with a schedule that has them.
  std::uint64_t group = plan.layout.group;
  OpenChoice(ir::Layout()).write(plan.layout);
  ContentWriter writer;
  writer.write(plan.model), writer.write(plan.cluster), writer.write(plan.layout);
  writer.write(plan.layout.customSchedule), writer.write(group);
  writer.write(plan.framework), writer.write(plan.lint), writer.write(plan.assertions);
  writer.write(plan.runs), writer.write(plan.launches);
  written.write(plan.layout);
  return std::move(writer.out);
}
