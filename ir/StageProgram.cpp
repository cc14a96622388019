//===- StageProgram.cpp - A segment in the text of a plan -------------------------------------===//
#include "ir/StageProgram.h"

using namespace dpl::ir;

Segment::Text::Text(const Segment& s)
    : kind(s.kind()), backward(s.backward), selection(s.selection) {
  if (const ComputeSegment* const own = s.asCompute())
    compute = *own, launch.time = own->time;
  else if (s.asCollective())
    launch = *s.asCollective();
  else
    launch.collective = s.asWait()->collective;
}

Segment Segment::Text::segment() const {
  Segment out{{}, selection, backward};
  if (kind == SegmentKind::Collective)
    out.work = launch;
  else if (kind == SegmentKind::Wait)
    out.work = WaitSegment{launch.collective};
  else
    out.work = ComputeSegment{compute.kind, launch.time, compute.layerType, compute.sameLayer};
  return out;
}
