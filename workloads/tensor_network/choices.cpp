// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/choices.h"

#include <algorithm>
#include <cmath>

namespace alxsim::tensor_network {
namespace {

using workloads::Choice;
using workloads::Unknown;

const std::string fields = "/workload/tensor_network/";
const std::string products_name = "products that eigenvectors take";
const std::string iterations_name = "iterations of a disentangler";

Choice method_choice()
{
    return {"method",
            {{},
             {"method gramians",
              {{fields + "method", "gramians"}},
              false,
              "products and one all-reduce a cut; half of the digits are lost"},
             {"method svd",
              {{fields + "method", "svd"}},
              false,
              "QRs as a tree over the devices, all digits"}}};
}

Choice levels_choice()
{
    Choice choice{"levels", {{}}};
    for (const int levels : {1, 2, 3}) {
        choice.options.push_back({"levels " + std::to_string(levels),
                                  {{fields + "levels", levels}},
                                  levels == 1,
                                  levels == 1 ? ""
                                              : "the devices as a grid: smaller QRs, one "
                                                "after the other; Gramians take as long"});
    }
    return choice;
}

Choice passes_choice()
{
    Choice choice{"passes", {{}}};
    for (const int passes : {6, 3, 1}) {
        choice.options.push_back({"passes " + std::to_string(passes),
                                  {{fields + "passes", passes}},
                                  passes == 6,
                                  passes == 6 ? ""
                                              : "products of fewer digits, on which this "
                                                "says nothing: numbers here are those of f32"});
    }
    return choice;
}

/// Ten times less exact and more.
Choice tolerance_choice(double now)
{
    Choice choice{"tolerance", {{}}};
    for (const double factor : {0.1, 10.0}) {
        const double tolerance = std::min(now * factor, 0.5);
        choice.options.push_back({"tolerance " + Json(tolerance).dump(),
                                  {{fields + "tolerance", tolerance}},
                                  false,
                                  "this changes the result: other ranks"});
    }
    return choice;
}

bool takes_products(const Request& request)
{
    return request.method == Method::gramians && request.eigenvectors.products > 0;
}
bool assumes_iterations(const Request& request)
{
    return request.step == StepKind::mera && request.data == nullptr;
}

} // namespace

workloads::Choices choices_with(std::optional<double> tolerance)
{
    workloads::Choices choices;
    choices.list = {method_choice(), levels_choice(), passes_choice()};
    choices.blocks = {{"method", "levels"}, {"passes"}};
    choices.family = {"method"};
    choices.by_interest = {"method", "levels", "passes"};
    if (tolerance) {
        choices.list.push_back(tolerance_choice(*tolerance));
        choices.blocks.push_back({"tolerance"});
        choices.by_interest.emplace_back("tolerance");
    }
    return choices;
}

workloads::Choices choices_of(const Request& request)
{
    return choices_with(request.data != nullptr ? std::optional(request.tolerance) : std::nullopt);
}

std::vector<std::string> choice_names()
{
    return {"method", "levels", "passes", "tolerance"};
}

std::vector<Unknown> unknowns_of(const Request& request)
{
    std::vector<Unknown> unknowns;
    const auto add = [&](const std::string& name, std::int64_t central, double spread,
                         const std::string& field) {
        const auto value = static_cast<double>(central);
        Unknown unknown = workloads::whole_unknown(
            name, {std::max(1.0, std::floor(value / spread)), value, std::ceil(value * spread)}, "",
            workloads::UnknownOf::code);
        unknown.source = "assumed";
        unknown.pointer = fields + field;
        unknowns.push_back(std::move(unknown));
    };
    if (takes_products(request)) {
        add(products_name, request.eigenvectors.products, 2, "eigen_products");
    }
    if (assumes_iterations(request)) {
        add(iterations_name, request.iterations, 4, "iterations");
    }
    return unknowns;
}

Request drawn_request(const Request& request, const workloads::DrawnValues& values)
{
    Request drawn = request;
    const std::vector<Unknown> unknowns = unknowns_of(request);
    for (std::size_t i = 0; i < unknowns.size() && i < values.size(); ++i) {
        if (values[i]) {
            const auto value = static_cast<std::int64_t>(std::llround(*values[i]));
            (unknowns[i].name == products_name ? drawn.eigenvectors.products : drawn.iterations) =
                std::max<std::int64_t>(1, value);
        }
    }
    return drawn;
}

} // namespace alxsim::tensor_network
