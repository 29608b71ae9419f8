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
    std::exception_ptr refusal = nullptr; ///< null: there is a preview
    bool of_study = false;                ///< no point may run
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
    const std::exception_ptr refusal = std::current_exception();
    try {
        refuse_if_of_study(point);
    } catch (const InputError&) {
        return {{}, std::current_exception(), true};
    }
    return {{refused_point(point, error.what()).point}, refusal};
}

/// Tells points in their order, those refused before the first that is not once that one is there.
class Teller {
public:
    using Tell = std::function<void(const PointSpec&, const Preview&)>;

    explicit Teller(const Tell& tell) : tell_(tell) {}

    void take(const PointSpec& point, const PreviewOrRefusal& outcome)
    {
        if (outcome.of_study) {
            std::rethrow_exception(outcome.refusal);
        }
        if (outcome.refusal && !any_made_) {
            refused_.emplace_back(&point, outcome);
            return;
        }
        any_made_ = true;
        for (const auto& [one, refused] : refused_) {
            tell_(*one, refused.preview);
        }
        refused_.clear();
        tell_(point, outcome.preview);
    }

    void refuse_if_none_is_made() const
    {
        if (!refused_.empty()) {
            for_point(*refused_.front().first,
                      [this] { std::rethrow_exception(refused_.front().second.refusal); });
        }
    }

private:
    const Tell& tell_;
    bool any_made_ = false;
    std::vector<std::pair<const PointSpec*, PreviewOrRefusal>> refused_;
};

} // namespace

void preview_all(const std::vector<PointSpec>& points, int threads,
                 const std::function<void(const PointSpec&, const Preview&)>& tell)
{
    HostPool pool(threads);
    std::vector<std::shared_ptr<model::ScheduleBook>> schedules; // [chunk]: of one thread at a time
    for (int chunk = 0; chunk < threads; ++chunk) {
        schedules.push_back(std::make_shared<model::ScheduleBook>());
    }
    Teller teller(tell);
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
            teller.take(points[first + i], outcomes[i]);
        }
    }
    teller.refuse_if_none_is_made();
}

} // namespace alxsim::experiments
