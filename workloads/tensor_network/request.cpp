// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/request.h"

#include "base/input_error.h"
#include "base/inputs/sha256.h"
#include "base/npy.h"
#include "base/paths.h"
#include "spmd/linear/random.h"

#include <algorithm>

namespace alxsim::tensor_network {
namespace {

const std::string place = "/workload/tensor_network";

using Sizes = std::vector<std::int64_t>;

std::string text_of(const Sizes& sizes)
{
    return npy_shape_text(sizes);
}

/// Reads the lists of a study that go with each other.
class Reader {
public:
    Reader(const Json& job, const std::string& file) : job_(job), file_(file) {}

    [[noreturn]] void refuse(const std::string& field, const std::string& words) const
    {
        throw InputError(file_, field.empty() ? place : place + "/" + field, words);
    }
    bool has(const std::string& field) const { return job_.contains(field); }
    void refuse_beside_data(const std::string& field) const
    {
        if (has(field)) {
            refuse(field, "found beside data; allowed: with sizes and ranks alone, since data have "
                          "theirs");
        }
    }

    /// One for each leg.
    Sizes of_legs(const std::string& field, std::size_t legs) const
    {
        const Json& found = job_.at(field);
        Sizes list = found.is_array() ? found.get<Sizes>() : Sizes(legs, found.get<std::int64_t>());
        if (list.size() != legs) {
            refuse(field, "found a list of " + std::to_string(list.size()) +
                              "; allowed: one number for each of " + std::to_string(legs) +
                              " legs, or one for all");
        }
        return list;
    }

    /// [legs + 1]: each as low as what stands left and right of it allows.
    Sizes of_bonds(const std::string& field, const Sizes& sizes) const
    {
        const std::size_t legs = sizes.size();
        const Json& found = job_.at(field);
        Sizes list;
        if (!found.is_array()) {
            list.assign(legs + 1, found.get<std::int64_t>());
        } else {
            list = found.get<Sizes>();
            if (list.size() + 1 == legs) {
                list.insert(list.begin(), 1);
                list.push_back(1);
            }
        }
        if (list.size() != legs + 1 ||
            (found.is_array() && (list.front() != 1 || list.back() != 1))) {
            refuse(field, "found " + text_of(found.is_array() ? found.get<Sizes>() : list) +
                              "; allowed: one number for each of " + std::to_string(legs - 1) +
                              " bonds between legs, the outer ones (1) beside them or not; or one "
                              "for all");
        }
        list.front() = list.back() = 1;
        if (!found.is_array()) {
            clamp(list, sizes);
        }
        return list;
    }

    static void clamp(Sizes& ranks, const Sizes& sizes)
    {
        for (std::size_t k = 1; k < sizes.size(); ++k) {
            ranks[k] = std::min(ranks[k], ranks[k - 1] * sizes[k - 1]);
        }
        for (std::size_t k = sizes.size() - 1; k > 0; --k) {
            ranks[k] = std::min(ranks[k], ranks[k + 1] * sizes[k]);
        }
    }

private:
    const Json& job_;
    const std::string& file_;
};

HostTrain train_from(const std::vector<std::string>& files)
{
    HostTrain train{{}, {1}, {}};
    for (const std::string& file : files) {
        NpyMatrix core = read_npy_array(file);
        const bool last = train.legs() + 1 == files.size();
        if (core.shape.size() != 3 || core.shape[0] != train.ranks.back() ||
            (last && core.shape[2] != 1) || core.values.empty()) {
            throw InputError(file, "",
                             "found a core of " + npy_shape_text(core.shape) + "; allowed: (" +
                                 std::to_string(train.ranks.back()) + ", its leg's size, " +
                                 (last ? "1" : "the next core's left rank") + ")");
        }
        train.sizes.push_back(core.shape[1]);
        train.ranks.push_back(core.shape[2]);
        train.cores.push_back(std::move(core.values));
    }
    return train;
}

void check_finite(const std::vector<double>& values, const std::string& file)
{
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
        throw InputError(file, "", "found a number that is not finite; allowed are finite ones");
    }
}

void read_data(const Json& job, const Reader& reader, const std::string& file, Request& request)
{
    if (reader.has("tensor") && reader.has("cores")) {
        reader.refuse("cores", "found beside tensor; allowed: one of them");
    }
    auto data = std::make_shared<Data>();
    if (reader.has("tensor")) {
        if (request.step == StepKind::round) {
            reader.refuse("tensor", "found for step round; allowed: cores, since a train is "
                                    "rounded; step svd makes one");
        }
        const std::string path = resolve_path(job.at("tensor").get<std::string>(), file);
        NpyMatrix tensor = read_npy_tensor(path);
        if (tensor.shape.size() < 2 || tensor.values.empty()) {
            throw InputError(path, "",
                             "found a tensor of " + npy_shape_text(tensor.shape) +
                                 "; allowed: two legs or more, none of size 0");
        }
        check_finite(tensor.values, path);
        request.sizes = tensor.shape;
        data->tensor = std::move(tensor.values);
    } else {
        if (request.step == StepKind::svd) {
            reader.refuse("cores", "found for step svd; allowed: tensor, since svd makes a train; "
                                   "step round lowers the ranks of one");
        }
        std::vector<std::string> files = job.at("cores").get<std::vector<std::string>>();
        for (std::string& each : files) {
            each = resolve_path(each, file);
        }
        data->train = train_from(files);
        for (std::size_t k = 0; k < files.size(); ++k) {
            check_finite(data->train->cores[k], files[k]);
        }
        request.sizes = data->train->sizes;
        request.ranks = data->train->ranks;
    }
    for (const char* field : {"sizes", "ranks", "kept", "tucker_ranks", "legs"}) {
        reader.refuse_beside_data(field);
    }
    request.data = std::move(data);
}

void read_sizes(const Json& job, const Reader& reader, Request& request)
{
    for (const char* field : {"sizes", "ranks"}) {
        if (!reader.has(field)) {
            reader.refuse("", std::string("found no ") + field +
                                  "; allowed: tensor or cores (files), or sizes and ranks");
        }
    }
    std::size_t legs = 0;
    for (const char* field : {"sizes", "tucker_ranks"}) {
        legs = reader.has(field) && job.at(field).is_array() ? job.at(field).size() : legs;
    }
    if (reader.has("legs")) {
        if (legs != 0 && legs != job.at("legs").get<std::size_t>()) {
            reader.refuse("legs", "found " + job.at("legs").dump() + " beside a list of " +
                                      std::to_string(legs) + "; allowed: the same number");
        }
        legs = job.at("legs");
    }
    if (legs == 0) {
        reader.refuse("legs", "found none; allowed: a number, or a list as sizes");
    }
    request.sizes = reader.of_legs("sizes", legs);
    request.ranks = reader.of_bonds("ranks", request.sizes);
    Sizes most = request.ranks;
    Reader::clamp(most, request.sizes);
    if (most != request.ranks) {
        reader.refuse("ranks", "found " + text_of(request.ranks) +
                                   "; allowed: none above what stands left or right of it, at "
                                   "most " +
                                   text_of(most));
    }
    double numbers = 0;
    for (std::size_t k = 0; k < legs; ++k) {
        numbers += static_cast<double>(request.ranks[k]) * static_cast<double>(request.sizes[k]) *
                   static_cast<double>(request.ranks[k + 1]);
    }
    if (numbers > 1e15) {
        reader.refuse("ranks", "found a train beyond those that can be counted; allowed: up to "
                               "1e15 numbers");
    }
    if (numbers_of_tensor(request.sizes) > 1e15 && request.step == StepKind::svd) {
        reader.refuse("sizes", "found a tensor beyond those that can be counted; allowed: up to "
                               "1e15 numbers");
    }
}

/// Fields that another step reads.
void refuse_of_other_steps(const Reader& reader, const Request& request)
{
    const std::vector<std::pair<std::string, StepKind>> of_steps{{"kept", StepKind::round},
                                                                 {"tucker_ranks", StepKind::tucker},
                                                                 {"mera_ranks", StepKind::mera}};
    const std::vector<std::string> names{"svd", "round", "tucker", "mera"};
    for (const auto& [field, step] : of_steps) {
        if (reader.has(field) && request.step != step) {
            reader.refuse(field, "found for step " + request.step_name + "; allowed: for step " +
                                     names[static_cast<std::size_t>(step)]);
        }
    }
}

/// What stays, where sizes are all that is known.
void read_kept(const Json& job, const Reader& reader, Request& request)
{
    const std::size_t legs = request.legs();
    if (request.step == StepKind::round) {
        if (reader.has("kept")) {
            request.kept = reader.of_bonds("kept", request.sizes);
        } else {
            for (const std::int64_t rank : request.ranks) {
                request.kept.push_back(std::max<std::int64_t>(1, rank / 2));
            }
        }
        for (std::size_t k = 0; k <= legs; ++k) {
            if (request.kept[k] > request.ranks[k]) {
                reader.refuse("kept", "found " + text_of(request.kept) +
                                          "; allowed: at most the ranks, " +
                                          text_of(request.ranks));
            }
        }
        Reader::clamp(request.kept, request.sizes);
    }
    if (request.step == StepKind::tucker) {
        if (reader.has("tucker_ranks")) {
            request.tucker_ranks = reader.of_legs("tucker_ranks", legs);
        } else {
            for (const std::int64_t size : request.sizes) {
                request.tucker_ranks.push_back(std::max<std::int64_t>(1, size / 2));
            }
        }
        for (std::size_t k = 0; k < legs; ++k) {
            const std::int64_t most =
                std::min(request.sizes[k], request.ranks[k] * request.ranks[k + 1]);
            if (reader.has("tucker_ranks") && job.at("tucker_ranks").is_array() &&
                request.tucker_ranks[k] > most) {
                reader.refuse("tucker_ranks/" + std::to_string(k),
                              "found " + std::to_string(request.tucker_ranks[k]) +
                                  "; allowed: at most the leg's size and the product of the ranks "
                                  "beside it, " +
                                  std::to_string(most));
            }
            request.tucker_ranks[k] = std::min(request.tucker_ranks[k], most);
        }
    }
}

void read_layers(const Json& job, const Reader& reader, Request& request)
{
    if (request.step != StepKind::mera) {
        return;
    }
    if (!reader.has("mera_ranks")) {
        reader.refuse("", "found no mera_ranks; allowed for step mera: a rank for each layer, as "
                          "[2] or [5, 5]");
    }
    request.mera_ranks = job.at("mera_ranks").get<Sizes>();
    const std::size_t pairs = std::size_t{1} << request.mera_ranks.size();
    std::size_t legs = request.legs();
    for (std::size_t layer = 0; layer < request.mera_ranks.size(); ++layer) {
        if (legs % 2 != 0 || legs < 4) {
            reader.refuse("mera_ranks",
                          "found " + std::to_string(request.mera_ranks.size()) + " layers for " +
                              std::to_string(request.legs()) +
                              " legs; allowed: an even number of legs, 4 or more, below each "
                              "layer (a layer halves them; for these layers a multiple of " +
                              std::to_string(pairs) + ")");
        }
        legs /= 2;
    }
}

std::string key_of(const Json& job, const Request& request)
{
    Json what = job;
    what.erase("levels");
    Sha256 sha;
    sha.add(what.dump());
    const auto add = [&](const std::vector<double>& numbers) {
        sha.add({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
    };
    sha.add(Json({request.sizes, request.ranks, request.stream}).dump());
    add(request.data->tensor);
    for (std::size_t k = 0; request.data->train && k < request.legs(); ++k) {
        add(request.data->train->cores[k]);
    }
    return sha.digest();
}

} // namespace

Request request_of(const Json& study, const std::string& file)
{
    const Json& job = study.at("workload").at("tensor_network");
    const Reader reader(job, file);
    Request request;
    request.step_name = job.at("step");
    request.step = request.step_name == "svd"      ? StepKind::svd
                   : request.step_name == "round"  ? StepKind::round
                   : request.step_name == "tucker" ? StepKind::tucker
                                                   : StepKind::mera;
    request.tolerance = job.value("tolerance", 1e-4);
    const bool by_gramians = request.step == StepKind::svd || request.step == StepKind::round;
    const std::string method = job.value("method", by_gramians ? "gramians" : "svd");
    request.method = method == "svd" ? Method::svd : Method::gramians;
    request.eigenvectors.products =
        job.at("eigenvectors") == "products" ? job.at("eigen_products").get<std::int64_t>() : 0;
    request.levels = job.at("levels");
    request.in_f64 = job.value("dtype", std::string("f32")) == "f64";
    request.passes = job.at("passes");
    request.iterations = job.at("iterations");
    request.stream =
        (study.value("seed", std::uint64_t{1}) - 1) * 65536 + job.at("stream").get<std::uint64_t>();
    refuse_of_other_steps(reader, request);
    if (reader.has("tensor") || reader.has("cores")) {
        read_data(job, reader, file, request);
        request.key = key_of(job, request);
    } else {
        read_sizes(job, reader, request);
        read_kept(job, reader, request);
    }
    read_layers(job, reader, request);
    return request;
}

HostTrain begun_with_train(const Request& request)
{
    if (request.data != nullptr) {
        return *request.data->train;
    }
    HostTrain train{request.sizes, request.ranks, {}};
    for (std::size_t k = 0; k < request.legs(); ++k) {
        std::vector<double> core;
        const std::int64_t numbers = request.ranks[k] * request.sizes[k] * request.ranks[k + 1];
        for (std::int64_t i = 0; i < numbers; ++i) {
            core.push_back(spmd::random_normal(request.stream + k, i));
        }
        train.cores.push_back(std::move(core));
    }
    return train;
}

std::vector<double> begun_with_tensor(const Request& request)
{
    return request.data != nullptr && !request.data->train ? request.data->tensor
                                                           : full_tensor(begun_with_train(request));
}

} // namespace alxsim::tensor_network
