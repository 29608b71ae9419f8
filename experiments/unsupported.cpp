// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "experiments/study.h"

namespace alxsim::experiments {
namespace {

/// A field of which only some values work yet; none: the field itself is for later.
struct Limit {
    const char* pointer;
    Json allowed; ///< array
};

const std::vector<Limit>& limits()
{
    static const std::vector<Limit> all{
        {"/workload/alx/gather", {"all_reduce_loop", "all_reduce"}},
        {"/workload/alx/scatter", Json::array({"all_gather"})},
        {"/workload/alx/placement", Json::array({"contiguous"})},
        {"/workload/alx/overlap/kind", Json::array({"none"})},
        {"/workload/alx/group_axes", Json::array()},
    };
    return all;
}

std::string listed(const Json& allowed)
{
    std::vector<std::string> words;
    for (const Json& value : allowed) {
        words.push_back(value.dump());
    }
    return join(words);
}

} // namespace

void refuse_unsupported(const Json& document, const std::string& file)
{
    for (const Limit& limit : limits()) {
        const Json::json_pointer pointer(limit.pointer);
        if (!document.contains(pointer)) {
            continue;
        }
        const Json& found = document.at(pointer);
        bool supported = false;
        for (const Json& value : limit.allowed) {
            supported = supported || value == found;
        }
        if (!supported) {
            throw InputError(file, limit.pointer,
                             limit.allowed.empty()
                                 ? "this field is not supported yet: leave it out"
                                 : "found " + found.dump() +
                                       ", which is not supported yet; allowed for now: " +
                                       listed(limit.allowed));
        }
    }
}

} // namespace alxsim::experiments
