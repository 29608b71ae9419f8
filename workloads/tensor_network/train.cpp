// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/train.h"

#include "base/units.h"
#include "spmd/linear/op_parts.h"

#include <algorithm>
#include <cmath>

namespace alxsim::tensor_network {
namespace {

using spmd::Array;

/// Index (left, i, right) of a core in the host's order, and (i, left, right) as devices have it.
struct CoreShape {
    std::int64_t left, size, right;

    std::size_t on_host(std::int64_t l, std::int64_t i, std::int64_t r) const
    {
        return static_cast<std::size_t>((l * size + i) * right + r);
    }
    std::size_t on_devices(std::int64_t l, std::int64_t i, std::int64_t r) const
    {
        return static_cast<std::size_t>((i * left + l) * right + r);
    }
    template <class Visit>
    void each(Visit visit) const
    {
        for (std::int64_t l = 0; l < left; ++l) {
            for (std::int64_t i = 0; i < size; ++i) {
                for (std::int64_t r = 0; r < right; ++r) {
                    visit(on_host(l, i, r), on_devices(l, i, r));
                }
            }
        }
    }
};

CoreShape shape_of(const HostTrain& train, std::size_t k)
{
    return {train.ranks[k], train.sizes[k], train.ranks[k + 1]};
}

/// The singular vectors of a cut by its SVD, or the eigenvectors of its Gramian.
struct Vectors {
    std::int64_t kept = 0;
    SingularValues values;
    Array v; ///< [columns x kept]
    Array s; ///< [1 x kept]
    Array u; ///< [rows x columns], of an SVD alone
};

/// The first columns of U and V^T transposed.
Vectors vectors_by_svd(Building& building, const std::string& name, Array a, Truncation& truncation)
{
    spmd::StepBuilder& step = building.step;
    const std::int64_t n = step.shape(a).columns;
    const spmd::TallSvd svd =
        spmd::add_tall_svd(step, {name + ".svd", "decompose"}, a, building.axes);
    const SingularValues values{svd.s};
    const std::int64_t kept = kept_of(building, values, truncation);
    const Vectors vectors{kept, values, building.matrix(name + ".v", n, kept),
                          building.matrix(name + ".values", 1, kept), svd.u};
    step.compute(name + ".take v", "decompose", spmd::elementwise(n * kept, 1, kept),
                 {{svd.vt, static_cast<double>(kept) / static_cast<double>(n)}, svd.s},
                 {vectors.v, vectors.s}, [=](const auto& on) {
                     for (std::int64_t row = 0; row < n; ++row) {
                         for (std::int64_t j = 0; j < kept; ++j) {
                             on(vectors.v)[row * kept + j] = on(svd.vt)[j * n + row];
                         }
                     }
                     std::copy(on(svd.s), on(svd.s) + kept, on(vectors.s));
                 });
    return vectors;
}

/// The last columns of the eigenvectors in reverse order, since eigenvalues ascend.
Vectors vectors_by_gramian(Building& building, const std::string& name, Array a,
                           Truncation& truncation)
{
    spmd::StepBuilder& step = building.step;
    const std::int64_t n = step.shape(a).columns;
    const Array gramian = spmd::add_gramian(step, {name, "gramians"}, a, building.axes);
    const spmd::EigenPairs eigen =
        spmd::add_eigen(step, {name + ".eigen", "eigenvectors"}, gramian, building.eigenvectors);
    const SingularValues values{eigen.values, true};
    const std::int64_t kept = kept_of(building, values, truncation);
    const Vectors vectors{kept,
                          values,
                          building.matrix(name + ".v", n, kept),
                          building.matrix(name + ".values", 1, kept),
                          {}};
    step.compute(
        name + ".take v", "eigenvectors", spmd::elementwise(n * kept, 1, kept),
        {{eigen.vectors, static_cast<double>(kept) / static_cast<double>(n)}, eigen.values},
        {vectors.v, vectors.s}, [=](const auto& on) {
            for (std::int64_t j = 0; j < kept; ++j) {
                const std::int64_t from = n - 1 - j;
                for (std::int64_t row = 0; row < n; ++row) {
                    on(vectors.v)[row * kept + j] = on(eigen.vectors)[row * n + from];
                }
                on(vectors.s)[j] = root_of(on(eigen.values)[from], on(eigen.values)[n - 1]);
            }
        });
    return vectors;
}

Vectors vectors_of(Building& building, const std::string& name, Array a, Truncation& truncation)
{
    return building.method == Method::svd ? vectors_by_svd(building, name, a, truncation)
                                          : vectors_by_gramian(building, name, a, truncation);
}

/// The first columns of a matrix that is dealt by rows.
Array first_columns(const Building& building, const std::string& name, Array a, std::int64_t kept)
{
    spmd::StepBuilder& step = building.step;
    const spmd::Shape shape = step.shape(a);
    const Array columns = building.matrix(name, shape.rows, kept);
    step.compute(name, "products", spmd::elementwise(shape.rows * kept, 1, kept),
                 {{a, static_cast<double>(kept) / static_cast<double>(shape.columns)}}, {columns},
                 [=](const auto& on) {
                     for (std::int64_t row = 0; row < shape.rows; ++row) {
                         std::copy_n(on(a) + row * shape.columns, kept, on(columns) + row * kept);
                     }
                 });
    return columns;
}

/// s v^T, and v over s where that is asked for.
Array scaled(const Building& building, const std::string& name, const Vectors& of, bool divided)
{
    spmd::StepBuilder& step = building.step;
    const std::int64_t n = step.shape(of.v).rows;
    const std::int64_t kept = of.kept;
    const Array result = divided ? building.matrix(name, n, kept) : building.matrix(name, kept, n);
    step.compute(name, "products",
                 divided ? spmd::division(n * kept, kept) : spmd::elementwise(n * kept, 1, n),
                 {of.v, of.s}, {result}, [=](const auto& on) {
                     using Real = spmd::NumberOf<decltype(on)>;
                     for (std::int64_t row = 0; row < n; ++row) {
                         for (std::int64_t j = 0; j < kept; ++j) {
                             const Real v = on(of.v)[row * kept + j];
                             const Real s = on(of.s)[j];
                             if (divided) {
                                 on(result)[row * kept + j] = s == 0 ? Real(0) : v / s;
                             } else {
                                 on(result)[j * n + row] = v * s;
                             }
                         }
                     }
                 });
    return result;
}

} // namespace

int Building::devices() const
{
    int devices = 1;
    for (const std::string& axis : axes) {
        devices *= step.mesh().length(axis);
    }
    return devices;
}

template <class Real>
Real root_of(Real eigenvalue, Real largest)
{
    // A few times the rounding of one product's sum.
    const Real rounding = 4 * std::numeric_limits<Real>::epsilon() * largest;
    return eigenvalue > rounding ? std::sqrt(eigenvalue) : Real(0);
}

template float root_of(float, float);
template double root_of(double, double);

std::int64_t Building::share(std::int64_t size) const
{
    return ceil_divide(size, std::int64_t{devices()});
}

Array Building::matrix(const std::string& name, std::int64_t rows, std::int64_t columns) const
{
    return step.array(name, {rows, columns}, model::DType::f32);
}

Train declare_train(const Building& building, const std::string& name,
                    const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& ranks)
{
    Train train{sizes, ranks, {}};
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        train.cores.push_back(building.matrix(name + "." + std::to_string(k + 1),
                                              building.share(sizes[k]) * ranks[k], ranks[k + 1]));
    }
    return train;
}

void write_train(const Building& building, const Train& to, const HostTrain& from)
{
    for (std::size_t k = 0; k < to.legs(); ++k) {
        const CoreShape shape = shape_of(from, k);
        const std::int64_t dealt = building.share(shape.size) * building.devices();
        std::vector<double> core(static_cast<std::size_t>(dealt * shape.left * shape.right));
        shape.each([&](std::size_t on_host, std::size_t on_devices) {
            core[on_devices] = from.cores[k][on_host];
        });
        if (building.axes.empty()) {
            building.numbers->copy(to.cores[k], core, model::DType::f32);
        } else {
            building.numbers->deal(to.cores[k], core, {1, dealt, shape.left * shape.right},
                                   model::DType::f32);
        }
    }
}

std::vector<double> read_dealt(const Building& building, Array array, std::int64_t rows)
{
    std::vector<double> all;
    for (int device = 0; device < building.devices(); ++device) {
        const std::vector<double> part = building.numbers->read(array, device);
        all.insert(all.end(), part.begin(), part.end());
    }
    all.resize(static_cast<std::size_t>(rows * building.step.shape(array).columns));
    return all;
}

HostTrain read_train(const Building& building, const Train& train)
{
    HostTrain read{train.sizes, train.ranks, {}};
    for (std::size_t k = 0; k < train.legs(); ++k) {
        const CoreShape shape = shape_of(read, k);
        const std::vector<double> dealt =
            read_dealt(building, train.cores[k], shape.size * shape.left);
        std::vector<double> core(dealt.size());
        shape.each([&](std::size_t on_host, std::size_t on_devices) {
            core[on_host] = dealt[on_devices];
        });
        read.cores.push_back(std::move(core));
    }
    return read;
}

void write_tensor(const Building& building, Array to, const std::vector<std::int64_t>& sizes,
                  const std::vector<double>& tensor)
{
    const std::int64_t dealt = building.share(sizes.back()) * building.devices();
    const auto numbers = static_cast<std::int64_t>(tensor.size());
    std::vector<double> reversed(static_cast<std::size_t>(dealt * (numbers / sizes.back())));
    std::vector<std::int64_t> index(sizes.size());
    for (const double number : tensor) {
        std::int64_t place = 0;
        for (std::size_t k = sizes.size(); k-- > 0;) {
            place = place * sizes[k] + index[k];
        }
        reversed[static_cast<std::size_t>(place)] = number;
        for (std::size_t k = sizes.size(); k-- > 0 && ++index[k] == sizes[k];) {
            index[k] = 0;
        }
    }
    building.numbers->deal(to, reversed, {1, dealt, numbers / sizes.back()}, model::DType::f32);
}

Building undealt(const Building& building)
{
    Building same = building;
    same.axes.clear();
    return same;
}

Array reshaped(const Building& building, Array array, std::int64_t rows, std::int64_t columns)
{
    const std::string name = building.step.buffer(array) + " as " + std::to_string(columns);
    return building.step.part(name, array, 0, {rows, columns});
}

Array add_own_share(const Building& building, const std::string& name, Array whole,
                    std::int64_t size)
{
    if (building.devices() == 1) {
        return whole;
    }
    spmd::StepBuilder& step = building.step;
    const std::int64_t share = building.share(size);
    const spmd::Shape shape = step.shape(whole);
    const std::int64_t block = shape.elements() / size;
    const Array own = building.matrix(name, shape.rows / size * share, shape.columns);
    step.compute(name, "products", spmd::elementwise(share * block, 1, shape.columns),
                 {{whole, 1.0 / building.devices()}}, {own}, [=](const auto& on) {
                     const std::int64_t first = std::min(size, on.device() * share);
                     const std::int64_t taken = std::min(share, size - first) * block;
                     std::copy_n(on(whole) + first * block, taken, on(own));
                     std::fill(on(own) + taken, on(own) + share * block,
                               spmd::NumberOf<decltype(on)>(0));
                 });
    return own;
}

Truncation Truncation::to_rank(std::int64_t rank)
{
    Truncation truncation(0, 1);
    truncation.rank_ = rank;
    return truncation;
}

Truncation::Truncation(double tolerance, std::size_t cuts)
    : share_(tolerance / std::sqrt(static_cast<double>(std::max<std::size_t>(cuts, 1))))
{
}

std::int64_t Truncation::kept(const std::vector<double>& values)
{
    if (norm_ < 0) {
        double squares = 0;
        for (const double value : values) {
            squares += value * value;
        }
        norm_ = std::sqrt(squares);
    }
    double dropped = 0; // squares
    std::size_t kept = values.size();
    for (; kept > most_; --kept) {
        dropped += values[kept - 1] * values[kept - 1];
    }
    while (kept > 1) {
        dropped += values[kept - 1] * values[kept - 1];
        if (!(std::sqrt(dropped) <= share_ * norm_)) {
            break;
        }
        --kept;
    }
    return static_cast<std::int64_t>(kept);
}

std::vector<double> read_values(const Building& building, SingularValues values)
{
    std::vector<double> numbers = building.numbers->read(values.array, 0);
    if (values.are_squares) {
        std::reverse(numbers.begin(), numbers.end());
        const double largest = numbers.front();
        for (double& number : numbers) {
            number = building.numbers->in_f64()
                         ? root_of(number, largest)
                         : static_cast<double>(
                               root_of(static_cast<float>(number), static_cast<float>(largest)));
        }
    }
    return numbers;
}

std::int64_t kept_of(Building& building, SingularValues values, Truncation& truncation)
{
    if (truncation.is_to_rank()) {
        return truncation.rank_of(building.step.shape(values.array).columns);
    }
    return building.decisions.next([&] { return truncation.kept(read_values(building, values)); });
}

Array transposed_panels(const Building& building, const std::string& name, Array core,
                        std::int64_t panels)
{
    spmd::StepBuilder& step = building.step;
    const std::int64_t rows = step.shape(core).rows / panels;
    const std::int64_t columns = step.shape(core).columns;
    const Array result = building.matrix(name, panels * columns, rows);
    step.compute(name, "products", spmd::elementwise(panels * rows * columns, 1, rows), {core},
                 {result}, [=](const auto& on) {
                     for (std::int64_t i = 0; i < panels; ++i) {
                         const auto* const from = on(core) + i * rows * columns;
                         auto* const to = on(result) + i * rows * columns;
                         for (std::int64_t row = 0; row < rows; ++row) {
                             for (std::int64_t column = 0; column < columns; ++column) {
                                 to[column * rows + row] = from[row * columns + column];
                             }
                         }
                     }
                 });
    return result;
}

Array times(const Building& building, const std::string& name, Array core, Array matrix,
            bool transposed)
{
    spmd::StepBuilder& step = building.step;
    const Array product =
        building.matrix(name, step.shape(core).rows,
                        transposed ? step.shape(matrix).rows : step.shape(matrix).columns);
    step.multiply(name, "products", {core}, {matrix, transposed}, {product});
    return product;
}

Array multiply_panels(const Building& building, const std::string& name, Array matrix, Array core,
                      std::int64_t panels, bool transposed)
{
    spmd::StepBuilder& step = building.step;
    const std::int64_t rows = transposed ? step.shape(matrix).columns : step.shape(matrix).rows;
    const Array product = building.matrix(name, panels * rows, step.shape(core).columns);
    const int count = static_cast<int>(panels);
    step.multiply(name, "products", {matrix, transposed}, {core, false, count},
                  {product, false, count});
    return product;
}

Cut add_cut(Building& building, const std::string& name, Array a, Truncation& truncation)
{
    const Vectors vectors = vectors_of(building, name, a, truncation);
    Cut cut{vectors.kept, vectors.values, {}, scaled(building, name + ".right", vectors, false)};
    if (vectors.u.exists()) {
        cut.u = first_columns(building, name + ".left", vectors.u, cut.kept);
    } else {
        cut.u =
            times(building, name + ".left", a, scaled(building, name + ".v over s", vectors, true));
    }
    return cut;
}

RightCut add_right_cut(Building& building, const std::string& name, Array a, Truncation& truncation)
{
    const Vectors vectors = vectors_of(building, name, a, truncation);
    return {vectors.kept, vectors.values, times(building, name + ".rest", a, vectors.v), vectors.v};
}

Train orthonormal_from_right(Building& building, const std::string& name, Train train)
{
    for (std::size_t k = train.legs() - 1; k > 0; --k) {
        const std::int64_t share = building.share(train.sizes[k]);
        const std::string of = of_core(name, k);
        const Array tall = transposed_panels(building, of + ".transposed", train.cores[k], share);
        const spmd::TallQr qr =
            spmd::add_tall_qr(building.step, {of + ".qr", "decompose"}, tall, building.axes);
        train.cores[k] = transposed_panels(building, of + ".orthonormal", qr.q, share);
        train.cores[k - 1] = times(building, of + ".times r", train.cores[k - 1], qr.r, true);
    }
    return train;
}

std::int64_t most_of_bond(const Train& train, std::size_t k)
{
    std::int64_t right = 1; // clamped, since sizes multiply beyond all integers
    for (std::size_t leg = train.legs() - 1; leg > k; --leg) {
        right = std::min(train.ranks[leg], right * train.sizes[leg]);
    }
    return std::min({train.ranks[k + 1], train.ranks[k] * train.sizes[k], right});
}

std::string of_core(const std::string& name, std::size_t k)
{
    return name + "." + std::to_string(k + 1);
}

} // namespace alxsim::tensor_network
