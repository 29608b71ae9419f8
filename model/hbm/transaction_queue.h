// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alxsim::model {

/// Banks of a channel, a bit each.
using BankSet = std::uint64_t;

constexpr BankSet set_of(std::size_t bank)
{
    return BankSet{1} << bank;
}

/// The first of a set that is not empty.
inline std::size_t first_of(BankSet banks)
{
    return static_cast<std::size_t>(__builtin_ctzll(banks));
}

/// One burst that is to be moved.
struct DramRequest {
    int bank_group = 0;
    int bank = 0; ///< within its group
    std::int64_t row = 0;
    bool write = false;
    std::int64_t tag = 0; ///< handed back when it is done
};

/// A request in a queue of its channel.
struct WaitingRequest {
    std::int64_t row = 0;
    std::int64_t tag = 0;
    std::int64_t order = 0; ///< of coming to the channel
    bool write = false;
    bool activated_for = false; ///< its row was opened for it
};

/// Requests of one direction that wait for room in the queue of their bank: a list for each bank,
/// all in one array, so that the oldest that can move is found without looking at those that
/// cannot.
class TransactionQueue {
public:
    explicit TransactionQueue(std::size_t banks) : lists_(banks) {}

    std::size_t size() const { return size_; }
    /// For which something waits.
    BankSet banks() const { return banks_; }

    void push(std::size_t bank, const WaitingRequest& request)
    {
        const std::uint32_t place = free_place();
        places_[place] = {request, none};
        List& list = lists_[bank];
        (list.first == none ? list.first : places_[list.last].next) = place;
        list.last = place;
        banks_ |= set_of(bank);
        ++size_;
    }

    /// The bank of `among` whose oldest request is the oldest of all. For each, something waits.
    std::size_t oldest(BankSet among) const
    {
        std::size_t best = first_of(among);
        for (among &= among - 1; among != 0; among &= among - 1) {
            const std::size_t bank = first_of(among);
            best = order(bank) < order(best) ? bank : best;
        }
        return best;
    }

    WaitingRequest pop(std::size_t bank)
    {
        List& list = lists_[bank];
        const std::uint32_t place = list.first;
        list.first = places_[place].next;
        if (list.first == none) {
            banks_ &= ~set_of(bank);
        }
        places_[place].next = free_;
        free_ = place;
        --size_;
        return places_[place].request;
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Place {
        WaitingRequest request;
        std::uint32_t next = none;
    };
    struct List {
        std::uint32_t first = none, last = none;
    };

    std::int64_t order(std::size_t bank) const { return places_[lists_[bank].first].request.order; }
    std::uint32_t free_place()
    {
        if (free_ == none) {
            places_.emplace_back();
            return static_cast<std::uint32_t>(places_.size() - 1);
        }
        const std::uint32_t place = free_;
        free_ = places_[place].next;
        return place;
    }

    std::vector<Place> places_;
    std::vector<List> lists_;
    std::uint32_t free_ = none;
    std::size_t size_ = 0;
    BankSet banks_ = 0;
};

} // namespace alxsim::model
