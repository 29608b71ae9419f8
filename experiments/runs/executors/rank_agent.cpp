// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/rank_agent.h"

#include "experiments/runs/executors/rank_message.h"

#include <deque>
#include <optional>

namespace alxsim::experiments {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds between_signs_of_life{1};
/// Rank 0 reads large data, perhaps, before it gives out the next points.
constexpr std::chrono::hours longest_silence{1};

class RankAgent : private PointListener {
public:
    RankAgent(Ranks& ranks, Executor& executor, int jobs) : ranks_(ranks), executor_(executor)
    {
        say("hello", static_cast<std::size_t>(jobs), own_identity());
    }

    void serve()
    {
        while (take_messages()) {
            while (!waiting_.empty() && executor_.take(waiting_.front())) {
                waiting_.pop_front();
            }
            executor_.wait(*this, between_looks);
            if (Clock::now() >= next_sign_) {
                say("alive", 0, "");
                leave_if_alone();
            }
        }
        executor_.stop();
    }

private:
    /// Says whether it goes on.
    bool take_messages()
    {
        while (const std::optional<Ranks::Message> message = ranks_.receive()) {
            heard_ = Clock::now();
            take_message(rank_message(message->text));
        }
        return !left_;
    }

    void take_message(RankMessage message)
    {
        if (message.word == "hello") {
            first_rank_ = rank_identity(message.text);
        } else if (message.word == "end" || message.word == "leave") {
            left_ = true;
        } else if (message.word != "alive") {
            waiting_.push_back({message.number, message.word == "small", std::move(message.text)});
        }
        if (message.word == "leave") {
            ranks_.abandon();
        }
    }

    /// Nobody is there to hear of points any more.
    void leave_if_alone()
    {
        const bool gone = first_rank_ && is_gone(*first_rank_);
        if (gone || Clock::now() - heard_ > longest_silence) {
            ranks_.abandon();
            left_ = true;
        }
    }

    void say(const std::string& word, std::size_t number, const std::string& text)
    {
        ranks_.send(0, text_of({word, number, text}));
        next_sign_ = Clock::now() + between_signs_of_life;
    }

    void progressed(std::size_t point, double share) override
    {
        say("progress", point, std::to_string(share));
    }
    void doing(std::size_t point, const std::string& words) override { say("doing", point, words); }
    void told(std::size_t point, const std::string& words) override { say("tell", point, words); }
    void finished(std::size_t point, PointResult, const std::string& text) override
    {
        say("result", point, text);
    }
    void refused(std::size_t point, const std::string& why) override { say("refused", point, why); }
    void failed(std::size_t point, const std::string& why) override { say("failed", point, why); }
    void handed_back(std::size_t point) override { say("back", point, ""); }

    Ranks& ranks_;
    Executor& executor_;
    std::deque<PointOrder> waiting_;
    std::optional<RankIdentity> first_rank_; ///< rank 0, once it has said hello
    Clock::time_point heard_ = Clock::now();
    Clock::time_point next_sign_;
    bool left_ = false;
};

} // namespace

int serve_rank(Ranks& ranks, Executor& executor, int jobs)
{
    RankAgent(ranks, executor, jobs).serve();
    return 0;
}

} // namespace alxsim::experiments
