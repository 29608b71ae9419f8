// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/rank_agent.h"
#include "experiments/runs/executors/rank_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

/// The ranks of a job without MPI: texts go through memory.
namespace alxsim::experiments {
namespace {

constexpr std::chrono::milliseconds moment{1};

/// The mail of a job's ranks.
class Network {
public:
    explicit Network(int size) : boxes_(static_cast<std::size_t>(size)) {}

    int size() const { return static_cast<int>(boxes_.size()); }
    void put(int to, Ranks::Message message)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        boxes_.at(static_cast<std::size_t>(to)).push_back(std::move(message));
    }
    std::optional<Ranks::Message> take(int rank)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::deque<Ranks::Message>& box = boxes_.at(static_cast<std::size_t>(rank));
        if (box.empty()) {
            return std::nullopt;
        }
        Ranks::Message message = std::move(box.front());
        box.pop_front();
        return message;
    }

private:
    std::mutex mutex_;
    std::vector<std::deque<Ranks::Message>> boxes_;
};

class NetworkRank : public Ranks {
public:
    NetworkRank(Network& network, int rank) : network_(network), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return network_.size(); }
    int on_this_host() const override { return network_.size(); }
    void send(int to, const std::string& text) override { network_.put(to, {rank_, text}); }
    std::optional<Message> receive() override { return network_.take(rank_); }
    void abandon() override { abandoned = true; }

    bool abandoned = false;

private:
    Network& network_;
    int rank_;
};

/// Answers at the next wait; the point says how: 13 fails, 7 is refused.
class Immediate : public Executor {
public:
    explicit Immediate(std::size_t jobs) : jobs_(jobs) {}

    bool take(const PointOrder& order) override
    {
        if (orders_.size() >= jobs_) {
            return false;
        }
        orders_.push_back(order);
        ++taken;
        return true;
    }
    bool idle() const override { return orders_.empty(); }
    void wait(PointListener& listener, std::chrono::milliseconds) override
    {
        std::this_thread::sleep_for(moment);
        for (const PointOrder& order : orders_) {
            listener.doing(order.point, "its work");
            if (order.point == 13) {
                listener.failed(13, "unlucky");
            } else if (order.point == 7) {
                listener.refused(7, "bad");
            } else {
                listener.finished(order.point, {}, json_of(PointResult{}).dump());
            }
        }
        orders_.clear();
    }
    void stop() override { orders_.clear(); }

    int taken = 0;

private:
    std::size_t jobs_;
    std::vector<PointOrder> orders_;
};

class Heard : public PointListener {
public:
    void progressed(std::size_t, double) override {}
    void doing(std::size_t point, const std::string& words) override
    {
        answers[point] += "does " + words + ", ";
    }
    void told(std::size_t, const std::string& words) override { words_told.push_back(words); }
    void finished(std::size_t point, PointResult, const std::string&) override
    {
        answers[point] += "finished ";
    }
    void refused(std::size_t point, const std::string& why) override
    {
        answers[point] += "refused " + why + " ";
    }
    void failed(std::size_t point, const std::string& why) override
    {
        answers[point] += "failed " + why + " ";
    }
    void handed_back(std::size_t point) override { answers[point] += "back "; }

    std::map<std::size_t, std::string> answers;
    std::vector<std::string> words_told;
};

PointOrder order_of(std::size_t point, bool small = true)
{
    return {point, small, "{\"a task\": 1}"};
}

TEST(RankPool, HasEachPointAnsweredOnceByWhoeverHasTheLeastToDo)
{
    Network network(4);
    std::vector<std::thread> agents;
    std::vector<int> taken(4);
    for (int rank = 1; rank < 4; ++rank) {
        agents.emplace_back([&network, &taken, rank] {
            NetworkRank ranks(network, rank);
            Immediate executor(2);
            serve_rank(ranks, executor, 2);
            taken[static_cast<std::size_t>(rank)] = executor.taken;
            EXPECT_FALSE(ranks.abandoned);
        });
    }
    Heard heard;
    NetworkRank first(network, 0);
    Immediate own(2);
    {
        RankPool pool(first, own);
        std::size_t next = 0;
        while (next < 400 || !pool.idle()) {
            while (next < 400 && pool.take(order_of(next))) {
                ++next;
            }
            pool.wait(heard, moment);
        }
    }
    for (std::thread& agent : agents) {
        agent.join();
    }
    taken[0] = own.taken;
    ASSERT_EQ(heard.answers.size(), 400U);
    for (const auto& [point, answer] : heard.answers) {
        EXPECT_EQ(answer, point == 13  ? "does its work, failed unlucky "
                          : point == 7 ? "does its work, refused bad "
                                       : "does its work, finished ")
            << point;
    }
    for (const int count : taken) {
        EXPECT_GT(count, 10) << "a rank had nearly nothing to do";
    }
}

/// Rank 1 says hello and nothing more.
class SilentRank : public ::testing::Test {
protected:
    SilentRank() { network_.put(0, {1, hello_of(own_identity())}); }

    static std::string hello_of(const std::string& identity)
    {
        return text_of({"hello", 1, identity});
    }

    void wait_until_lost(RankPool& pool)
    {
        for (int i = 0; i < 5000 && !pool.idle(); ++i) {
            pool.wait(heard_, moment);
        }
        EXPECT_TRUE(pool.idle());
    }

    Network network_{3};
    NetworkRank first_{network_, 0};
    Immediate own_{0}; // runs nothing itself
    Heard heard_;
};

TEST_F(SilentRank, IsGivenUpAndItsPointIsForOthers)
{
    RankPool pool(first_, own_, std::chrono::milliseconds(50));
    pool.wait(heard_, moment);
    ASSERT_TRUE(pool.take(order_of(5, false)));
    EXPECT_FALSE(pool.take(order_of(6, false))) << "one at a time was said";
    wait_until_lost(pool);
    EXPECT_EQ(heard_.answers[5], "back ");
    EXPECT_TRUE(first_.abandoned) << "the end of the job would wait for it";
    // What comes of it after all is not counted twice.
    network_.put(0, {1, text_of({"result", 5, json_of(PointResult{}).dump()})});
    pool.wait(heard_, moment);
    EXPECT_EQ(heard_.answers[5], "back ");
    EXPECT_FALSE(pool.take(order_of(6, false)));
}

TEST_F(SilentRank, ASecondOneWithTheSamePointMakesItFail)
{
    RankPool pool(first_, own_, std::chrono::milliseconds(50));
    pool.wait(heard_, moment);
    ASSERT_TRUE(pool.take(order_of(5, false)));
    wait_until_lost(pool);
    network_.put(0, {2, hello_of(own_identity())});
    pool.wait(heard_, moment);
    ASSERT_TRUE(pool.take(order_of(5, false)));
    wait_until_lost(pool);
    EXPECT_EQ(heard_.answers[5], "back failed rank 2 was lost, and one before that ran it, too ");
}

TEST_F(SilentRank, OfAnotherVersionIsRefused)
{
    network_.put(0, {2, hello_of(R"x({"version": "0.0.1 (old)", "host": "h", "process": 1})x")});
    RankPool pool(first_, own_);
    try {
        pool.wait(heard_, moment);
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("rank 2 runs alxsim 0.0.1 (old)"),
                  std::string::npos)
            << error.what();
    }
}

TEST(RankIdentity, KnowsOfAProcessOfThisHostThatItIsGone)
{
    RankIdentity identity = rank_identity(own_identity());
    EXPECT_FALSE(is_gone(identity));
    identity.process = 0x7FFFFFF; // more than any process has
    EXPECT_TRUE(is_gone(identity));
    identity.host = "another";
    EXPECT_FALSE(is_gone(identity)) << "not to be known";
}

} // namespace
} // namespace alxsim::experiments
