// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/schedule/optimizer_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
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
          fetched_(computed_.size()),
          loaded_(computed_.size()),
          restored_(computed_.size()),
          sent_(computed_.size()),
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
    /// Nobody waits for updates of the last step; the first ones find drives that have nothing to
    /// do, and it takes some until all that wait have gathered.
    static constexpr int steps = 12;
    static constexpr int kept_step = 10;

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

    /// In place of a place: what the device computes before it.
    static constexpr int preparation = -1;

    static std::size_t index(int number) { return static_cast<std::size_t>(number); }

    int layer_at(int place) const
    {
        const int at = place % (2 * shape_.layers);
        return at < shape_.layers ? at : 2 * shape_.layers - 1 - at;
    }
    int step_at(int place) const { return place / (2 * shape_.layers); }
    bool is_forward(int place) const { return place % (2 * shape_.layers) < shape_.layers; }
    int update_at(int place) const { return step_at(place) * shape_.layers + layer_at(place); }

    /// Returns the first place whose weights may be fetched; places_: there is none.
    int first_to_fetch() const
    {
        const int end = std::min(places_, next_computed_ + shape_.prefetch);
        for (int place = first_not_fetched_; place < end; ++place) {
            const int before = update_at(place) - shape_.layers;
            if (!fetched_[index(place)] &&
                (!is_forward(place) || before < 0 || updated_[index(before)])) {
                return place;
            }
        }
        return places_;
    }

    /// Returns what the device computes before a place's layer, whatever has been loaded.
    double time_before(int place) const
    {
        const int at = place % (2 * shape_.layers);
        return at == 0               ? times_.ahead + (place > 0 ? times_.behind : 0)
               : at == shape_.layers ? times_.between
                                     : 0;
    }

    /// Says whether what a place needs is in HBM, and whether it has room there for what it leaves.
    bool may_compute(int place) const
    {
        const int before = place - layers_in_turn;
        const bool in_turn = before >= 0 && step_at(before) == step_at(place) &&
                             is_forward(before) == is_forward(place);
        return loaded_[index(place)] && (is_forward(place) || restored_[index(place)]) &&
               (!in_turn || sent_[index(before)]);
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
            return before < 0 || written_[index(before)];
        });
    }

    /// In a program a step's fetches stand before its updates, and these before the next step.
    void start_read()
    {
        const int place = first_to_fetch();
        const auto first = in_memory_ < shape_.buffers ? first_to_read() : arrived_.end();
        if (first != arrived_.end() &&
            (place == places_ || *first / shape_.layers < step_at(place))) {
            ++in_memory_;
            start_update(drive_read, OptimizerPart::read, arrived_, first, times_.read);
        } else if (place < places_) {
            fetched_[index(place)] = true;
            while (first_not_fetched_ < places_ && fetched_[index(first_not_fetched_)]) {
                ++first_not_fetched_;
            }
            start(drive_read, place, times_.fetch);
        }
    }

    /// Activations that a place needs come before its weights.
    void start_host_in()
    {
        const bool restores =
            !to_restore_.empty() && (to_load_.empty() || *to_restore_.begin() <= *to_load_.begin());
        std::set<int>& waiting = restores ? to_restore_ : to_load_;
        if (!busy_[host_in] && !waiting.empty()) {
            loads_ = !restores;
            start(host_in, *waiting.begin(), restores ? times_.restore : times_.load);
            waiting.erase(waiting.begin());
        }
    }

    void start_host_out()
    {
        if (!busy_[host_out] && !to_send_.empty()) {
            const int place = *to_send_.begin();
            start(host_out, place, is_forward(place) ? times_.stash : times_.unload);
            to_send_.erase(to_send_.begin());
        }
    }

    void start_core()
    {
        if (busy_[core] || next_ == places_) {
            return;
        }
        if (!prepared_) {
            prepared_ = true;
            start(core, preparation, time_before(next_));
        } else if (may_compute(next_)) {
            prepared_ = false;
            start(core, next_, is_forward(next_) ? times_.forward : times_.backward);
            ++next_;
        }
    }

    void start_all()
    {
        if (!busy_[drive_read]) {
            start_read();
        }
        start_host_in();
        start_host_out();
        start_core();
        if (!busy_[cpu] && !was_read_.empty()) {
            start_update(cpu, OptimizerPart::update, was_read_, was_read_.begin(), times_.update);
        }
        if (!busy_[drive_write] && !to_write_.empty()) {
            start_update(drive_write, OptimizerPart::write, to_write_, to_write_.begin(),
                         times_.write);
        }
    }

    /// What takes no time is not there, and waits for nobody's unit.
    void send(int place)
    {
        if ((is_forward(place) ? times_.stash : times_.unload) == 0) {
            sent(place);
        } else {
            to_send_.insert(place);
        }
    }

    void sent(int place)
    {
        sent_[index(place)] = true;
        if (is_forward(place)) {
            restore_if_ready(place + 2 * (shape_.layers - layer_at(place)) - 1);
        } else {
            arrived_.insert(update_at(place));
        }
    }

    /// Brings back what a backward needs when its activations are on the host, and two layers
    /// before it are computed.
    void restore_if_ready(int place)
    {
        if (place >= places_ || is_forward(place)) {
            return;
        }
        const int before = place - layers_in_turn;
        const int forward = place - 2 * (shape_.layers - layer_at(place)) + 1;
        if (!sent_[index(forward)] || (before >= 0 && !computed_[index(before)])) {
            return;
        }
        if (times_.restore == 0) {
            restored_[index(place)] = true;
        } else {
            to_restore_.insert(place);
        }
    }

    void computed(int place)
    {
        computed_[index(place)] = true;
        next_computed_ = place + 1;
        send(place);
        restore_if_ready(place + layers_in_turn);
    }

    void finish(const Task& task)
    {
        busy_[task.unit] = false;
        if (task.item == preparation) {
            return;
        }
        const auto item = index(task.item);
        switch (task.unit) {
        case drive_read:
            (task.of_optimizer ? was_read_ : to_load_).insert(task.item);
            break;
        case host_in:
            (loads_ ? loaded_ : restored_)[item] = true;
            break;
        case core:
            computed(task.item);
            break;
        case host_out:
            sent(task.item);
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
    int first_not_fetched_ = 0; ///< a place
    int next_ = 0;              ///< place that is computed next
    int next_computed_ = 0;     ///< first place that has not been computed
    bool prepared_ = false;     ///< what the device computes before that place has begun
    bool loads_ = false;        ///< what comes into HBM are weights
    int in_memory_ = 0;
    /// [place]: begun to be fetched; in HBM; in HBM; what it leaves in host memory
    std::vector<bool> computed_, fetched_, loaded_, restored_, sent_;
    std::vector<bool> updated_, written_;          ///< [update]
    std::set<int> to_load_, to_restore_, to_send_; ///< places
    std::set<int> arrived_, was_read_, to_write_;  ///< updates
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
