//===- FieldCasesOfProblems.cpp - Changes of what a study descends, or stores in few bits -----===//
#include "FieldCases.h"

std::vector<dpl::test::FieldCase> dpl::test::problemFieldCases() {
  using enum Base;
  constexpr const char *fixed = "bowl.staleness = fixed { updates = 1 }",
                       *dynamic = "some.loss_scale = dynamic";
  return {
      {"phase.problem", Problem, "", "train.phase[0].problem = other"},
      {"quadratic.curvature", Problem, "", "bowl.curvature = listed { curvatures = [2] }"},
      {"spectrum.log_spaced.count", Problem, "", "bowl.curvature.count = 4"},
      {"spectrum.log_spaced.condition", Problem, "", "bowl.curvature.condition = 20"},
      {"spectrum.listed.curvatures", Problem, "train.phase[0].problem = other",
       "other.curvature.curvatures = [2]"},
      {"quadratic.noise", Problem, "", "bowl.noise = 1"},
      {"quadratic.goal", Problem, "", "bowl.goal = loss { share = 0.1 }"},
      {"goal.distance.share", Problem, "", "bowl.goal.share = 0.1"},
      {"goal.loss.share", Problem, "bowl.goal = loss { share = 0.1 }", "bowl.goal.share = 0.2"},
      {"goal.loss_value.value", Problem, "bowl.goal = loss_value { value = 0.1 }",
       "bowl.goal.value = 0.2"},
      {"quadratic.steady", Problem, "", "bowl.steady = true"},
      {"quadratic.max_steps", Problem, "", "bowl.max_steps = 10step"},
      {"quadratic.staleness", Problem, "", fixed},
      {"staleness.fixed.updates", Problem, fixed, "bowl.staleness.updates = 2"},
      {"staleness.uniform.most", Problem, "bowl.staleness = uniform { most = 1 }",
       "bowl.staleness.most = 2"},
      {"quadratic.staleness_weight", Problem, "", "bowl.staleness_weight = inverse"},
      {"quadratic.momentum_form", Problem, "", "bowl.momentum_form = average"},
      {"numbers.values", Numbers, "", "some.values = normal { deviation = 1 }"},
      {"number_values.listed.items", Numbers, "", "some.values.items = [1, -2, 3]"},
      {"number_values.normal.deviation", Numbers, "some.values = normal { deviation = 1 }",
       "some.values.deviation = 2"},
      {"numbers.format", Numbers, "", "some.format = e4m3"},
      {"numbers.order", Numbers, "", "some.order = pairwise"},
      {"sum_order.ring.first", Numbers, "some.order = ring { first = 0 }", "some.order.first = 1"},
      {"numbers.loss_scale", Numbers, "", dynamic},
      {"loss_scale.fixed.factor", Numbers, "", "some.loss_scale.factor = 2"},
      {"loss_scale.dynamic.first", Numbers, dynamic, "some.loss_scale.first = 8"},
      {"loss_scale.dynamic.window", Numbers, dynamic, "some.loss_scale.window = 10step"},
      {"loss_scale.dynamic.steps", Numbers, dynamic, "some.loss_scale.steps = 10step"},
  };
}
