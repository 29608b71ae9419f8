// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/phases.h"

#include "workloads/import/hlo/text/attributes.h"

#include <set>
#include <vector>

namespace alxsim::hlo {
namespace {

bool has(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

std::vector<std::string_view> parts_of_path(std::string_view path)
{
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= path.size(); ++i) {
        const char at = i < path.size() ? path[i] : '/';
        depth += at == '(' ? 1 : at == ')' ? -1 : 0;
        if (at == '/' && (depth <= 0 || i == path.size())) {
            parts.push_back(path.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    return parts;
}

/// What JAX itself puts into the path: jit(f), while, body, ..
bool is_of_jax(std::string_view part)
{
    static const std::set<std::string_view> words{
        "while",     "body",  "cond", "closed_call",  "scan",        "checkpoint",
        "shard_map", "remat", "pjit", "branch_0_fun", "branch_1_fun"};
    return part.empty() || has(part, "(") || words.count(part) > 0;
}

std::string first_scope(std::string_view op_name)
{
    const std::vector<std::string_view> parts = parts_of_path(op_name);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) { // the last is the primitive
        if (!is_of_jax(parts[i])) {
            return std::string(parts[i]);
        }
    }
    return "program";
}

} // namespace

Phases::Phases(const Module& module) : differentiates_(has(*module.text, "jvp(")) {}

std::string Phases::of(std::string_view op_name, const std::string& otherwise) const
{
    if (op_name.empty()) {
        return otherwise;
    }
    if (!differentiates_) {
        return first_scope(op_name);
    }
    return has(op_name, "rematted_computation") ? "recomputation"
           : has(op_name, "transpose(jvp(")     ? "backward"
           : has(op_name, "jvp(")               ? "forward"
                                                : "optimizer";
}

} // namespace alxsim::hlo
