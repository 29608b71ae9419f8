// SPDX-License-Identifier: Apache-2.0
#include "model/graph/check_work.h"

#include "base/input_error.h"
#include "model/graph/check.h"
#include "model/graph/work_json.h"

#include <cmath>

namespace alxsim::model {
namespace {

/// Looks at the sizes of one op's work.
struct WorkCheck {
    const GraphPlace& place;

    void operator()(const Matmul& work) const
    {
        place.expect("batch", work.batch, 1, graph_limits::side);
        place.expect("m", work.m, 1, graph_limits::side);
        place.expect("k", work.k, 1, graph_limits::side);
        place.expect("n", work.n, 1, graph_limits::side);
        if (work.passes != 1 && work.passes != 3 && work.passes != 6) {
            place.at("passes").refuse(std::to_string(work.passes), "1, 3, 6");
        }
        if (work.epilogue) {
            const GraphPlace epilogue = place.at("epilogue");
            WorkCheck{epilogue}(*work.epilogue);
        }
    }
    void operator()(const Vector& work) const
    {
        place.expect("elements", work.elements, 0, graph_limits::count);
        place.expect("ops_per_element", work.ops_per_element);
        place.expect("medium_per_element", work.medium_per_element);
        place.expect("expensive_per_element", work.expensive_per_element);
        place.expect("division_per_element", work.division_per_element);
        place.expect("power_per_element", work.power_per_element);
        place.expect("minor", work.minor, 0, graph_limits::side);
        if (work.singled_out() > work.ops_per_element) {
            place.refuse("more operations of other classes than ops_per_element",
                         "as many at most, of which they are some");
        }
        if (work.singled_out() > 0 && work.operation_class != OperationClass::cheap) {
            place.at("operation_class")
                .refuse("beside medium_per_element or another such, which make the others cheap",
                        "one way to say it");
        }
    }
    void operator()(const AlongRows& work) const
    {
        place.expect("rows", work.rows, 1, graph_limits::side);
        place.expect("length", work.length, 1, graph_limits::side);
        if (work.operation == RowOperation::top_k && (work.k < 1 || work.k > work.length)) {
            place.at("k").refuse(std::to_string(work.k),
                                 "1 to the length of a row, " + std::to_string(work.length));
        }
    }
    void operator()(const Fixed& work) const { place.expect("seconds", work.seconds.count()); }
    void operator()(const Custom& work) const
    {
        place.expect("flops", work.flops);
        place.expect("transcendentals", work.transcendentals);
    }
    void operator()(const Copy& work) const
    {
        place.expect("bytes", work.bytes.count(), 0, graph_limits::count);
        place.expect("bytes_back", work.bytes_back.count(), 0, graph_limits::count);
    }
    void operator()(const RowGather& work) const
    {
        check_rows(work.rows, work.row_bytes, work.table_rows, work.owned_rows);
        place.expect("issue_cycles", work.issue_cycles, 0, graph_limits::issue_cycles);
        if (work.on_sparse_core && work.issue_cycles > 0) {
            place.at("engine").refuse(
                "found sparse_core with issue_cycles, which are a TensorCore's; allowed: one of "
                "them");
        }
        const bool trace = work.pattern == AccessPattern::trace;
        if (trace != (work.ids && !work.ids->empty())) {
            place.at("ids").refuse(
                trace ? "missing: a pattern of trace needs the ids of the rows, like [7, 7, 130]"
                      : "given without \"pattern\":\"trace\"; allowed: only with it");
        }
        for (std::size_t i = 0; trace && work.table_rows > 0 && i < work.ids->size(); ++i) {
            if ((*work.ids)[i] < 0 || (*work.ids)[i] >= work.table_rows) {
                place.at("ids", i).refuse(std::to_string((*work.ids)[i]),
                                          "below table_rows = " + std::to_string(work.table_rows));
            }
        }
    }
    void operator()(const RowScatter& work) const
    {
        check_rows(work.rows, work.row_bytes, work.table_rows, work.owned_rows);
    }
    void operator()(const Collective& work) const { check_collective(work, place); }
    void operator()(const Repeat& work) const
    {
        place.expect("times", work.times, 0, graph_limits::times);
    }

private:
    void check_rows(std::int64_t rows, Bytes row_bytes, std::int64_t table_rows,
                    std::int64_t owned_rows) const
    {
        place.expect("rows", rows, 0, graph_limits::rows);
        place.expect("row_bytes", row_bytes.count(), 0, graph_limits::row_bytes);
        place.expect("table_rows", table_rows, 0, graph_limits::count);
        place.expect("owned_rows", owned_rows, 0, graph_limits::count);
    }
};

} // namespace

std::string GraphPlace::pointer() const
{
    return outside_ == nullptr ? ""
                               : outside_->pointer() + "/" + field_ +
                                     (index_ < 0 ? "" : "/" + std::to_string(index_));
}

void GraphPlace::refuse(const std::string& found, const std::string& allowed) const
{
    refuse("found " + found + "; allowed: " + allowed);
}

void GraphPlace::refuse(const std::string& problem) const
{
    throw InputError(file_, pointer(), problem);
}

void GraphPlace::expect(const char* field, std::int64_t value, std::int64_t low,
                        std::int64_t high) const
{
    if (value < low || value > high) {
        at(field).refuse(std::to_string(value), value < low ? std::to_string(low) + " or more"
                                                            : std::to_string(high) + " or less");
    }
}

void GraphPlace::expect(const char* field, double value) const
{
    if (!(value >= 0) || std::isinf(value)) {
        at(field).refuse(std::to_string(value), "a number, 0 or more");
    }
}

void check_work(const Work& work, const GraphPlace& place)
{
    std::visit(WorkCheck{place}, work);
}

std::string kind_in_words(const Work& work)
{
    const Copy* copy = std::get_if<Copy>(&work);
    return copy == nullptr ? to_json(work).at("work").get<std::string>()
                           : "copy from " + std::string(name_of(copy->from)) + " to " +
                                 std::string(name_of(copy->to));
}

} // namespace alxsim::model
