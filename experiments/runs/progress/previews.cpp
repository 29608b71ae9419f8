// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/progress/previews.h"

#include "base/host_pool.h"
#include "base/input_error.h"
#include "base/work/cpu_time.h"
#include "experiments/runs/kept/point_outcome.h"

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
    std::exception_ptr of_study = nullptr; ///< of all points: none may run
};

PreviewOrRefusal preview_or_refusal(const PointSpec& point,
                                    const std::shared_ptr<model::ScheduleBook>& schedules)
try {
    const Seconds before = cpu_time(CpuTimeOf::thread);
    Preview preview = preview_point(whole_study(point), schedules);
    preview.host_setup = cpu_time(CpuTimeOf::thread) - before;
    preview.point.notes.insert(preview.point.notes.end(), point.notes.begin(), point.notes.end());
    return {std::move(preview)};
} catch (const InputError& error) {
    try {
        refuse_if_of_study(point);
    } catch (const InputError&) {
        return {{}, std::current_exception()};
    }
    return {{refused_point(point, error.what()).point}};
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
            if (outcomes[i].of_study) {
                std::rethrow_exception(outcomes[i].of_study);
            }
            tell(points[first + i], outcomes[i].preview);
        }
    }
}

} // namespace alxsim::experiments
