// SPDX-License-Identifier: Apache-2.0
#include "program/serve/http/gate.h"
#include "program/serve/server.h"
#include "tests/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace alxsim::program {
namespace {

using alxsim::testing::HttpAnswer;
using alxsim::testing::HttpClient;
using alxsim::testing::HttpHeaders;
using ::testing::HasSubstr;

Study small_study()
{
    return study_of(parse_json(R"({
        "study": "small", "numerics": false, "fidelity": "analytic",
        "machine": {"chip": "tpu_v3", "cores": 4},
        "workload": {"dataset": {"shape": {"rows": 1e5, "columns": 1e5, "links": 1e6}},
                     "alx": {"dim": 16}}})",
                               "small.json"),
                    "small.json");
}

/// A server, and a client that knows its address.
class AServer : public ::testing::Test {
protected:
    AServer() : playground_(small_study(), {"", 1}), server_(playground_, 0)
    {
        const std::string address = server_.address(); // http://127.0.0.1:PORT/TOKEN/
        const std::size_t slash = address.find('/', 7);
        host_ = address.substr(7, slash - 7);
        home_ = address.substr(slash);
    }

    int get(const std::string& path, const HttpHeaders& headers = {})
    {
        return client_.get(path, headers).status;
    }
    HttpAnswer post(const std::string& name, const std::string& body)
    {
        return client_.post(home_ + name, body);
    }

    Playground playground_;
    PageServer server_;
    HttpClient client_{server_.address()};
    std::string host_;
    std::string home_;
};

TEST_F(AServer, ServesThePageAndItsFilesToWhoKnowsTheAddress)
{
    for (const char* name : {"", "serve.js", "settings.js", "drawing.js", "common.js", "chart.js",
                             "page.css", "serve.css", "confirm"}) {
        const HttpAnswer result = client_.get(home_ + name);
        ASSERT_TRUE(result);
        EXPECT_EQ(result.status, 200) << name;
        EXPECT_FALSE(result.body.empty()) << name;
    }
    EXPECT_EQ(get(home_ + "serve.cpp"), 404);
    EXPECT_EQ(get(home_ + "etc/passwd"), 404);
}

TEST_F(AServer, HasHeadersThatKeepOtherPagesOut)
{
    const HttpAnswer page = client_.get(home_);
    ASSERT_TRUE(page);
    EXPECT_THAT(page.header("Content-Security-Policy"),
                HasSubstr("default-src 'none'; script-src 'self'"));
    EXPECT_EQ(page.header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(page.header("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(page.header("X-Frame-Options"), "DENY");
    const HttpAnswer refused = client_.get("/");
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused.header("X-Content-Type-Options"), "nosniff");
}

TEST_F(AServer, RefusesWhoDoesNotKnowTheToken)
{
    std::string other = home_;
    other[5] = other[5] == '0' ? '1' : '0';
    for (const std::string& path :
         {std::string("/"), std::string("/study"), other, other + "serve.js",
          home_.substr(0, home_.size() - 2) + "/", "/" + std::string(32, '0') + "/"}) {
        EXPECT_EQ(get(path), 403) << path;
    }
    const HttpAnswer posted = client_.post("/curve", "{}");
    ASSERT_TRUE(posted);
    EXPECT_EQ(posted.status, 403);
}

TEST_F(AServer, RefusesOtherOriginsAndNames)
{
    EXPECT_EQ(get(home_, {{"Origin", "http://evil.example"}}), 403);
    EXPECT_EQ(get(home_, {{"Origin", "null"}}), 403);
    EXPECT_EQ(get(home_, {{"Origin", "http://127.0.0.1:1"}}), 403);
    EXPECT_EQ(get(home_, {{"Origin", "http://" + host_}}), 200);
    EXPECT_EQ(get(home_, {{"Sec-Fetch-Site", "cross-site"}}), 403);
    EXPECT_EQ(get(home_, {{"Host", "evil.example"}}), 403);
    EXPECT_EQ(get(home_, {{"Host", "evil.example:" + host_.substr(host_.find(':') + 1)}}), 403);
}

TEST_F(AServer, RefusesPathsThatClimb)
{
    EXPECT_EQ(get(home_ + "../serve.js"), 400);
    EXPECT_EQ(get(home_ + "%2e%2e/etc/passwd"), 400);
    EXPECT_EQ(get("/../../etc/passwd"), 400);
}

TEST_F(AServer, RefusesLargeBodiesWithoutReadingThem)
{
    const HttpAnswer large = post("curve", std::string(std::size_t{100} << 20, ' '));
    // It may have hung up on a client that was still sending.
    EXPECT_TRUE(!large || large.status == 413);
    const HttpAnswer more = post("curve", std::string(most_body_bytes + 1, ' '));
    EXPECT_TRUE(!more || more.status == 413);
    const HttpAnswer next = post("curve", "{}");
    ASSERT_TRUE(next);
    EXPECT_EQ(next.status, 200) << next.body;
}

TEST_F(AServer, RefusesBodiesOfUnknownLengthOrOtherTypes)
{
    const HttpAnswer chunked =
        client_.ask("POST", home_ + "curve",
                    {{"Content-Type", "application/json"}, {"Transfer-Encoding", "chunked"}}, "{}");
    EXPECT_TRUE(!chunked || chunked.status == 411);
    const HttpAnswer text = client_.post(home_ + "curve", "{}", {{"Content-Type", "text/plain"}});
    ASSERT_TRUE(text);
    EXPECT_EQ(text.status, 415);
    const HttpAnswer put =
        client_.ask("PUT", home_ + "curve", {{"Content-Type", "application/json"}}, "{}");
    ASSERT_TRUE(put);
    EXPECT_EQ(put.status, 405);
    const HttpAnswer asked = client_.ask("OPTIONS", home_ + "curve");
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked.status, 405);
}

TEST_F(AServer, AnswersBadRequestsInWords)
{
    const HttpAnswer broken = post("curve", "{\"set\": ");
    ASSERT_TRUE(broken);
    EXPECT_EQ(broken.status, 400);
    EXPECT_THAT(broken.body, HasSubstr("the request"));
    const HttpAnswer deep = post("curve", std::string(100000, '['));
    ASSERT_TRUE(deep);
    EXPECT_EQ(deep.status, 400);
    const HttpAnswer unknown = post("curve", R"({"set": {"/machine/coers": 1}})");
    ASSERT_TRUE(unknown);
    EXPECT_EQ(unknown.status, 422);
    EXPECT_THAT(unknown.body, HasSubstr("unknown field 'coers'"));
    const HttpAnswer nothing = post("nothing", "{}");
    ASSERT_TRUE(nothing);
    EXPECT_EQ(nothing.status, 404);
}

TEST_F(AServer, APortThatIsTakenIsRefused)
{
    const int port = std::stoi(host_.substr(host_.find(':') + 1));
    EXPECT_THROW(PageServer(playground_, port), InputError);
}

TEST(Tokens, Are128BitsAndNeverTheSame)
{
    std::set<std::string> tokens;
    for (int i = 0; i < 100; ++i) {
        const std::string token = random_token();
        EXPECT_EQ(token.size(), 32u);
        EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
        tokens.insert(token);
    }
    EXPECT_EQ(tokens.size(), 100u);
    EXPECT_TRUE(same_in_constant_time("abc", "abc"));
    EXPECT_FALSE(same_in_constant_time("abd", "abc"));
    EXPECT_FALSE(same_in_constant_time("ab", "abc"));
    EXPECT_FALSE(same_in_constant_time("abcd", "abc"));
}

} // namespace
} // namespace alxsim::program
