// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/graph/work.h"
#include "topologies/machine.h"

namespace alxsim::model {

/// How a matmul falls onto weight-stationary arrays of R x C: every product's [k x n] operand is
/// cut into ceil(k/R) * ceil(n/C) weight tiles (times the bf16 passes), dealt out whole to the
/// device's MXUs; the m rows stream through each. With overlap the rows may be cut as well, into
/// blocks of which each takes a tile of its own, loaded once more: on v4, [1024,128] x [128,128]
/// takes 224 cycles longer than [128,128] x [128,128], a quarter of the rows' difference (on-device
/// cycle counts on v4, pallas-tpu-tutorial), so that 4 MXUs share them. A tile that k or n does not
/// fill costs as much as a full one: weights are padded to the array (scaling book, tpus;
/// SCALE-Sim, too). Rows are padded to the VPU's sublanes, because the MXU takes registers of them:
/// bf16[8,128] times bf16[128,128] every 8 cycles (scaling book, tpus, appendix B).
///
/// Operands of fewer bits stream as many times as fast as the chip's arrays take them
/// (DeviceSpec::MxuRates); where they take no more than of bf16 they run as bf16.
struct MatmulTiling {
    std::int64_t row_blocks = 1;    ///< into which the m rows are cut
    std::int64_t tiles_per_mxu = 0; ///< times row blocks, of the MXU that has the most
    Cycles stream{0};               ///< cycles in which a block's rows enter one tile
    Cycles load{0};                 ///< cycles to load one weight tile
    /// From the last row in to the last result out: ceil(R / G) + C - 2, because row and column
    /// r, c of the array work r / G + c cycles after the first, where the products of G rows are
    /// summed before they join the partial sum (4 on v4i: Hot Chips and "Ten Lessons"; else 1).
    Cycles drain{0};
};

/// With overlap, the number of row blocks, up to one per MXU, that takes the fewest cycles.
MatmulTiling tile(const Matmul& matmul, const topologies::DeviceSpec& device);

/// A product's code goes window by window over operands and result, as VMEM holds them. What a
/// window costs beyond its arrays' cycles: loop control, the first loads, the last results out of
/// the arrays, partial sums that are read, added to and written back where k is cut. Counted in
/// machine code (tests/oracle/xla/product_windows.json): for each window beyond the first, which an
/// op's overhead holds. A chip whose two cores are one device gives each every other window.
Cycles matmul_window_cycles(const Matmul& matmul, const topologies::DeviceSpec& device);

/// How many cycles it takes, in closed form, where a fold is load + stream + drain.
///
/// Without overlap, fold after fold. With a load of R cycles, a row per cycle and G = 1 that is
/// ceil(k/R) * ceil(n/C) * (2R + C + m - 2), as in SCALE-Sim (systolic_compute_ws.py), which
/// reports the number of the last cycle, counted from 0: one less.
///
/// With overlap, one fold + (tiles - 1) * max(stream, load): the next tile's weights shift in
/// beside those in use (US10635740), and its rows follow without a bubble (scaling book, tpus);
/// and the windows. A tile of fewer rows of weights than the array's loads in proportion.
Cycles matmul_cycles(const Matmul& matmul, const topologies::DeviceSpec& device);

/// Multiply-adds times two, times the passes: what is held against the bf16 peak.
double matmul_operations(const Matmul& matmul);

/// Rows of operands of `dtype` that an MXU takes while it takes one of bf16.
double mxu_rate(DType dtype, const topologies::DeviceSpec& device);

/// Useful multiply-adds over what the arrays could do in `matmul_cycles`, from 0 to 1. What is
/// missing are tiles that k or n does not fill, padded rows, loads, fill and drain, idle MXUs.
double mxu_useful_share(const Matmul& matmul, const topologies::DeviceSpec& device);

} // namespace alxsim::model
