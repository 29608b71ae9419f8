// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/text/operation_names.h"

#include <unordered_set>

namespace alxsim::hlo {
namespace {

using Names = std::unordered_set<std::string_view>;

} // namespace

bool is_transcendental(std::string_view opcode)
{
    static const Names names{"exponential", "exponential-minus-one",
                             "log",         "log-plus-one",
                             "logistic",    "sqrt",
                             "rsqrt",       "cbrt",
                             "tanh",        "sine",
                             "cosine",      "tan",
                             "power",       "atan2",
                             "erf",         "asin",
                             "acos",        "atan",
                             "sinh",        "cosh"};
    return names.count(opcode) > 0;
}

bool is_elementwise(std::string_view opcode)
{
    static const Names names{"abs",
                             "add",
                             "and",
                             "bitcast-convert",
                             "ceil",
                             "clamp",
                             "compare",
                             "complex",
                             "convert",
                             "count-leading-zeros",
                             "divide",
                             "floor",
                             "imag",
                             "is-finite",
                             "maximum",
                             "minimum",
                             "multiply",
                             "negate",
                             "not",
                             "or",
                             "popcnt",
                             "real",
                             "reduce-precision",
                             "remainder",
                             "round-nearest-afz",
                             "round-nearest-even",
                             "select",
                             "shift-left",
                             "shift-right-arithmetic",
                             "shift-right-logical",
                             "sign",
                             "stochastic-convert",
                             "subtract",
                             "xor"};
    return names.count(opcode) > 0 || is_transcendental(opcode);
}

bool is_free_custom_call(std::string_view target)
{
    static const Names names{"AllocateBuffer",
                             "ConcatBitcast",
                             "AssumeGatherIndicesInBound",
                             "GatherScatterIndicesBitpacked",
                             "AsyncCollectiveStart",
                             "AsyncCollectiveDone",
                             "PrepareAsyncCallStart",
                             "PrepareAsyncCallDone",
                             "X64SplitLow",
                             "X64SplitHigh",
                             "X64Combine",
                             "SliceId",
                             "Sharding",
                             "ZeroCrop", // zeros what pads its operand, in place
                             "AwsNeuronTransferWithStaticRing"}; // a mark on its operand
    return names.count(target) > 0;
}

bool is_free(std::string_view opcode)
{
    static const Names names{"parameter",
                             "constant",
                             "tuple",
                             "get-tuple-element",
                             "bitcast",
                             "after-all",
                             "partition-id",
                             "replica-id",
                             "opt-barrier",
                             "domain",
                             "add-dependency",
                             "get-dimension-size",
                             "set-dimension-size",
                             "async-update"};
    return names.count(opcode) > 0 || ends_with(opcode, "-done");
}

bool is_known_work(std::string_view opcode)
{
    static const Names names{"broadcast",
                             "concatenate",
                             "convolution",
                             "copy",
                             "copy-start",
                             "dot",
                             "dynamic-slice",
                             "dynamic-slice-start",
                             "dynamic-update-slice",
                             "dynamic-update-slice-start",
                             "fusion",
                             "gather",
                             "iota",
                             "map",
                             "pad",
                             "reduce",
                             "reduce-window",
                             "reshape",
                             "reverse",
                             "rng",
                             "rng-bit-generator",
                             "rng-get-and-update-state",
                             "scatter",
                             "select-and-scatter",
                             "slice",
                             "slice-start",
                             "sort",
                             "transpose",
                             "while",
                             "conditional",
                             "call",
                             "call-start",
                             "async-start",
                             "send",
                             "recv"};
    return names.count(opcode) > 0 || is_elementwise(opcode);
}

bool ends_with(std::string_view text, std::string_view end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool begins_with(std::string_view text, std::string_view begin)
{
    return text.substr(0, begin.size()) == begin;
}

} // namespace alxsim::hlo
