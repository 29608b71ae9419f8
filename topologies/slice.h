// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topologies/preset.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::topologies {

/// One axis of a slice, in chips. `wraps`: its ends are joined, so that it is a ring and not a
/// line.
struct Axis {
    int length = 1;
    bool wraps = false;
};

/// What the user asked for about the shape of a slice; all optional.
struct SliceRequest {
    int cores = 1;
    std::optional<std::string> shape;      ///< "8x16", chips per axis
    std::optional<std::vector<bool>> wrap; ///< per axis
};

/// The chips of a job and how they are joined: a mesh or torus of up to three axes. Chips are
/// numbered with the last axis fastest: chip = (x * Y + y) * Z + z.
class Slice {
public:
    /// The listed shape for so many cores, else the squarest rectangle of whole chips inside the
    /// next listed one, without wrap and `assumed`; or the requested shape. A core count below one
    /// chip's uses part of a chip (assumed). Throws InputError naming the allowed counts or shapes.
    static Slice choose(const Preset& preset, const SliceRequest& request);

    /// An axis of length 1 or 2 is stored as a line: its wrap link would be the same pair.
    /// `twisted` (three axes of k x k x 2k or k x 2k x 2k chips in any order, all wrapping): past the
    /// wrap of a short axis, one comes out half-way along every long axis.
    Slice(std::vector<Axis> axes, int cores_per_chip, bool assumed, bool twisted = false);

    const std::vector<Axis>& axes() const { return axes_; }
    int chips() const;
    int cores_per_chip() const { return cores_per_chip_; }
    int cores() const { return chips() * cores_per_chip_; }
    bool assumed() const { return assumed_; }
    bool twisted() const { return twisted_; }
    std::string shape() const; ///< "8x16"

    std::vector<int> coordinates(int chip) const;
    int chip_at(const std::vector<int>& coordinates) const;
    /// The next chip along `axis` in `direction` (+1 or -1), or nothing at the end of a line. An
    /// axis of length 1 has no neighbours.
    std::optional<int> neighbour(int chip, int axis, int direction) const;

private:
    std::vector<Axis> axes_;
    int cores_per_chip_;
    bool assumed_;
    bool twisted_;
};

} // namespace alxsim::topologies
