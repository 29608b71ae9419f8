// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/eigen_matrices.h"
#include "workloads/tensor_network/program.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace alxsim::tensor_network {
namespace {

using Matrix = spmd::EigenRows<double>;
using Sizes = std::vector<std::int64_t>;

/// A full tensor is written out for an error up to so many numbers.
constexpr double most_for_error = 1 << 24;

/// The larger one; not a number if one of them is none.
double larger_or_nan(double a, double b)
{
    return std::isnan(a) || b <= a ? a : b;
}

std::int64_t product(const Sizes& sizes, std::size_t first, std::size_t last)
{
    return std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(first),
                           sizes.begin() + static_cast<std::ptrdiff_t>(last), std::int64_t{1},
                           std::multiplies<>());
}

/// tensor with its legs first .. first + count (of sizes) multiplied by a matrix [rows x their
/// product].
std::vector<double> multiplied(const std::vector<double>& tensor, const Sizes& sizes,
                               std::size_t first, std::size_t count, const Matrix& matrix)
{
    const std::int64_t outer = product(sizes, 0, first);
    const std::int64_t length = product(sizes, first, first + count);
    const std::int64_t inner = product(sizes, first + count, sizes.size());
    std::vector<double> result(static_cast<std::size_t>(outer * matrix.rows() * inner));
    for (std::int64_t block = 0; block < outer; ++block) {
        const Eigen::Map<const Matrix> from(tensor.data() + block * length * inner, length, inner);
        Eigen::Map<Matrix>(result.data() + block * matrix.rows() * inner, matrix.rows(), inner) =
            matrix * from;
    }
    return result;
}

/// What a MERA's matrices are, as numbers.
struct HostLayer {
    Sizes sizes;
    std::vector<std::pair<std::size_t, Matrix>> disentanglers; ///< its first leg
    std::vector<Matrix> isometries;
};

/// The tensor of a layer from that of the layer above.
std::vector<double> lowered(const HostLayer& layer, std::vector<double> tensor)
{
    Sizes sizes;
    for (const Matrix& isometry : layer.isometries) {
        sizes.push_back(isometry.cols());
    }
    for (std::size_t k = 0; k < layer.isometries.size(); ++k) {
        tensor = multiplied(tensor, sizes, k, 1, layer.isometries[k]);
        sizes[k] = layer.isometries[k].rows();
    }
    for (const auto& [first, matrix] : layer.disentanglers) {
        tensor = multiplied(tensor, layer.sizes, first, 2, matrix.transpose());
    }
    return tensor;
}

/// The same through all layers.
std::vector<double> lowered(const std::vector<HostLayer>& layers, std::vector<double> tensor)
{
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        tensor = lowered(*layer, std::move(tensor));
    }
    return tensor;
}

/// The largest entry of |V^T V - I|.
double off_orthonormal(const Matrix& v)
{
    return (v.transpose() * v - Matrix::Identity(v.cols(), v.cols())).cwiseAbs().maxCoeff();
}

Json search_json(const Disentangler& search, std::size_t layer)
{
    return {{"layer", layer},
            {"bond", search.bond},
            {"before", search.before},
            {"target", search.target},
            {"found", search.found},
            {"starts", search.iterations.size()},
            {"iterations", search.iterations},
            {"dropped", search.dropped}};
}

} // namespace

double Computed::error_of(const HostTrain& result) const
{
    return request_.starts_with_tensor()
               ? relative_difference(begun_with_tensor(request_), full_tensor(result))
               : relative_difference(begun_with_train(request_), result);
}

HostTrain Computed::read_expanded(const Tucker& tucker) const
{
    const HostTrain core = read_train(undealt(building_), tucker.core);
    std::vector<std::vector<double>> factors;
    for (std::size_t k = 0; k < tucker.factors.size(); ++k) {
        factors.push_back(read_dealt(building_, tucker.factors[k], tucker.sizes[k]));
    }
    return with_factors(core, tucker.sizes, factors);
}

Json Computed::train_results() const
{
    const HostTrain train = read_train(building_, *made_.train);
    return {
        {"ranks", train.ranks}, {"numbers", made_.train->numbers()}, {"error", error_of(train)}};
}

Json Computed::tucker_results() const
{
    const Tucker& tucker = *made_.tucker;
    double orthogonality = 0;
    Json values = Json::array();
    for (std::size_t k = 0; k < tucker.factors.size(); ++k) {
        orthogonality = larger_or_nan(
            orthogonality,
            distance_from_orthonormal(read_dealt(building_, tucker.factors[k], tucker.sizes[k]),
                                      tucker.sizes[k], tucker.core.sizes[k]));
        values.push_back(read_values(building_, tucker.values[k]));
    }
    return {{"ranks", made_.train->ranks},
            {"tucker_ranks", tucker.core.sizes},
            {"core_ranks", tucker.core.ranks},
            {"numbers", tucker.numbers()},
            {"error", error_of(read_expanded(tucker))},
            {"orthogonality", orthogonality},
            {"mode_singular_values", values}};
}

Json Computed::mera_results() const
{
    const Mera& mera = *made_.mera;
    double orthogonality = 0;
    Json ranks = Json::array();
    Json searches = Json::array();
    std::vector<HostLayer> layers;
    for (const MeraLayer& layer : mera.layers) {
        const auto matrix_of = [&](spmd::Array array) {
            const spmd::Shape shape = step_.shape(array);
            Matrix matrix =
                Eigen::Map<const Matrix>(numbers_.read(array, 0).data(), shape.rows, shape.columns);
            orthogonality = larger_or_nan(orthogonality, off_orthonormal(matrix));
            return matrix;
        };
        HostLayer host{layer.sizes, {}, {}};
        Json kept = Json::array();
        for (const spmd::Array isometry : layer.isometries) {
            host.isometries.push_back(matrix_of(isometry));
            kept.push_back(host.isometries.back().cols());
        }
        for (const Disentangler& each : layer.disentanglers) {
            host.disentanglers.emplace_back(static_cast<std::size_t>(each.bond) - 1,
                                            matrix_of(each.matrix));
            searches.push_back(search_json(each, layers.size() + 1));
        }
        ranks.push_back(kept);
        layers.push_back(std::move(host));
    }
    Json results = {{"ranks", made_.train->ranks},
                    {"mera_ranks", ranks},
                    {"numbers", count_json(mera.numbers())},
                    {"orthogonality", orthogonality},
                    {"starts", searches}};
    if (numbers_of_tensor(request_.sizes) <= most_for_error) {
        const std::vector<double> top = full_tensor(read_train(undealt(building_), mera.top));
        results["error"] = relative_difference(begun_with_tensor(request_), lowered(layers, top));
    }
    return results;
}

Json Computed::results() const
{
    Json results = made_.mera ? mera_results() : made_.tucker ? tucker_results() : train_results();
    if (request_.data != nullptr) { // else ranks were asked for
        results["tolerance"] = request_.tolerance;
        results["has_all_digits"] = request_.method == Method::svd && request_.in_f64;
    }
    results["tensor_numbers"] = count_json(numbers_of_tensor(request_.sizes));
    results["train_numbers"] = made_.train->numbers();
    if (!request_.ranks.empty()) {
        results["given_train_numbers"] = numbers_of_train(request_.sizes, request_.ranks);
    }
    return results;
}

std::vector<std::pair<std::string, NpyMatrix>> Computed::arrays() const
{
    std::vector<std::pair<std::string, NpyMatrix>> all;
    const auto add_train = [&](const std::string& name, const Building& building, const Train& of) {
        const HostTrain train = read_train(building, of);
        for (std::size_t k = 0; k < train.legs(); ++k) {
            const Sizes shape{train.ranks[k], train.sizes[k], train.ranks[k + 1]};
            all.emplace_back(of_core(name, k),
                             NpyMatrix{shape[0] * shape[1], shape[2], train.cores[k], shape});
        }
    };
    if (made_.tucker) {
        for (std::size_t k = 0; k < made_.tucker->factors.size(); ++k) {
            all.emplace_back(
                of_core("factor", k),
                NpyMatrix{made_.tucker->sizes[k], made_.tucker->core.sizes[k],
                          read_dealt(building_, made_.tucker->factors[k], made_.tucker->sizes[k])});
        }
        add_train("core", undealt(building_), made_.tucker->core);
    } else if (made_.mera) {
        for (std::size_t l = 0; l < made_.mera->layers.size(); ++l) {
            const std::string name = of_core("layer", l);
            const auto add = [&](const std::string& matrix, spmd::Array array) {
                const spmd::Shape shape = step_.shape(array);
                all.emplace_back(name + "." + matrix,
                                 NpyMatrix{shape.rows, shape.columns, numbers_.read(array, 0)});
            };
            const MeraLayer& layer = made_.mera->layers[l];
            for (std::size_t k = 0; k < layer.disentanglers.size(); ++k) {
                add(of_core("disentangler", k), layer.disentanglers[k].matrix);
            }
            for (std::size_t k = 0; k < layer.isometries.size(); ++k) {
                add(of_core("isometry", k), layer.isometries[k]);
            }
        }
        add_train("top", undealt(building_), made_.mera->top);
    } else {
        add_train("core", building_, *made_.train);
    }
    return all;
}

} // namespace alxsim::tensor_network
