// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/runner.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <deque>
#include <filesystem>

namespace alxsim::experiments {
namespace {

/// Answers its point in the moment in which somebody presses Ctrl-C.
class InterruptedAtTheEnd : public Executor {
public:
    bool take(const PointOrder&) override { return has_point_ = true; }
    bool idle() const override { return !has_point_; }
    void wait(PointListener& listener, std::chrono::milliseconds) override
    {
        std::raise(SIGINT);
        has_point_ = false;
        PointResult result;
        result.point.error = "of no interest here";
        listener.finished(0, result, "{}");
    }
    void stop() override {}

private:
    bool has_point_ = false;
};

TEST(CtrlC, IsHeardWhileTheLastPointEnds)
{
    RunnerOptions options;
    options.catch_signals = true;
    options.quiet = true;
    InterruptedAtTheEnd executor;
    EXPECT_THROW(run_points(std::vector<PointSpec>(1), options, executor), Interrupted);
}

/// Knows that its point takes years before it is lost.
class TakesYears : public InterruptedAtTheEnd {
public:
    void wait(PointListener& listener, std::chrono::milliseconds timeout) override
    {
        listener.predicted(0, Seconds(1e9));
        InterruptedAtTheEnd::wait(listener, timeout);
    }
};

TEST(Runner, SaysThatAPointTakesYears)
{
    RunnerOptions options;
    options.catch_signals = true;
    TakesYears executor;
    testing::internal::CaptureStderr();
    EXPECT_THROW(run_points(std::vector<PointSpec>(1), options, executor), Interrupted);
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_NE(told.find("predicted to take about 31"), std::string::npos) << told;
}

/// Loses each point while `files_of` it are being written.
class LosesAll : public Executor {
public:
    using FilesOf = std::function<std::vector<std::string>(std::size_t point)>;

    LosesAll(const TemporaryFolder& folder, FilesOf files_of)
        : folder_(folder),
          files_of_(std::move(files_of))
    {
    }

    bool take(const PointOrder& order) override
    {
        taken_.push_back(order.point);
        return true;
    }
    bool idle() const override { return taken_.empty(); }
    void wait(PointListener& listener, std::chrono::milliseconds) override
    {
        const std::size_t point = taken_.front();
        taken_.pop_front();
        for (const std::string& file : files_of_(point)) {
            std::filesystem::create_directories(
                std::filesystem::path(folder_.path(file)).parent_path());
            folder_.write(file + ".part01234567890123456789", "half a file");
        }
        listener.failed(point, "its process was killed");
    }
    void stop() override {}

private:
    const TemporaryFolder& folder_;
    FilesOf files_of_;
    std::deque<std::size_t> taken_;
};

std::vector<PointSpec> two_points()
{
    return expand(study_of(Json::parse(R"({"study": "lost", "machine": {"chip": "tpu_v3"},
            "sweep": {"/machine/cores": [2, 4]},
            "workload": {"dataset": {"shape": {"rows": 100, "columns": 100, "links": 1000}},
                         "alx": {"dim": 8, "batch": {"lines": 64, "line_length": 8}}}})"),
                           "s.json"));
}

TEST(Runner, RemovesWhatALostPointHadBegunToWrite)
{
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.path("traces"));
    const std::string others = "traces/point-0007.json.gz.part01234567890123456789";
    folder.write(others, "of another shard, which is writing it");
    const std::vector<PointSpec> points = two_points();
    RunnerOptions options;
    options.quiet = true;
    options.retries = 1;

    options.keep_folder = folder.path("kept"); // checkpoints are of points that write nothing else
    LosesAll long_points(folder, [](std::size_t point) {
        return std::vector<std::string>{"kept/" + std::to_string(point) + ".checkpoint"};
    });
    run_points(points, options, long_points);

    options.keep_folder.clear();
    options.export_folder = folder.path("export");
    options.trace.file = folder.path("traces");
    LosesAll exporting(folder, [&](std::size_t point) {
        return std::vector<std::string>{"export/" + std::to_string(point) + "/rows.npy",
                                        trace_file_of("traces", point, label_of(points[point]))};
    });
    run_points(points, options, exporting);

    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
        if (entry.is_regular_file()) {
            left.push_back(entry.path().lexically_relative(folder.path()).string());
        }
    }
    EXPECT_EQ(left, std::vector<std::string>{others});
}

} // namespace
} // namespace alxsim::experiments
