#pragma once
//===- Format.h - Figures as people read them -------------------------------------------------===//
#include "cost/step/HostMemory.h"
#include "figures/Figures.h"
#include <optional>
#include <string>
#include <vector>

namespace dpl::report {

/// Device memory in binary units, as drivers report it: "51.2GiB".
std::string memory(double bytes);
std::string duration(double seconds);
/// " ± 4.939ms, 95 % confidence" behind a mean, by the half width of its interval in seconds.
std::string within(std::optional<double> halfWidth);
std::string fromPicoseconds(std::uint64_t ps);
/// Traffic, in decimal units as link rates are: "7.29GB".
std::string traffic(double bytes);
/// A plain number: "8192", "70.55e9".
std::string count(double n);
std::string flop(double n);
/// Tokens or samples a second: "425.1ktok/s".
std::string rate(double perSecond, bool samples);
/// " of 989.4TFLOPS bf16", the peak that MFU and HFU divide by; empty without one.
std::string peakText(const ir::Plan& plan, const figures::Figures& figures);
/// "42.1%" of a fraction.
std::string percent(double fraction);
/// A figure in a unit that fits its dimension.
std::string show(const figures::Figure& figure);

/// "mesh { pipeline = 8, data = 8, tensor = 8 within domain }", axes of size 1 left out. What
/// `mesh = auto` found stands in lines of its own with the fields that it chose besides. The lines
/// can be pasted into a layout.
std::vector<std::string> meshLines(const ir::Plan& plan);
/// Wraps a comma-separated list of fields to `width` without breaking a field; further lines begin
/// in `column`.
std::string wrappedFields(const std::string& text, unsigned width, unsigned column);
/// Wraps a line of source to `width`. Further lines begin in `column` and keep its indentation, and
/// each line of a comment begins with `//`, so that it can still be pasted.
std::string sourceLine(const std::string& text, unsigned width, unsigned column);
/// "interleaved_1f1b, 2 chunks"; "selective [core_attention]"; "ZeRO 1, sequence over tensor".
std::string scheduleText(const ir::Plan& plan);
/// The same; what `schedule = auto` found as a line to paste into a layout.
std::string scheduleLine(const ir::Plan& plan);
/// Whether the schedule ends, also if each send blocks; empty without a pipeline.
std::string orderText(const ir::Plan& plan);
/// What was weighed for `split = balanced`.
std::string splitText(const ir::Plan& plan, const ir::SplitChoice& choice);
std::string recomputeText(const ir::Plan& plan);
std::string shardText(const ir::Plan& plan);
std::string precisionText(const ir::Plan& plan);
/// "512 sequences of 8192 tokens, 64 micro-batches of 1".
std::string batchText(const ir::Plan& plan);
std::string modelText(const ir::Plan& plan, const figures::Figures& figures);
std::string clusterText(const ir::Plan& plan);
/// "megatron 0.19 fills in overlap.gradients = false", without the kernels of experts; empty where
/// the layout names none.
std::string frameworkText(const ir::Plan& plan);
/// The default kernels and dispatcher of experts that the layout does not set, with the fields that
/// set them. Empty without experts, and if the layout sets all of them.
std::string assumedText(const ir::Plan& plan);
/// The host memory of offloaded tensors: "host memory 621GiB of 559GiB of node 0, 62.4GiB too
/// much".
std::string hostText(const ir::Cluster& cluster, const cost::FullestNode& node);
/// "nominal, old": the classes of nodes that hold a pipeline rank.
std::string nodeTypesText(const ir::Plan& plan, std::uint64_t pipelineRank);
/// What the bytes of a collective are, for a table.
const char* contents(ir::CollectivePurpose p);

} // namespace dpl::report
