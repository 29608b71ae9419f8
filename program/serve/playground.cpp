// SPDX-License-Identifier: Apache-2.0
#include "program/serve/playground.h"

#include "base/file_output.h"
#include "base/paths.h"
#include "experiments/answers/explain/explain.h"
#include "program/serve/controls.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace alxsim::program {

using namespace experiments;

namespace {

constexpr std::size_t longest_name = 100;

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
    const std::string path = resolve_path(text, study_file);
    if (std::filesystem::exists(path)) {
        throw InputError("the request", "/file",
                         "found " + name.dump() + ", which is there already (" + path +
                             "); allowed is a new name");
    }
    return path;
}

} // namespace

Playground::Playground(Study study, PlaygroundOptions options)
    : study_(std::move(study)),
      options_(std::move(options)),
      curves_(options_.threads)
{
}

Json Playground::controls(const Json& request)
{
    return json_of(controls_of(study_, scenario_of(request)));
}

Json Playground::curve(const Json& request)
{
    const Scenario scenario = scenario_of(request, {"detail"});
    const std::string detail = request.value("detail", "quick");
    if (detail != "quick" && detail != "full") {
        throw InputError("the request", "/detail",
                         "found '" + detail + "'; allowed are quick and full");
    }
    const Study study = study_in(study_, scenario);
    return detail == "quick" ? quick_curve(study) : full_curve(study);
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
    ++quick_requests_;
    const Study timed = changed(study, analytic_settings(false));
    const std::vector<PointSpec> specs = points_of(timed);
    keep_data(specs.front().study);
    const report::Report report =
        report_of_curve(timed, specs, curves_.points(specs, [] { return true; }));
    Json answer = drawn_of_report(report);
    answer["words"] = document_of(explain_numbers(report)).html();
    return answer;
}

Json Playground::full_curve(const Study& study)
{
    const std::uint64_t begun_at = quick_requests_;
    const auto wanted = [&] { return quick_requests_ == begun_at; };
    const std::lock_guard<std::mutex> lock(full_);
    const bool band = points_of(study).front().study.band;
    const Study timed = changed(study, analytic_settings(band));
    const std::vector<PointSpec> specs = points_of(timed);
    const report::Report report = report_of_curve(timed, specs, curves_.points(specs, wanted));
    Json answer = drawn_of_report(report);
    answer["words"] = document_of(explain(report, study.file, "")).html();
    return answer;
}

Json Playground::confirm(const Json& request)
{
    const Study study = study_in(study_, scenario_of(request, {"points"}));
    std::vector<PointSpec> points = chosen_points(points_of(study), request);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (confirmation_ && confirmation_->running()) {
        throw Busy("a confirmation is running already; cancel it first");
    }
    confirmation_ = std::make_shared<Confirmation>(study, std::move(points), options_.executable,
                                                   options_.threads);
    return confirmation_->status();
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
    ++quick_requests_;
    const std::lock_guard<std::mutex> lock(mutex_);
    confirmation_.reset();
}

Json Playground::save(const Json& request)
{
    const Study study = study_in(study_, scenario_of(request, {"file"}));
    points_of(study); // what is saved can be run
    if (!request.contains("file")) {
        return {{"name", file_name_of(study.name)},
                {"text", portable_document(study).dump(4) + "\n"}};
    }
    const std::string path = place_to_save(request.at("file"), study_.file);
    const std::string text = study.document.dump(4) + "\n";
    write_file_atomically(path, text);
    return {{"name", path}, {"text", text}};
}

} // namespace alxsim::program
