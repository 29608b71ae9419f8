// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/schedule/optimizer_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <queue>
#include <set>
#include <tuple>

namespace alxsim::offload {
namespace {

/// Steps of one layer after another: places 0 to 2 L - 1 of a step are its layers' forward,
/// upwards, and their backward, downwards. Updates are numbered step by step, layer by layer, so
/// that the smallest number is the one that a forward needs first.
class DeadlineReplay {
public:
    DeadlineReplay(const OffloadShape& shape, const LayerTimes& times)
        : shape_(shape),
          times_(times),
          places_(2 * shape.layers * steps),
          computed_(static_cast<std::size_t>(places_)),
          loaded_(static_cast<std::size_t>(places_)),
          updated_(static_cast<std::size_t>(shape.layers * steps)),
          written_(updated_.size())
    {
    }

    OptimizerOrder run()
    {
        start_all();
        while (!under_way_.empty()) {
            now_ = under_way_.top().time;
            for (; !under_way_.empty() && under_way_.top().time == now_; under_way_.pop()) {
                finish(under_way_.top());
            }
            start_all();
        }
        return order_;
    }

private:
    /// Of the last step nobody waits for updates; of the first nobody waited for.
    static constexpr int steps = 4;
    static constexpr int kept_step = 2;

    enum Unit { drive_read, host_in, core, host_out, cpu, drive_write, units };
    struct Task {
        double time; ///< when it is done
        int order;
        Unit unit;
        int item; ///< a place, or the number of an update
        bool of_optimizer;
        bool operator>(const Task& other) const
        {
            return std::tie(time, order) > std::tie(other.time, other.order);
        }
    };

    int layer_at(int place) const
    {
        const int at = place % (2 * shape_.layers);
        return at < shape_.layers ? at : 2 * shape_.layers - 1 - at;
    }
    int step_at(int place) const { return place / (2 * shape_.layers); }
    bool is_forward(int place) const { return place % (2 * shape_.layers) < shape_.layers; }
    int update_at(int place) const { return step_at(place) * shape_.layers + layer_at(place); }

    bool may_fetch() const
    {
        if (fetched_ == places_ ||
            (fetched_ >= shape_.prefetch &&
             !computed_[static_cast<std::size_t>(fetched_ - shape_.prefetch)])) {
            return false;
        }
        const int before = update_at(fetched_) - shape_.layers;
        return !is_forward(fetched_) || before < 0 || updated_[static_cast<std::size_t>(before)];
    }

    double compute_time(int place) const
    {
        const int at = place % (2 * shape_.layers);
        return (is_forward(place) ? times_.forward : times_.backward) +
               (at == 0 ? times_.ahead : 0) + (at == shape_.layers ? times_.between : 0) +
               (at == 2 * shape_.layers - 1 ? times_.behind : 0);
    }

    void start(Unit unit, int item, double seconds, bool of_optimizer = false)
    {
        busy_[unit] = true;
        under_way_.push({now_ + seconds, started_++, unit, item, of_optimizer});
    }

    void start_update(Unit unit, OptimizerPart part, std::set<int>& waiting,
                      std::set<int>::iterator first, double seconds)
    {
        const int update = *first;
        waiting.erase(first);
        if (update / shape_.layers == kept_step) {
            order_.push_back({part, update % shape_.layers});
        }
        start(unit, update, seconds, true);
    }

    /// The first update that may be read: what it changed the step before has been written.
    std::set<int>::iterator first_to_read()
    {
        return std::find_if(arrived_.begin(), arrived_.end(), [&](int update) {
            const int before = update - shape_.layers;
            return before < 0 || written_[static_cast<std::size_t>(before)];
        });
    }

    /// In a program a step's fetches stand before its updates, and these before the next step.
    void start_read()
    {
        const bool fetches = may_fetch();
        const auto first = in_memory_ < shape_.buffers ? first_to_read() : arrived_.end();
        if (first != arrived_.end() && (!fetches || *first / shape_.layers < step_at(fetched_))) {
            ++in_memory_;
            start_update(drive_read, OptimizerPart::read, arrived_, first, times_.read);
        } else if (fetches) {
            start(drive_read, fetched_++, times_.fetch);
        }
    }

    void start_next(Unit unit, std::deque<int>& waiting, double seconds)
    {
        if (!busy_[unit] && !waiting.empty()) {
            start(unit, waiting.front(), seconds);
            waiting.pop_front();
        }
    }

    void start_all()
    {
        if (!busy_[drive_read]) {
            start_read();
        }
        start_next(host_in, to_load_, times_.load);
        start_next(host_out, to_unload_, times_.unload);
        if (!busy_[core] && next_ < places_ && loaded_[static_cast<std::size_t>(next_)]) {
            start(core, next_, compute_time(next_));
            ++next_;
        }
        if (!busy_[cpu] && !was_read_.empty()) {
            start_update(cpu, OptimizerPart::update, was_read_, was_read_.begin(), times_.update);
        }
        if (!busy_[drive_write] && !to_write_.empty()) {
            start_update(drive_write, OptimizerPart::write, to_write_, to_write_.begin(),
                         times_.write);
        }
    }

    void finish(const Task& task)
    {
        busy_[task.unit] = false;
        const auto item = static_cast<std::size_t>(task.item);
        switch (task.unit) {
        case drive_read:
            task.of_optimizer ? void(was_read_.insert(task.item)) : to_load_.push_back(task.item);
            break;
        case host_in:
            loaded_[item] = true;
            break;
        case core:
            computed_[item] = true;
            if (!is_forward(task.item)) {
                to_unload_.push_back(update_at(task.item));
            }
            break;
        case host_out:
            arrived_.insert(task.item);
            break;
        case cpu:
            updated_[item] = true;
            to_write_.insert(task.item);
            break;
        default:
            written_[item] = true;
            --in_memory_;
        }
    }

    const OffloadShape& shape_;
    const LayerTimes& times_;
    const int places_;
    double now_ = 0;
    int started_ = 0;
    std::array<bool, units> busy_{};
    std::priority_queue<Task, std::vector<Task>, std::greater<>> under_way_;
    int fetched_ = 0; ///< places whose fetch has begun
    int next_ = 0;    ///< place that is computed next
    int in_memory_ = 0;
    std::vector<bool> computed_, loaded_; ///< [place]
    std::vector<bool> updated_, written_; ///< [update]
    std::deque<int> to_load_, to_unload_;
    std::set<int> arrived_, was_read_, to_write_; ///< updates
    OptimizerOrder order_;
};

} // namespace

OptimizerOrder order_of_gradients(int layers)
{
    OptimizerOrder order;
    for (int layer = layers - 1; layer >= 0; --layer) {
        for (const OptimizerPart part :
             {OptimizerPart::read, OptimizerPart::update, OptimizerPart::write}) {
            order.push_back({part, layer});
        }
    }
    return order;
}

OptimizerOrder earliest_deadline_first(const OffloadShape& shape, const LayerTimes& times)
{
    return DeadlineReplay(shape, times).run();
}

} // namespace alxsim::offload
