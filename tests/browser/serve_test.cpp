// SPDX-License-Identifier: Apache-2.0
#include "browser.h"
#include "tests/http_client.h"
#include "tests/system/program.h"
#include "tests/system/served_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Where to leave pictures for people to look at; none unless it is set.
void picture(Browser& browser, const std::string& name)
{
    if (const char* folder = std::getenv("ALXSIM_PICTURES")) {
        browser.screenshot(std::string(folder) + "/" + name + ".png");
    }
}

/// The page of a study, as it is once the curve's band is there.
class ServedPage : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (const std::string why = Browser::missing(); !why.empty()) {
            GTEST_SKIP() << why;
        }
    }

    void open(const std::vector<std::string>& arguments)
    {
        served_ = std::make_unique<ServedStudy>(arguments);
        browser_ = std::make_unique<Browser>();
        browser_->resize(1280, 900);
        browser_->go(served_->address());
        wait_for_band();
    }
    void wait_for_band()
    {
        browser_->wait_for("return document.getElementById('result').dataset.detail === 'full'");
    }
    /// Seconds at the points of the curve that is played with.
    Json drawn_chosen()
    {
        return browser_->run(
            "const chart = Chart.getChart(document.querySelector('#curve canvas'));"
            "return chart.data.datasets.find((set) => set.chosen)?.data.map((one) => one.y)");
    }
    /// Seconds at the points, as the page draws them: of the first line of the chart.
    Json drawn(const std::string& curve)
    {
        return browser_->run(
            "const chart = Chart.getChart(document.querySelector('#curve canvas'));"
            "return chart.data.datasets.find((set) => "
            "set.label.startsWith(arguments[0]))?.data.map((one) => one.y) ?? null",
            Json::array({curve}));
    }
    /// The settings of the curve that is shown; waits until they are others than `before`.
    Json shown_after(const Json& before)
    {
        return browser_->wait_for("const key = document.getElementById('result').dataset.key;"
                                  "return key !== undefined && key !== " +
                                      before.dump() + " && key",
                                  20);
    }
    Json shown() { return browser_->run("return document.getElementById('result').dataset.key"); }

    std::unique_ptr<ServedStudy> served_;
    std::unique_ptr<Browser> browser_;
};

const std::string dispatch_slider = "[data-pointer='/machine/overrides/step_dispatch_s']";

TEST_F(ServedPage, ASliderMovesTheCurveSystemCConfirmsItAndItsStudyRunsToTheSameNumbers)
{
    const TemporaryFolder folder;
    const Json extra =
        Json::parse(R"({"workload": {"alx": {"epochs": 1}}, "sweep": {"/machine/cores": [1, 2]}})");
    const std::string study = folder.write("study.json", small_study(folder, extra).dump());
    open({study});
    const Json before = drawn_chosen();
    ASSERT_EQ(before.size(), 2u);

    const Json key = shown();
    browser_->run(
        "document.querySelector(arguments[0]).closest('details')?.setAttribute('open', '')",
        Json::array({dispatch_slider}));
    browser_->type(dispatch_slider, keys::end);
    shown_after(key);
    const Json after = drawn_chosen();
    EXPECT_GT(after.at(1), before.at(1)) << "each step waits longer for the host";
    EXPECT_THAT(browser_->text("#headline"), HasSubstr("Fastest epoch"));

    browser_->click("#confirm");
    browser_->wait_for("return document.getElementById('confirmation').dataset.state === 'done'");
    const Json simulated = drawn("SystemC");
    ASSERT_EQ(simulated.size(), 2u);

    browser_->click("#download");
    const std::string saved = browser_->downloads() + "/small.json";
    browser_->wait_for("return document.getElementById('saved').textContent");
    for (int tries = 0; tries < 100 && !std::filesystem::exists(saved); ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    const Outcome outcome = run_program({"run", saved, "-o", folder.path("out"), "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    const Json report = Json::parse(read_file(folder.path("out/report.json")));
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(report.at("points").at(i).at("epoch_seconds"), simulated.at(i));
    }
    EXPECT_THAT(browser_->errors(), IsEmpty());
    EXPECT_THAT(folder.names(), Not(::testing::Contains("small.json")))
        << "nothing is written unasked";
}

TEST_F(ServedPage, WorksForATransformerByKeyboardAndIsReadable)
{
    open({"--set", "/fidelity=analytic"});
    picture(*browser_, "sparse_1280");
    const Json before = shown();
    // By keyboard alone: the list of curves has the focus first, and its last entry is the
    // transformer.
    browser_->run("document.querySelector('#controls select').focus()");
    browser_->press(keys::end);
    shown_after(before);
    wait_for_band();
    EXPECT_THAT(browser_->text("#headline"), HasSubstr("training step"));
    EXPECT_THAT(browser_->text("#controls"), HasSubstr("sharding"));

    const Json as_it_is = drawn_chosen();
    browser_->click("#pin");
    const Json key = shown();
    browser_->run("document.querySelector('#controls input[type=range]').focus()");
    for (int i = 0; i < 3; ++i) {
        browser_->press(keys::page_up);
    }
    shown_after(key);
    wait_for_band();
    EXPECT_EQ(drawn("pinned"), as_it_is);
    EXPECT_NE(drawn_chosen(), as_it_is);
    EXPECT_NE(browser_->run("return document.activeElement.type"), "text");
    picture(*browser_, "transformer_1280");
    browser_->resize(390, 844);
    // Nothing is wider than a telephone, once the charts have followed.
    browser_->wait_for("return document.documentElement.scrollWidth <= 390");
    picture(*browser_, "transformer_390");
    EXPECT_THAT(browser_->errors(), IsEmpty());
}

TEST_F(ServedPage, SaysAtTheControlWhatIsWrong)
{
    open({});
    browser_->run(
        "const cores = document.querySelector(\"[data-pointer='/sweep/~1machine~1cores']\");"
        "cores.value = '64, twelve';"
        "cores.dispatchEvent(new Event('change'));");
    const Json text = browser_->wait_for(
        "return document.querySelector('.control .problem:not([hidden])')?.textContent");
    EXPECT_THAT(text.get<std::string>(), HasSubstr("twelve"));
    picture(*browser_, "problem_1280");
}

/// Writes into a field, as if it were left then.
void enter(Browser& browser, const std::string& selector, const std::string& text)
{
    browser.run("const field = document.querySelector(arguments[0]);"
                "field.value = arguments[1];"
                "field.dispatchEvent(new Event('change'));",
                Json::array({selector, text}));
}

std::string marked_at(Browser& browser, const std::string& selector)
{
    return browser.run("const problem = document.querySelector(arguments[0]).closest('.control')"
                       ".querySelector('.problem');"
                       "return problem.hidden ? '' : problem.textContent",
                       Json::array({selector}));
}

const std::string cores_field = "[data-pointer='/sweep/~1machine~1cores']";
const std::string free_field = "#controls input[placeholder]";

TEST_F(ServedPage, AWrongEntryIsMarkedAndAllElseGoesOnWithWhatWasThere)
{
    const TemporaryFolder folder;
    const std::string study = folder.write(
        "study.json", small_study(folder, {{"sweep", {{"/machine/cores", {1, 2}}}}}).dump());
    open({study});
    const std::string headline = browser_->text("#headline");
    const Json before = drawn_chosen();
    Json key = shown();
    browser_->run(
        "document.querySelector(arguments[0]).closest('details')?.setAttribute('open', '')",
        Json::array({dispatch_slider}));

    enter(*browser_, cores_field, "");
    EXPECT_EQ(marked_at(*browser_, cores_field),
              "Empty: whole numbers from 1 on, a point each, such as 32, 64, 128.");
    enter(*browser_, cores_field, "2, twelve, 0");
    EXPECT_EQ(
        marked_at(*browser_, cores_field),
        "Found “twelve”, “0”; allowed: whole numbers from 1 on, a point each, such as 32, 64, "
        "128.");
    EXPECT_EQ(browser_->property(cores_field, "ariaInvalid"), "true");
    EXPECT_EQ(browser_->text("#headline"), headline);
    EXPECT_EQ(browser_->run("return getComputedStyle(document.querySelector('#curve')).opacity"),
              "1");

    browser_->type(dispatch_slider, keys::end);
    key = shown_after(key);
    EXPECT_EQ(drawn_chosen().size(), 2u) << "of the cores that were there";
    EXPECT_GT(drawn_chosen().at(1), before.at(1)) << "other changes go on";
    EXPECT_NE(marked_at(*browser_, cores_field), "") << "and what is wrong stays marked";

    browser_->run("const field = document.querySelector(arguments[0]); field.value = arguments[1];"
                  "field.parentElement.querySelector('button').click();",
                  Json::array({free_field, "/workload/alx/solver=chol"}));
    const Json refused =
        browser_->wait_for("const problem = document.querySelector('#controls input[placeholder]')"
                           ".closest('.control').querySelector('.problem');"
                           "return !problem.hidden && problem.textContent");
    EXPECT_THAT(refused.get<std::string>(), HasSubstr("allowed"));
    EXPECT_THAT(refused.get<std::string>(), HasSubstr("cholesky"));
    EXPECT_THAT(refused.get<std::string>(), Not(HasSubstr("study.json")));
    EXPECT_EQ(browser_->property(free_field, "value"), "/workload/alx/solver=chol");
    EXPECT_EQ(browser_->run("return '/workload/alx/solver' in Settings.current()"), false)
        << "neither saved nor confirmed";
    picture(*browser_, "wrong_1280");

    enter(*browser_, cores_field, "1, 2, 4");
    shown_after(key);
    EXPECT_EQ(drawn_chosen().size(), 3u);
    EXPECT_EQ(marked_at(*browser_, cores_field), "");
}

TEST_F(ServedPage, NamesItsCurveAndPutsTheNetworkFirst)
{
    open({"--set", "/fidelity=analytic"});
    EXPECT_EQ(drawn("WebGraph-sparse, released ALX"), drawn_chosen());
    const Json ideal = drawn("perfect scaling");
    ASSERT_EQ(ideal.size(), 2u);
    EXPECT_EQ(ideal.at(0), drawn_chosen().at(0));
    EXPECT_DOUBLE_EQ(ideal.at(1).get<double>(), ideal.at(0).get<double>() / 64) << "32 to 2048";
    EXPECT_EQ(browser_->run("return [...document.querySelectorAll('#controls input[type=range]')]"
                            ".slice(0, 3).map((range) => range.dataset.pointer)"),
              Json({"/machine/overrides/ici_link_bw_oneway", "/machine/overrides/ici_hop_latency_s",
                    "/machine/overrides/collective_launch_s"}));
}

TEST_F(ServedPage, AnythingElseThatIsAChoiceIsChosenAbove)
{
    open({"--set", "/fidelity=analytic"});
    const Json key = shown();
    browser_->run("const field = document.querySelector(arguments[0]); field.value = arguments[1];"
                  "field.parentElement.querySelector('button').click();",
                  Json::array({free_field, "/workload/alx/gather=all_to_all"}));
    shown_after(key);
    EXPECT_EQ(browser_->run("return Settings.current()['/workload/alx/gather']"), "all_to_all");
    EXPECT_EQ(browser_->run("return [...document.querySelectorAll('#controls select')]"
                            ".some((one) => one.selectedOptions[0].text.includes('all_to_all'))"),
              true);
}

TEST_F(ServedPage, AChipThatCannotBeShownKeepsTheCurveAndItsValues)
{
    open({"--set", "/fidelity=analytic"});
    const Json key = shown();
    const std::string first_slider = "#controls input[type=range]";
    browser_->type(first_slider, keys::page_up);
    const Json with_value = shown_after(key);
    browser_->run("const list = document.querySelectorAll('#controls select')[1];"
                  "list.append(new Option('tpu_v9'));"
                  "list.value = 'tpu_v9'; list.dispatchEvent(new Event('change'));");
    const Json told = browser_->wait_for(
        "return document.querySelector('.control .problem:not([hidden])')?.textContent");
    EXPECT_THAT(told.get<std::string>(), HasSubstr("tpu_v9"));
    EXPECT_EQ(shown(), with_value);
    EXPECT_EQ(browser_->run("return JSON.stringify(Settings.current())"),
              browser_->run("return JSON.stringify(JSON.parse(arguments[0]).set)",
                            Json::array({with_value})));
}

TEST_F(ServedPage, SaysDollarsAndEachNoteOnce)
{
    const TemporaryFolder folder;
    const std::string study =
        folder.write("study.json",
                     R"({"study": "broken", "numerics": false, "fidelity": "analytic",
            "machine": {"chip": "tpu_v4", "cores": 128, "faults": [{"core": 3, "speed": 0.5}]},
            "workload": {"dataset": {"webgraph": "sparse"},
                         "alx": {"dim": 128, "batch": "auto", "input": {"ids_per_second": 1e6}}},
            "sweep": {"/machine/cores": [128, 256]}})");
    open({study});
    EXPECT_THAT(browser_->text("#headline"), HasSubstr(" cores, for "));
    EXPECT_THAT(browser_->text("#headline"), HasSubstr(" USD"));
    EXPECT_EQ(browser_->run("return [1.45e-5, 0.0118, 1234].map(usd)"),
              Json::array({"0.0000145 USD", "0.0118 USD", "1,234 USD"}));
    EXPECT_THAT(browser_->text("#points"), HasSubstr("cost"));
    EXPECT_THAT(browser_->text("#left-out"), HasSubstr("are cut off"));
    const std::string mind = browser_->text("#mind");
    EXPECT_THAT(mind, HasSubstr("Parts of the machine are broken: core 3 runs at 50 %"));
    EXPECT_THAT(mind, HasSubstr("Hosts hold the devices up"));
    for (const char* const words :
         {"are cut off", "lengths follow a power law", "ith faults the analytic model"}) {
        EXPECT_EQ(browser_->run("return document.body.textContent.split(arguments[0]).length - 1",
                                Json::array({words})),
                  1)
            << words;
    }
    EXPECT_THAT(browser_->errors(), IsEmpty());
}

TEST_F(ServedPage, ShowsAllSeriesOfTheStudyTogether)
{
    open({});
    const std::string labels = "return Chart.getChart(document.querySelector('#curve canvas'))"
                               ".data.datasets.map((set) => set.label)";
    const std::string other = "WebGraph-de-dense, released ALX";
    EXPECT_THAT(browser_->run(labels), ::testing::Contains(other));
    EXPECT_THAT(browser_->text("#others-note"), HasSubstr("GPT-2 medium on v5e"))
        << "whose times are of something else";
    browser_->click("#all-series");
    EXPECT_THAT(browser_->run(labels), Not(::testing::Contains(other)));
    picture(*browser_, "series_1280");
}

/// Starts a simulation of minutes.
void start_simulation(const std::string& address)
{
    const HttpAnswer answer = HttpClient(address).post(
        address.substr(address.find('/', 7)) + "confirm", R"({"set": {"/fidelity": "detailed"}})");
    ASSERT_EQ(answer.status, 200) << answer.body;
}

template <class Predicate>
bool soon(const Predicate& predicate)
{
    for (int tries = 0; tries < 200 && !predicate(); ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return predicate();
}

/// A curve that takes the analytic model most of a second: 64 points with bands and what-ifs.
const std::string slow_curve = [] {
    Json costs = Json::array();
    for (int i = 1; i <= 64; ++i) {
        costs.push_back(1e-8 * i);
    }
    return Json{
        {"detail", "full"},
        {"set",
         {{"/sweep", {{"/machine/overrides/gather_row_s", costs}}}, {"/machine/cores", 2048}}}}
        .dump();
}();

std::string path_of(const std::string& address, const std::string& name)
{
    return address.substr(address.find('/', 7)) + name;
}

TEST(Serve, EndsWithinASecondOfASignalInASlowCurve)
{
    for (const int signal : {SIGINT, SIGTERM}) {
        ServedStudy served({});
        const HttpClient client(served.address());
        HttpAnswer answer;
        std::thread asks(
            [&] { answer = client.post(path_of(served.address(), "curve"), slow_curve); });
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(served.end(signal), 0);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        EXPECT_LT(taken.count(), 1);
        asks.join();
        EXPECT_NE(answer.status, 200) << "the curve was slow";
    }
}

TEST(Serve, ACurveBeyondItsTimeIsRefusedInWords)
{
    ServedStudy served({"--curve-seconds", "0.5"});
    const HttpClient client(served.address());
    const auto begin = std::chrono::steady_clock::now();
    const HttpAnswer answer = client.post(path_of(served.address(), "curve"), slow_curve);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(answer.status, 422);
    EXPECT_THAT(answer.body, HasSubstr("takes longer than 0.5 s"));
    EXPECT_LT(taken.count(), 2);
}

TEST(Serve, ASimulationReadsNoOtherFilesThanTheCurve)
{
    const TemporaryFolder folder;
    folder.write("secret.npy", "");
    const std::string study =
        folder.write("study.json", small_study(folder, {{"sweep", nullptr}}).dump());
    ServedStudy served({study});
    const HttpClient client(served.address());
    const std::string confirm = path_of(served.address(), "confirm");
    const HttpAnswer begun = client.post(
        confirm, R"({"set": {"/workload/alx/initial_tables": {"rows": "secret.npy"}}})");
    std::string told = begun.body;
    EXPECT_TRUE(soon([&] {
        const bool refused = told.find("itself does not name") != std::string::npos;
        told = refused ? told : client.get(confirm).body;
        return refused;
    })) << told;
}

TEST(Serve, ASecondSignalEndsItAtOnce)
{
    ServedStudy served({});
    kill(served.process(), SIGSTOP); // so that both are there before it looks at the first
    kill(served.process(), SIGINT);
    kill(served.process(), SIGTERM);
    EXPECT_LT(served.end(SIGCONT), 0);
}

TEST(Serve, WithoutAPlaceForItsAddressItFails)
{
    const std::string line = program_path() + " serve > /dev/full 2> /dev/null";
    const int status = std::system(line.c_str()); // NOLINT
    EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(Serve, EndsWithItsTerminalAndTakesItsSimulationAlong)
{
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        ServedStudy served({});
        start_simulation(served.address());
        ASSERT_TRUE(soon([&] { return !children_of(served.process()).empty(); }));
        const std::vector<pid_t> children = children_of(served.process());
        EXPECT_EQ(served.end(signal), 0) << signal;
        for (const pid_t child : children) {
            EXPECT_TRUE(soon([&] { return kill(child, 0) != 0; }));
        }
    }
}

} // namespace
} // namespace alxsim::testing
