// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/disentangler.h"

#include "spmd/linear/op_parts.h"
#include "spmd/linear/random.h"
#include "spmd/linear/svd.h"
#include "spmd/linear/tall_qr.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace alxsim::tensor_network {
namespace {

using spmd::Array;

constexpr std::int64_t most_starts = 8;
constexpr std::int64_t most_iterations = 4000;
/// A start that drops hardly less than so many iterations before has stalled. Those that converge
/// in the end have plateaus, too, so that hardly is one in a hundred.
constexpr std::int64_t stalled_after = 200;
constexpr double hardly_less = 0.99;
constexpr std::uint64_t first_stream = 700; ///< of the random starts

/// The identity, the legs exchanged, or the Q of a random matrix.
std::vector<double> start_matrix(std::int64_t start, const Pair& shape)
{
    const std::int64_t n = shape.legs();
    std::vector<double> matrix(static_cast<std::size_t>(n * n));
    if (start >= 2) {
        std::vector<double> random;
        for (std::int64_t i = 0; i < n * n; ++i) {
            random.push_back(
                spmd::random_normal(first_stream + static_cast<std::uint64_t>(start), i));
        }
        std::vector<double> r(random.size());
        spmd::tall_qr(random.data(), n, n, matrix.data(), r.data());
        return matrix;
    }
    for (std::int64_t a = 0; a < shape.a; ++a) {
        for (std::int64_t b = 0; b < shape.b; ++b) {
            const std::int64_t row = start == 0 ? a * shape.b + b : b * shape.a + a;
            matrix[static_cast<std::size_t>(row * n + a * shape.b + b)] = 1;
        }
    }
    return matrix;
}

/// result = matrix + its norm times 1e-10 (f32: 1e-5) on the diagonal.
template <class Real>
void add_some_identity(const Real* matrix, std::int64_t n, Real* result)
{
    Real squares = 0;
    for (std::int64_t i = 0; i < n * n; ++i) {
        squares += matrix[i] * matrix[i];
        result[i] = matrix[i];
    }
    const Real some = std::sqrt(squares) * Real(std::is_same_v<Real, double> ? 1e-10 : 1e-5);
    for (std::int64_t i = 0; i < n; ++i) {
        result[i * n + i] += some;
    }
}

/// Whether a search is over, by what is dropped after each iteration.
class Progress {
public:
    explicit Progress(double enough) : enough_(enough) {}

    bool is_over(double dropped)
    {
        dropped_.push_back(dropped);
        const auto done = static_cast<std::int64_t>(dropped_.size());
        const bool stalls =
            done > stalled_after &&
            !(dropped < hardly_less * dropped_[static_cast<std::size_t>(done - 1 - stalled_after)]);
        return dropped <= enough_ || stalls || done == most_iterations;
    }
    double last() const { return dropped_.empty() ? 0 : dropped_.back(); }

private:
    double enough_;
    std::vector<double> dropped_;
};

/// Below so much of the largest a Gramian has no singular values (root_of()).
double blind_share(const Building& building)
{
    return building.numbers->in_f64() ? 2 * std::sqrt(std::numeric_limits<double>::epsilon())
                                      : 2 * std::sqrt(std::numeric_limits<float>::epsilon());
}

/// What the iterations work on: the pair as this start has turned it, and by which matrix.
class Search {
public:
    Search(Building& building, std::string name, const Pair& shape, Array pair)
        : building_(building),
          name_(std::move(name)),
          shape_(shape),
          share_(building.share(shape.left)),
          pair_(add_own_share(building, name_ + ".own", pair, shape.left)),
          current_(building.matrix(name_ + ".current", share_ * shape.a, shape.b * shape.right)),
          turned_(building.matrix(name_ + ".turned", share_ * shape.legs(), shape.right)),
          matrix_(building.matrix(name_ + ".matrix", shape.legs(), shape.legs())),
          product_(building.matrix(name_ + ".product", shape.legs(), shape.legs()))
    {
        as_panels_ = reshaped(building, current_, share_ * shape.legs(), shape.right);
    }

    Array matrix() const { return matrix_; }
    Array current() const { return current_; }

    /// Multiplies by an orthogonal matrix that stands in `by`.
    void begin(std::int64_t start)
    {
        const Array by = building_.matrix(name_ + ".start " + std::to_string(start), shape_.legs(),
                                          shape_.legs());
        if (building_.numbers != nullptr) {
            building_.numbers->copy(by, start_matrix(start, shape_), model::DType::f32);
        }
        turn_pair(by);
        copy(by, matrix_);
    }

    /// The matrix as orthogonal as rounding allows, which products of many have not left it, and
    /// the pair turned by that.
    void finish()
    {
        copy(add_polar(name_ + ".orthogonal", matrix_), matrix_);
        turn_pair(matrix_);
    }

    /// Iterations until the progress is over, or as many as were decided; what is dropped in the
    /// end.
    std::pair<std::int64_t, double> iterate(std::int64_t target, double enough, std::int64_t given)
    {
        Progress progress(enough);
        SingularValues values;
        const std::int64_t times = building_.step.loop(
            name_ + ".iterate", "disentangle", given, [&] { values = add_iteration(target); },
            [&](std::int64_t) { return progress.is_over(dropped(values, target)); });
        return {times, progress.last()};
    }

private:
    /// current = the given pair, multiplied by an orthogonal matrix.
    void turn_pair(Array by)
    {
        const Array panels = reshaped(building_, pair_, share_ * shape_.legs(), shape_.right);
        const int count = static_cast<int>(share_);
        building_.step.multiply(name_ + ".turn pair", "products", {by}, {panels, false, count},
                                {turned_, false, count});
        copy(turned_, current_);
    }
    void copy(Array from, Array to) const
    {
        const spmd::Shape shape = building_.step.shape(to);
        building_.step.compute(
            name_ + ".copy", "products", spmd::elementwise(shape.elements(), 1, shape.columns),
            {from}, {to}, [=](const auto& on) { std::copy_n(on(from), shape.elements(), on(to)); });
    }

    /// Over the norm. What a Gramian cannot see counts as if it were there.
    double dropped(SingularValues values, std::int64_t target) const
    {
        const std::vector<double> all = read_values(building_, values);
        double kept = 0;
        double tail = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            (static_cast<std::int64_t>(i) < target ? kept : tail) += all[i] * all[i];
        }
        const double share = kept + tail > 0 ? std::sqrt(tail / (kept + tail)) : 0;
        return values.are_squares ? std::max(share, blind_share(building_)) : share;
    }

    /// The nearest pair of the target's rank, and the orthogonal matrix that comes nearest to it.
    SingularValues add_iteration(std::int64_t target)
    {
        Truncation truncation = Truncation::to_rank(target);
        const RightCut cut = add_right_cut(building_, name_ + ".cut", current_, truncation);
        const Array nearest = times(building_, name_ + ".nearest", cut.rest, cut.v, true);
        const Array moment = spmd::add_panel_gramian(
            building_.step, {name_ + ".moment", "gramians"},
            reshaped(building_, nearest, share_ * shape_.legs(), shape_.right), as_panels_,
            static_cast<int>(share_), building_.axes);
        const Array turn = add_polar(name_ + ".polar", add_full_rank(moment));
        const int count = static_cast<int>(share_);
        building_.step.multiply(name_ + ".turn", "products", {turn}, {as_panels_, false, count},
                                {turned_, false, count});
        building_.step.multiply(name_ + ".turn matrix", "products", {turn}, {matrix_}, {product_});
        copy(turned_, current_);
        copy(product_, matrix_);
        return cut.values;
    }

    /// The same matrix with a little of the identity. Where it says nothing, because it has no full
    /// rank, rounding would decide on its polar factor otherwise.
    Array add_full_rank(Array moment) const
    {
        const std::int64_t n = shape_.legs();
        const Array full = building_.matrix(name_ + ".full rank", n, n);
        building_.step.compute(name_ + ".full rank", "decompose", spmd::elementwise(n * n, 2, n),
                               {moment}, {full},
                               [=](const auto& on) { add_some_identity(on(moment), n, on(full)); });
        return full;
    }

    /// X Y^T of the SVD of a matrix: the orthogonal one that is nearest to it.
    Array add_polar(const std::string& name, Array of) const
    {
        spmd::StepBuilder& step = building_.step;
        const std::int64_t n = shape_.legs();
        const Array u = building_.matrix(name + ".u", n, n);
        const Array s = building_.matrix(name + ".s", 1, n);
        const Array vt = building_.matrix(name + ".vt", n, n);
        model::OpGraph ops;
        ops.name = name;
        spmd::add_svd(ops, {1, n, n, step.buffer(of), "decompose", name},
                      {step.buffer(u), step.buffer(s), step.buffer(vt)}, -1, nullptr);
        step.compute_graph(name, "decompose", std::move(ops), {of}, {u, s, vt},
                           [=](const auto& on) { spmd::svd(on(of), n, n, on(u), on(s), on(vt)); });
        const Array turn = building_.matrix(name, n, n);
        step.multiply(name, "products", {u}, {vt}, {turn});
        return turn;
    }

    Building& building_;
    std::string name_;
    Pair shape_;
    std::int64_t share_; ///< of the left bond
    Array pair_;         ///< [share x a x b x right], as it was given
    Array current_;      ///< the same, turned: [share a x b right] ...
    Array as_panels_;    ///< ... and as [share a b x right]
    Array turned_;
    Array matrix_, product_;
};

/// The pair cut in two again.
void split(Building& building, const std::string& name, const Pair& shape, Array dealt,
           std::int64_t target, Disentangled& result)
{
    Truncation truncation = Truncation::to_rank(target);
    const Cut cut = add_cut(building, name + ".split", dealt, truncation);
    result.kept = cut.kept;
    spmd::StepBuilder& step = building.step;
    const std::int64_t padded = building.share(shape.left) * building.devices();
    Array all = cut.u;
    if (building.devices() > 1) {
        all = building.matrix(name + ".gathered", padded * shape.a, cut.kept);
        step.collective(name, model::CollectiveKind::all_gather, building.axes, cut.u, all);
    }
    result.first = building.matrix(name + ".first", shape.a * shape.left, cut.kept);
    step.compute(name + ".first", "products",
                 spmd::elementwise(shape.a * shape.left * cut.kept, 1, cut.kept), {all},
                 {result.first}, [=, kept = cut.kept, to = result.first](const auto& on) {
                     for (std::int64_t l = 0; l < shape.left; ++l) {
                         for (std::int64_t a = 0; a < shape.a; ++a) {
                             std::copy_n(on(all) + (l * shape.a + a) * kept, kept,
                                         on(to) + (a * shape.left + l) * kept);
                         }
                     }
                 });
    result.second = building.matrix(name + ".second", shape.b * cut.kept, shape.right);
    step.compute(name + ".second", "products",
                 spmd::elementwise(shape.b * cut.kept * shape.right, 1, shape.right), {cut.s_vt},
                 {result.second}, [=, kept = cut.kept, to = result.second](const auto& on) {
                     for (std::int64_t row = 0; row < kept; ++row) {
                         for (std::int64_t b = 0; b < shape.b; ++b) {
                             std::copy_n(on(cut.s_vt) + (row * shape.b + b) * shape.right,
                                         shape.right, on(to) + (b * kept + row) * shape.right);
                         }
                     }
                 });
}

} // namespace

Disentangled add_disentangler(Building& building, const std::string& name, const Pair& shape,
                              Array pair, std::int64_t bond, std::int64_t target,
                              std::int64_t before, double dropped_at_most)
{
    Disentangled result;
    Disentangler& found = result.disentangler;
    found.bond = bond;
    found.before = before;
    found.target = target;
    Decisions& decisions = building.decisions;
    const bool given = decisions.are_given();
    Search search(building, name, shape, pair);
    for (std::int64_t start = 0; start < most_starts && !found.kept_matrix; ++start) {
        search.begin(start);
        const std::int64_t times = given ? decisions.next({}) : 0;
        const auto [iterations, dropped] = search.iterate(target, dropped_at_most, times);
        if (!given) {
            decisions.next([done = iterations] { return done; });
        }
        found.iterations.push_back(iterations);
        found.dropped.push_back(dropped);
        // The shapes are those that were decided; what these numbers say is told.
        const bool enough = dropped <= (given ? 10 : 1) * dropped_at_most;
        found.kept_matrix = decisions.next([enough] { return std::int64_t{enough}; }) != 0;
        found.found = building.numbers != nullptr ? enough : found.kept_matrix;
    }
    if (found.kept_matrix) {
        search.finish();
    } else { // as it was
        search.begin(0);
    }
    found.matrix = search.matrix();
    split(building, name, shape, search.current(), found.kept_matrix ? target : before, result);
    return result;
}

} // namespace alxsim::tensor_network
