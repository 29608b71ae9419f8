// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/rank_pool.h"

#include <algorithm>
#include <stdexcept>

namespace alxsim::experiments {
namespace {

constexpr std::chrono::seconds between_roll_calls{1};
/// So much work of small points lies ready with a rank, so that it does not wait for messages: more
/// would make the last rank's end late.
constexpr double seconds_ahead = 0.05;
constexpr double most_ahead = 64;
/// As many lost ranks make it likely that the point is what they died of.
constexpr int most_losses = 2;

double seconds_between(RankPool::Clock::time_point from, RankPool::Clock::time_point to)
{
    return std::chrono::duration<double>(to - from).count();
}

} // namespace

RankPool::RankPool(Ranks& ranks, Executor& own, Clock::duration silence)
    : ranks_(ranks),
      own_(own),
      silence_(silence)
{
    for (int number = 1; number < ranks.size(); ++number) {
        others_.emplace_back();
        others_.back().number = number;
        others_.back().heard = Clock::now();
    }
    tell_all("hello", own_identity());
}

RankPool::~RankPool()
{
    if (!stopped_) {
        tell_all(lost_ ? "leave" : "end");
    }
}

bool RankPool::Rank::has_room(const PointOrder& order) const
{
    const double ahead = order.small && seconds_a_point > 0
                             ? std::min(seconds_ahead / seconds_a_point, most_ahead)
                             : 0.0;
    const std::size_t room = jobs + (order.small ? jobs : 0) + static_cast<std::size_t>(ahead);
    return jobs > 0 && given.size() < room;
}

bool RankPool::take(const PointOrder& order)
{
    if (own_.take(order)) {
        return true;
    }
    Rank* least = nullptr;
    for (Rank& rank : others_) {
        if (rank.has_room(order) && (least == nullptr || rank.given.size() * least->jobs <
                                                             least->given.size() * rank.jobs)) {
            least = &rank;
        }
    }
    if (least == nullptr) {
        return false;
    }
    if (least->given.empty()) {
        least->answered = Clock::now();
    }
    least->given.insert(order.point);
    ranks_.send(least->number, text_of({order.small ? "small" : "large", order.point, order.task}));
    return true;
}

bool RankPool::idle() const
{
    return own_.idle() && std::all_of(others_.begin(), others_.end(),
                                      [](const Rank& rank) { return rank.given.empty(); });
}

void RankPool::wait(PointListener& listener, std::chrono::milliseconds at_most)
{
    own_.wait(listener, std::min(at_most, between_looks));
    while (const std::optional<Ranks::Message> message = ranks_.receive()) {
        take_message(*message, listener);
    }
    if (Clock::now() >= next_roll_call_) {
        tell_all("alive");
        give_up_lost(listener);
        next_roll_call_ = Clock::now() + between_roll_calls;
    }
}

void RankPool::take_message(const Ranks::Message& message, PointListener& listener)
{
    Rank& rank = others_.at(static_cast<std::size_t>(message.from) - 1);
    const RankMessage answer = rank_message(message.text);
    rank.heard = Clock::now();
    if (answer.word == "hello") {
        rank.identity = rank_identity(answer.text);
        const std::string own = rank_identity(own_identity()).version;
        if (rank.identity.version != own) {
            throw std::runtime_error("rank " + std::to_string(rank.number) + " runs alxsim " +
                                     rank.identity.version + ", rank 0 " + own);
        }
        rank.jobs = answer.number;
    } else if (rank.given.count(answer.number) > 0 && answer.word != "alive") {
        take_answer(rank, answer, listener);
    }
}

void RankPool::take_answer(Rank& rank, const RankMessage& answer, PointListener& listener)
{
    if (answer.word == "progress") {
        listener.progressed(answer.number, std::stod(answer.text));
        return;
    }
    if (answer.word == "doing") {
        listener.doing(answer.number, answer.text);
        return;
    }
    if (answer.word == "tell") {
        listener.told(answer.number, answer.text);
        return;
    }
    rank.given.erase(answer.number);
    const Clock::time_point now = Clock::now();
    const double seconds = seconds_between(rank.answered, now);
    rank.seconds_a_point =
        rank.seconds_a_point > 0 ? 0.8 * rank.seconds_a_point + 0.2 * seconds : seconds;
    rank.answered = now;
    if (answer.word == "result") {
        listener.finished(answer.number,
                          value_of_json<PointResult>(parse_written_json(answer.text)), answer.text);
    } else if (answer.word == "refused") {
        listener.refused(answer.number, answer.text);
    } else if (answer.word == "failed") {
        listener.failed(answer.number, answer.text);
    } else {
        listener.handed_back(answer.number);
    }
}

void RankPool::give_up_lost(PointListener& listener)
{
    for (Rank& rank : others_) {
        if (rank.jobs > 0 && (Clock::now() - rank.heard > silence_ || is_gone(rank.identity))) {
            give_up(rank, listener);
        }
    }
}

void RankPool::give_up(Rank& rank, PointListener& listener)
{
    ranks_.abandon();
    lost_ = true;
    rank.lost = true;
    rank.jobs = 0;
    for (const std::size_t point : rank.given) {
        const std::string what = "rank " + std::to_string(rank.number) + " was lost";
        if (++losses_[point] >= most_losses) {
            listener.failed(point, what + ", and one before that ran it, too");
        } else {
            listener.told(point, what + "; it runs again elsewhere");
            listener.handed_back(point);
        }
    }
    rank.given.clear();
}

void RankPool::stop()
{
    stopped_ = true;
    own_.stop();
    ranks_.abandon();
    for (Rank& rank : others_) {
        rank.given.clear();
        rank.jobs = 0;
    }
    tell_all("leave");
}

void RankPool::tell_all(const std::string& word, const std::string& text)
{
    for (const Rank& rank : others_) {
        if (!rank.lost) {
            ranks_.send(rank.number, text_of({word, 0, text}));
        }
    }
}

} // namespace alxsim::experiments
