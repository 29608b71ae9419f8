// SPDX-License-Identifier: Apache-2.0
#include "spmd/input_matrix.h"

#include "base/input_error.h"
#include "spmd/linear/random.h"

namespace alxsim::spmd {

NpyMatrix input_matrix(const std::string& path, std::int64_t rows, std::int64_t columns,
                       std::uint64_t stream)
{
    const auto size = static_cast<std::size_t>(rows * columns);
    NpyMatrix matrix{rows, columns, {}};
    if (path.empty()) {
        matrix.values.reserve(size);
        for (std::int64_t i = 0; i < rows * columns; ++i) {
            matrix.values.push_back(random_normal(stream, i));
        }
        return matrix;
    }
    NpyMatrix found = read_npy(path);
    if (found.columns != columns || found.rows < rows) {
        throw InputError(path, "",
                         "found " + npy_shape_text({found.rows, found.columns}) + "; allowed: " +
                             npy_shape_text({rows, columns}) + ", or more rows of as many numbers");
    }
    found.values.resize(size);
    matrix.values = std::move(found.values);
    return matrix;
}

} // namespace alxsim::spmd
