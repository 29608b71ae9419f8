// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/preset.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::topologies {

/// What joins the chips along an axis: links between chips, or the data center network between
/// slices.
enum class AxisLinks { ici, dcn };

/// One axis of a slice, in chips. `wraps`: its ends are joined, so that it is a ring and not a
/// line.
struct Axis {
    int length = 1;
    bool wraps = false;
    AxisLinks links = AxisLinks::ici;

    bool operator==(const Axis& other) const
    {
        return length == other.length && wraps == other.wraps && links == other.links;
    }
};

/// What the user asked for about the shape of a slice; all optional.
struct SliceRequest {
    int cores = 1;                         ///< of all slices
    std::optional<std::string> shape;      ///< of a slice: "8x16", chips per axis
    std::optional<std::vector<bool>> wrap; ///< per axis
    bool twisted = false;
    int slices = 1; ///< alike, joined by the data center network
};

/// Whether these axes form a twisted torus: k x k x 2k or k x 2k x 2k chips in any order, k at
/// least 4, and all wrap.
bool can_be_twisted(const std::vector<Axis>& axes);

/// The chips of a job and how they are joined: a mesh or torus of up to three axes. Chips are
/// numbered with the last axis fastest: chip = (x * Y + y) * Z + z.
///
/// A job may have several such slices, all alike. The data center network joins the chips at one
/// place of each: one axis more, the last, along which chips are numbered slowest. Two slices are a
/// line; more a ring, since that is how collectives use a switched network.
///
/// A twisted torus is one of the lattice graphs FCC (k x k x 2k) and BCC (k x 2k x 2k) of Camarero,
/// Martinez and Beivide, "Lattice graphs for high-scale interconnection topologies" (IEEE TPDS
/// 2015): past the wrap of an axis of length k, one comes out k further along every axis of length
/// 2k. So does the example of Cloud TPU's documentation, 4x2: each wrap of Y shifts X by 2.
class Slice {
public:
    /// The listed shape for so many cores, else the squarest rectangle of whole chips inside the
    /// next listed one, without wrap and `assumed`; or the requested shape, which wraps by the
    /// preset's rule (topologies/README.md) and is assumed when it is not listed. A core count
    /// below one chip's uses part of a chip (assumed). Throws InputError naming the allowed counts,
    /// shapes, or shapes that may be twisted.
    static Slice choose(const Preset& preset, const SliceRequest& request);

    /// `axes`: of one slice. An axis of length 1 or 2 is stored as a line: its wrap link would be
    /// the same pair. Throws std::invalid_argument for axes without chips, no slice, or `twisted`
    /// axes that cannot be twisted or are to be joined with other slices.
    Slice(std::vector<Axis> axes, int cores_per_chip, bool assumed, bool twisted = false,
          int slices = 1);

    const std::vector<Axis>& axes() const { return axes_; } ///< that between slices included
    std::vector<Axis> ici_axes() const;                     ///< of one slice
    int slices() const { return slices_; }
    /// The axis between slices, an index into axes(); nothing of a job on one.
    std::optional<int> dcn_axis() const;
    /// The name that users give an axis: "x", "y", "z" or "dcn".
    std::string axis_name(int axis) const;
    std::vector<std::string> axis_names() const;
    int chips() const; ///< of all slices
    /// Chips from one coordinate of an axis to the next.
    int stride(int axis) const { return strides_[static_cast<std::size_t>(axis)]; }
    int cores_per_chip() const { return cores_per_chip_; }
    int cores() const { return chips() * cores_per_chip_; }
    bool assumed() const { return assumed_; }
    bool twisted() const { return twisted_; }
    std::string shape() const; ///< of one slice: "8x16"
    std::string words() const; ///< for messages: "8x16", "2 slices of 8x16"

    std::vector<int> coordinates(int chip) const;
    int chip_at(const std::vector<int>& coordinates) const;
    /// The next chip along `axis` in `direction` (+1 or -1), or nothing at the end of a line. An
    /// axis of length 1 has no neighbours.
    std::optional<int> neighbour(int chip, int axis, int direction) const;

private:
    /// Along every long axis of a twisted slice.
    void shift_half_way(std::vector<int>& place) const;

    std::vector<Axis> axes_;
    int cores_per_chip_;
    bool assumed_;
    bool twisted_;
    int slices_;
    std::vector<int> strides_; ///< [axis]
};

} // namespace alxsim::topologies
