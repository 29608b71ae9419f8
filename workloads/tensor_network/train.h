// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/decomposition_ops.h"
#include "spmd/step_builder.h"
#include "workloads/tensor_network/decisions.h"
#include "workloads/tensor_network/host_train.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace alxsim::tensor_network {

/// By what a cut's singular values and vectors are found.
enum class Method { gramians, svd };

/// A program under construction, and what its steps share.
struct Building {
    spmd::StepBuilder& step;
    spmd::Numbers* numbers; ///< null: timed alone
    Decisions& decisions;
    Method method = Method::gramians;
    spmd::EigenMethod eigenvectors = {};
    /// Axes of the mesh, the slowest first, along which arrays are dealt; none: all devices do the
    /// same.
    std::vector<std::string> axes = {};

    int devices() const;
    /// Indices of a leg that a device has; the last devices may have zeros for some.
    std::int64_t share(std::int64_t size) const;
    /// A matrix of the step.
    spmd::Array matrix(const std::string& name, std::int64_t rows, std::int64_t columns) const;
};

/// A tensor train whose legs are cut: core k is [its share of the leg x ranks[k] x ranks[k + 1]] on
/// each device, the leg's index the slowest.
struct Train {
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> ranks; ///< [legs + 1]
    std::vector<spmd::Array> cores;

    std::size_t legs() const { return sizes.size(); }
    std::int64_t numbers() const { return numbers_of_train(sizes, ranks); }
};

/// Arrays for the cores of a train, NAME.1, NAME.2, ...
Train declare_train(const Building& building, const std::string& name,
                    const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& ranks);
/// The same with all cores on all devices.
Building undealt(const Building& building);
/// The same numbers as a matrix of other rows and columns.
spmd::Array reshaped(const Building& building, spmd::Array array, std::int64_t rows,
                     std::int64_t columns);
/// A device's share of the `size` blocks of rows that a matrix has on all devices, zeros behind.
spmd::Array add_own_share(const Building& building, const std::string& name, spmd::Array whole,
                          std::int64_t size);

/// Deals numbers to the devices.
void write_train(const Building& building, const Train& to, const HostTrain& from);
/// What the devices have.
HostTrain read_train(const Building& building, const Train& train);

/// Deals a tensor, its last leg the fastest, to the devices: [share of the last leg x ... x first].
void write_tensor(const Building& building, spmd::Array to, const std::vector<std::int64_t>& sizes,
                  const std::vector<double>& tensor);

/// The numbers of an array that is dealt by rows, device after device: the first `rows`.
std::vector<double> read_dealt(const Building& building, spmd::Array array, std::int64_t rows);

/// How many of a cut's singular values stay: what is dropped of each of `cuts` cuts has a norm of
/// at most tolerance / sqrt(cuts) times the tensor's, which is that of the first cut's values.
class Truncation {
public:
    Truncation(double tolerance, std::size_t cuts);
    /// So many, whatever they are.
    static Truncation to_rank(std::int64_t rank);
    bool is_to_rank() const { return rank_ > 0; }
    std::int64_t rank_of(std::int64_t values) const { return std::min(rank_, values); }

    /// No more than the sizes allow of what is cut next, whatever rounding has left.
    void allow(std::int64_t most) { most_ = static_cast<std::size_t>(most); }
    /// Counts the singular values (descending) that are kept; at least 1.
    std::int64_t kept(const std::vector<double>& values);

private:
    double share_ = 0;
    double norm_ = -1;      ///< not known yet
    std::int64_t rank_ = 0; ///< 0: by the values
    std::size_t most_ = std::numeric_limits<std::size_t>::max();
};

/// The root of a Gramian's eigenvalue, float or double. What is a few rounding errors of the
/// largest or less, of either sign, counts as 0: to keep its vectors, which are divided by the
/// root, would keep errors of any size.
template <class Real>
Real root_of(Real eigenvalue, Real largest);

/// All singular values of a cut, as an array of the step has them: themselves, descending; or their
/// squares, ascending, as eigenvalues are.
struct SingularValues {
    spmd::Array array;
    bool are_squares = false;
};
/// Descending, of the first device.
std::vector<double> read_values(const Building& building, SingularValues values);
/// How many of them are kept: decided by the numbers, unless it is a rank that was asked for.
std::int64_t kept_of(Building& building, SingularValues values, Truncation& truncation);

/// A [rows x columns] = u s vt, dealt by rows, with as many singular values as are kept.
struct Cut {
    std::int64_t kept = 0;
    SingularValues values;
    spmd::Array u;    ///< [rows x kept], dealt, orthonormal columns
    spmd::Array s_vt; ///< [kept x columns] on all devices
};

/// By its SVD, or by the eigenvectors of its Gramian, which loses half of the digits.
Cut add_cut(Building& building, const std::string& name, spmd::Array a, Truncation& truncation);

/// The same A as what is left of it, A v [rows x kept], and v [columns x kept] on all devices,
/// orthonormal columns.
struct RightCut {
    std::int64_t kept = 0;
    SingularValues values;
    spmd::Array rest;
    spmd::Array v;
};
RightCut add_right_cut(Building& building, const std::string& name, spmd::Array a,
                       Truncation& truncation);

/// Each panel [rows x columns] of a core transposed.
spmd::Array transposed_panels(const Building& building, const std::string& name, spmd::Array core,
                              std::int64_t panels);
/// core times a matrix from the right.
spmd::Array times(const Building& building, const std::string& name, spmd::Array core,
                  spmd::Array matrix, bool transposed = false);
/// A matrix times each panel of a core.
spmd::Array multiply_panels(const Building& building, const std::string& name, spmd::Array matrix,
                            spmd::Array core, std::int64_t panels, bool transposed = false);

/// Cores but the first with orthonormal rows (leg and right rank), by QRs from the right.
Train orthonormal_from_right(Building& building, const std::string& name, Train train);

/// To what the bond behind leg k may be cut: no more than the left part and the right one have.
std::int64_t most_of_bond(const Train& train, std::size_t k);

/// "NAME.3" of the core with index 2.
std::string of_core(const std::string& name, std::size_t k);

} // namespace alxsim::tensor_network
