// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/op_parts.h"
#include "workloads/tensor_network/steps.h"

#include <algorithm>
#include <cmath>

namespace alxsim::tensor_network {
namespace {

using spmd::Array;

Train round_by_svd(Building& building, const std::string& name, const Train& train,
                   double tolerance)
{
    Train rounded = orthonormal_from_right(building, name, train);
    Truncation truncation(tolerance, train.legs() - 1);
    for (std::size_t k = 0; k + 1 < train.legs(); ++k) {
        const std::string of = of_core(name, k) + ".cut";
        truncation.allow(most_of_bond(rounded, k));
        const Cut cut = add_cut(building, of, rounded.cores[k], truncation);
        rounded.cores[k] = cut.u;
        rounded.ranks[k + 1] = cut.kept;
        rounded.cores[k + 1] =
            multiply_panels(building, of + ".next", cut.s_vt, rounded.cores[k + 1],
                            building.share(train.sizes[k + 1]));
    }
    return rounded;
}

/// [k]: the Gramian of all that stands right of core k - 1: the sum over the leg of A_k G A_k^T.
std::vector<Array> right_gramians(const Building& building, const std::string& name,
                                  const Train& train)
{
    std::vector<Array> gramians(train.legs());
    for (std::size_t k = train.legs() - 1; k > 0; --k) {
        const std::string of = of_core(name, k) + ".right";
        const bool is_last = k + 1 == train.legs();
        const Array product =
            is_last ? train.cores[k]
                    : times(building, of + ".product", train.cores[k], gramians[k + 1]);
        gramians[k] = spmd::add_panel_gramian(
            building.step, {of, "gramians"}, product, train.cores[k],
            static_cast<int>(building.share(train.sizes[k])), building.axes);
    }
    return gramians;
}

/// S = sqrt(values) V^T of a positive semidefinite matrix S^T S. What rounding has made negative
/// counts as 0.
Array add_root(Building& building, const std::string& name, Array gramian)
{
    spmd::StepBuilder& step = building.step;
    const std::int64_t n = step.shape(gramian).rows;
    const spmd::EigenPairs eigen =
        spmd::add_eigen(step, {name, "eigenvectors"}, gramian, building.eigenvectors);
    const Array root = building.matrix(name + ".root", n, n);
    step.compute(name + ".root", "eigenvectors", spmd::elementwise(n * n, 1, n),
                 {eigen.values, eigen.vectors}, {root}, [=](const auto& on) {
                     using Real = spmd::NumberOf<decltype(on)>;
                     for (std::int64_t j = 0; j < n; ++j) {
                         const Real s = std::sqrt(std::max(on(eigen.values)[j], Real(0)));
                         for (std::int64_t row = 0; row < n; ++row) {
                             on(root)[j * n + row] = s * on(eigen.vectors)[row * n + j];
                         }
                     }
                 });
    return root;
}

/// W over its singular values [n x kept], whose squares belong to its columns; largest first.
Array add_kept_vectors(Building& building, const std::string& name, const spmd::EigenPairs& eigen,
                       std::int64_t kept)
{
    spmd::StepBuilder& step = building.step;
    const std::int64_t n = step.shape(eigen.vectors).rows;
    const Array vectors = building.matrix(name, n, kept);
    step.compute(
        name, "eigenvectors", spmd::division(n * kept, kept),
        {eigen.values, {eigen.vectors, static_cast<double>(kept) / static_cast<double>(n)}},
        {vectors}, [=](const auto& on) {
            using Real = spmd::NumberOf<decltype(on)>;
            for (std::int64_t j = 0; j < kept; ++j) {
                const Real value = root_of(on(eigen.values)[n - 1 - j], on(eigen.values)[n - 1]);
                const Real over = value > 0 ? 1 / value : Real(0);
                for (std::int64_t row = 0; row < n; ++row) {
                    on(vectors)[row * kept + j] = over * on(eigen.vectors)[row * n + n - 1 - j];
                }
            }
        });
    return vectors;
}

/// With the cores before it orthonormal, core X [.. x r] and the right Gramian S^T S: the cut's
/// squared singular values are the eigenvalues of S (X^T X) S^T = W diag W^T; with Z = W over the
/// singular values, the new core is X S^T Z, and the next one is multiplied by Z^T S X^T X.
Train round_by_gramians(Building& building, const std::string& name, const Train& train,
                        double tolerance)
{
    const std::vector<Array> right = right_gramians(building, name, train);
    Train rounded = train;
    Truncation truncation(tolerance, train.legs() - 1);
    spmd::StepBuilder& step = building.step;
    for (std::size_t k = 0; k + 1 < train.legs(); ++k) {
        const std::string of = of_core(name, k);
        const std::int64_t rank = train.ranks[k + 1];
        const Array root = add_root(building, of + ".right eigen", right[k + 1]);
        const Array left =
            spmd::add_gramian(step, {of + ".left", "gramians"}, rounded.cores[k], building.axes);
        const Array root_left = times(building, of + ".root left", root, left);
        const Array both = building.matrix(of + ".both", rank, rank);
        step.multiply(of + ".both", "products", {root_left}, {root, true}, {both});
        const spmd::EigenPairs eigen =
            spmd::add_eigen(step, {of + ".eigen", "eigenvectors"}, both, building.eigenvectors);
        truncation.allow(most_of_bond(rounded, k));
        const std::int64_t kept = kept_of(building, {eigen.values, true}, truncation);
        const Array vectors = add_kept_vectors(building, of + ".vectors", eigen, kept);
        const Array to_left = building.matrix(of + ".to left", rank, kept);
        step.multiply(of + ".to left", "products", {root, true}, {vectors}, {to_left});
        const Array to_right = building.matrix(of + ".to right", kept, rank);
        step.multiply(of + ".to right", "products", {vectors, true}, {root_left}, {to_right});
        rounded.cores[k] = times(building, of + ".core", rounded.cores[k], to_left);
        rounded.ranks[k + 1] = kept;
        rounded.cores[k + 1] = multiply_panels(building, of + ".next", to_right, train.cores[k + 1],
                                               building.share(train.sizes[k + 1]));
    }
    return rounded;
}

} // namespace

Train add_rounding(Building& building, const std::string& name, const Train& train,
                   double tolerance)
{
    return building.method == Method::svd ? round_by_svd(building, name, train, tolerance)
                                          : round_by_gramians(building, name, train, tolerance);
}

} // namespace alxsim::tensor_network
