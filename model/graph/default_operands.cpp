// SPDX-License-Identifier: Apache-2.0
#include "model/graph/default_operands.h"

#include "base/input_error.h"
#include "model/graph/for_each_op.h"

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <set>

namespace alxsim::model {
namespace {

constexpr const char* prefix = "operands.";

/// Bytes of an operand: beyond the HBM of any slice, and whole in a double.
constexpr double largest = 1e15;

bool is_default(Name buffer)
{
    return buffer.text().rfind(prefix, 0) == 0;
}

struct Operand {
    const char* name;
    double elements; ///< the product of three sizes may be beyond 2^63
};

struct Operands {
    std::vector<Operand> read;
    std::vector<Operand> written;
    DType dtype = DType::bf16;
    DType result = DType::bf16;
};

/// Sums of products of whole numbers are whole numbers of 32 bits, of floating-point numbers of 8
/// bits and fewer they are rounded to bf16.
DType result_of(DType operands)
{
    switch (operands) {
    case DType::i8:
    case DType::i4:
        return DType::i32;
    case DType::fp8_e4m3:
    case DType::fp8_e5m2:
    case DType::fp4:
        return DType::bf16;
    case DType::bf16:
    case DType::f32:
    case DType::f64:
    case DType::i32:
        return operands;
    }
    return operands;
}

Operands operands_of(const Matmul& product)
{
    const auto batch = static_cast<double>(product.batch);
    const auto m = static_cast<double>(product.m);
    const auto k = static_cast<double>(product.k);
    const auto n = static_cast<double>(product.n);
    return {{{"left", batch * m * k}, {"right", batch * k * n}},
            {{"product", batch * m * n}},
            product.dtype,
            result_of(product.dtype)};
}

Operands operands_of(const Vector& vector)
{
    const bool sums_rows = vector.reduction == Reduction::lanes && vector.minor > 0;
    const std::int64_t left = vector.reduction == Reduction::none ? vector.elements
                              : sums_rows                         ? vector.elements / vector.minor
                                                                  : 0;
    return {{{"operand", static_cast<double>(vector.elements)}},
            {{"result", static_cast<double>(left)}},
            vector.dtype,
            vector.dtype};
}

/// A sort and a sum leave as many numbers, top_k those with their places, argmax places.
Operands operands_of(const AlongRows& work)
{
    const auto rows = static_cast<double>(work.rows);
    const double all = rows * static_cast<double>(work.length);
    const double left = work.operation == RowOperation::top_k
                            ? 2 * rows * static_cast<double>(work.k)
                        : work.operation == RowOperation::argmax ? rows
                                                                 : all;
    return {{{"operand", all}}, {{"result", left}}, work.dtype, work.dtype};
}

void add(const std::vector<Operand>& operands, DType dtype, const std::string& name,
         std::vector<BufferUse>& uses, std::vector<Buffer>& buffers)
{
    for (const Operand& operand : operands) {
        const double size = operand.elements * bytes_of(dtype);
        if (size > largest) {
            throw InputError(std::string("its operand '") + operand.name +
                             "' has more than 1e15 bytes; allowed: fewer, or \"reads\": [] and "
                             "\"writes\": [] for operands that are not in HBM");
        }
        const Bytes bytes(static_cast<std::int64_t>(size));
        if (bytes > Bytes(0)) {
            const Name buffer(prefix + name + "." + operand.name);
            uses.push_back({buffer, bytes});
            buffers.push_back({buffer, bytes, Residency::hbm_in_use});
        }
    }
}

/// Counts ops and bytes of default operands.
class Count {
public:
    void add(const OpGraph& graph)
    {
        for_each_op(graph, [&](const Op& op) {
            const Bytes read = bytes_of(op.reads);
            const Bytes written = bytes_of(op.writes);
            ops_ += read + written > Bytes(0) ? 1 : 0;
            read_ += read;
            written_ += written;
        });
    }

    /// `with_bytes`: not where the numbers differ from point to point of a curve.
    std::string note(bool with_bytes) const
    {
        if (ops_ == 0) {
            return "";
        }
        return std::to_string(ops_) + (ops_ == 1 ? " op does" : " ops do") +
               " not say where operands stand (reads, writes): they are taken to be in HBM while " +
               "the op runs" +
               (with_bytes ? ", " + in_words(read_) + " read and " + in_words(written_) + " written"
                           : ", each read or written once") +
               "; \"reads\": [] and \"writes\": [] say that none are";
    }

private:
    static Bytes bytes_of(const std::vector<BufferUse>& uses)
    {
        Bytes sum(0);
        for (const BufferUse& use : uses) {
            sum += is_default(use.buffer) ? use.touched : Bytes(0);
        }
        return sum;
    }

    static std::string in_words(Bytes bytes)
    {
        static const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
        auto number = static_cast<double>(bytes.count());
        std::size_t unit = 0;
        for (; number >= 1000 && unit + 1 < std::size(units); ++unit) {
            number /= 1000;
        }
        char text[32];
        std::snprintf(text, sizeof text, "%.4g %s", number, units[unit]);
        return text;
    }

    std::int64_t ops_ = 0;
    Bytes read_{0};
    Bytes written_{0};
};

} // namespace

std::vector<Buffer> add_default_operands(Op& op, bool reads, bool writes, const std::string& name)
{
    Operands operands;
    if (const auto* product = std::get_if<Matmul>(&op.work)) {
        operands = operands_of(*product);
    } else if (const auto* vector = std::get_if<Vector>(&op.work)) {
        operands = operands_of(*vector);
    } else if (const auto* rows = std::get_if<AlongRows>(&op.work)) {
        operands = operands_of(*rows);
    }
    std::vector<Buffer> buffers;
    if (reads) {
        add(operands.read, operands.dtype, name, op.reads, buffers);
    }
    if (writes) {
        add(operands.written, operands.dtype, name, op.writes, buffers);
    }
    return buffers;
}

std::string default_operands_note(const OpGraph& graph)
{
    Count count;
    count.add(graph);
    return count.note(true);
}

std::string default_operands_note(const Program& program)
{
    Count count;
    std::set<const OpGraph*> counted;
    for (const StepGroup& group : program) {
        if (counted.insert(group.step.graph.get()).second) {
            count.add(*group.step.graph);
        }
    }
    return count.note(false);
}

} // namespace alxsim::model
