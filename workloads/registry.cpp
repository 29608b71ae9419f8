// SPDX-License-Identifier: Apache-2.0
#include "workloads/registry.h"

#include "base/input_error.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace alxsim::workloads {
namespace {

std::vector<std::string> field_names(const Kind& kind)
{
    std::vector<std::string> names;
    for (const auto& [name, schema] : kind.fields.items()) {
        names.push_back(name);
    }
    return names;
}

bool has_field_of(const Json& workload, const Kind& kind)
{
    const std::vector<std::string> names = field_names(kind);
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return workload.contains(name); });
}

/// "alx (dataset, split, alx, evaluation) or op_graph"
std::string in_words(const std::vector<Kind>& kinds)
{
    std::vector<std::string> words;
    for (const Kind& kind : kinds) {
        const std::vector<std::string> names = field_names(kind);
        const bool plain = names.size() == 1 && names.front() == kind.name;
        words.push_back(kind.name + (plain ? "" : " (" + join(names) + ")"));
    }
    return join(words, " or ");
}

} // namespace

void Registry::add(Kind kind)
{
    for (const Kind& other : kinds_) {
        bool taken = other.name == kind.name;
        for (const std::string& name : field_names(kind)) {
            taken = taken || other.fields.contains(name);
        }
        if (taken) {
            throw std::logic_error("workload kind '" + kind.name + "' takes names of '" +
                                   other.name + "'");
        }
    }
    kinds_.push_back(std::move(kind));
}

const Kind& Registry::kind_of(const Json& study, const std::string& file) const
{
    const Json& workload = study.at("workload");
    const Kind* found = nullptr;
    for (const Kind& kind : kinds_) {
        if (!has_field_of(workload, kind)) {
            continue;
        }
        if (found != nullptr) {
            throw InputError(file, "/workload",
                             "found fields of " + found->name + " and of " + kind.name +
                                 "; allowed is one kind: " + in_words(kinds_));
        }
        found = &kind;
    }
    if (found == nullptr) {
        throw InputError(file, "/workload",
                         "found no workload; allowed is one kind: " + in_words(kinds_));
    }
    return *found;
}

const Kind* Registry::find(const Json& study) const
{
    const auto workload = study.find("workload");
    const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& kind) {
        return workload != study.end() && has_field_of(*workload, kind);
    });
    return found == kinds_.end() ? nullptr : &*found;
}

Better better_of(const Kind& kind, const std::string& metric)
{
    const auto found = std::find_if(kind.metrics.begin(), kind.metrics.end(),
                                    [&](const MetricKind& one) { return one.name == metric; });
    return found == kind.metrics.end() ? Better::higher : found->better;
}

Registry& registry()
{
    static Registry all;
    return all;
}

} // namespace alxsim::workloads
