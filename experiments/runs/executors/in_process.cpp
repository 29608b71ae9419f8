// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/in_process.h"

#include "base/input_error.h"
#include "base/work/stop.h"

namespace alxsim::experiments {

bool InProcess::take(const PointOrder& order)
{
    if (order_) {
        return false;
    }
    order_ = order;
    return true;
}

void InProcess::wait(PointListener& listener, std::chrono::milliseconds)
{
    if (!order_) {
        return;
    }
    const std::size_t point = order_->point;
    try {
        const PointResult result =
            runner_.run(value_of_json<PointTask>(parse_written_json(order_->task)),
                        {[&](double share) { listener.progressed(point, share); },
                         [&](const std::string& words) { listener.doing(point, words); },
                         [&](const std::string& words) { listener.told(point, words); },
                         [&](Seconds time) { listener.predicted(point, time); }});
        listener.finished(point, result, json_of(result).dump());
    } catch (const Stopped&) { // whoever wanted it knows
    } catch (const InputError& error) {
        listener.refused(point, error.what());
    } catch (const std::exception& error) {
        listener.failed(point, error.what());
    }
    order_.reset();
}

} // namespace alxsim::experiments
