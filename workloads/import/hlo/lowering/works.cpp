// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/works.h"

#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"
#include "workloads/import/hlo/text/operation_names.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

/// Cheap operations on a register in the time of its transposition: some 2 to 3 cycles of the XLU,
/// in each of which the VPU has 2 to 4 slots (libtpu's bundles).
constexpr double operations_of_a_transposition = 8;

/// A reduction of less than this share of the elements is counted by its operations alone.
constexpr double share_of_a_reduction = 0.5;

model::Vector vector_of(const FusedWork& fused)
{
    model::Vector vector;
    vector.elements = std::max<std::int64_t>(1, fused.elements);
    const auto each = static_cast<double>(vector.elements);
    vector.medium_per_element = fused.medium / each;
    vector.division_per_element = fused.divisions / each;
    vector.power_per_element = fused.powers / each;
    vector.expensive_per_element = fused.expensive / each;
    vector.ops_per_element = std::max(fused.operations / each, vector.singled_out());
    vector.dtype =
        fused.short_operations > fused.operations / 2 ? model::DType::bf16 : model::DType::f32;
    if (static_cast<double>(fused.summed_elements) >= share_of_a_reduction * each) {
        vector.reduction = fused.along;
        vector.minor = fused.minor;
    }
    return vector;
}

/// f8e4m3fn and its like.
bool has_four_exponent_bits(DType dtype)
{
    return dtype == DType::f8e4m3 || dtype == DType::f8e4m3fn || dtype == DType::f8e4m3fnuz ||
           dtype == DType::f8e4m3b11fnuz || dtype == DType::f8e3m4;
}

model::Matmul matmul_of(const Product& product)
{
    model::Matmul matmul;
    matmul.batch = std::max<std::int64_t>(1, product.batches);
    matmul.m = std::max<std::int64_t>(1, product.m);
    matmul.k = std::max<std::int64_t>(1, product.k);
    matmul.n = std::max<std::int64_t>(1, product.n);
    matmul.dtype = operands_dtype(product);
    matmul.passes = matmul.dtype == model::DType::f32 ? product.passes : 1;
    return matmul;
}

const Shape& operand_shape(const RowWork& row, std::size_t operand)
{
    const Shape& shape = *row.computation->operand(*row.instruction, operand).shape;
    return shape.is_tuple() && !shape.elements.empty() ? shape.elements.front() : shape;
}

/// Elements of a slice of a gather or of a window of a scatter's updates, and how many there are.
struct Windows {
    std::int64_t elements = 1, count = 0;
};

Windows windows_of(const RowWork& row)
{
    Windows windows;
    const bool gathers = row.instruction->is("gather");
    const Shape& moved = gathers ? *row.instruction->shape
                                 : operand_shape(row, row.instruction->operands.size() - 1);
    if (gathers) {
        for (const std::int64_t size : numbers_in(row.instruction->attribute("slice_sizes"))) {
            windows.elements = product(windows.elements, std::max<std::int64_t>(1, size));
        }
    } else {
        for (const std::int64_t dimension :
             numbers_in(row.instruction->attribute("update_window_dims"))) {
            const auto at = static_cast<std::size_t>(dimension);
            windows.elements =
                product(windows.elements, at < moved.dims.size() ? moved.dims[at] : 1);
        }
    }
    windows.count = elements_of(moved) / std::max<std::int64_t>(1, windows.elements);
    return windows;
}

std::int64_t bytes_of_elements(std::int64_t elements, DType dtype)
{
    return std::max<std::int64_t>(1, product(elements, bits_of(dtype)) / 8);
}

LoweredWork gather_or_scatter(const RowWork& row)
{
    const Windows windows = windows_of(row);
    const Shape& table = operand_shape(row, 0);
    const Bytes row_bytes(bytes_of_elements(windows.elements, table.dtype));
    const std::int64_t table_rows =
        elements_of(table) / std::max<std::int64_t>(1, windows.elements);
    if (row.instruction->is("gather")) {
        model::RowGather gather;
        gather.rows = windows.count;
        gather.row_bytes = row_bytes;
        gather.table_rows = table_rows;
        return {gather, row.table};
    }
    model::RowScatter scatter;
    scatter.rows = windows.count;
    scatter.row_bytes = row_bytes;
    scatter.table_rows = table_rows;
    scatter.accumulate = row.adds;
    return {scatter, row.table};
}

LoweredWork along_rows(const RowWork& row)
{
    const Instruction& instruction = *row.instruction;
    const Shape& operand = operand_shape(row, 0);
    model::AlongRows work;
    std::int64_t dimension = static_cast<std::int64_t>(operand.dims.size()) - 1;
    if (instruction.is("custom-call")) {
        work.operation = model::RowOperation::top_k;
        const std::vector<const Shape*> leaves = leaves_of(*instruction.shape);
        work.k = leaves.empty() || leaves.front()->dims.empty() ? 1 : leaves.front()->dims.back();
    } else if (instruction.is("reduce-window")) {
        work.operation = model::RowOperation::cumsum;
        for (const Attribute& field : fields_of(instruction.attribute("window"))) {
            if (field.name == "size") {
                std::string sizes(field.value);
                std::replace(sizes.begin(), sizes.end(), 'x', ' ');
                const std::vector<std::int64_t> numbers = numbers_in(sizes);
                const auto longest = std::max_element(numbers.begin(), numbers.end());
                dimension = longest == numbers.end() ? dimension : longest - numbers.begin();
            }
        }
    } else {
        work.operation =
            instruction.is("sort") ? model::RowOperation::sort : model::RowOperation::argmax;
        const std::vector<std::int64_t> dimensions =
            numbers_in(instruction.attribute("dimensions"));
        dimension = dimensions.empty() ? dimension : dimensions.front();
    }
    const bool known = dimension >= 0 && dimension < static_cast<std::int64_t>(operand.dims.size());
    work.length =
        known ? std::max<std::int64_t>(1, operand.dims[static_cast<std::size_t>(dimension)]) : 1;
    work.rows = std::max<std::int64_t>(1, elements_of(operand) / work.length);
    work.k = std::min(work.k, work.length);
    work.dtype = nearest_dtype(operand.dtype);
    return {work, -1};
}

LoweredWork row_work(const RowWork& row)
{
    return row.instruction->is("gather") || row.instruction->is("scatter") ? gather_or_scatter(row)
                                                                           : along_rows(row);
}

void add_products(const FusedWork& fused, std::vector<LoweredWork>& works)
{
    std::vector<Product> products = fused.products;
    std::stable_sort(products.begin(), products.end(),
                     [](const Product& a, const Product& b) { return a.flops > b.flops; });
    for (const Product& product : products) {
        works.push_back({matmul_of(product), -1});
    }
    if (fused.operations > 0) {
        std::get<model::Matmul>(works.front().work).epilogue = vector_of(fused);
    }
}

} // namespace

model::DType nearest_dtype(DType dtype)
{
    switch (bits_of(dtype)) {
    case 64:
    case 128:
        return model::DType::f64;
    case 16:
        return model::DType::bf16;
    case 8:
        return has_four_exponent_bits(dtype)                          ? model::DType::fp8_e4m3
               : dtype == DType::f8e5m2 || dtype == DType::f8e5m2fnuz ? model::DType::fp8_e5m2
                                                                      : model::DType::i8;
    case 4:
        return dtype == DType::f4e2m1fn ? model::DType::fp4 : model::DType::i4;
    default:
        return dtype == DType::s32 || dtype == DType::u32 ? model::DType::i32 : model::DType::f32;
    }
}

model::DType operands_dtype(const Product& product)
{
    const DType wider =
        bits_of(product.left) >= bits_of(product.right) ? product.left : product.right;
    const DType narrower = wider == product.left ? product.right : product.left;
    const model::DType dtype = nearest_dtype(wider);
    switch (dtype) {
    case model::DType::f64:
    case model::DType::i32:
        return model::DType::f32;
    case model::DType::fp8_e4m3:
        return nearest_dtype(narrower) == model::DType::fp8_e5m2 ? model::DType::fp8_e5m2 : dtype;
    default:
        return dtype;
    }
}

std::vector<LoweredWork> works_of(const FusedWork& fused)
{
    std::vector<LoweredWork> works;
    if (!fused.products.empty()) {
        add_products(fused, works);
    }
    for (const RowWork& row : fused.rows) {
        works.push_back(row_work(row));
    }
    if (!fused.products.empty()) {
        return works;
    }
    const double moved = static_cast<double>(fused.transposed);
    if (moved > 0 && fused.operations <= operations_of_a_transposition * moved) {
        model::Vector turned;
        turned.elements = fused.transposed;
        turned.operation_class = model::OperationClass::transpose;
        works.push_back({turned, -1});
    } else if (fused.operations > 0) {
        works.push_back({vector_of(fused), -1});
    }
    return works;
}

} // namespace alxsim::hlo
