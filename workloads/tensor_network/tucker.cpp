// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/op_parts.h"
#include "workloads/tensor_network/steps.h"

#include <algorithm>

namespace alxsim::tensor_network {
namespace {

using spmd::Array;

/// A core at the orthogonality centre: its leg dealt, [share x left x right] on each device.
struct Centre {
    std::int64_t size, left, right;
};

/// A core whose left rank is dealt in place of its leg, for each l of the share a matrix [right x
/// size]: rows of it follow each other. By an all-to-all, for which each device puts together
/// what belongs to another.
Array add_left_dealt(const Building& building, const std::string& name, Array core,
                     const Centre& centre)
{
    spmd::StepBuilder& step = building.step;
    const int devices = building.devices();
    const std::int64_t of_size = building.share(centre.size);
    const std::int64_t of_left = building.share(centre.left);
    const std::int64_t block = of_left * of_size * centre.right; // [of_left x right x of_size]
    const std::int64_t elements = devices * block;
    const Array packed =
        building.matrix(name + ".packed", devices * of_left * centre.right, of_size);
    step.compute(name + ".pack", "products", spmd::elementwise(elements, 1, of_size), {core},
                 {packed}, [=](const auto& on) {
                     auto* to = on(packed);
                     for (std::int64_t l = 0; l < devices * of_left; ++l) {
                         for (std::int64_t r = 0; r < centre.right; ++r) {
                             for (std::int64_t i = 0; i < of_size; ++i) {
                                 const std::int64_t from = (i * centre.left + l) * centre.right + r;
                                 *to++ = l < centre.left ? on(core)[from]
                                                         : spmd::NumberOf<decltype(on)>(0);
                             }
                         }
                     }
                 });
    Array received = packed;
    if (devices > 1) {
        received = building.matrix(name + ".received", devices * of_left * centre.right, of_size);
        step.collective(name, model::CollectiveKind::all_to_all, building.axes, packed, received);
    }
    const Array result = building.matrix(name, of_left * centre.right, centre.size);
    step.compute(name + ".unpack", "products", spmd::elementwise(elements, 1, centre.size),
                 {received}, {result}, [=](const auto& on) {
                     for (std::int64_t row = 0; row < of_left * centre.right; ++row) {
                         for (std::int64_t i = 0; i < centre.size; ++i) {
                             on(result)[row * centre.size + i] =
                                 on(received)[i / of_size * block + row * of_size + i % of_size];
                         }
                     }
                 });
    return result;
}

/// What is made of the centre: the leg's factor, and the core with its leg reduced, [share of left
/// x kept x right].
struct Reduced {
    std::int64_t kept = 0;
    SingularValues values;
    Array factor; ///< [share of the leg x kept]
    Array core;
};

/// The unfolding by the leg has as many rows as the leg, and left x right columns. Of a short leg,
/// the columns are dealt anew; of a long one, the leg stays dealt.
Reduced reduce_leg(Building& building, const std::string& name, Array core, const Centre& centre,
                   Truncation& truncation)
{
    const std::int64_t columns = centre.left * centre.right;
    if (centre.size > columns) {
        const Array unfolded = reshaped(building, core, building.share(centre.size), columns);
        const Cut cut = add_cut(building, name, unfolded, truncation);
        const Array turned = transposed_panels(building, name + ".turned", cut.s_vt, 1);
        const Array own = add_own_share(building, name + ".own", turned, centre.left);
        return {cut.kept, cut.values, cut.u,
                transposed_panels(building, name + ".reduced", own, building.share(centre.left))};
    }
    const Array dealt = add_left_dealt(building, name + ".dealt", core, centre);
    const RightCut cut = add_right_cut(building, name, dealt, truncation);
    return {cut.kept, cut.values, add_own_share(building, name + ".factor", cut.v, centre.size),
            transposed_panels(building, name + ".reduced", cut.rest, building.share(centre.left))};
}

/// All of a core whose left rank is dealt, as trains have it: [size x left x right].
Array gather_by_left(const Building& building, const std::string& name, Array core,
                     const Centre& centre)
{
    spmd::StepBuilder& step = building.step;
    const std::int64_t padded = building.share(centre.left) * building.devices();
    Array all = core;
    if (building.devices() > 1) {
        all = building.matrix(name + ".gathered", padded * centre.size, centre.right);
        step.collective(name, model::CollectiveKind::all_gather, building.axes, core, all);
    }
    const Array result = building.matrix(name, centre.size * centre.left, centre.right);
    step.compute(name + ".by leg", "products",
                 spmd::elementwise(centre.size * centre.left * centre.right, 1, centre.right),
                 {all}, {result}, [=](const auto& on) {
                     for (std::int64_t l = 0; l < centre.left; ++l) {
                         for (std::int64_t i = 0; i < centre.size; ++i) {
                             std::copy_n(on(all) + (l * centre.size + i) * centre.right,
                                         centre.right,
                                         on(result) + (i * centre.left + l) * centre.right);
                         }
                     }
                 });
    return result;
}

} // namespace

std::int64_t Tucker::numbers() const
{
    std::int64_t numbers = core.numbers();
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        numbers += sizes[k] * core.sizes[k];
    }
    return numbers;
}

Tucker add_tucker(Building& building, const std::string& name, const Train& train, double tolerance,
                  double core_tolerance)
{
    const std::size_t legs = train.legs();
    Train centred = orthonormal_from_right(building, name + ".right", train);
    Truncation truncation(tolerance, legs);
    Tucker tucker;
    tucker.sizes = train.sizes;
    tucker.core = {{}, train.ranks, {}};
    for (std::size_t k = 0; k < legs; ++k) {
        const std::string of = of_core(name, k);
        Centre centre{train.sizes[k], train.ranks[k], train.ranks[k + 1]};
        const Reduced reduced = reduce_leg(building, of, centred.cores[k], centre, truncation);
        tucker.factors.push_back(reduced.factor);
        tucker.values.push_back(reduced.values);
        tucker.core.sizes.push_back(reduced.kept);
        centre.size = reduced.kept;
        Array core = reduced.core;
        if (k + 1 < legs) { // the centre moves on
            const spmd::TallQr qr =
                spmd::add_tall_qr(building.step, {of + ".qr", "decompose"}, core, building.axes);
            core = qr.q;
            centred.cores[k + 1] =
                multiply_panels(building, of + ".next", qr.r, centred.cores[k + 1],
                                building.share(train.sizes[k + 1]));
        }
        tucker.core.cores.push_back(gather_by_left(building, of + ".core", core, centre));
    }
    Building on_all = undealt(building);
    tucker.core = add_rounding(on_all, name + ".core", tucker.core, core_tolerance);
    return tucker;
}

} // namespace alxsim::tensor_network
