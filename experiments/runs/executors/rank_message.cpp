// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/rank_message.h"

#include "base/json_fields.h"
#include "experiments/version.h"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/types.h>
#include <unistd.h>

namespace alxsim::experiments {

template <class Fields>
void list_fields(Fields& fields, RankIdentity& identity)
{
    fields("version", identity.version);
    fields("host", identity.host);
    fields("process", identity.process);
}

namespace {

/// A boot of a machine, and a container on it.
std::string host_name()
{
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    std::error_code none;
    return boot + " " + std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
}

} // namespace

std::string text_of(const RankMessage& message)
{
    return message.word + ' ' + std::to_string(message.number) + ' ' + message.text;
}

RankMessage rank_message(const std::string& text)
{
    const std::size_t first = text.find(' ');
    const std::size_t second = text.find(' ', first + 1);
    return {text.substr(0, first), std::stoul(text.substr(first + 1, second - first - 1)),
            text.substr(second + 1)};
}

std::string own_identity()
{
    return json_of(RankIdentity{std::string(version) + " (" + commit + ")", host_name(),
                                static_cast<long>(getpid())})
        .dump();
}

RankIdentity rank_identity(const std::string& text)
{
    return value_of_json<RankIdentity>(parse_written_json(text));
}

bool is_gone(const RankIdentity& identity)
{
    return identity.host == host_name() && kill(static_cast<pid_t>(identity.process), 0) != 0 &&
           errno == ESRCH;
}

} // namespace alxsim::experiments
