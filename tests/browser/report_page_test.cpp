// SPDX-License-Identifier: Apache-2.0
// The page of a report as a reader meets it.
#include "browser.h"
#include "tests/system/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <set>

namespace alxsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const Json webgraph = {
    {"numerics", false},
    {"fidelity", "analytic"},
    {"machine", {{"chip", "tpu_v3"}, {"cores", 64}}},
    {"workload",
     {{"dataset", {{"webgraph", "sparse"}}}, {"alx", {{"dim", 128}, {"batch", "auto"}}}}}};

Json study(const std::string& name, const Json& more)
{
    Json whole = webgraph;
    whole["study"] = name;
    whole.update(more);
    return whole;
}

Json four_chips()
{
    Json series = Json::array();
    for (const char* const chip : {"tpu_v3", "tpu_v4", "tpu_v5e", "tpu_v5p"}) {
        series.push_back({{"name", chip},
                          {"set", {{"/machine/chip", chip}}},
                          {"sweep", {{"/machine/cores", {32, 64, 128, 256}}}}});
    }
    return study("four chips",
                 {{"series", series},
                  {"hypotheses", Json::array({{{"name", "links bound"},
                                               {"claim", "communication is most of an epoch"},
                                               {"series", "tpu_v4"},
                                               {"value", "communication_seconds/epoch_seconds"},
                                               {"is", ">"},
                                               {"than", 0.5}}})}});
}

/// Links that are slow and dead, a slow core, and hosts that are slower than the devices.
Json broken_machine()
{
    Json whole = study("broken", {{"sweep", {{"/machine/cores", {128, 256}}}}});
    whole["machine"] = {{"chip", "tpu_v4"},
                        {"cores", 128},
                        {"faults",
                         {{{"link", {"0,0,0", "1,0,0"}}, {"bandwidth", 0.1}},
                          {{"link", {"0,1,0", "0,2,0"}}, {"bandwidth", 0}},
                          {{"core", 3}, {"speed", 0.5}}}}};
    whole["workload"]["alx"]["input"] = {{"ids_per_second", 1e6}};
    return whole;
}

/// Groups of replicas that have others' chips between them.
Json apart_mesh()
{
    return {
        {"study", "mesh"},
        {"fidelity", "analytic"},
        {"numerics", false},
        {"machine",
         {{"chip", "tpu_v5e"}, {"cores", 32}, {"slice", "4x8"}, {"axes", {{"tensor", {"y"}}}}}},
        {"workload",
         {{"transformer",
           {{"preset", "gpt2-medium"}, {"batch", 32}, {"mesh", {{"data", 8}, {"tensor", 4}}}}}}}};
}

Json two_axes()
{
    return study("two axes", {{"sweep",
                               {{"/machine/cores", {32, 64, 256}},
                                {"/workload/alx/dim", {32, 64, 128}},
                                {"/workload/alx/gather", {"all_reduce_loop", "all_to_all"}}}}});
}

Json learned()
{
    return {
        {"study", "recall over seeds"},
        {"numerics", true},
        {"fidelity", "detailed"},
        {"machine", {{"chip", "tpu_v3"}, {"cores", 2}}},
        {"workload",
         {{"dataset",
           {{"generate", {{"rows", 300}, {"columns", 200}, {"links", 3000}, {"locality", 0.3}}}}},
          {"split", {{"test_rows", 0.1}, {"held_out_links", 0.25}}},
          {"alx", {{"dim", 8}, {"epochs", 2}}}}},
        {"sweep", {{"/workload/alx/reg", {1e-3, 1e-2, 1e-1}}, {"/seed", {1, 2, 3}}}}};
}

/// Pages are made once and looked at by several tests.
class ReportPage : public ::testing::Test {
protected:
    static void SetUpTestSuite()
    {
        if (Browser::missing().empty()) {
            folder_ = std::make_unique<TemporaryFolder>();
            browser_ = std::make_unique<Browser>();
        }
    }
    static void TearDownTestSuite()
    {
        browser_.reset();
        folder_.reset();
    }
    void SetUp() override
    {
        if (const std::string why = Browser::missing(); !why.empty()) {
            GTEST_SKIP() << why;
        }
        checks_ = read_file(ALXSIM_SOURCE_DIR "/tests/browser/page_checks.js");
    }

    /// The page of a study's run, at this width.
    static void open(const std::string& name, const Json& study, int width = 1280,
                     const std::vector<std::string>& options = {})
    {
        const std::string out = folder_->path(name);
        if (!std::filesystem::exists(out)) {
            std::vector<std::string> command{"run", folder_->write(name + ".json", study.dump()),
                                             "-o", out, "--quiet"};
            command.insert(command.end(), options.begin(), options.end());
            const Outcome outcome = run_program(command);
            ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
        }
        show(out + "/report.html", width);
    }
    static void show(const std::string& file, int width)
    {
        browser_->errors();
        browser_->resize(width, 900);
        browser_->go("file://" + file);
    }

    Json check(const std::string& what)
    {
        return browser_->run(checks_ + "\nreturn " + what + ";");
    }

    void expect_sound()
    {
        browser_->run(
            "return new Promise(done => setTimeout(done, 500))"); // charts follow a resize
        EXPECT_THAT(browser_->errors(), IsEmpty());
        EXPECT_EQ(check("blankCanvases()"), Json::array());
        EXPECT_EQ(check("chartsWithoutData()"), Json::array());
        EXPECT_EQ(check("clipped()"), Json::array());
        EXPECT_EQ(check("faintText()"), Json::array());
    }

    static std::unique_ptr<TemporaryFolder> folder_;
    static std::unique_ptr<Browser> browser_;
    std::string checks_;
};

std::unique_ptr<TemporaryFolder> ReportPage::folder_;
std::unique_ptr<Browser> ReportPage::browser_;

TEST_F(ReportPage, IsSoundFoldedAndUnfoldedOnWideAndNarrowScreens)
{
    const std::vector<std::pair<std::string, Json>> asked_for{
        {"chips", four_chips()}, {"axes", two_axes()}, {"learned", learned()}};
    for (const int width : {1280, 390}) {
        for (const auto& [name, asked] : asked_for) {
            SCOPED_TRACE(name + " at " + std::to_string(width));
            open(name, asked, width);
            expect_sound();
            check("unfoldAll()");
            expect_sound();
        }
    }
}

TEST_F(ReportPage, WouldBeCaughtWithFaintWordsABlankChartOrAnythingCutOff)
{
    open("chips", four_chips());
    browser_->run("document.querySelector('.answer').style.color = '#aaaaaa';"
                  "const canvas = document.querySelector('canvas');"
                  "canvas.getContext('2d').clearRect(0, 0, canvas.width, canvas.height);"
                  "charts[1].chart.data.datasets.forEach(set => { set.data = []; });"
                  "document.querySelector('h1').insertAdjacentHTML('afterend',"
                  "'<div style=\"width: 40px; overflow: hidden; white-space: nowrap\">"
                  "cut off at its box</div><div style=\"width: 3000px\">beyond the page</div>');");
    for (const char* const what :
         {"faintText()", "blankCanvases()", "chartsWithoutData()", "clipped()"}) {
        EXPECT_GE(check(what).size(), 1u) << what;
    }
}

TEST_F(ReportPage, OfFourSeriesIsNoTallerThanNineThousandPixels)
{
    open("chips", four_chips());
    EXPECT_LE(browser_->run("return document.documentElement.scrollHeight").get<int>(), 9000);
}

std::size_t sentences_of(const std::string& text)
{
    std::size_t sentences = 0;
    for (std::size_t at = text.find('.'); at != std::string::npos; at = text.find('.', at + 1)) {
        sentences += at + 1 == text.size() || text[at + 1] == ' ' ? 1 : 0;
    }
    return sentences;
}

TEST_F(ReportPage, AnswersInFourSentencesAndOnePictureBeforeAllElse)
{
    open("chips", four_chips());
    const std::string answer = browser_->text("noscript + #answer .answer");
    EXPECT_EQ(sentences_of(answer), 4u) << answer;
    EXPECT_THAT(answer, HasSubstr("There an epoch costs")) << "dollars";
    EXPECT_THAT(answer, HasSubstr("USD; the least,"));
    EXPECT_EQ(browser_->run("return document.querySelectorAll('#answer canvas').length"), 1);
    EXPECT_THAT(browser_->run("return charts[0].chart.data.datasets.map(one => one.label)"
                              ".filter(Boolean)"),
                SizeIs(4))
        << "one curve for each series";
}

TEST_F(ReportPage, TellsClaimsInSentencesInsteadOfCountingThoseThatHold)
{
    open("chips", four_chips());
    EXPECT_THAT(browser_->text("#answer .verdicts"),
                HasSubstr("links bound – refuted: true in 0 % of what is possible."));
    EXPECT_THAT(browser_->text("#answer"), Not(HasSubstr("held")));
    EXPECT_THAT(browser_->text("#claims .note"),
                HasSubstr("What is possible: 256 draws of all uncertain inputs."));
}

/// How often words stand on the page, unfolded or not.
int times_on_page(Browser& browser, const std::string& words)
{
    return browser
        .run("const text = document.getElementById('page').textContent.replaceAll('\u00a0', ' ');"
             "return text.split(arguments[0]).length - 1",
             Json::array({words}))
        .get<int>();
}

TEST_F(ReportPage, ListsTheFiveBestCandidatesOfASearchAndAllFolded)
{
    Json searched = learned();
    searched.erase("sweep");
    searched["search"] = {
        {"kind", "grid"},
        {"over",
         {{"/workload/alx/reg", {1e-3, 1e-2, 1e-1}}, {"/workload/alx/alpha", {0.01, 0.1}}}}};
    searched["workload"]["evaluation"] = {{"keep_best", true}};
    open("searched", searched);
    const auto of_tables = [](const char* selector, const char* what) {
        return browser_->run("return [...document.querySelectorAll(arguments[0])].map(one => one." +
                                 std::string(what) + ")",
                             Json::array({selector}));
    };
    EXPECT_EQ(of_tables("#search > .table ~ .table th", "textContent"),
              Json({"recall@20", "reg", "alpha", "epoch"}));
    EXPECT_THAT(of_tables("#search > .table ~ .table tbody tr", "rowIndex"), SizeIs(5));
    browser_->run("document.querySelector('#search details').open = true");
    browser_->run("return new Promise(done => setTimeout(done, 100))");
    EXPECT_THAT(of_tables("#search details tbody tr", "rowIndex"), SizeIs(6));
}

TEST_F(ReportPage, SaysWhichGatherPutsTheSweetSpotElsewhere)
{
    open("one chip", study("one chip", {{"sweep", {{"/machine/cores", {32, 64, 128, 256, 512}}}}}));
    EXPECT_GE(times_on_page(*browser_, "With gather all_to_all the sweet spot is"), 1);
}

TEST_F(ReportPage, PricesWhatCanBeComparedAndSaysWhatHasNoPrice)
{
    const Json transformer = {{"numerics", false},
                              {"fidelity", "analytic"},
                              {"machine", {{"chip", "tpu_v5e"}, {"cores", 16}}},
                              {"workload", {{"transformer", {{"preset", "gpt2-small"}}}}}};
    Json batches = transformer;
    batches["study"] = "batches";
    batches["sweep"] = {{"/workload/transformer/batch", {16, 32, 64}}};
    open("batches", batches);
    EXPECT_THAT(browser_->text("#answer .answer"), HasSubstr("A million tokens cost between "));

    Json unpriced = transformer;
    unpriced["study"] = "unpriced";
    unpriced["machine"]["chip"] = "tpu_7x";
    unpriced["workload"]["transformer"]["batch"] = 16;
    open("unpriced", unpriced);
    EXPECT_THAT(browser_->text("#answer .answer"), HasSubstr("No price is known of tpu_7x."));

    Json bill =
        study("bill", {{"sweep", {{"/machine/cores", {64, 128}}}}, {"bill", Json::object()}});
    open("bill", bill);
    EXPECT_THAT(browser_->text("#answer .answer"), HasSubstr("the whole job (16 epochs) costs"));
    EXPECT_THAT(browser_->text("body"), HasSubstr("no storage, no traffic out of the cloud"));
}

TEST_F(ReportPage, FoldsNotesThatDifferInNumbersAlone)
{
    open("fold",
         study("fold",
               {{"series",
                 Json::array({{{"name", "sparse"}},
                              {{"name", "dense"},
                               {"set", {{"/workload/dataset", {{"webgraph", "dense"}}}}}}})}}));
    EXPECT_EQ(browser_->text("#answer .mind summary"), "1 more");
    EXPECT_EQ(times_on_page(*browser_, "The row table holds") +
                  times_on_page(*browser_, "the row table holds"),
              1);
    check("unfoldAll()");
    EXPECT_EQ(times_on_page(*browser_, "the row table holds"), 2);
}

TEST_F(ReportPage, SaysOnceWhatIsToBeKeptInMind)
{
    open("broken", broken_machine());
    check("unfoldAll()");
    const std::string mind = browser_->text("#answer .mind");
    EXPECT_THAT(mind, HasSubstr("the link between chips 0,0,0 and 1,0,0 has 10 % of its bandwidth; "
                                "the link between chips 0,1,0 and 0,2,0 is broken; core 3 runs at "
                                "50 % of its speed"));
    EXPECT_THAT(mind, HasSubstr("Hosts hold the devices up: on "));
    EXPECT_THAT(mind, HasSubstr("With faults the analytic model"));
    for (const char* const words :
         {"are cut off: a row keeps", "Hosts hold the devices up", "with faults the analytic model",
          "With faults the analytic model", "lengths follow a power law"}) {
        EXPECT_LE(times_on_page(*browser_, words), 1) << words;
    }
    EXPECT_EQ(times_on_page(*browser_, "are cut off: a row keeps"), 1);
}

TEST_F(ReportPage, SaysWhereGroupsOfAMeshStandApart)
{
    open("mesh", apart_mesh());
    EXPECT_THAT(browser_->text("#answer .mind"), HasSubstr("times as long as among as many"));
}

TEST_F(ReportPage, DrawsTheBandsOfAllSeriesBesideEachOther)
{
    open("chips", four_chips());
    const std::string of_series = "charts[0].chart.data.datasets.filter((set) => set.label !== '')";
    EXPECT_EQ(browser_->run("return " + of_series + ".map((set) => set.ranges.length)"),
              Json::array({4, 4, 4, 4}));
    EXPECT_EQ(browser_->run("return " + of_series + ".map((set) => set.endLabel)"),
              Json::array({"tpu_v3", "tpu_v4", "tpu_v5e", "tpu_v5p"}));
    EXPECT_TRUE(browser_
                    ->run("const { chart } = charts[0];"
                          "return " +
                          of_series +
                          ".every((set) => set.ranges.every(({ low, high }) => low >= "
                          "chart.scales.y.min && high <= chart.scales.y.max))")
                    .get<bool>());
    EXPECT_THAT(browser_->text("#answer figure .note"), HasSubstr("Upright lines hold 90 %"));
}

TEST_F(ReportPage, KeyboardReachesEverything)
{
    open("chips", four_chips(), 1280);
    const int all = check("numberInteractive()").get<int>();
    ASSERT_GT(all, 20);
    std::set<int> left;
    for (int i = 0; i < all; ++i) {
        left.insert(i);
    }
    for (int i = 0; i < all + 5 && !left.empty(); ++i) {
        browser_->press(keys::tab);
        const Json number = check("focusedNumber()");
        if (number.is_string()) {
            left.erase(std::stoi(number.get<std::string>()));
        }
    }
    EXPECT_EQ(browser_->run(checks_ + "\nreturn namesOf(arguments[0]);", Json::array({left})),
              Json::array());
}

TEST_F(ReportPage, ContentsStayInViewAndOpenWhatTheyName)
{
    open("chips", four_chips());
    const std::string last = "#series-tpu-v5p";
    EXPECT_FALSE(browser_->run("return document.querySelector('" + last + "').open").get<bool>());
    browser_->click("nav a[href='" + last + "']");
    browser_->wait_for("return document.querySelector('" + last + "').open");
    EXPECT_EQ(browser_->run("return document.querySelector('nav').getBoundingClientRect().top"), 0);
    EXPECT_THAT(browser_->text(last + " .chips"), HasSubstr("chip: tpu_v5p"))
        << "what the series sets stands beside its name";
    browser_->go("file://" + folder_->path("chips/report.html") + "#series-tpu-v4");
    EXPECT_TRUE(browser_->run("return document.querySelector('#series-tpu-v4').open").get<bool>());
}

TEST_F(ReportPage, PhasesHaveTheSameColourInEveryReport)
{
    const std::string colour = "return phaseColour('solve')";
    open("chips", four_chips());
    const Json in_one = browser_->run(colour);
    open("learned", learned());
    EXPECT_EQ(browser_->run(colour), in_one);
    EXPECT_THAT(browser_->text("#colours"), HasSubstr("the d x d systems are solved"));
}

TEST_F(ReportPage, DrawsSeveralAxesAsMapsAndSeedsAsMeanAndDeviation)
{
    open("axes", two_axes());
    EXPECT_EQ(browser_->run("return document.querySelectorAll('table.heat').length"), 2)
        << "cores and dim, for each gather";
    EXPECT_EQ(browser_->run("return document.querySelectorAll('table.heat td').length"), 18);
    open("learned", learned());
    EXPECT_EQ(browser_->run("return charts[0].chart.data.datasets[0].data.map(one => one.n)"),
              Json::array({3, 3, 3}));
    EXPECT_EQ(browser_->property("#answer select", "value"), "recall_at_20");
}

TEST_F(ReportPage, SavesAChartAsAPicture)
{
    open("chips", four_chips());
    browser_->click("#answer figure button");
    const std::string file = browser_->downloads() + "/all-series-against-tensorcores.png";
    for (int i = 0; i < 100 && !std::filesystem::exists(file); ++i) {
        browser_->run("return new Promise(done => setTimeout(done, 50))");
    }
    EXPECT_GT(std::filesystem::exists(file) ? std::filesystem::file_size(file) : 0, 10'000u);
}

TEST_F(ReportPage, ShowsTheCriticalPathOfATracedStepAndZooms)
{
    Json traced = learned();
    traced["sweep"] = {{"/machine/cores", {1, 4}}};
    open("traced", traced, 1280, {"--trace", folder_->path("traces")});
    expect_sound();
    const std::string seen = "const axis = charts.find(one => one.title.startsWith('Critical'))"
                             ".chart.scales.x; return axis.max - axis.min";
    const double whole = browser_->run(seen).get<double>();
    browser_->click("#critical-path [title='Zoom in']");
    EXPECT_NEAR(browser_->run(seen).get<double>(), whole / 2, whole * 1e-6);
    browser_->type("#critical-path canvas", "+");
    EXPECT_NEAR(browser_->run(seen).get<double>(), whole / 4, whole * 1e-6);
    browser_->click("#critical-path [title='Show the whole step']");
    EXPECT_NEAR(browser_->run(seen).get<double>(), whole, whole * 1e-6);
    open("learned", learned());
    EXPECT_THAT(browser_->text("#critical-path"), HasSubstr("--trace"));
}

/// A report as large as people have asked for, made of one point.
std::string large_report(const TemporaryFolder& folder, std::size_t points)
{
    Json report = Json::parse(read_file(folder.path("chips/report.json")));
    const Json one = report.at("points").at(0);
    Json all = Json::array();
    Json indices = Json::array();
    for (std::size_t i = 0; i < points; ++i) {
        Json point = one;
        point["series"] = "large";
        point["sweep"] = {{"/workload/alx/reg", 1e-6 * static_cast<double>(i + 1)}};
        point.erase("speedup");
        point.erase("efficiency");
        all.push_back(std::move(point));
        indices.push_back(i);
    }
    report["points"] = std::move(all);
    report["hypotheses"] = Json::array();
    report["series"] =
        Json::array({{{"name", "large"}, {"points", indices}, {"fastest", 0}, {"cheapest", 0}}});
    return folder.write("large.json", report.dump());
}

TEST_F(ReportPage, OfFiveThousandPointsIsSmallAndUsable)
{
    open("chips", four_chips());
    const std::string page = folder_->path("large.html");
    const Outcome made = run_program({"report", large_report(*folder_, 5000), "-o", page});
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    EXPECT_LT(std::filesystem::file_size(page), 10'000'000u);
    const auto begin = std::chrono::steady_clock::now();
    show(page, 1280);
    expect_sound();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    EXPECT_EQ(browser_->run("return document.querySelectorAll('#series-large tbody tr').length"),
              100);
    browser_->click("#series-large .more");
    EXPECT_EQ(browser_->run("return document.querySelectorAll('#series-large tbody tr').length"),
              200);
}

TEST_F(ReportPage, OfAnEarlierVersionIsSound)
{
    const std::string page = folder_->path("earlier.html");
    const Outcome made =
        run_program({"report", ALXSIM_SOURCE_DIR "/tests/unit/report/data/report_of_version_1.json",
                     "-o", page});
    ASSERT_EQ(made.exit_code, 0) << made.errors;
    show(page, 1280);
    check("unfoldAll()");
    expect_sound();
}

} // namespace
} // namespace alxsim::testing
