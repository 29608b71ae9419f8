// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/kineto/kineto_file.h"

#include "base/file_input.h"
#include "base/input_error.h"
#include "base/inputs/gunzip.h"
#include "base/json_document.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace alxsim::traces {
namespace {

constexpr std::int64_t most_file_bytes = std::int64_t{1} << 30;

/// An event of the GPU.
struct Kernel {
    const Json* event = nullptr;
    std::string place; ///< its JSON pointer
    double begin = 0;  ///< us
    double microseconds = 0;
    std::int64_t stream = 0;

    double end() const { return begin + microseconds; }
};

/// "_allgather_base" and "all_gather_into_tensor" are one: letters alone, lower case.
std::string letters_of(const std::string& name)
{
    std::string letters;
    for (const char letter : name) {
        if (std::isalpha(static_cast<unsigned char>(letter)) != 0) {
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        }
    }
    return letters;
}

/// What a name of a collective begins with; nothing of unknown ones.
std::optional<Exchange> exchange_named(const std::string& name)
{
    static const std::vector<std::pair<std::string, Exchange>> known{
        {"allreduce", Exchange::all_reduce},
        {"allgather", Exchange::all_gather},
        {"reducescatter", Exchange::reduce_scatter},
        {"alltoall", Exchange::all_to_all},
        {"broadcast", Exchange::broadcast},
        {"barrier", Exchange::barrier},
        {"gather", Exchange::gather},
        {"scatter", Exchange::scatter},
        {"reduce", Exchange::reduce}};
    const std::string letters = letters_of(name);
    for (const auto& [beginning, exchange] : known) {
        if (letters.rfind(beginning, 0) == 0) {
            return exchange;
        }
    }
    return std::nullopt;
}

/// Bytes of a number of c10::ScalarType's name; 0 of unknown ones.
int bytes_of_type(const std::string& name)
{
    static const std::map<std::string, int> bytes{
        {"byte", 1},   {"char", 1},      {"bool", 1},        {"floatem", 1},     {"short", 2},
        {"half", 2},   {"bfloat", 2},    {"int", 4},         {"float", 4},       {"long", 8},
        {"double", 8}, {"floatemfn", 1}, {"floatemfnuz", 1}, {"complexfloat", 8}};
    const auto found = bytes.find(letters_of(name));
    return found == bytes.end() ? 0 : found->second;
}

class KinetoReader {
public:
    KinetoReader(const Json& whole, const std::string& file) : whole_(whole), file_(file) {}

    Trace read()
    {
        const auto events = whole_.is_object() ? whole_.find("traceEvents") : whole_.end();
        if (events == whole_.end() || !events->is_array()) {
            throw InputError(file_, whole_.is_object() ? "/traceEvents" : "top level",
                             "found no list of events; allowed: a trace of the PyTorch profiler, "
                             R"({"traceEvents": [..]})");
        }
        for (std::size_t i = 0; i < events->size(); ++i) {
            take(events->at(i), i);
        }
        std::stable_sort(kernels_.begin(), kernels_.end(),
                         [](const Kernel& a, const Kernel& b) { return a.begin < b.begin; });
        for (const Kernel& kernel : kernels_) {
            add(kernel);
        }
        return std::move(trace_);
    }

private:
    [[noreturn]] void refuse(const std::string& place, const Json& found,
                             const std::string& allowed) const
    {
        throw InputError(file_, place,
                         "found " + found.dump().substr(0, 60) + "; allowed: " + allowed);
    }

    static std::string text(const Json& object, const char* field)
    {
        const auto found = object.is_object() ? object.find(field) : object.end();
        return found != object.end() && found->is_string() ? found->get<std::string>() : "";
    }

    double number(const Json& event, const char* field, const std::string& place) const
    {
        const auto found = event.find(field);
        if (found == event.end() || !found->is_number() ||
            !(found->get<double>() >= 0 && found->get<double>() <= 1e18)) {
            refuse(place + "/" + field, found == event.end() ? Json() : *found,
                   "microseconds, 0 or more");
        }
        return found->get<double>();
    }

    /// Reads it from args; nothing where they lack it.
    std::optional<std::int64_t> count(const Json& args, const char* field, std::int64_t most,
                                      const std::string& place) const
    {
        const auto found = args.find(field);
        if (found == args.end()) {
            return std::nullopt;
        }
        if (!found->is_number_integer() || *found < 0 || *found > most) {
            refuse(place + "/args/" + field, *found,
                   "a whole number up to " + std::to_string(most));
        }
        return found->get<std::int64_t>();
    }

    void take(const Json& event, std::size_t index)
    {
        const std::string category = text(event, "cat");
        if (text(event, "ph") != "X") {
            return;
        }
        const auto args = event.find("args");
        const bool has_args = args != event.end() && args->is_object();
        if (text(event, "name") == "record_param_comms" && has_args &&
            args->contains("External id")) {
            described_.emplace(args->at("External id").dump(), &event);
        }
        if (category != "kernel" && category != "gpu_memcpy" && category != "gpu_memset") {
            return;
        }
        Kernel kernel;
        kernel.event = &event;
        kernel.place = "/traceEvents/" + std::to_string(index);
        kernel.begin = number(event, "ts", kernel.place);
        kernel.microseconds = number(event, "dur", kernel.place);
        if (kernel.microseconds > static_cast<double>(most_microseconds)) {
            refuse(kernel.place + "/dur", event.at("dur"), "up to 1e12 microseconds");
        }
        kernel.stream =
            has_args ? count(*args, "stream", most_bytes_of_node, kernel.place).value_or(0) : 0;
        kernels_.push_back(std::move(kernel));
    }

    /// The args that tell of a collective: the kernel's, or its caller's.
    const Json* collective_args(const Json& args) const
    {
        if (args.contains("Collective name")) {
            return &args;
        }
        const auto found = args.contains("External id")
                               ? described_.find(args.at("External id").dump())
                               : described_.end();
        return found != described_.end() && found->second->at("args").contains("Collective name")
                   ? &found->second->at("args")
                   : nullptr;
    }

    void set_collective(Node& node, const Json& args, const std::string& place)
    {
        const std::string name = text(args, "Collective name");
        const std::string letters = letters_of(name);
        const std::int64_t elements =
            count(args, "In msg nelems", most_bytes_of_node / 8, place).value_or(0);
        node.bytes = elements * bytes_of_type(text(args, "dtype"));
        if (letters == "send" || letters == "recv") {
            node.kind = letters == "send" ? NodeKind::send : NodeKind::receive;
            const char* const field = letters == "send" ? "Dst Rank" : "Src Rank";
            const std::optional<std::int64_t> peer = count(args, field, most_ranks, place);
            if (!peer) {
                refuse(place + "/args/" + field, Json(), "the rank of the other side");
            }
            if (node.bytes == 0) {
                refuse(place + "/args/In msg nelems", Json(),
                       "elements, with a dtype that is known");
            }
            node.peer = static_cast<int>(*peer);
            return;
        }
        node.kind = NodeKind::collective;
        const std::optional<Exchange> exchange = exchange_named(name);
        node.has_exchange = exchange.has_value();
        node.exchange = exchange.value_or(Exchange::all_reduce);
        node.group = text(args, "Process Group Name");
        const std::optional<std::int64_t> size = count(args, "Group size", most_ranks, place);
        if (!size || *size < 1) {
            return;
        }
        const std::vector<int> ranks = ranks_of(args, static_cast<int>(*size));
        if (node.group.empty()) {
            node.group =
                ranks.empty() ? "of " + std::to_string(*size) : text(args, "Process Group Ranks");
        }
        if (ranks.empty()) {
            trace_.sizes.emplace(node.group, static_cast<int>(*size));
        } else {
            trace_.groups.emplace(node.group, ranks);
        }
    }

    /// As "[0, 1, 2]" says, if it has all; else none.
    static std::vector<int> ranks_of(const Json& args, int size)
    {
        const Json list = parse_json_or_string(text(args, "Process Group Ranks"), "ranks");
        if (list.is_array() && list.size() == static_cast<std::size_t>(size) &&
            std::all_of(list.begin(), list.end(), [](const Json& rank) {
                return rank.is_number_integer() && rank >= 0 && rank <= most_ranks;
            })) {
            return list.get<std::vector<int>>();
        }
        return {};
    }

    void set_copy(Node& node, const Json& args, const std::string& place) const
    {
        const std::string letters = letters_of(node.name);
        const std::optional<std::int64_t> bytes = count(args, "bytes", most_bytes_of_node, place);
        if (!bytes) {
            return; // takes what it took
        }
        node.bytes = *bytes;
        node.kind = letters.find("htod") != std::string::npos   ? NodeKind::load
                    : letters.find("dtoh") != std::string::npos ? NodeKind::store
                                                                : NodeKind::move;
    }

    void add(const Kernel& kernel)
    {
        static const Json no_args = Json::object();
        const Json& event = *kernel.event;
        const auto found = event.find("args");
        const Json& args = found != event.end() && found->is_object() ? *found : no_args;
        Node node;
        node.id = trace_.nodes.size();
        node.name = text(event, "name");
        node.kind = NodeKind::compute;
        node.seconds = kernel.microseconds / 1e6;
        const Json* const collective = collective_args(args);
        if (collective != nullptr && letters_of(node.name).find("nccl") != std::string::npos) {
            set_collective(node, *collective, kernel.place);
        } else if (text(event, "cat") == "gpu_memcpy") {
            set_copy(node, args, kernel.place);
        }
        wait(node, kernel);
        trace_.nodes.push_back(std::move(node));
    }

    /// Behind the last of its stream, and behind the last of each other that had ended.
    void wait(Node& node, const Kernel& kernel)
    {
        for (auto& [stream, queue] : streams_) {
            while (queue.ended < queue.kernels.size() &&
                   (stream == kernel.stream || queue.kernels[queue.ended].end <= kernel.begin)) {
                ++queue.ended;
            }
            if (queue.ended > 0) {
                node.after.push_back(queue.kernels[queue.ended - 1].id);
            }
        }
        streams_[kernel.stream].kernels.push_back({node.id, kernel.end()});
    }

    struct Queued {
        std::uint64_t id;
        double end;
    };
    struct Queue {
        std::vector<Queued> kernels;
        std::size_t ended = 0; ///< how many of them a later kernel has waited for
    };

    const Json& whole_;
    const std::string& file_;
    std::vector<Kernel> kernels_;
    std::unordered_map<std::string, const Json*> described_; ///< [External id]
    std::map<std::int64_t, Queue> streams_;
    Trace trace_;
};

} // namespace

Trace read_kineto(std::string_view bytes, const std::string& file)
{
    const Json whole = parse_json(bytes, file);
    Trace trace = KinetoReader(whole, file).read();
    trace.file = file;
    return trace;
}

Trace read_kineto_file(const std::string& path)
{
    return read_kineto(gunzipped(read_file(path, most_file_bytes), path, most_file_bytes), path);
}

} // namespace alxsim::traces
