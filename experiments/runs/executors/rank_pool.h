// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/runs/executors/executor.h"
#include "experiments/runs/executors/rank_message.h"
#include "experiments/runs/executors/ranks.h"

#include <map>
#include <set>
#include <vector>

namespace alxsim::experiments {

/// Points on all ranks of a job (rank_agent.h), this one included: whoever has the least to do gets
/// the next. A rank that is lost, because its process is gone or nothing was heard of it for a
/// minute, hands its points back; a point that is lost with a second rank fails.
class RankPool : public Executor {
public:
    using Clock = std::chrono::steady_clock;

    /// `own`: runs this rank's share. The ranks' ends come with that of the pool.
    RankPool(Ranks& ranks, Executor& own, Clock::duration silence = std::chrono::minutes(1));
    ~RankPool() override;
    RankPool(const RankPool&) = delete;
    RankPool& operator=(const RankPool&) = delete;

    bool take(const PointOrder& order) override;
    bool idle() const override;
    void wait(PointListener& listener, std::chrono::milliseconds at_most) override;
    /// The other ranks leave; nothing can be taken any more.
    void stop() override;

private:
    struct Rank {
        int number = 0;
        RankIdentity identity;
        std::size_t jobs = 0; ///< 0: it has not said hello, or is lost
        bool lost = false;
        std::set<std::size_t> given; ///< and not answered
        double seconds_a_point = 0;  ///< of small ones, about; 0: not known yet
        Clock::time_point heard;
        Clock::time_point answered; ///< or begun, where it had nothing to do

        bool has_room(const PointOrder& order) const;
    };

    void take_message(const Ranks::Message& message, PointListener& listener);
    void take_answer(Rank& rank, const RankMessage& answer, PointListener& listener);
    void give_up_lost(PointListener& listener);
    void give_up(Rank& rank, PointListener& listener);
    void tell_all(const std::string& word, const std::string& text = "");

    Ranks& ranks_;
    Executor& own_;
    Clock::duration silence_;
    std::vector<Rank> others_;
    std::map<std::size_t, int> losses_; ///< point -> ranks that were lost with it
    Clock::time_point next_roll_call_ = Clock::now();
    bool lost_ = false; ///< a rank
    bool stopped_ = false;
};

} // namespace alxsim::experiments
