//===- PlacedMesh.cpp - What chunks and ranks of a placed mesh have in common -----------------===//
#include "cost/network/RankLinks.h"
#include "planner/EstimateTables.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;

/// Finds messages between chunks, which are in model order by direction.
void EstimateTables::findMessages(PlacedMesh& placed) {
  linksOfKinds.clear();
  const std::uint64_t stages = plan.placement.stages(), ranks = plan.placement.ranks;
  const bool alike = plan.cluster.nodeTypes.size() == 1; // if so, a link is the same from either
                                                         // end
  const auto rank = [&](std::size_t i) { return plan.chunks[i].rank; };
  for (std::size_t first = 0; first < plan.chunks.size(); first += stages)
    for (std::size_t i = first, last = first + stages - 1; i < last; ++i) {
      PlacedMessages &from = placed.chunkPlacements[i].messages,
                     &to = placed.chunkPlacements[i + 1].messages;
      // In many placements each round goes through the ranks like the previous one.
      const bool again =
          i >= first + ranks && rank(i - ranks) == rank(i) && rank(i + 1 - ranks) == rank(i + 1);
      from.forward =
          again ? placed.chunkPlacements[i - ranks].messages.forward : linkTo(rank(i), rank(i + 1));
      to.backward = alike ? from.forward : linkTo(rank(i + 1), rank(i));
    }
}

void EstimateTables::findEqual(PlacedMesh& placed) {
  EqualChunks chunks(plan);
  placed.distinct.reserve(3); // chunks at both ends of the model, and in its middle
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
    const std::size_t same = chunks.firstOf(i);
    if (same < i) {
      placed.chunkPlacements[i].distinct = placed.chunkPlacements[same].distinct;
      continue;
    }
    placed.chunkPlacements[i].distinct = static_cast<std::uint32_t>(placed.distinct.size());
    DistinctChunk& distinct = placed.distinct.emplace_back();
    distinct.first = i, distinct.key = keyOf(plan.chunks[i]);
  }
}

void EstimateTables::findRuns(PlacedMesh& placed) const {
  placed.runs.reserve(3);
  llvm::SmallVector<ChunkPlacement, 2> chunks;
  for (std::uint64_t rank = 0; rank < plan.placement.ranks; ++rank) {
    chunks.clear();
    for (std::uint64_t chunk = 0; chunk < plan.placement.chunks; ++chunk)
      chunks.push_back(placed.chunkPlacements[plan.placement.indexOf(rank, chunk).index()]);
    if (!placed.runs.empty() && placed.runs.back().chunks == chunks) {
      ++placed.runs.back().ranks;
      continue;
    }
    PlacedRun& run = placed.runs.emplace_back();
    run.first = rank, run.rankNodeTypes = plan.mesh.rankNodeTypesIndex(rank), run.chunks = chunks;
  }
}

std::uint64_t EstimateTables::keyOf(const ir::Chunk& chunk) {
  const bool alike = plan.model.runs.size() < 2; // if so, the type of the first layer does not
                                                 // matter
  const GatheredMessages gathered = gatheredMessages(plan, chunk);
  // Units on one device are never gathered; whether a unit is affects the others of an action.
  const std::uint64_t shared =
      plan.layout.shard.stage() < 2
          ? 0U
          : (plan.stateRanks() > 1 ? 1U : 0U) + (plan.expertStateRanks() > 1 ? 2U : 0U);
  return chunkKeys
      .try_emplace({alike ? 0 : chunk.firstLayer, chunk.layers, chunk.predictionLayers,
                    chunk.embedding, chunk.head, plan.mesh.rankNodeTypesIndex(chunk.rank),
                    gathered.activations, gathered.gradients, shared},
                   chunkKeys.size())
      .first->second;
}

std::uint16_t EstimateTables::linkTo(std::uint64_t rank, std::uint64_t to) {
  if (to == rank)
    return PlacedMessages::none;
  const MessageKind kind = messageKind(plan, rank, to);
  for (const auto& [known, link] : linksOfKinds)
    if (known == kind)
      return link;
  const ir::LinkLevel link = messageLink(plan, rank, to);
  const auto same = llvm::find(links, link);
  const auto index = static_cast<std::uint16_t>(same - links.begin());
  if (same == links.end())
    links.push_back(link);
  linksOfKinds.emplace_back(kind, index);
  return index;
}
