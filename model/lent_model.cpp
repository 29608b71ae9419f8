// SPDX-License-Identifier: Apache-2.0
#include "model/lent_model.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

namespace alxsim::model {

bool LentModel::Kind::operator==(const Kind& other) const
{
    return times == other.times && has_faults == other.has_faults && devices == other.devices &&
           chip == other.chip && axes == other.axes;
}

/// Those that nobody uses now, for all threads; the one that was used last is the last.
class LentModel::Idle {
public:
    /// Null where there is none.
    std::unique_ptr<AnalyticModel> take(const Kind& kind)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = std::find_if(models_.rbegin(), models_.rend(),
                                        [&](const auto& one) { return one.first == kind; });
        if (found == models_.rend()) {
            return nullptr;
        }
        std::unique_ptr<AnalyticModel> model = std::move(found->second);
        models_.erase(std::next(found).base());
        return model;
    }

    void give_back(Kind kind, std::unique_ptr<AnalyticModel> model)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        models_.emplace_back(std::move(kind), std::move(model));
        int devices = 0;
        for (const auto& one : models_) {
            devices += one.first.devices;
        }
        while (models_.size() > most || (models_.size() > 1 && devices > most_devices)) {
            devices -= models_.front().first.devices;
            models_.pop_front();
        }
    }

private:
    static constexpr std::size_t most = 16;      ///< slices of a sweep, by both kinds of times
    static constexpr int most_devices = 1 << 14; ///< of all: schedules may grow with them

    std::mutex mutex_;
    std::deque<std::pair<Kind, std::unique_ptr<AnalyticModel>>> models_;
};

LentModel::Idle& LentModel::idle()
{
    static Idle models;
    return models;
}

LentModel::LentModel(const topologies::Machine& machine, ScheduleTimes times)
    : kind_{times, !machine.faults.links.empty() || !machine.faults.device_speed.empty(),
            machine.devices, machine.preset.name(), machine.slice.axes()},
      model_(kind_.has_faults ? nullptr : idle().take(kind_))
{
    if (model_ == nullptr) {
        model_ = std::make_unique<AnalyticModel>(machine, times);
    } else {
        model_->use(machine);
    }
}

LentModel::~LentModel()
{
    if (!kind_.has_faults) {
        model_->end_job();
        idle().give_back(std::move(kind_), std::move(model_));
    }
}

} // namespace alxsim::model
