// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/step_builder.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::spmd {

// Decompositions of a matrix whose rows are dealt to the devices of one or more axes of the mesh,
// [rows x columns] on each, with their numbers.

/// How the arrays and ops of a decomposition are called.
struct Label {
    Label(std::string its_name) // NOLINT(google-explicit-constructor): the phase is called alike
        : name(std::move(its_name)),
          phase(name)
    {
    }
    Label(const char* its_name) : Label(std::string(its_name)) {} // NOLINT: as above
    Label(std::string its_name, std::string its_phase)
        : name(std::move(its_name)),
          phase(std::move(its_phase))
    {
    }
    Label part(const std::string& of_it) const { return {name + "." + of_it, phase}; }

    std::string name;  ///< begins the names of arrays and ops
    std::string phase; ///< of all ops but collectives
};

/// A = Q R.
struct TallQr {
    Array q; ///< [rows x columns], as A is dealt
    Array r; ///< [columns x columns], the same bits on all devices
};

/// A QR of each device's rows, then for each axis a QR of its devices' R's, one below the other,
/// which all of them make: a tree whose levels are the axes (TSQR: Demmel, Grigori, Hoemmen,
/// Langou 2012, doi 10.1137/080731992). Meshes of other lengths agree up to rounding. A device with
/// fewer rows than columns has rows of zeros below them; where all devices together have fewer,
/// or A has dependent columns, columns of Q that meet zeros of R are not orthonormal.
TallQr add_tall_qr(StepBuilder& step, const Label& label, Array a,
                   const std::vector<std::string>& axes);

/// A = U diag(s) Vt.
struct TallSvd {
    Array u;  ///< [rows x columns], as A is dealt
    Array s;  ///< [1 x columns], descending, the same bits on all devices, as is ...
    Array vt; ///< ... [columns x columns]
};

/// By the QR as above and the SVD of its R, which all devices make. Columns of U that belong to
/// singular values of 0 are not orthonormal where those of Q are not.
TallSvd add_tall_svd(StepBuilder& step, const Label& label, Array a,
                     const std::vector<std::string>& axes);

/// By what the eigenvectors of a symmetric matrix are found.
struct EigenMethod {
    /// So many products of its size, as spectral division by polynomials takes; 0: as JAX has it
    /// (spmd/linear/symmetric_eigen.h). Numbers are the same.
    std::int64_t products = 0;
};

/// The eigenvalues and eigenvectors of a symmetric matrix.
struct EigenPairs {
    Array values;  ///< [1 x n], ascending
    Array vectors; ///< [n x n], in columns
};

/// Adds the eigenpairs of a matrix that all devices have; each of them finds them by itself.
EigenPairs add_eigen(StepBuilder& step, const Label& label, Array symmetric, EigenMethod method);

/// A^T A, [columns x columns] on all devices. What each has of the sum is made in pairs, and they
/// are added in pairs: the same bits on 1, 2, 4, ... devices, `axes` being in the mesh's order.
/// Half of the digits of A's small singular values are lost in it.
Array add_gramian(StepBuilder& step, const Label& label, Array a,
                  const std::vector<std::string>& axes);

/// The same of the sum of A_i B_i^T, of panels [rows x columns] that stand below each other in A
/// and B and are dealt to the devices.
Array add_panel_gramian(StepBuilder& step, const Label& label, Array a, Array b, int panels,
                        const std::vector<std::string>& axes);

} // namespace alxsim::spmd
