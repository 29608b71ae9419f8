// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/disentangler.h"

#include <algorithm>
#include <cmath>

namespace alxsim::tensor_network {
namespace {

using spmd::Array;

/// Cores k and k + 1 as one: [left x a x b x right] of a train, with the left bond slowest.
Array add_pair(const Building& building, const std::string& name, const Pair& shape,
               std::int64_t rank, Array first, Array second)
{
    spmd::StepBuilder& step = building.step;
    const Array pair = building.matrix(name, shape.left * shape.a, shape.b * shape.right);
    step.compute(
        name, "products",
        spmd::matmul_of(1, {shape.left * shape.a, rank, shape.b * shape.right}, model::DType::f32,
                        step.f32_passes()),
        {first, second}, {pair}, [=](const auto& on) {
            using Real = spmd::NumberOf<decltype(on)>;
            for (std::int64_t a = 0; a < shape.a; ++a) {
                for (std::int64_t b = 0; b < shape.b; ++b) {
                    spmd::set_product(
                        spmd::Factors<Real>{{on(first) + a * shape.left * rank, rank},
                                            {on(second) + b * rank * shape.right, shape.right},
                                            {on(pair) + (a * shape.b + b) * shape.right,
                                             shape.a * shape.b * shape.right}},
                        {shape.left, rank, shape.right});
                }
            }
        });
    return pair;
}

/// The legs of a pair as one leg: [a b x left x right] of [left x a b x right].
Array add_merged(const Building& building, const std::string& name, const Pair& shape, Array pair)
{
    const Array merged = building.matrix(name, shape.legs() * shape.left, shape.right);
    building.step.compute(
        name, "products",
        model::Vector{shape.left * shape.legs() * shape.right, 1, model::DType::f32}, {pair},
        {merged}, [=](const auto& on) {
            for (std::int64_t l = 0; l < shape.left; ++l) {
                for (std::int64_t i = 0; i < shape.legs(); ++i) {
                    std::copy_n(on(pair) + (l * shape.legs() + i) * shape.right, shape.right,
                                on(merged) + (i * shape.left + l) * shape.right);
                }
            }
        });
    return merged;
}

/// A layer under construction, on a train whose cores all devices have.
class Layer {
public:
    Layer(Building& building, std::string name, Train train)
        : building_(building),
          on_all_(undealt(building)),
          name_(std::move(name)),
          train_(orthonormal_from_right(on_all_, name_ + ".right", std::move(train)))
    {
        layer_.sizes = train_.sizes;
    }

    /// Each bond between pairs is brought to as low a rank as `rank` legs on either side have.
    void disentangle(std::int64_t rank, double dropped_at_most)
    {
        const std::size_t legs = train_.legs();
        move_centre(0);
        for (std::size_t k = 1; k + 2 < legs; k += 2) {
            const std::int64_t target = disentangled_rank(rank, k, legs, train_.ranks[k + 1]);
            if (target < train_.ranks[k + 1]) {
                disentangle_pair(k, target, dropped_at_most);
            } else { // as low as it should be
                move_centre(k);
            }
            move_centre(k + 1);
        }
    }

    /// Pairs of legs become one each. Returns what is left.
    Train lift(double tolerance)
    {
        Train merged{{}, {1}, {}};
        for (std::size_t k = 0; k + 1 < train_.legs(); k += 2) {
            const std::string of = of_core(name_ + ".pair", k);
            const Pair shape = pair_at(k);
            const Array pair = add_pair(on_all_, of, shape, train_.ranks[k + 1], train_.cores[k],
                                        train_.cores[k + 1]);
            merged.sizes.push_back(shape.legs());
            merged.ranks.push_back(shape.right);
            merged.cores.push_back(add_merged(on_all_, of + ".merged", shape, pair));
        }
        Tucker tucker = add_tucker(on_all_, name_ + ".isometries", merged, tolerance, tolerance);
        layer_.isometries = std::move(tucker.factors);
        return std::move(tucker.core);
    }

    MeraLayer take() { return std::move(layer_); }

private:
    /// Legs k and k + 1, of which the first is the centre; the second becomes it.
    void disentangle_pair(std::size_t k, std::int64_t target, double dropped_at_most)
    {
        const std::string of = of_core(name_ + ".bond", k);
        const Pair shape = pair_at(k);
        const Array pair = add_pair(on_all_, of + ".pair", shape, train_.ranks[k + 1],
                                    train_.cores[k], train_.cores[k + 1]);
        Disentangled found =
            add_disentangler(building_, of, shape, pair, static_cast<std::int64_t>(k) + 1, target,
                             train_.ranks[k + 1], dropped_at_most);
        layer_.disentanglers.push_back(found.disentangler);
        train_.cores[k] = found.first;
        train_.cores[k + 1] = found.second;
        train_.ranks[k + 1] = found.kept;
    }
    Pair pair_at(std::size_t k) const
    {
        return {train_.ranks[k], train_.sizes[k], train_.sizes[k + 1], train_.ranks[k + 2]};
    }
    /// From core k to the next.
    void move_centre(std::size_t k)
    {
        const std::string of = of_core(name_ + ".centre", k);
        const spmd::TallQr qr =
            spmd::add_tall_qr(building_.step, {of, "decompose"}, train_.cores[k], {});
        train_.cores[k] = qr.q;
        train_.cores[k + 1] =
            multiply_panels(on_all_, of + ".next", qr.r, train_.cores[k + 1], train_.sizes[k + 1]);
    }

    Building& building_;
    Building on_all_;
    std::string name_;
    Train train_;
    MeraLayer layer_;
};

} // namespace

std::int64_t disentangled_rank(std::int64_t rank, std::size_t k, std::size_t legs,
                               std::int64_t before)
{
    const std::size_t left = (k + 1) / 2;
    std::int64_t target = 1;
    for (std::size_t i = 0; i < std::min(left, legs / 2 - left) && target < before; ++i) {
        target *= rank;
    }
    return std::min(target, before);
}

double Mera::numbers() const
{
    double numbers = numbers_of_tensor(top.sizes);
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::vector<std::int64_t>& sizes = layers[l].sizes;
        const std::vector<std::int64_t>& above =
            l + 1 < layers.size() ? layers[l + 1].sizes : top.sizes;
        for (std::size_t k = 0; k + 1 < sizes.size(); k += 2) {
            numbers += static_cast<double>(sizes[k] * sizes[k + 1] * above[k / 2]);
        }
        for (const Disentangler& each : layers[l].disentanglers) {
            const auto bond = static_cast<std::size_t>(each.bond);
            const auto legs = static_cast<double>(sizes[bond - 1] * sizes[bond]);
            numbers += each.kept_matrix ? legs * legs : 0;
        }
    }
    return numbers;
}

Mera add_mera(Building& building, const Train& train, const std::vector<std::int64_t>& ranks,
              double tolerance, double dropped_at_most)
{
    Mera mera;
    mera.top = train;
    // A layer's Tucker decomposition and the rounding of its core share the tolerance with those of
    // other layers.
    const double share = tolerance / std::sqrt(2.0 * static_cast<double>(ranks.size()));
    for (const std::int64_t rank : ranks) {
        Layer layer(building, of_core("layer", mera.layers.size()), mera.top);
        layer.disentangle(rank, dropped_at_most);
        mera.top = layer.lift(share);
        mera.layers.push_back(layer.take());
    }
    return mera;
}

} // namespace alxsim::tensor_network
