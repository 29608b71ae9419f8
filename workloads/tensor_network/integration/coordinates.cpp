// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/integration/coordinates.h"

#include "spmd/linear/eigen_matrices.h"
#include "spmd/linear/op_parts.h"
#include "workloads/tensor_network/steps.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alxsim::tensor_network {
namespace {

using spmd::Array;

const char* const phase = "normal";

/// sum += what each device has.
void add_up(const Building& building, const std::string& name, Array sum)
{
    building.step.collective(name, model::CollectiveKind::all_reduce, building.axes, sum, sum, 0,
                             spmd::Combine::sum_in_pairs);
}

/// The inner products of a train's results, [results x results] on all devices.
Array add_inner_products(const Building& building, const std::string& name, const Train& terms)
{
    Array gramian;
    for (std::size_t k = terms.legs(); k-- > 0;) {
        const std::string of = of_core(name, k);
        const Array product = k + 1 == terms.legs()
                                  ? terms.cores[k]
                                  : times(building, of + ".product", terms.cores[k], gramian);
        gramian = spmd::add_panel_gramian(building.step, {of, phase}, product, terms.cores[k],
                                          static_cast<int>(building.share(terms.sizes[k])),
                                          building.axes);
    }
    return gramian;
}

/// Frames of the tangent space: the same train with all cores but the last orthonormal from the
/// left, and all but the first from the right.
struct Frames {
    Train from_left, from_right;
};

/// [k]: the cores of terms behind leg k times the frame there, [terms' rank x frame's rank].
std::vector<Array> add_right_overlaps(const Building& building, const std::string& name,
                                      const Train& terms, const Frames& frames)
{
    std::vector<Array> overlaps(terms.legs());
    for (std::size_t k = terms.legs() - 1; k > 0; --k) {
        const std::string of = of_core(name, k);
        const Train& frame = frames.from_right;
        const int share = static_cast<int>(building.share(terms.sizes[k]));
        const Array product = k + 1 == terms.legs()
                                  ? terms.cores[k]
                                  : times(building, of + ".product", terms.cores[k], overlaps[k]);
        const Array overlap = building.matrix(of, terms.ranks[k], frame.ranks[k]);
        building.step.multiply(of, phase, {product, false, share}, {frame.cores[k], true, share},
                               {overlap});
        add_up(building, of, overlap);
        overlaps[k - 1] = overlap;
    }
    return overlaps;
}

/// sums[0] - the rest of them with their signs, all [m x m].
Array add_difference(const Building& building, const std::string& name, Array whole,
                     const std::vector<Array>& less, const std::vector<Array>& more)
{
    const spmd::Shape shape = building.step.shape(whole);
    const Array result = building.matrix(name, shape.rows, shape.columns);
    std::vector<spmd::Touch> reads{whole};
    reads.insert(reads.end(), less.begin(), less.end());
    reads.insert(reads.end(), more.begin(), more.end());
    building.step.compute(
        name, phase,
        spmd::elementwise(shape.elements(), static_cast<double>(reads.size()), shape.columns),
        reads, {result}, [=](const auto& on) {
            for (std::int64_t i = 0; i < shape.elements(); ++i) {
                auto sum = on(whole)[i];
                for (const Array each : less) {
                    sum -= on(each)[i];
                }
                for (const Array each : more) {
                    sum += on(each)[i];
                }
                on(result)[i] = sum;
            }
        });
    return result;
}

/// The products of the terms' normal components. The projection is the sum over legs k of
/// U_<k x I x V_>k minus the sum over bonds of U_<=k x V_>k: what is left of the terms between
/// frames is [rank x terms x rank], for each point of leg k.
Array add_normal_products(const Building& building, const std::string& name, const Train& terms,
                          Array whole, const Frames& frames)
{
    spmd::StepBuilder& step = building.step;
    const std::vector<Array> right = add_right_overlaps(building, name + ".right", terms, frames);
    const std::int64_t results = terms.ranks[0];
    std::vector<Array> of_legs;
    std::vector<Array> of_bonds;
    Array left; // [rank x terms x the terms' rank]
    for (std::size_t k = 0; k < terms.legs(); ++k) {
        const std::string of = of_core(name, k);
        const bool is_last = k + 1 == terms.legs();
        const std::int64_t share = building.share(terms.sizes[k]);
        const std::int64_t rank = frames.from_left.ranks[k];
        const Array passed =
            k == 0 ? terms.cores[k]
                   : multiply_panels(building, of + ".passed", left, terms.cores[k], share);
        const Array between = is_last ? passed : times(building, of + ".between", passed, right[k]);
        of_legs.push_back(spmd::add_panel_gramian(step, {of + ".leg", phase}, between, between,
                                                  static_cast<int>(share * rank), building.axes));
        if (is_last) {
            break;
        }
        const std::int64_t next = frames.from_left.ranks[k + 1];
        const std::int64_t wide = results * terms.ranks[k + 1];
        const Array sum = building.matrix(of + ".left", next, wide);
        step.multiply(
            of + ".left", phase, {frames.from_left.cores[k], true, static_cast<int>(share)},
            {reshaped(building, passed, share * rank, wide), false, static_cast<int>(share)},
            {sum});
        add_up(building, of + ".left", sum);
        left = reshaped(building, sum, next * results, terms.ranks[k + 1]);
        const Array at_bond = times(building, of + ".at bond", left, right[k]);
        of_bonds.push_back(spmd::add_panel_gramian(step, {of + ".bond", phase}, at_bond, at_bond,
                                                   static_cast<int>(next), {}));
    }
    return add_difference(building, name, whole, of_legs, of_bonds);
}

/// Directions of C, each a column of [d d x directions].
template <class Real>
spmd::EigenRows<Real> directions_of(CoordinateMode mode, std::int64_t d)
{
    if (mode == CoordinateMode::full) {
        return spmd::EigenRows<Real>::Identity(d * d, d * d);
    }
    spmd::EigenRows<Real> directions = spmd::EigenRows<Real>::Zero(d * d, d * (d - 1) / 2);
    std::int64_t column = 0;
    for (std::int64_t i = 0; i < d; ++i) {
        for (std::int64_t j = 0; j < i; ++j, ++column) {
            directions(i * d + j, column) = 1;
            directions(j * d + i, column) = -1;
        }
    }
    return directions;
}

/// The inner products of terms, one for each entry of C and one for the rest: [d d + 1] each way,
/// whole and of the normal components; and the drift [d d].
template <class Real>
struct MotionProblem {
    using Matrix = spmd::EigenRows<Real>;
    using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

    Eigen::Map<const Matrix> whole, normal;
    Vector drift;

    /// C = motion - (the drift along the directions), which would leave nothing of it: so a term
    /// that vanishes, of which rounding alone is left, has the C of small ones. `norms`: of the
    /// normal component with C = 0 and with C.
    void solve(CoordinateMode mode, double lambda, Real* c, Real* norms) const
    {
        const std::int64_t d = static_cast<std::int64_t>(std::llround(std::sqrt(drift.size())));
        const std::int64_t entries = d * d;
        const auto terms = normal.topLeftCorner(entries, entries);
        const Vector with_rest = normal.col(entries).head(entries);
        const Matrix directions = directions_of<Real>(mode, d);
        const Matrix dual =
            (directions.transpose() * directions).inverse() * directions.transpose();
        const Vector along = dual * drift;
        const Vector across = drift - directions * along; // no C in these directions undoes it

        const Matrix products = directions.transpose() * terms * directions;
        const Vector rest = directions.transpose() * (terms * across + with_rest);
        const Real of_rest =
            across.dot(terms * across) + 2 * across.dot(with_rest) + normal(entries, entries);
        const auto norm_with = [&](const Vector& motion) {
            return std::sqrt(
                std::max(Real(0), motion.dot(products * motion) + 2 * motion.dot(rest) + of_rest));
        };
        norms[0] = norm_with(along);
        Eigen::Map<Vector> result(c, entries);
        if (std::isinf(lambda)) {
            result.setZero();
            norms[1] = norms[0];
            return;
        }
        const Matrix squares =
            directions.transpose() * whole.topLeftCorner(entries, entries) * directions;
        const Real penalty =
            static_cast<Real>(lambda * lambda) * std::max(Real(0), squares.diagonal().maxCoeff());
        const Real rounding =
            4096 * std::numeric_limits<Real>::epsilon() * whole.diagonal().head(entries).maxCoeff();
        Matrix regularized = products;
        regularized.diagonal().array() += penalty + rounding;
        const Vector motion = regularized.llt().solve(penalty * along - rest);
        result = directions * (motion - along);
        norms[1] = norm_with(motion);
    }
};

} // namespace

CoordinateMotion add_coordinate_motion(Building& building, const std::string& name,
                                       const Adaptation& adaptation, const Problem& problem,
                                       const Grid& grid, const DerivedTrain& density, Array gamma)
{
    const auto d = static_cast<std::int64_t>(problem.dimensions);
    const Train coarse =
        add_rounding(building, name + ".coarse", density.train, adaptation.coarse_tolerance);
    const Frames frames{coarse, orthonormal_from_right(building, name + ".frames", coarse)};
    const OperatorTrain op =
        stacked(coordinate_terms(static_cast<int>(d)), right_side(problem, false));
    const Array numbers =
        add_operator_numbers(building, name + ".numbers", problem, gamma, {}, 1 / adaptation.tau);
    const Train terms = add_operator(building, name + ".terms", grid, op, numbers, density);
    const Array whole = add_inner_products(building, name + ".whole", terms);
    const Array normal = add_normal_products(building, name + ".normal", terms, whole, frames);
    const CoordinateMotion motion{building.matrix(name + ".c", d, d),
                                  building.matrix(name + ".norms", 1, 2)};
    const std::int64_t unknowns = d * d;
    building.step.compute(
        name + ".c", "coordinates", spmd::division(unknowns * unknowns * unknowns, unknowns),
        {whole, normal, numbers}, {motion.c, motion.normal},
        [=, mode = adaptation.mode, lambda = adaptation.lambda](const auto& on) {
            using Solved = MotionProblem<spmd::NumberOf<decltype(on)>>;
            using Matrix = typename Solved::Matrix;
            using Vector = typename Solved::Vector;
            const OperatorNumbers places{static_cast<int>(d)};
            Solved{Eigen::Map<const Matrix>(on(whole), unknowns + 1, unknowns + 1),
                   Eigen::Map<const Matrix>(on(normal), unknowns + 1, unknowns + 1),
                   -Eigen::Map<const Vector>(on(numbers) + places.drift(0, 0), unknowns)}
                .solve(mode, lambda, on(motion.c), on(motion.normal));
        });
    return motion;
}

} // namespace alxsim::tensor_network
