// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/split.h"
#include "alx/requests/point_request.h"
#include "alx/steps/prepared_links.h"
#include "base/inputs/input_files.h"
#include "base/memo.h"

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace alxsim::alx {

/// Data and the files that it was read from.
struct ReadDataset {
    Dataset data;
    InputFiles inputs;
};

/// Data of several jobs, with what was made of it for one and serves others, too.
class SharedDataset : public Dataset {
public:
    explicit SharedDataset(ReadDataset read)
        : Dataset(std::move(read.data)),
          inputs_(std::move(read.inputs))
    {
    }

    const InputFiles& inputs() const { return inputs_; }

    /// The training links for jobs of this placement, seed and number of shards: kept for the last
    /// few of these. Not beyond this dataset's life. Throws InputError for an unknown placement.
    std::shared_ptr<const PreparedLinks> prepared(const AlxConfig& config,
                                                  const DeviceMesh& mesh) const;

private:
    using Key = std::tuple<std::string, int, std::uint64_t>;

    InputFiles inputs_;
    mutable Memo<int, std::shared_ptr<const SparseMatrix>> transposed_;
    mutable Memo<Key, std::shared_ptr<const PreparedLinks>> prepared_{16};
};

/// dataset_of() (dataset_request.h), read once for all jobs of this process that have the same data
/// at the same time: as long as one of them lives, and its files are as they were. Notes the files
/// (InputWatch), whoever has read them. Throws InputError. Safe from several threads, of which one
/// reads while others wait.
std::shared_ptr<const SharedDataset> shared_dataset_of(const PointRequest& point,
                                                       const std::string& file);

} // namespace alxsim::alx
