// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/product.h"

#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

/// Beyond it a window is damaged text.
constexpr std::int64_t most_window = std::int64_t{1} << 22;

struct WindowDimension {
    std::int64_t size = 1, stride = 1, low_padding = 0, left_dilation = 1, right_dilation = 1;
};

/// The numbers of "2x1x16", or the first of each of "1_1x0_0".
std::vector<std::int64_t> numbers_by_dimension(std::string_view value)
{
    std::vector<std::int64_t> numbers;
    for (std::size_t begin = 0; begin <= value.size();) {
        const std::size_t end = std::min(value.find('x', begin), value.size());
        const std::string_view one = value.substr(begin, end - begin);
        numbers.push_back(whole_number(one.substr(0, one.find('_'))).value_or(-1));
        begin = end + 1;
    }
    return numbers;
}

/// window={size=1x2 pad=0_0x1_1 ..}
std::vector<WindowDimension> window_of(const Module& module, const Instruction& instruction,
                                       std::size_t dimensions)
{
    std::vector<WindowDimension> window(dimensions);
    const auto fill = [&](std::string_view value, std::int64_t WindowDimension::*member,
                          std::int64_t least) {
        const std::vector<std::int64_t> numbers = numbers_by_dimension(value);
        for (std::size_t i = 0; i < std::max(dimensions, numbers.size()); ++i) {
            if (numbers.size() != dimensions || numbers[i] < least || numbers[i] > most_window) {
                module.refuse(instruction, "found window " + std::string(value) + "; allowed: " +
                                               std::to_string(dimensions) + " numbers from " +
                                               std::to_string(least) + " to 2^22, parted by x");
            }
            window[i].*member = numbers[i];
        }
    };
    for (const Attribute& field : fields_of(instruction.attribute("window"))) {
        if (field.name == "size") {
            fill(field.value, &WindowDimension::size, 1);
        } else if (field.name == "stride") {
            fill(field.value, &WindowDimension::stride, 1);
        } else if (field.name == "pad") {
            fill(field.value, &WindowDimension::low_padding, -most_window);
        } else if (field.name == "lhs_dilate") {
            fill(field.value, &WindowDimension::left_dilation, 1);
        } else if (field.name == "rhs_dilate") {
            fill(field.value, &WindowDimension::right_dilation, 1);
        }
    }
    return window;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b)
{
    return a / b - (a % b != 0 && a < 0 ? 1 : 0);
}

/// Output positions o in [0, outputs) with begin <= o x stride < end.
std::int64_t positions_between(std::int64_t begin, std::int64_t end, std::int64_t stride,
                               std::int64_t outputs)
{
    const std::int64_t first =
        std::max<std::int64_t>(floor_quotient(begin + stride - 1, stride), 0);
    const std::int64_t last = std::min(floor_quotient(end - 1, stride), outputs - 1);
    return std::max<std::int64_t>(last - first + 1, 0);
}

/// Pairs of output and window positions that fall on one of n elements: 0 <= o stride + w
/// right_dilation - padding < (n - 1) left_dilation + 1, divisible by left_dilation.
std::int64_t pairs_of(const WindowDimension& window, std::int64_t n, std::int64_t outputs)
{
    std::int64_t pairs = 0;
    if (n == 0) {
        return 0;
    }
    for (std::int64_t w = 0; w < window.size; ++w) {
        const std::int64_t shift = w * window.right_dilation - window.low_padding;
        const std::int64_t end = (n - 1) * window.left_dilation + 1 - shift;
        if (window.left_dilation == 1) {
            pairs += positions_between(-shift, end, window.stride, outputs);
            continue;
        }
        const std::int64_t most = std::min(outputs, most_window);
        for (std::int64_t o = 0; o < most && o * window.stride < end; ++o) {
            const std::int64_t at = o * window.stride + shift;
            pairs += at >= 0 && at % window.left_dilation == 0 ? 1 : 0;
        }
    }
    return pairs;
}

/// "0bf_io0->0bf": of an operand, which of its dimensions a label names.
class Labels {
public:
    Labels(const Module& module, const Instruction& instruction, std::string_view labels,
           const Shape& shape)
        : labels_(labels),
          shape_(shape)
    {
        if (labels.size() != shape.dims.size()) {
            module.refuse(instruction, "found dim_labels " + std::string(labels) + " for " +
                                           std::to_string(shape.dims.size()) +
                                           " dimensions; allowed: a label for each");
        }
    }
    /// 1 where no dimension is labelled so.
    std::int64_t size(char label) const
    {
        const std::size_t at = labels_.find(label);
        return at == std::string_view::npos ? 1 : shape_.dims[at];
    }
    std::size_t spatial() const
    {
        return static_cast<std::size_t>(
            std::count_if(labels_.begin(), labels_.end(),
                          [](char label) { return label >= '0' && label <= '9'; }));
    }

private:
    std::string_view labels_;
    const Shape& shape_;
};

std::int64_t count_named(const Instruction& instruction, std::string_view name)
{
    return std::max<std::int64_t>(whole_number(instruction.attribute(name)).value_or(1), 1);
}

int passes_of(const Instruction& instruction)
{
    const std::string_view precision = instruction.attribute("operand_precision");
    return precision.find("highest") != std::string_view::npos ? 6
           : precision.find("high") != std::string_view::npos  ? 3
                                                               : 1;
}

void add_spatial(Product& matrices, std::int64_t window, std::int64_t inputs, std::int64_t outputs,
                 std::int64_t pairs)
{
    if (pairs == window && pairs == outputs && pairs > 1) {
        std::int64_t& side = inputs == 1 ? matrices.n : matrices.batches;
        side = product(side, pairs);
    } else {
        matrices.m = product(matrices.m, outputs);
        matrices.k = product(matrices.k, outputs > 0 ? quotient_up(pairs, outputs) : 0);
    }
}

Product convolution_of(const Module& module, const Computation& computation,
                       const Instruction& instruction)
{
    const Shape& left = *computation.operand(instruction, 0).shape;
    const Shape& right = *computation.operand(instruction, 1).shape;
    const std::string_view all = instruction.attribute("dim_labels");
    const std::size_t first = all.find('_');
    const std::size_t second = all.find("->");
    if (first == std::string_view::npos || second == std::string_view::npos || second < first) {
        module.refuse(instruction, "found dim_labels '" + std::string(all) +
                                       "'; allowed: labels as 0bf_io0->0bf");
    }
    const Labels input(module, instruction, all.substr(0, first), left);
    const Labels kernel(module, instruction, all.substr(first + 1, second - first - 1), right);
    const Labels output(module, instruction, all.substr(second + 2), *instruction.shape);
    Product matrices;
    matrices.m = input.size('b') / count_named(instruction, "batch_group_count");
    matrices.k = kernel.size('i');
    matrices.n = kernel.size('o');
    matrices.flops = product(product(product(2, matrices.m), matrices.k), matrices.n);
    const std::size_t spatial = std::min<std::size_t>(kernel.spatial(), 10);
    const std::vector<WindowDimension> window = window_of(module, instruction, spatial);
    for (std::size_t i = 0; i < spatial; ++i) {
        const char label = static_cast<char>('0' + i);
        if (window[i].size != kernel.size(label)) {
            module.refuse(instruction, "found a window of another size than its second operand");
        }
        const std::int64_t outputs = output.size(label);
        const std::int64_t pairs = pairs_of(window[i], input.size(label), outputs);
        matrices.flops = product(matrices.flops, pairs);
        add_spatial(matrices, window[i].size, input.size(label), outputs, pairs);
    }
    return matrices;
}

/// Sizes of `shape` in the dimensions that an attribute lists, multiplied.
std::int64_t listed_sizes(const Module& module, const Instruction& instruction, const Shape& shape,
                          std::string_view name)
{
    std::int64_t size = 1;
    for (const std::int64_t dimension : numbers_in(instruction.attribute(name))) {
        if (dimension < 0 || dimension >= static_cast<std::int64_t>(shape.dims.size())) {
            module.refuse(instruction, "found " + std::string(name) + "=" +
                                           std::string(instruction.attribute(name)) +
                                           "; allowed: dimensions of its operand");
        }
        size = product(size, shape.dims[static_cast<std::size_t>(dimension)]);
    }
    return size;
}

Product dot_of(const Module& module, const Computation& computation, const Instruction& instruction)
{
    const Shape& left = *computation.operand(instruction, 0).shape;
    const Shape& right = *computation.operand(instruction, 1).shape;
    Product matrices;
    matrices.batches = listed_sizes(module, instruction, left, "lhs_batch_dims");
    matrices.k = listed_sizes(module, instruction, left, "lhs_contracting_dims");
    const std::int64_t shared = std::max<std::int64_t>(product(matrices.batches, matrices.k), 1);
    matrices.m = elements_of(left) / shared;
    matrices.n = elements_of(right) / shared;
    matrices.flops = product(product(2, elements_of(*instruction.shape)), matrices.k);
    return matrices;
}

} // namespace

bool is_product(const Instruction& instruction)
{
    return instruction.is("convolution") || instruction.is("dot");
}

Product product_of(const Module& module, const Computation& computation,
                   const Instruction& instruction)
{
    Product matrices = instruction.is("dot") ? dot_of(module, computation, instruction)
                                             : convolution_of(module, computation, instruction);
    matrices.left = computation.operand(instruction, 0).shape->dtype;
    matrices.right = computation.operand(instruction, 1).shape->dtype;
    matrices.result = instruction.shape->dtype;
    matrices.passes = passes_of(instruction);
    return matrices;
}

} // namespace alxsim::hlo
