// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/progress/previews.h"

#include "base/host_pool.h"
#include "base/work/cpu_time.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

namespace alxsim::experiments {
namespace {

/// Points of a thread at once. Points of one curve are neighbours, and share schedules.
constexpr std::size_t points_of_chunk = 32;

struct PreviewOrRefusal {
    Preview preview;
    std::exception_ptr refusal; ///< null: there is a preview
};

PreviewOrRefusal preview_or_refusal(const PointSpec& point,
                                    const std::shared_ptr<model::ScheduleBook>& schedules)
try {
    const Seconds before = cpu_time(CpuTimeOf::thread);
    Preview preview =
        for_point(point, [&] { return preview_point(whole_study(point), schedules); });
    preview.host_setup = cpu_time(CpuTimeOf::thread) - before;
    return {std::move(preview), nullptr};
} catch (...) {
    return {{}, std::current_exception()};
}

} // namespace

void preview_all(const std::vector<PointSpec>& points, int threads,
                 const std::function<void(const PointSpec&, const Preview&)>& tell)
{
    HostPool pool(threads);
    std::vector<std::shared_ptr<model::ScheduleBook>> schedules; // [chunk]: of one thread at a time
    for (int chunk = 0; chunk < threads; ++chunk) {
        schedules.push_back(std::make_shared<model::ScheduleBook>());
    }
    const std::size_t most = points_of_chunk * schedules.size();
    for (std::size_t first = 0; first < points.size(); first += most) {
        std::vector<PreviewOrRefusal> outcomes(std::min(most, points.size() - first));
        pool.for_chunks(static_cast<std::int64_t>(outcomes.size()), points_of_chunk,
                        [&](std::int64_t begin, std::int64_t end) {
                            const auto& book =
                                schedules[static_cast<std::size_t>(begin) / points_of_chunk];
                            for (auto i = static_cast<std::size_t>(begin);
                                 i < static_cast<std::size_t>(end); ++i) {
                                outcomes[i] = preview_or_refusal(points[first + i], book);
                            }
                        });
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            if (outcomes[i].refusal) {
                std::rethrow_exception(outcomes[i].refusal);
            }
            tell(points[first + i], outcomes[i].preview);
        }
    }
}

} // namespace alxsim::experiments
