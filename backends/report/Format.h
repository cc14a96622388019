#pragma once
//===- Format.h - Formats figures for people --------------------------------------------------===//
#include "cost/step/HostMemory.h"
#include "figures/Figures.h"
#include <optional>
#include <string>
#include <vector>

namespace dpl::report {

/// Device memory in binary units, as drivers report it: "51.2GiB".
std::string memory(double bytes);
std::string duration(double seconds);
/// The confidence interval after a mean, by its half-width: " ± 4.939ms, 95 % confidence".
std::string within(std::optional<double> halfWidth);
std::string fromPicoseconds(std::uint64_t ps);
/// Traffic, in decimal units as link rates are: "7.29GB".
std::string traffic(double bytes);
/// A plain number: "8192", "70.55e9".
std::string count(double n);
std::string flop(double n);
/// Tokens or samples per second: "425.1ktok/s".
std::string rate(double perSecond, bool samples);
/// " of 989.4TFLOPS bf16": the peak of MFU and HFU; empty if there is none.
std::string peakText(const ir::Plan& plan, const figures::Figures& figures);
/// Formats a fraction: "42.1%".
std::string percent(double fraction);
/// A figure in a unit that fits its dimension.
std::string show(const figures::Figure& figure);

/// "mesh { pipeline = 8, data = 8, tensor = 8 within domain }", without axes of size 1. The result
/// of `mesh = auto` is on separate lines, with the other fields that it chose. The lines can be
/// pasted into a layout.
std::vector<std::string> meshLines(const ir::Plan& plan);
/// Wraps a comma-separated list of fields to `width` without breaking a field. Continuation lines
/// begin in `column`.
std::string wrappedFields(const std::string& text, unsigned width, unsigned column);
/// Wraps a source line to `width`. Continuation lines begin in `column` and keep the indentation.
/// Every line of a comment begins with `//`, so that the result can be pasted.
std::string sourceLine(const std::string& text, unsigned width, unsigned column);
/// "interleaved_1f1b, 2 chunks …".
std::string scheduleText(const ir::Plan& plan);
/// The schedule; the result of `schedule = auto` is a line that can be pasted into a layout.
std::string scheduleLine(const ir::Plan& plan);
/// A sentence on deadlocks, with buffered and blocking sends; empty without a pipeline.
std::string orderText(const ir::Plan& plan);
/// The splits that `split = balanced` compared.
std::string splitText(const ir::Plan& plan, const ir::SplitChoice& choice);
std::string recomputeText(const ir::Plan& plan);
std::string shardText(const ir::Plan& plan);
std::string precisionText(const ir::Plan& plan);
/// "512 sequences of 8192 tokens, 64 micro-batches of 1 …".
std::string batchText(const ir::Plan& plan);
std::string modelText(const ir::Plan& plan, const figures::Figures& figures);
std::string clusterText(const ir::Plan& plan);
/// "megatron 0.19 fills in overlap.gradients = false", without the kernels of experts. Empty if the
/// layout names no framework.
std::string frameworkText(const ir::Plan& plan);
/// The default kernels and token dispatcher of experts, with the fields that set them. Empty
/// without experts, and if the layout sets all of them.
std::string assumedText(const ir::Plan& plan);
/// The host memory of offloaded tensors: "host memory 621GiB of 559GiB of node 0, 62.4GiB too
/// much".
std::string hostText(const ir::Cluster& cluster, const cost::FullestNode& node);
/// "nominal, old": the node types of a pipeline rank.
std::string nodeTypesText(const ir::Plan& plan, std::uint64_t pipelineRank);
/// The contents of a collective's buffer, for a table.
const char* contents(ir::CollectivePurpose p);

} // namespace dpl::report
