// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/tensor_network/jobs.h"

#include "base/npy.h"
#include "spmd/linear/random.h"
#include "spmd/linear/tall_qr.h"
#include "tests/unit/model/building.h"
#include "workloads/tensor_network/kind.h"

#include <cmath>
#include <functional>
#include <numeric>

namespace alxsim::tensor_network {
namespace {

using Sizes = std::vector<std::int64_t>;

std::vector<double> normals(std::uint64_t stream, std::int64_t count)
{
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(spmd::random_normal(stream, i));
    }
    return numbers;
}

/// A function of the sum of all indices.
std::vector<double> of_index_sum(std::int64_t size, std::size_t legs,
                                 const std::function<double(std::int64_t)>& value)
{
    std::vector<std::int64_t> sums{0};
    for (std::size_t leg = 0; leg < legs; ++leg) {
        std::vector<std::int64_t> more;
        for (const std::int64_t sum : sums) {
            for (std::int64_t i = 0; i < size; ++i) {
                more.push_back(sum + i);
            }
        }
        sums = std::move(more);
    }
    std::vector<double> tensor;
    for (const std::int64_t sum : sums) {
        tensor.push_back(value(sum));
    }
    return tensor;
}

/// A matrix [rows x columns] with orthonormal columns.
struct Orthonormal {
    std::int64_t rows, columns;
    std::vector<double> numbers;
};

Orthonormal orthonormal(std::uint64_t stream, std::int64_t rows, std::int64_t columns)
{
    Orthonormal q{rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns))};
    std::vector<double> r(static_cast<std::size_t>(columns * columns));
    spmd::tall_qr(normals(stream, rows * columns).data(), rows, columns, q.numbers.data(),
                  r.data());
    return q;
}

/// Multiplies [outer x columns x inner].
std::vector<double> multiplied(const Orthonormal& by, const std::vector<double>& tensor,
                               std::int64_t outer)
{
    const std::int64_t inner = static_cast<std::int64_t>(tensor.size()) / outer / by.columns;
    std::vector<double> result(static_cast<std::size_t>(outer * by.rows * inner));
    for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t row = 0; row < by.rows; ++row) {
            for (std::int64_t column = 0; column < by.columns; ++column) {
                const double factor =
                    by.numbers[static_cast<std::size_t>(row * by.columns + column)];
                for (std::int64_t i = 0; i < inner; ++i) {
                    result[static_cast<std::size_t>((o * by.rows + row) * inner + i)] +=
                        factor *
                        tensor[static_cast<std::size_t>((o * by.columns + column) * inner + i)];
                }
            }
        }
    }
    return result;
}

struct Layer {
    std::int64_t size; ///< of a leg below it
    std::vector<Orthonormal> disentanglers, isometries;
};

} // namespace

Json golden()
{
    return load_json(ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/tensor_train.json");
}

std::unique_ptr<workloads::Workload> made(const Json& fields, int devices)
{
    Json all = {{"tolerance", 1e-4},    {"eigenvectors", "products"},
                {"eigen_products", 30}, {"levels", 1},
                {"dtype", "f64"},       {"passes", 6},
                {"stream", 100},        {"iterations", 400}};
    all.merge_patch(fields);
    return tensor_network_kind().make({{"workload", {{"tensor_network", all}}}}, "study.json",
                                      model::machine_of("tpu_v5e", devices));
}

Json results_of(const workloads::Workload& workload)
{
    workloads::RunOptions options;
    options.threads = 2;
    const auto run = workload.start(options);
    while (run->next()) {
    }
    return run->results();
}

Json results_of(const Json& fields, int devices)
{
    return results_of(*made(fields, devices));
}

std::string write_tensor(const TemporaryFolder& folder, const std::string& name, const Sizes& sizes,
                         const std::vector<double>& tensor)
{
    const std::string path = folder.path(name + ".npy");
    const auto numbers = static_cast<std::int64_t>(tensor.size());
    write_npy(path, {numbers / sizes.back(), sizes.back(), tensor, sizes}, NpyNumber::f8);
    return path;
}

std::string write_hilbert(const TemporaryFolder& folder, std::int64_t size, std::size_t legs)
{
    return write_tensor(folder, "hilbert", Sizes(legs, size),
                        of_index_sum(size, legs, [](std::int64_t sum) {
                            return 1 / (static_cast<double>(sum) + 1);
                        }));
}

std::string write_sine(const TemporaryFolder& folder, std::int64_t size, std::size_t legs)
{
    return write_tensor(folder, "sine", Sizes(legs, size),
                        of_index_sum(size, legs, [](std::int64_t sum) {
                            return std::sin(static_cast<double>(sum));
                        }));
}

std::vector<std::string> write_cores(const TemporaryFolder& folder, const std::string& name,
                                     const HostTrain& train)
{
    std::vector<std::string> files;
    for (std::size_t k = 0; k < train.legs(); ++k) {
        files.push_back(write_tensor(folder, name + std::to_string(k),
                                     {train.ranks[k], train.sizes[k], train.ranks[k + 1]},
                                     train.cores[k]));
    }
    return files;
}

HostTrain random_train(std::uint64_t stream, const Sizes& sizes, const Sizes& ranks)
{
    HostTrain train{sizes, ranks, {}};
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        train.cores.push_back(normals(stream + k, ranks[k] * sizes[k] * ranks[k + 1]));
    }
    return train;
}

HostTrain sum(const HostTrain& a, double factor, const HostTrain& b)
{
    HostTrain negative = b;
    for (double& number : negative.cores.front()) {
        number *= -factor;
    }
    return difference(a, negative);
}

std::vector<double> mera_tensor(std::int64_t size, std::size_t legs, const Sizes& ranks)
{
    std::uint64_t stream = 201;
    std::vector<Layer> layers;
    for (const std::int64_t rank : ranks) {
        Layer layer{size, {}, {}};
        for (std::size_t i = 0; i + 1 < legs / 2; ++i) {
            layer.disentanglers.push_back(orthonormal(stream++, size * size, size * size));
        }
        for (std::size_t i = 0; i < legs / 2; ++i) {
            layer.isometries.push_back(orthonormal(stream++, size * size, rank));
        }
        layers.push_back(std::move(layer));
        size = rank;
        legs /= 2;
    }
    std::int64_t numbers = 1;
    for (std::size_t leg = 0; leg < legs; ++leg) {
        numbers *= size;
    }
    std::vector<double> tensor = normals(stream, numbers);
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        std::int64_t outer = 1;
        for (const Orthonormal& isometry : layer->isometries) {
            tensor = multiplied(isometry, tensor, outer);
            outer *= layer->size * layer->size;
        }
        outer = layer->size;
        for (const Orthonormal& disentangler : layer->disentanglers) {
            tensor = multiplied(disentangler, tensor, outer);
            outer *= layer->size * layer->size;
        }
    }
    return tensor;
}

} // namespace alxsim::tensor_network
