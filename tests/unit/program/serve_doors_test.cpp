// SPDX-License-Identifier: Apache-2.0
#include "base/work/stop.h"
#include "program/serve/http/gate.h"
#include "program/serve/server.h"
#include "tests/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <fstream>
#include <netinet/in.h>
#include <new>
#include <poll.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace alxsim::program {
namespace {

using alxsim::testing::HttpAnswer;
using alxsim::testing::HttpClient;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

double seconds_since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// MiB of this process, the server's, that are in memory.
double resident_mib()
{
    std::ifstream file("/proc/self/statm");
    double size = 0;
    double resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// A connection that sends what no client of HTTP would.
class Wire {
public:
    explicit Wire(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_port = htons(static_cast<std::uint16_t>(port));
        place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (socket_ < 0 ||
            connect(socket_, reinterpret_cast<sockaddr*>(&place), sizeof place) != 0) {
            throw std::runtime_error("cannot connect");
        }
    }
    ~Wire() { hang_up(); }
    Wire(Wire&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    bool send(const std::string& bytes)
    {
        return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(bytes.size());
    }
    /// All that comes until the server hangs up, or until nothing came for so long.
    std::string receive(std::chrono::milliseconds patience = 30s)
    {
        std::string all;
        char piece[4096];
        pollfd wait{socket_, POLLIN, 0};
        while (poll(&wait, 1, static_cast<int>(patience.count())) > 0) {
            const ssize_t bytes = recv(socket_, piece, sizeof piece, 0);
            if (bytes <= 0) {
                return all;
            }
            all.append(piece, static_cast<std::size_t>(bytes));
        }
        return all + "(and it waits)";
    }
    void hang_up()
    {
        if (socket_ >= 0) {
            close(socket_);
        }
        socket_ = -1;
    }

private:
    int socket_;
};

/// A server whose answers a test makes, and what it is asked with.
class Doors : public ::testing::Test {
protected:
    void serve(Answers answers, const ServerLimits& limits = {})
    {
        server_ = std::make_unique<PageServer>(std::move(answers), 0, limits);
        const std::string address = server_->address();
        home_ = address.substr(address.find('/', 7));
        client_ = std::make_unique<HttpClient>(address);
    }
    void serve_echo(const ServerLimits& limits = {})
    {
        serve(
            [](const Question& question) {
                return Answer{200, "text/plain", question.name + question.body};
            },
            limits);
    }
    Wire wire() const { return Wire(client_->port()); }
    std::string host() const { return "Host: 127.0.0.1:" + std::to_string(client_->port()); }
    std::string start(const std::string& method, const std::string& name) const
    {
        return method + " " + home_ + name + " HTTP/1.1\r\n" + host() + "\r\n";
    }

    std::unique_ptr<PageServer> server_;
    std::unique_ptr<HttpClient> client_;
    std::string home_;
};

TEST_F(Doors, HeadersBeyondTheirLimitAreRefused)
{
    serve_echo();
    Wire many = wire();
    many.send(start("GET", ""));
    for (int i = 0; i < 400; ++i) {
        many.send("X-" + std::to_string(i) + ": " + std::string(100, 'x') + "\r\n");
    }
    EXPECT_THAT(many.receive(), StartsWith("HTTP/1.1 431 "));
    Wire line = wire(); // before a token is known
    line.send("GET /" + std::string(40000, 'x'));
    const std::string refused = line.receive();
    EXPECT_THAT(refused, StartsWith("HTTP/1.1 431 "));
    EXPECT_THAT(refused, HasSubstr("16384 bytes, the most allowed"));
    EXPECT_THAT(refused, HasSubstr("nosniff"));
}

TEST_F(Doors, AFloodOfHeadersTakesNoMemory)
{
    serve_echo();
    const double before = resident_mib();
    const std::string piece = [] {
        std::string headers;
        while (headers.size() < std::size_t{1} << 20) {
            headers += "X-Flood: 0123456789\r\n";
        }
        return headers;
    }();
    double most = 0;
    for (int connection = 0; connection < 10; ++connection) {
        Wire flood = wire();
        flood.send(start("GET", ""));
        for (int mib = 0; mib < 30 && flood.send(piece); ++mib) {
            most = std::max(most, resident_mib());
        }
    }
    EXPECT_LT(most - before, 20);
    EXPECT_EQ(client_->get(home_ + "x").body, "x");
}

TEST_F(Doors, BodiesThatAreRefusedTakeNoMemory)
{
    serve_echo();
    const std::string large(std::size_t{100} << 20, ' ');
    const double before = resident_mib();
    const HttpAnswer refused = client_->post(home_ + "x", large);
    EXPECT_TRUE(!refused || refused.status == 413);
    EXPECT_EQ(client_->post("/x", large.substr(0, 1000)).status, 403);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(client_->post(home_, large.substr(0, most_body_bytes)).status, 200);
    }
    EXPECT_LT(resident_mib() - before, 20);
}

/// Lets this process have so many sockets.
void allow_sockets(rlim_t wanted)
{
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, wanted));
    setrlimit(RLIMIT_NOFILE, &limit);
}

TEST_F(Doors, IdleAndSlowConnectionsLockNobodyOut)
{
    allow_sockets(8192);
    serve_echo();
    std::vector<Wire> connections;
    for (int i = 0; i < 3000; ++i) {
        connections.push_back(wire());
    }
    const Clock::time_point begin = Clock::now();
    EXPECT_EQ(client_->get(home_ + "page").body, "page");
    EXPECT_LT(seconds_since(begin), 2);

    std::vector<Wire> slow;
    for (int i = 0; i < 64; ++i) {
        slow.push_back(wire());
        slow.back().send(start("POST", "x") + "Content-Type: application/json\r\n" +
                         "Content-Length: 1000\r\n\r\n{");
    }
    std::atomic<bool> over{false};
    std::thread drip([&] {
        while (!over) {
            for (Wire& one : slow) {
                one.send(" ");
            }
            std::this_thread::sleep_for(10ms);
        }
    });
    for (int i = 0; i < 10; ++i) {
        const Clock::time_point next = Clock::now();
        EXPECT_EQ(client_->get(home_ + "page").body, "page");
        EXPECT_LT(seconds_since(next), 2);
    }
    over = true;
    drip.join();
}

TEST_F(Doors, ASlowRequestIsGivenUpHoweverItDrips)
{
    ServerLimits limits;
    limits.request = 300ms;
    serve_echo(limits);
    const Clock::time_point begin = Clock::now();
    Wire slow = wire();
    slow.send("GET /");
    while (slow.send("x") && seconds_since(begin) < 10) {
        std::this_thread::sleep_for(20ms);
    }
    EXPECT_LT(seconds_since(begin), 2);
    EXPECT_EQ(client_->get(home_ + "x").status, 200);
}

TEST_F(Doors, AnAnswerThatNobodyTakesIsGivenUp)
{
    ServerLimits limits;
    limits.connections = 1;
    limits.answer = 300ms;
    serve(
        [](const Question& question) {
            return Answer{200, "text/plain",
                          std::string(question.name == "x" ? 100 << 20 : 1, 'x')};
        },
        limits);
    Wire lazy = wire();
    lazy.send(start("GET", "x") + "\r\n");
    std::this_thread::sleep_for(1s);
    EXPECT_LT(lazy.receive().size(), 100U << 20);
    EXPECT_EQ(client_->get(home_ + "y").status, 200);
}

TEST_F(Doors, PiecesOfAPageAreNotToBeHad)
{
    const std::string page(1000, 'p');
    serve([&](const Question&) { return Answer{200, "text/html", page}; });
    std::string pieces = "bytes=0-999";
    for (int i = 0; i < 1500; ++i) {
        pieces += ",0-999";
    }
    const HttpAnswer answer = client_->get(home_, {{"Range", pieces}});
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, page);
    EXPECT_EQ(answer.header("Accept-Ranges"), "none");
}

TEST_F(Doors, WhatFailsEndsItsOwnRequestAlone)
{
    serve([](const Question& question) -> Answer {
        if (question.name == "memory") {
            throw std::bad_alloc();
        }
        if (question.name == "length") {
            throw std::length_error("too long");
        }
        if (question.name == "error") {
            throw std::runtime_error("it broke");
        }
        if (question.name == "other") {
            throw 1; // NOLINT: nobody throws it, and a server goes on
        }
        return {200, "text/plain", "fine"};
    });
    for (const char* name : {"memory", "length", "error"}) {
        const HttpAnswer answer = client_->get(home_ + name);
        EXPECT_EQ(answer.status, 500) << name;
        EXPECT_THAT(answer.body, HasSubstr("{\"error\":\"")) << name;
    }
    EXPECT_EQ(client_->get(home_ + "other").status, 500);
    EXPECT_THAT(client_->get(home_ + "memory").body, HasSubstr("more memory than the host gives"));
    EXPECT_EQ(client_->get(home_ + "fine").body, "fine");
}

TEST_F(Doors, WorkEndsWithWhoWaitedForIt)
{
    std::atomic<int> begun{0};
    std::atomic<int> stopped{0};
    serve([&](const Question&) -> Answer {
        ++begun;
        for (const Clock::time_point begin = Clock::now(); seconds_since(begin) < 20;) {
            if (stop_is_wanted()) {
                ++stopped;
                throw Stopped();
            }
            std::this_thread::sleep_for(1ms);
        }
        return {200, "text/plain", "late"};
    });
    const auto soon = [](const std::atomic<int>& count) {
        for (int i = 0; i < 2000 && count == 0; ++i) {
            std::this_thread::sleep_for(1ms);
        }
        return count > 0;
    };
    Wire gone = wire();
    gone.send(start("GET", "x") + "\r\n");
    ASSERT_TRUE(soon(begun));
    gone.hang_up();
    EXPECT_TRUE(soon(stopped));

    begun = stopped = 0;
    Wire waits = wire();
    waits.send(start("GET", "x") + "\r\n");
    ASSERT_TRUE(soon(begun));
    const Clock::time_point begin = Clock::now();
    server_.reset();
    EXPECT_LT(seconds_since(begin), 1);
    EXPECT_EQ(stopped, 1);
}

TEST_F(Doors, WhatIsNoHttpIsRefused)
{
    serve_echo();
    for (const char* bytes :
         {"\r\n\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/3.0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n",
          "\x16\x03\x01\x02\x01\x01\xfc\x03\x03\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n"}) {
        Wire odd = wire();
        odd.send(bytes);
        EXPECT_THAT(odd.receive(), StartsWith("HTTP/1.1 400 ")) << bytes;
    }
    Wire twice = wire();
    twice.send(start("POST", "x") + host() +
               "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
    EXPECT_THAT(twice.receive(), StartsWith("HTTP/1.1 403 ")) << "two hosts";
    EXPECT_EQ(client_->get(home_ + "x").status, 200);
}

TEST_F(Doors, AClientThatAsksBeforeItSendsIsToldToGoOn)
{
    serve_echo();
    Wire careful = wire();
    const std::string head = "Content-Type: application/json\r\nContent-Length: 2\r\n"
                             "Expect: 100-continue\r\n\r\n";
    careful.send(start("POST", "x") + head);
    EXPECT_THAT(careful.receive(300ms), StartsWith("HTTP/1.1 100 Continue\r\n\r\n"));
    careful.send("{}");
    const std::string answer = careful.receive();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\n\r\nx{}"));
    Wire stranger = wire();
    stranger.send("POST /x HTTP/1.1\r\n" + host() + "\r\n" + head);
    EXPECT_THAT(stranger.receive(), StartsWith("HTTP/1.1 403 "));
}

TEST_F(Doors, ARequestComesInAnyPieces)
{
    serve_echo();
    Wire slow = wire();
    for (const char letter : start("POST", "x?a=%20") + "Content-Type: application/json\r\n" +
                                 "Content-Length: 4\r\n\r\n1234") {
        slow.send(std::string(1, letter));
    }
    EXPECT_THAT(slow.receive(), HasSubstr("\r\n\r\nx1234"));
    Wire pipelined = wire();
    pipelined.send(start("GET", "a") + "\r\n" + start("GET", "b") + "\r\n");
    const std::string one = pipelined.receive();
    EXPECT_THAT(one, HasSubstr("Connection: close"));
    EXPECT_EQ(one.rfind("HTTP/1.1 "), 0U) << "one request a connection";
    Wire head = wire();
    head.send(start("HEAD", "") + "\r\n");
    const std::string answer = head.receive();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 405 "));
    EXPECT_EQ(answer.substr(answer.size() - 4), "\r\n\r\n") << "no body follows";
}

TEST(Targets, AreDecodedWithoutTheirQuery)
{
    EXPECT_EQ(path_of_target("/a%2e%2E/b?c=%20"), "/a../b");
    EXPECT_EQ(path_of_target("/%"), "/%");
    EXPECT_EQ(path_of_target("/%4"), "/%4");
    EXPECT_EQ(path_of_target("/%zz%41"), "/%zzA");
    EXPECT_EQ(path_of_target(""), "");
}

} // namespace
} // namespace alxsim::program
