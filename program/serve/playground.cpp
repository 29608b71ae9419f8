// SPDX-License-Identifier: Apache-2.0
#include "program/serve/playground.h"

#include "base/file_output.h"
#include "base/inputs/named_files.h"
#include "base/paths.h"
#include "base/work/stop.h"
#include "experiments/answers/explain/explain.h"
#include "program/serve/controls.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <sstream>

namespace alxsim::program {

using namespace experiments;

namespace {

constexpr std::size_t longest_name = 100;
constexpr std::chrono::milliseconds between_looks{5}; ///< for a stop

/// The points of a request that names some, by their places on the curve.
std::vector<PointSpec> chosen_points(const std::vector<PointSpec>& all, const Json& request)
{
    if (!request.contains("points")) {
        return all;
    }
    const Json& wanted = request.at("points");
    std::set<std::size_t> places;
    for (const Json& place : wanted.is_array() ? wanted : Json::array({wanted})) {
        if (!place.is_number_unsigned() || place.get<std::size_t>() >= all.size()) {
            throw InputError("the request", "/points",
                             "found " + place.dump() + "; allowed are places of points, 0 to " +
                                 std::to_string(all.size() - 1));
        }
        places.insert(place.get<std::size_t>());
    }
    std::vector<PointSpec> chosen;
    for (const std::size_t place : places) {
        chosen.push_back(all[place]);
    }
    if (chosen.empty()) {
        throw InputError("the request", "/points", "is empty; allowed are one point and more");
    }
    return chosen;
}

/// A name for a file that needs no quotes.
std::string file_name_of(const std::string& study)
{
    std::string name;
    for (const char letter : study.substr(0, longest_name)) {
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9') || letter == '.' || letter == '-';
        name += plain ? letter : '_';
    }
    return name + ".json";
}

/// Beside the study, and a new one.
std::string place_to_save(const Json& name, const std::string& study_file)
{
    const std::string text = name.is_string() ? name.get<std::string>() : name.dump();
    const bool is_name = name.is_string() && !text.empty() && text.size() <= longest_name &&
                         text.front() != '.' &&
                         text.find_first_of(std::string("/\\\0", 3)) == std::string::npos;
    if (!is_name || std::filesystem::path(text).extension() != ".json") {
        throw InputError("the request", "/file",
                         "found " + name.dump() +
                             "; allowed is the name of a file that ends in .json, without a "
                             "folder: it is written beside the study");
    }
    const std::string path = joined_path(text, study_file);
    if (std::filesystem::exists(std::filesystem::symlink_status(path))) {
        throw InputError("the request", "/file",
                         "found " + name.dump() + ", which is there already (" + path +
                             "); allowed is a new name");
    }
    return path;
}

/// All but the study's name.
std::vector<std::string> texts_in(const Json& document)
{
    std::vector<std::string> texts;
    for (const auto& [field, value] : document.items()) {
        if (value.is_string() && field != "study") {
            texts.push_back(value.get<std::string>());
        } else if (value.is_structured()) {
            const std::vector<std::string> inner = texts_in(value);
            texts.insert(texts.end(), inner.begin(), inner.end());
        }
    }
    return texts;
}

/// Without what the page says of the points by itself, once: what they leave out, and their notes.
std::string words_of(Explanation explanation)
{
    for (SeriesExplanation& series : explanation.series) {
        series.left_out.clear();
        series.notes.clear();
    }
    return document_of(explanation).html();
}

InputError too_long(const std::string& file, double seconds)
{
    std::ostringstream words;
    words << "takes longer than " << seconds << " s; allowed is less: fewer points, fewer cores, "
          << "smaller data, \"band\": false; or more time, as of 'alxsim serve --curve-seconds "
          << 10 * seconds << "'";
    return InputError(file, "", words.str());
}

} // namespace

Playground::Playground(Study study, PlaygroundOptions options)
    : study_(std::move(study)),
      options_(std::move(options)),
      texts_(texts_in(study_.document)),
      curves_(options_.threads)
{
}

/// Work for a request, which reads no file but the study's, and ends when its time is over or
/// nobody wants it any more.
Json Playground::within_limits(const Work& work, const Wanted& wanted)
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const auto late = [&] {
        return std::chrono::duration<double>(Clock::now() - begin).count() > options_.curve_seconds;
    };
    NamedFiles files(study_.file, texts_);
    const NamedFilesScope only(&files);
    const StopScope scope([&] { return ended_ || !wanted() || late(); });
    try {
        look_for_stop();
        Json answer = work();
        files.expect_none_refused(); // one point's error is the whole request's
        return answer;
    } catch (const Stopped&) {
        if (ended_ || !wanted()) {
            throw Superseded();
        }
        if (late()) {
            throw too_long(study_.file, options_.curve_seconds);
        }
        throw; // who asked has gone
    }
}

Json Playground::controls(const Json& request)
{
    return within_limits([&] { return json_of(controls_of(study_, scenario_of(request))); });
}

Json Playground::curve(const Json& request)
{
    const Scenario scenario = scenario_of(request, {"detail"});
    const std::string detail = request.value("detail", "quick");
    if (detail != "quick" && detail != "full") {
        throw InputError("the request", "/detail",
                         "found '" + detail + "'; allowed are quick and full");
    }
    if (detail == "quick") {
        ++quick_requests_;
        return within_limits([&] { return quick_curve(study_in(study_, scenario)); });
    }
    const std::uint64_t begun_at = quick_requests_;
    return within_limits([&] { return full_curve(study_in(study_, scenario)); },
                         [&] { return quick_requests_ == begun_at; });
}

/// Jobs of the same data share them as long as there is one of these.
void Playground::keep_data(const PointStudy& study)
{
    const Json& workload = study.document.at("workload");
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (kept_ && kept_of_ == workload) {
            return;
        }
    }
    try {
        const WorkloadPointer built = job_of(study).workload;
        const std::lock_guard<std::mutex> lock(mutex_);
        kept_ = built;
        kept_of_ = workload;
    } catch (const InputError&) { // told of the points, all or some
    }
}

Json Playground::quick_curve(const Study& study)
{
    const Study timed = changed(study, analytic_settings(false));
    const std::vector<PointSpec> specs = points_of(timed);
    keep_data(specs.front().study);
    const report::Report report = report_of_curve(timed, specs, curves_.points(specs));
    Json answer = drawn_of_report(report);
    answer["words"] = words_of(explain_numbers(report));
    return answer;
}

Json Playground::full_curve(const Study& study)
{
    std::unique_lock<std::timed_mutex> lock(full_, std::defer_lock);
    while (!lock.try_lock_for(between_looks)) {
        look_for_stop();
    }
    const bool band = points_of(study).front().study.band;
    const Study timed = changed(study, analytic_settings(band));
    const std::vector<PointSpec> specs = points_of(timed);
    const report::Report report = report_of_curve(timed, specs, curves_.points(specs));
    Json answer = drawn_of_report(report);
    answer["words"] = words_of(explain(report, study.file, ""));
    return answer;
}

/// The job of a study's first point is made, if it can be: what may not be read is refused.
void Playground::try_files(const Study& study)
{
    keep_data(points_of(changed(study, analytic_settings(false))).front().study);
    named_files()->expect_none_refused();
}

Json Playground::confirm(const Json& request)
{
    return within_limits([&] {
        const Study study = study_in(study_, scenario_of(request, {"points"}));
        std::vector<PointSpec> points = chosen_points(points_of(study), request);
        try_files(study);
        const std::lock_guard<std::mutex> lock(mutex_);
        if (confirmation_ && confirmation_->running()) {
            throw Busy("a confirmation is running already; cancel it first");
        }
        if (ended_) {
            throw Stopped();
        }
        confirmation_ = std::make_shared<Confirmation>(
            study, std::move(points),
            ConfirmationOptions{options_.executable, options_.threads, texts_});
        return confirmation_->status();
    });
}

Json Playground::confirmation() const
{
    const std::lock_guard<std::mutex> lock(mutex_);
    return confirmation_ ? confirmation_->status() : Json{{"state", "none"}};
}

Json Playground::cancel()
{
    const std::lock_guard<std::mutex> lock(mutex_);
    if (confirmation_) {
        confirmation_->cancel();
    }
    return confirmation_ ? confirmation_->status() : Json{{"state", "none"}};
}

void Playground::end()
{
    ended_ = true;
    const std::lock_guard<std::mutex> lock(mutex_);
    confirmation_.reset();
}

Json Playground::save(const Json& request)
{
    return within_limits([&]() -> Json {
        const Study study = study_in(study_, scenario_of(request, {"file"}));
        points_of(study); // what is saved can be run
        try_files(study);
        if (!request.contains("file")) {
            return {{"name", file_name_of(study.name)},
                    {"text", portable_document(study).dump(4) + "\n"}};
        }
        const std::string path = place_to_save(request.at("file"), study_.file);
        const std::string text = study.document.dump(4) + "\n";
        write_new_file(path, text);
        return {{"name", path}, {"text", text}};
    });
}

} // namespace alxsim::program
