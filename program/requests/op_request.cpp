// SPDX-License-Identifier: Apache-2.0
#include "program/requests/op_request.h"

#include "base/input_error.h"
#include "experiments/points/op_timing.h"
#include "experiments/points/study/machine_request.h"

#include <filesystem>
#include <sstream>

namespace alxsim::program {

using namespace experiments;

namespace {

/// Reads "true,false".
std::vector<bool> wrap_of(const std::string& text)
{
    std::vector<bool> wrap;
    std::istringstream flags(text);
    for (std::string flag; std::getline(flags, flag, ',');) {
        if (flag != "true" && flag != "false") {
            throw InputError("--wrap", "",
                             "found " + text +
                                 "; allowed: true or false for each axis, like "
                                 "true,false");
        }
        wrap.push_back(flag == "true");
    }
    return wrap;
}

} // namespace

topologies::Machine machine_for(const OpRequest& request)
{
    MachineRequest machine;
    machine.chip = request.chip;
    machine.cores = request.cores;
    machine.slices = request.slices;
    if (request.cores.value_or(1) < 1) {
        throw InputError("--cores", "",
                         "found " + std::to_string(*request.cores) + "; allowed: 1 or more");
    }
    if (request.slices < 1) {
        throw InputError("--slices", "",
                         "found " + std::to_string(request.slices) + "; allowed: 1 or more");
    }
    if (!request.slice.empty()) {
        machine.slice = request.slice;
    }
    if (!request.wrap.empty()) {
        machine.wrap = wrap_of(request.wrap);
    }
    machine.schedule = request.schedule;
    for (const std::string& setting : request.overrides) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos) {
            throw InputError("--override", setting,
                             "is not of the form KEY=VALUE, like ici_link_bw_oneway=1.64e11 or "
                             "ici_link_bw_oneway=x2");
        }
        machine.overrides.emplace_back(
            setting.substr(0, equals),
            parse_json_or_string(setting.substr(equals + 1),
                                 "--override " + setting.substr(0, equals)));
    }
    for (const std::string& fault : request.faults) {
        if (!machine.faults) {
            machine.faults = Json::array();
        }
        machine.faults->push_back(parse_json(fault, "--fault"));
    }
    machine = with_chip_named(machine, "command line");
    machine.cores = machine.cores.value_or(1);
    return machine_for_op(machine, "command line");
}

GivenOps given_ops(const std::string& words)
{
    const std::size_t begin = words.find_first_not_of(" \t\n");
    const bool is_json = begin != std::string::npos && (words[begin] == '{' || words[begin] == '[');
    GivenOps given{is_json ? "OP" : words, {}};
    if (!is_json && !std::filesystem::exists(words)) {
        throw InputError("OP", words,
                         "is neither JSON nor a file; allowed: an op like "
                         R"({"work":"matmul","m":1024,"k":1024,"n":1024}, a list of ops, an op )"
                         R"(graph {"ops":[...]}, or a file with one of these)");
    }
    given.json = with_whole_numbers(is_json ? parse_json(words, given.place) : load_json(words));
    return given;
}

} // namespace alxsim::program
