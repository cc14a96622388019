//===- BuildGroupsTest.cpp - Symbolic groups against the lists of Megatron-Core ---------------===//
//
// The lists are what RankGenerator of Megatron-Core (core_v0.19.0, parallel_state.py) gives.
#include "passes/BuildGroups.h"
#include "PassRunner.h"
#include "SamplePlan.h"
#include "cost/programs/ChunkCollectives.h"
#include <gmock/gmock.h>
#include <set>

using namespace dpl;
using ir::Axis;
using Ranks = std::vector<std::uint64_t>;

namespace {

ir::AxisRequest request(Axis axis, std::uint64_t size) {
  ir::AxisRequest r;
  r.axis = axis, r.size = size;
  return r;
}

/// A world of 16 ranks with experts; `order` is outermost first.
ir::Plan world(std::vector<ir::AxisRequest> order, std::uint64_t expert,
               std::uint64_t expertTensor) {
  ir::Plan plan = test::samplePlan();
  ir::FeedForward& ffn = plan.model.layerTypes[0].feedForward;
  ffn.kind = ir::FeedForwardKind::Experts;
  ffn.experts = 8, ffn.active = 2;
  plan.layout.mesh.axes = std::move(order);
  plan.layout.mesh.hasExperts = true;
  ir::AxisRequest data = request(Axis::ExpertData, 0);
  data.rest = true;
  plan.layout.mesh.experts = {data, request(Axis::Expert, expert),
                              request(Axis::ExpertTensor, expertTensor)};
  EXPECT_THAT(test::placeRanks(plan), testing::IsEmpty());
  return plan;
}

/// All groups of an axis subset, in the order of their first ranks.
std::vector<Ranks> groupsOf(const ir::Plan& plan, const std::vector<Axis>& axes) {
  const ir::Group group = makeGroup(plan.mesh, plan.cluster, "test", axes);
  std::vector<Ranks> all;
  std::set<std::uint64_t> seen;
  for (std::uint64_t rank = 0; rank < plan.cluster.devices(); ++rank) {
    const Ranks members = group.members(rank);
    EXPECT_THAT(members, testing::Contains(rank));
    EXPECT_EQ(members.size(), group.size);
    if (seen.insert(members.front()).second)
      all.push_back(members);
  }
  EXPECT_EQ(all.size(), group.groups);
  return all;
}

const std::vector<ir::AxisRequest> usual = {request(Axis::Pipeline, 2), request(Axis::Data, 2),
                                            request(Axis::Context, 2), request(Axis::Tensor, 2)};
const std::vector<ir::AxisRequest> pipelineInside = {
    request(Axis::Data, 2), request(Axis::Pipeline, 2), request(Axis::Context, 2),
    request(Axis::Tensor, 2)};

} // namespace

TEST(BuildGroups, OfTheUsualOrder_AreThoseOfMegatron) {
  const ir::Plan plan = world(usual, 4, 1);
  using V = std::vector<Ranks>;
  EXPECT_EQ(groupsOf(plan, {Axis::Tensor}),
            (V{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}));
  EXPECT_EQ(groupsOf(plan, {Axis::Context}),
            (V{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
  EXPECT_EQ(groupsOf(plan, {Axis::Data}),
            (V{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}}));
  EXPECT_EQ(groupsOf(plan, {Axis::Pipeline}),
            (V{{0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {5, 13}, {6, 14}, {7, 15}}));
  EXPECT_EQ(groupsOf(plan, {Axis::Data, Axis::Context}),
            (V{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}}));
  EXPECT_EQ(groupsOf(plan, {Axis::Tensor, Axis::Context}),
            (V{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}));
  EXPECT_EQ(groupsOf(plan, {Axis::Tensor, Axis::Pipeline}),
            (V{{0, 1, 8, 9}, {2, 3, 10, 11}, {4, 5, 12, 13}, {6, 7, 14, 15}}));
  EXPECT_EQ(groupsOf(plan, {Axis::Expert}),
            (V{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}));
  EXPECT_EQ(groupsOf(plan, {Axis::ExpertData}),
            (V{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}}));
}

TEST(BuildGroups, WithThePipelineInsideTheData_AreThoseOfMegatron) {
  const ir::Plan plan = world(pipelineInside, 4, 1);
  EXPECT_EQ(groupsOf(plan, {Axis::Data})[0], (Ranks{0, 8}));
  EXPECT_EQ(groupsOf(plan, {Axis::Data})[1], (Ranks{1, 9}));
  EXPECT_EQ(groupsOf(plan, {Axis::Pipeline})[0], (Ranks{0, 4}));
  EXPECT_EQ(groupsOf(plan, {Axis::Tensor, Axis::Pipeline})[0], (Ranks{0, 1, 4, 5}));
  EXPECT_EQ(groupsOf(plan, {Axis::ExpertData})[0], (Ranks{0, 8}));
}

TEST(BuildGroups, WithExpertTensor_AreThoseOfMegatron) {
  const ir::Plan plan =
      world({request(Axis::Pipeline, 2), request(Axis::Data, 4), request(Axis::Context, 2)}, 2, 2);
  const auto expert = groupsOf(plan, {Axis::Expert});
  EXPECT_EQ((std::vector<Ranks>{expert.begin(), expert.begin() + 4}),
            (std::vector<Ranks>{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groupsOf(plan, {Axis::ExpertTensor})[0], (Ranks{0, 1}));
  const auto data = groupsOf(plan, {Axis::ExpertData});
  EXPECT_EQ((std::vector<Ranks>{data.begin(), data.begin() + 4}),
            (std::vector<Ranks>{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(BuildGroups, Of64Ranks_AreThoseOfMegatron) {
  // W=64, tensor 4, pipeline 4, context 2, expert 2, expert tensor 2: the groups of rank 13.
  ir::Plan plan = test::samplePlan();
  plan.cluster.nodes = 8, plan.cluster.nodeTypes[0].nodes = 8;
  plan.cluster.levels = ir::linkLevels(plan.cluster);
  ir::FeedForward& ffn = plan.model.layerTypes[0].feedForward;
  ffn.kind = ir::FeedForwardKind::Experts, ffn.experts = 8, ffn.active = 2;
  plan.layout.mesh.axes = {request(Axis::Pipeline, 4), request(Axis::Data, 2),
                           request(Axis::Context, 2), request(Axis::Tensor, 4)};
  plan.layout.mesh.hasExperts = true;
  plan.layout.mesh.experts = {request(Axis::ExpertData, 4), request(Axis::Expert, 2),
                              request(Axis::ExpertTensor, 2)};
  ASSERT_THAT(test::placeRanks(plan), testing::IsEmpty());
  const auto of13 = [&](const std::vector<Axis>& axes) {
    return makeGroup(plan.mesh, plan.cluster, "test", axes).members(13);
  };
  EXPECT_EQ(of13({Axis::Tensor}), (Ranks{12, 13, 14, 15}));
  EXPECT_EQ(of13({Axis::Pipeline}), (Ranks{13, 29, 45, 61}));
  EXPECT_EQ(of13({Axis::Data}), (Ranks{5, 13}));
  EXPECT_EQ(of13({Axis::Context}), (Ranks{9, 13}));
  EXPECT_EQ(of13({Axis::Expert}), (Ranks{13, 15}));
}

TEST(BuildGroups, OfTheEmbedding_AreTheFirstAndTheLastStage) {
  ir::Plan plan = test::samplePlan();
  plan.layout.mesh.axes = {request(Axis::Data, 2), request(Axis::Pipeline, 4),
                           request(Axis::Tensor, 2)};
  ASSERT_THAT(test::placeRanks(plan), testing::IsEmpty());
  const ir::Group group =
      makeEmbeddingGroup(plan.mesh, {ir::PlacementKind::Linear, 4, 1}, plan.cluster);
  EXPECT_EQ(group.members(1), (Ranks{1, 7}));
  EXPECT_EQ(group.members(9), (Ranks{9, 15}));
  EXPECT_EQ(group.members(15), (Ranks{9, 15}));
  EXPECT_EQ(group.groups, 4U);
  // Where the model ends on the rank that it begins on, nobody has a copy.
  EXPECT_EQ(makeEmbeddingGroup(plan.mesh, {ir::PlacementKind::VShaped, 4, 2}, plan.cluster).size,
            1U);
}

TEST(BuildGroups, OfCopies_AreOppositeRanksWithTheirDataRanks) {
  ir::Plan plan = test::samplePlan();
  plan.layout.mesh.axes = {request(Axis::Data, 2), request(Axis::Pipeline, 4),
                           request(Axis::Tensor, 2)};
  ASSERT_THAT(test::placeRanks(plan), testing::IsEmpty());
  const ir::Placement placement{ir::PlacementKind::Bidirectional, 4, 2};
  std::set<Ranks> all;
  for (const ir::Group& group : buildGroups(plan.mesh, placement, plan.cluster)) {
    EXPECT_NE(group.name, "stage_replica+expert_data") << "the mesh has no experts";
    if (group.name == "embedding") {
      EXPECT_EQ(group.size, 1U) << "both ends of the model are on the first and on the last rank";
    }
    if (group.name != "stage_replica+data+context")
      continue;
    EXPECT_TRUE(group.overStageReplicas());
    EXPECT_EQ(group.size, 4U);
    EXPECT_EQ(group.groups, 4U);
    EXPECT_EQ(group.inside, (Ranks{2, 4})) << "a node holds a pipeline with all its copies";
    for (std::uint64_t rank = 0; rank < 16; ++rank) {
      EXPECT_THAT(group.members(rank), testing::Contains(rank));
      all.insert(group.members(rank));
    }
  }
  EXPECT_EQ(all, (std::set<Ranks>{{0, 6, 8, 14}, {1, 7, 9, 15}, {2, 4, 10, 12}, {3, 5, 11, 13}}));
}

/// What layers call is kept by its place for all meshes that divide layers alike.
TEST(BuildGroups, OfEstimates_AreThoseOfAllThatTheyAskFor) {
  using enum Axis;
  const std::vector<std::vector<Axis>> ofLayers = {{Tensor}, {Context}, {Expert}, {ExpertTensor}};
  std::vector<std::vector<Axis>> asked = {
      {Data, Context}, {Replica, Data, Context}, {ExpertData}, {Replica, ExpertData}, {Replica}};
  asked.insert(asked.end(), ofLayers.begin(), ofLayers.end());
  std::set<std::vector<std::optional<ir::GroupId>>> places;
  for (const std::uint64_t pipeline : {1, 2, 4}) {
    const std::uint64_t data = 4 / pipeline;
    ir::Plan all = world(
        {request(Pipeline, pipeline), request(Data, data), request(Context, 2), request(Tensor, 2)},
        2, 2);
    all.placement = {ir::PlacementKind::Linear, pipeline, 1};
    ir::Plan few = all;
    all.groups = buildGroups(all.mesh, all.placement, all.cluster);
    few.groups = groupsOfEstimates(few);
    EXPECT_LT(few.groups.size(), 7U) << "each set of axes once";
    for (const std::vector<Axis>& axes : asked) {
      const auto one = cost::groupWith(all, axes), other = cost::groupWith(few, axes);
      ASSERT_EQ(one.has_value(), other.has_value());
      if (!one)
        continue;
      EXPECT_EQ(all.groups[*one].members(5), few.groups[*other].members(5));
      EXPECT_EQ(all.groups[*one].inside, few.groups[*other].inside);
    }
    std::vector<std::optional<ir::GroupId>> own;
    for (const std::vector<Axis>& axes : ofLayers)
      own.push_back(cost::groupWith(few, axes));
    places.insert(own);
  }
  EXPECT_EQ(places.size(), 1U);
}

TEST(BuildGroups, CountTheRanksInsideEachLevel) {
  const ir::Plan plan = world(usual, 4, 1);
  const auto inside = [&](const std::vector<Axis>& axes) {
    return makeGroup(plan.mesh, plan.cluster, "test", axes).inside;
  };
  EXPECT_EQ(inside({Axis::Tensor}), (Ranks{2, 2}));
  EXPECT_EQ(inside({Axis::Pipeline}), (Ranks{1, 2}));
  EXPECT_EQ(inside({Axis::Pipeline, Axis::Tensor}), (Ranks{2, 4}));
  EXPECT_EQ(makeGroup(plan.mesh, plan.cluster, "t", {Axis::Data}).spans, ir::Level::Node);
  EXPECT_EQ(makeGroup(plan.mesh, plan.cluster, "t", {Axis::Pipeline}).spans, ir::Level::Cluster);
}

TEST(BuildGroups, ThatLieUnevenlyInALevel_CountTheBlockThatNeverCrosses) {
  ir::Mesh mesh;
  mesh.axes = {{Axis::Data, 9, 16, ir::Level::Gpu}, {Axis::Tensor, 16, 1, ir::Level::Gpu}};
  ir::Cluster cluster;
  cluster.nodes = 36, cluster.gpusPerNode = 4;
  test::setNetwork(cluster, 18, {1}, {1});
  EXPECT_EQ(makeGroup(mesh, cluster, "tensor", {Axis::Tensor}).inside, (Ranks{8, 16}));
}
