//===- Times.cpp - Durations of operations ----------------------------------------------------===//
#include "Times.h"
#include <algorithm>
#include <cstdio>

namespace twin {

const char* nameOf(OperationKind kind) {
  static const char* const names[] = {
      "forward",    "backward",     "backward_input", "backward_weight", "recomputation",
      "pair",       "send_forward", "send_backward",  "receive_forward", "receive_backward",
      "collective", "wait",         "optimizer"};
  return names[static_cast<std::size_t>(kind)];
}

const char* nameOf(CallKind kind) {
  static const char* const names[] = {"all-reduce", "reduce-scatter", "all-gather", "all-to-all"};
  return names[static_cast<std::size_t>(kind)];
}

void Times::Entry::add(double seconds) {
  least = count == 0 ? seconds : std::min(least, seconds);
  most = std::max(most, seconds);
  total += seconds;
  ++count;
}

void Times::add(std::size_t operation, double start, double seconds) {
  entries[operation].start = start;
  entries[operation].add(seconds);
}

void Times::addStep(double seconds) { step.add(seconds); }

std::string Times::json(const Entry& e) {
  char text[160];
  std::snprintf(text, sizeof text, "\"mean\": %.9f, \"min\": %.9f, \"max\": %.9f",
                e.count == 0 ? 0 : e.total / e.count, e.least, e.most);
  return text;
}

std::string Times::json(const Plan& plan, std::uint64_t pipelineRank, std::uint64_t rank,
                        const std::vector<Operation>& operations) const {
  std::string out = "{\"pipeline_rank\": " + std::to_string(pipelineRank) +
                    ", \"rank\": " + std::to_string(rank) + ", \"step\": {" + json(step) +
                    "}, \"actions\": [";
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& op = operations[i];
    out += std::string(i == 0 ? "\n" : ",\n") + "{\"kind\": \"" + nameOf(op.kind) + "\"";
    if (op.kind == OperationKind::Collective)
      out += std::string(", \"collective\": \"") + nameOf(plan.calls[op.other].kind) +
             "\", \"group\": \"" + plan.groups[plan.calls[op.other].group].name + "\"";
    else if (op.kind < OperationKind::Collective)
      out += ", \"micro_batch\": " + std::to_string(op.microBatch) +
             ", \"chunk\": " + std::to_string(op.chunk);
    char start[48];
    std::snprintf(start, sizeof start, ", \"start\": %.9f, ", entries[i].start);
    out += start + json(entries[i]) + "}";
  }
  return out + "]}";
}

} // namespace twin
