// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/step_builder.h"

#include <string>
#include <vector>

namespace alxsim::spmd {

// Decompositions of a matrix whose rows are dealt to the devices of one or more axes of the mesh,
// [rows x columns] on each, with their numbers. `name` begins the names of arrays and ops. Throw
// std::logic_error where a device has fewer rows than columns.

/// A = Q R.
struct TallQr {
    Array q; ///< [rows x columns], as A is dealt
    Array r; ///< [columns x columns], the same bits on all devices
};

/// A QR of each device's rows, then for each axis a QR of its devices' R's, one below the other,
/// which all of them make: a tree whose levels are the axes (TSQR: Demmel, Grigori, Hoemmen,
/// Langou 2012, doi 10.1137/080731992). Meshes of other lengths agree up to rounding.
TallQr add_tall_qr(StepBuilder& step, const std::string& name, Array a,
                   const std::vector<std::string>& axes);

/// A = U diag(s) Vt.
struct TallSvd {
    Array u;  ///< [rows x columns], as A is dealt
    Array s;  ///< [1 x columns], descending, the same bits on all devices, as is ...
    Array vt; ///< ... [columns x columns]
};

/// By the QR as above and the SVD of its R, which all devices make.
TallSvd add_tall_svd(StepBuilder& step, const std::string& name, Array a,
                     const std::vector<std::string>& axes);

/// A^T A = V diag(values) V^T.
struct GramianEigen {
    Array gramian; ///< [columns x columns]
    Array values;  ///< [1 x columns], ascending
    Array vectors; ///< [columns x columns], in columns
};

/// All on all devices. What each has of the sum is made in pairs, and they are added in pairs: the
/// same bits on 1, 2, 4, ... devices, `axes` being in the mesh's order. Half of the digits of small
/// singular values are lost in A^T A.
GramianEigen add_gramian_eigen(StepBuilder& step, const std::string& name, Array a,
                               const std::vector<std::string>& axes);

} // namespace alxsim::spmd
