// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/program.h"

#include "base/memo.h"

#include <algorithm>
#include <cmath>

namespace alxsim::tensor_network {
namespace {

using spmd::Array;

constexpr std::size_t most_remembered = 64;

std::vector<std::string> axes_of(const spmd::DeviceMesh& mesh)
{
    std::vector<std::string> axes;
    for (const model::MeshAxis& axis : mesh.mesh()->axes) {
        axes.emplace_back(axis.name);
    }
    return axes;
}

Building building_of(const Request& request, spmd::StepBuilder& step, spmd::Numbers* numbers,
                     Decisions& decisions)
{
    step.set_f32_passes(request.passes);
    return {step, numbers, decisions, request.method, request.eigenvectors, axes_of(step.mesh())};
}

Train begun_train(const Building& building, const Request& request)
{
    const Train train = declare_train(building, "core", request.sizes, request.ranks);
    if (building.numbers != nullptr) {
        write_train(building, train, begun_with_train(request));
    }
    return train;
}

Train train_of_tensor(Building& building, const Request& request, double tolerance)
{
    std::int64_t rows = building.share(request.sizes.back());
    for (std::size_t k = 1; k + 1 < request.legs(); ++k) {
        rows *= request.sizes[k];
    }
    const Array tensor = building.matrix("tensor", rows, request.sizes.front());
    if (building.numbers != nullptr) {
        write_tensor(building, tensor, request.sizes, begun_with_tensor(request));
    }
    return add_train_svd(building, request.sizes, tensor, tolerance);
}

double power(int base, int exponent)
{
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/// All cores on all devices.
Train gathered(const Building& building, const Train& train)
{
    Train all = train;
    for (std::size_t k = 0; k < train.legs() && building.devices() > 1; ++k) {
        const std::string name = of_core("gathered", k);
        const std::int64_t padded = building.share(train.sizes[k]) * building.devices();
        const Array core = building.matrix(name, padded * train.ranks[k], train.ranks[k + 1]);
        building.step.collective(name, model::CollectiveKind::all_gather, building.axes,
                                 train.cores[k], core);
        all.cores[k] = building.step.part(name + " without zeros", core, 0,
                                          {train.sizes[k] * train.ranks[k], train.ranks[k + 1]});
    }
    return all;
}

/// What rounding leaves of dependent numbers, over the whole.
double rounding_of(const Request& request)
{
    return request.in_f64 ? 1e-13 : 1e-6;
}

/// What a search for a disentangler may leave: a hundredth of the tolerance, if numbers tell so
/// little, which by Gramians is less.
double dropped_at_most(const Request& request)
{
    const double told = request.method == Method::svd ? 10 * rounding_of(request)
                        : request.in_f64              ? 4e-8
                                                      : 1e-3;
    return std::max(request.tolerance / 100, told);
}

} // namespace

Made add_step(Building& building, const Request& request)
{
    Made made;
    const bool from_tensor = request.starts_with_tensor();
    const double half = from_tensor ? request.tolerance / std::sqrt(2.0) : request.tolerance;
    switch (request.step) {
    case StepKind::svd:
        made.train = train_of_tensor(building, request, request.tolerance);
        break;
    case StepKind::round:
        made.train =
            add_rounding(building, "round", begun_train(building, request), request.tolerance);
        break;
    case StepKind::tucker: {
        made.train =
            from_tensor ? train_of_tensor(building, request, half) : begun_train(building, request);
        made.tucker = add_tucker(building, "tucker", *made.train, half, rounding_of(request));
        break;
    }
    case StepKind::mera: {
        const Building on_all = undealt(building);
        const Train train = from_tensor
                                ? gathered(building, train_of_tensor(building, request, half))
                                : begun_train(on_all, request);
        made.train = train;
        made.mera = add_mera(building, train, request.mera_ranks, half, dropped_at_most(request));
        break;
    }
    }
    return made;
}

spmd::DeviceMesh mesh_of(int devices, int levels)
{
    model::Mesh mesh;
    int left = devices;
    for (int level = 0; level < levels; ++level) {
        int length = 1; // the smallest whose power of the levels that are left reaches all
        while (left % length != 0 || power(length, levels - level) < left) {
            ++length;
        }
        mesh.axes.push_back({levels == 1 ? "leg" : "leg" + std::to_string(level + 1), length});
        left /= length;
    }
    return spmd::DeviceMesh(std::move(mesh));
}

Timed timed_step(const Request& request, int devices)
{
    spmd::StepBuilder step(mesh_of(devices, request.levels));
    Decisions decisions(request.data != nullptr ? decisions_of(request)
                                                : assumed_decisions(request));
    Building building = building_of(request, step, nullptr, decisions);
    const Made made = add_step(building, request);
    Json storage = {{"tensor_numbers", count_json(numbers_of_tensor(request.sizes))}};
    if (made.train) {
        storage["train_numbers"] = made.train->numbers();
    }
    if (!request.ranks.empty()) {
        storage["given_train_numbers"] = numbers_of_train(request.sizes, request.ranks);
    }
    if (made.tucker) {
        storage["tucker_numbers"] = made.tucker->numbers();
    }
    if (made.mera) {
        storage["mera_numbers"] = count_json(made.mera->numbers());
    }
    return {std::make_shared<const spmd::TimedStep>(step.take_step("tensor network")), storage};
}

std::vector<std::int64_t> decisions_of(const Request& request)
{
    static Memo<std::string, std::vector<std::int64_t>> known(most_remembered);
    return known.get_once(request.key, [&] {
        HostPool pool(1);
        return Computed(request, 1, pool, std::nullopt).decisions();
    });
}

Computed::Computed(const Request& request, int devices, HostPool& pool,
                   std::optional<std::vector<std::int64_t>> given)
    : request_(request),
      numbers_(devices, request.in_f64),
      step_(mesh_of(devices, request.levels), &numbers_, &moved_),
      decisions_(given ? Decisions(std::move(*given)) : Decisions()),
      building_(building_of(request, step_, &numbers_, decisions_))
{
    step_.compute_at_once(pool);
    made_ = add_step(building_, request);
}

} // namespace alxsim::tensor_network
