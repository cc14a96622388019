//===- Printer.cpp - A plan as text -----------------------------------------------------------===//
//
// `name { … }` is a record and `name = value` a scalar; a list of records repeats the name. A
// record without inner records takes one line if it fits.
#include "ir/Fields.h"
#include "ir/InputKey.h"
#include "ir/Locations.h"
#include "ir/PrintScalar.h"
#include "llvm/Support/xxhash.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {

constexpr std::size_t lineWidth = 180; ///< columns, enough for one segment of a stage program

/// Whether a record has no inner records.
struct LeafTest {
  bool leaf = true;
  template <class T> void operator()(const char*, T&) {
    if (Record<T> || RecordList<T> || IsMap<T>::value)
      leaf = false;
  }
};

class Printer {
public:
  std::string out;

  template <class T> void operator()(const char* name, T& value) {
    if constexpr (RecordList<T>) {
      for (auto& element : value)
        part(name, element);
    } else if constexpr (Record<T>) {
      part(name, value);
    } else if constexpr (IsOptional<T>::value) {
      if (value)
        (*this)(name, *value);
    } else {
      begin(name);
      out += IsMap<T>::value ? " " : " = ";
      printValue(out, value);
      end();
    }
  }

private:
  template <class T> void part(const char* name, T& value) {
    begin(name);
    out += " {";
    LeafTest test;
    value.fields(test);
    const std::size_t inner = out.size();
    if (test.leaf) {
      flat = first = true;
      value.fields(*this);
      flat = false;
      out += first ? "}" : " }";
      const std::size_t lineBegin = out.rfind('\n') + 1; // npos + 1 is the first line
      if (out.size() - lineBegin <= lineWidth) {
        end();
        return;
      }
      out.resize(inner);
    }
    out += '\n';
    ++depth;
    value.fields(*this);
    --depth;
    out.append(2 * depth, ' ');
    out += '}';
    end();
  }
  void begin(const char* name) {
    if (flat) {
      out += first ? " " : ", ";
      first = false;
    } else {
      out.append(2 * depth, ' ');
    }
    out += name;
  }
  void end() {
    if (!flat)
      out += '\n';
  }

  bool flat = false, first = true;
  unsigned depth = 0;
};

/// The parts that the front end fills, without those that change no figure.
struct Content {
  Plan& plan;
  template <class V> void fields(V& v) {
    v("name", plan.name), v("model", plan.model), v("cluster", plan.cluster);
    v("layout", plan.layout), v("assertion", plan.assertions);
    if (!plan.framework.name.empty())
      v("framework", plan.framework.name);
  }
};

/// The parts that the front end fills and that the content hash leaves out.
struct OtherInput {
  Plan& plan;
  template <class V> void fields(V& v) {
    v("hash", plan.hash), v("file", plan.file), v("framework", plan.framework);
    v("lint", plan.lint), v("run", plan.runs);
    v("launch", plan.launches), v("space", plan.spaces), v("candidate", plan.scheduleCandidates);
  }
};

} // namespace

std::string ir::print(const Plan& plan) {
  Printer printer;
  // `fields` also serves the reader and takes a mutable plan; a printer changes nothing.
  printer("plan", const_cast<Plan&>(plan));
  return std::move(printer.out);
}

std::string ir::print(const Locations& locations) {
  Printer printer;
  printer("locations", const_cast<Locations&>(locations));
  return std::move(printer.out);
}

bool ir::equal(const Plan& a, const Plan& b) { return print(a) == print(b); }

std::string ir::contentHash(const Plan& plan) {
  Printer printer;
  Content content{const_cast<Plan&>(plan)};
  printer("plan", content);
  return fmt::format("{:016x}", llvm::xxHash64(printer.out));
}

std::uint64_t ir::inputKey(const Plan& plan) {
  Printer printer;
  OtherInput input{const_cast<Plan&>(plan)};
  printer("plan", input);
  for (const auto& [path, range] : plan.layout.ranges)
    printer.out += path + '\n';
  for (const Assertion& assertion : plan.assertions)
    printer.out += assertion.schema + '\n';
  for (const Launch& launch : plan.launches)
    for (const auto& [path, range] : launch.ranges)
      printer.out += path + '\n';
  return llvm::xxHash64(printer.out);
}

void ir::visitRanges(const Plan& plan, llvm::function_ref<void(SourceRange)> use) {
  for (const auto& [path, range] : plan.layout.ranges)
    use(range);
  const MeshRequest& mesh = plan.layout.mesh;
  use(mesh.range);
  for (const std::vector<AxisRequest>* axes : {&mesh.axes, &mesh.experts})
    for (const AxisRequest& axis : *axes)
      use(axis.range);
  use(plan.framework.range);
  for (const Assertion& assertion : plan.assertions)
    use(assertion.range), use(assertion.stated);
  for (const Launch& launch : plan.launches)
    for (const auto& [path, range] : launch.ranges)
      use(range);
}
