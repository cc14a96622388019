//===- FieldCasesOfAdvice.cpp - Changes of thresholds that warnings name
//-----------------------===//
#include "FieldCases.h"

std::vector<dpl::test::FieldCase> dpl::test::adviceFieldCases() {
  using enum Base;
  constexpr const char
      *local = "plan.synchronization = local { period = 8 }",
      *async = "plan.synchronization = asynchronous; plan.optimizer = sgd { momentum = 0.9 }",
      *rejects = "plan.synchronization = bounded { staleness = 31, late = reject }",
      *linear = "plan.optimizer.lr = constant { value = 1e-4, batch_scaling = linear { "
                "base = 32seq } }",
      *often = "pod.failures.gpu = (1 / 900h) per gpu; pod.storage.write = 10GB/s; "
               "train.checkpoint.interval = 1step";
  return {
      {"lint.communication", Dense, "", "lint.communication = 0.001"},
      {"lint.bubble", Dense, "", "lint.bubble = 0.001"},
      {"lint.headroom", Dense, "", "lint.headroom = 0.999"},
      {"lint.imbalance", Dense, "", "lint.imbalance = 1.0001"},
      {"lint.rejection", List, rejects, "lint.rejection = 1.5"},
      {"lint.servers", List, "plan.parameter_servers { count = 2 }", "lint.servers = 100"},
      {"lint.stale_momentum", List, async, "lint.stale_momentum = 0.95"},
      {"lint.local_steps", List, local, "lint.local_steps = 4"},
      {"lint.dropped_samples", List, "plan.synchronization = backup { workers = 1 }",
       "lint.dropped_samples = 0.5"},
      {"lint.quantized_samples", List, "plan.compression = quantized { bits = 8 }",
       "lint.quantized_samples = 1"},
      {"lint.risks", List, async, "lint.risks = 3"},
      {"lint.rate_growth", Dense, linear, "lint.rate_growth = 4.0"},
      {"lint.jitter", Dense, "", "lint.jitter = 1.01"},
      {"lint.speeds", Parts, "", "lint.speeds = 1.01"},
      {"lint.experts", Experts, "llm.ffn.popularity = lognormal { cv = 0.5 }",
       "lint.experts = 1.001"},
      {"lint.dropped_tokens", Experts,
       "llm.ffn.popularity = uniform; llm.ffn.capacity_factor = 0.5", "lint.dropped_tokens = 0.99"},
      {"lint.checkpoint_interval", Dense, often, "lint.checkpoint_interval = 1e6"},
      {"lint.checkpoint_loss", Dense, often, "lint.checkpoint_loss = 1e6"},
      {"lint.run_loss", Dense, "pod.failures.gpu = (1 / 900h) per gpu; pod.storage.write = 10GB/s",
       "lint.run_loss = 0.0001"},
  };
}
