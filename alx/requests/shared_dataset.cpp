// SPDX-License-Identifier: Apache-2.0
#include "alx/requests/shared_dataset.h"

#include "alx/requests/config_request.h"
#include "alx/requests/dataset_request.h"
#include "alx/requests/split_fields.h"
#include "base/paths.h"

#include <filesystem>
#include <map>
#include <mutex>

namespace alxsim::alx {
namespace {

/// Its place, size and time of change; "" for what is no regular file.
std::string stamp_of(const std::string& path)
{
    std::error_code problem;
    const std::filesystem::path whole = std::filesystem::canonical(path, problem);
    if (problem || !std::filesystem::is_regular_file(whole, problem)) {
        return "";
    }
    const auto size = std::filesystem::file_size(whole, problem);
    const auto changed = std::filesystem::last_write_time(whole, problem);
    return problem ? ""
                   : whole.string() + " " + std::to_string(size) + " " +
                         std::to_string(changed.time_since_epoch().count());
}

/// All that the data depends on; "" where that cannot be told.
std::string key_of(const PointRequest& point, const std::string& file)
{
    const WorkloadRequest& workload = point.workload;
    Json key{{"dataset", workload.dataset_as_given},
             {"split", workload.split ? json_of(*workload.split) : Json()},
             {"seed", point.seed},
             {"counts_unlinked_ids", counts_unlinked_ids(workload)},
             {"weights", workload.alx.weights}};
    const std::optional<std::string> no_file;
    for (const auto& [field, path] :
         {std::pair("file", workload.dataset.file),
          std::pair("test_file", workload.split ? workload.split->test_file : no_file)}) {
        if (path) {
            const std::string stamp = stamp_of(resolve_path(*path, file));
            if (stamp.empty()) {
                return "";
            }
            key[field] = stamp;
        }
    }
    return key.dump();
}

/// Data that jobs hold. What none holds is forgotten.
class LivingData {
public:
    /// What is held of `key`, or what `make` makes: once, for all that ask meanwhile.
    template <class Make>
    std::shared_ptr<const SharedDataset> get(const std::string& key, Make make)
    {
        const std::shared_ptr<Known> known = known_of(key);
        const std::lock_guard<std::mutex> lock(known->making);
        std::shared_ptr<const SharedDataset> data = known->data.lock();
        if (!data) {
            data = std::make_shared<const SharedDataset>(make());
            known->data = data;
        }
        return data;
    }

private:
    struct Known {
        std::mutex making;
        std::weak_ptr<const SharedDataset> data;
    };

    std::shared_ptr<Known> known_of(const std::string& key)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto one = known_.begin(); one != known_.end();) {
            one = is_forgotten(one->second) ? known_.erase(one) : std::next(one);
        }
        std::shared_ptr<Known>& known = known_[key];
        if (!known) {
            known = std::make_shared<Known>();
        }
        return known;
    }
    static bool is_forgotten(const std::shared_ptr<Known>& known)
    {
        const std::unique_lock<std::mutex> unused(known->making, std::try_to_lock);
        return unused && known.use_count() == 1 && known->data.expired();
    }

    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Known>> known_;
};

} // namespace

std::shared_ptr<const PreparedLinks> SharedDataset::prepared(const AlxConfig& config,
                                                             const DeviceMesh& mesh) const
{
    const auto transposed = transposed_.get_once(
        0, [&] { return std::make_shared<const SparseMatrix>(transpose(training)); });
    return prepared_.get_once({config.placement, mesh.row_shards, config.seed}, [&] {
        return std::make_shared<const PreparedLinks>(config, training, transposed, mesh);
    });
}

std::shared_ptr<const SharedDataset> shared_dataset_of(const PointRequest& point,
                                                       const std::string& file)
{
    static LivingData living;
    const auto read = [&] {
        InputWatch watch;
        Dataset data = dataset_of(point, file);
        return ReadDataset{std::move(data), watch.files()};
    };
    const std::string key = key_of(point, file);
    const std::shared_ptr<const SharedDataset> data =
        key.empty() ? std::make_shared<const SharedDataset>(read()) : living.get(key, read);
    note_inputs(data->inputs());
    return data;
}

} // namespace alxsim::alx
