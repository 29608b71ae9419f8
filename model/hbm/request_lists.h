// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alxsim::model {

/// One burst that is to be moved.
struct DramRequest {
    int bank_group = 0;
    int bank = 0; ///< within its group
    std::int64_t row = 0;
    bool write = false;
    std::int64_t tag = 0; ///< handed back when it is done
};

/// Things that wait in lists, all in one array: putting one into a list or taking it out allocates
/// nothing once there have been as many at a time.
template <class Item>
class ListPool {
public:
    using Place = std::uint32_t;
    static constexpr Place none = ~Place{0};

    /// Oldest first.
    struct List {
        Place first = none, last = none;
        bool empty() const { return first == none; }
    };

    Item& operator[](Place place) { return nodes_[place].item; }
    const Item& operator[](Place place) const { return nodes_[place].item; }
    Place next(Place place) const { return nodes_[place].next; }

    /// A place for `item`, in no list.
    Place add(const Item& item)
    {
        Place place = free_;
        if (place == none) {
            place = static_cast<Place>(nodes_.size());
            nodes_.emplace_back();
        } else {
            free_ = nodes_[place].next;
        }
        nodes_[place].item = item;
        return place;
    }
    /// Forgets what is in no list any more.
    void remove(Place place)
    {
        nodes_[place].next = free_;
        free_ = place;
    }

    void push(List& list, Place place)
    {
        nodes_[place].next = none;
        (list.empty() ? list.first : nodes_[list.last].next) = place;
        list.last = place;
    }
    Place pop(List& list)
    {
        const Place place = list.first;
        list.first = nodes_[place].next;
        return place;
    }

private:
    struct Node {
        Item item;
        Place next = none;
    };

    std::vector<Node> nodes_;
    Place free_ = none;
};

/// A request in a queue of its channel.
struct WaitingRequest {
    std::int64_t row = 0;
    std::int64_t tag = 0;
    std::int64_t order = 0; ///< of coming to the channel
    bool write = false;
    bool activated_for = false; ///< its row was opened for it
};
using WaitingRequests = ListPool<WaitingRequest>;

/// Requests at their bank, oldest first. Rows stand together: all of them are looked through for
/// the next that wants the open one.
class BankQueue {
public:
    std::size_t size() const { return rows_.size(); }
    bool empty() const { return rows_.empty(); }
    WaitingRequest& operator[](std::size_t at) { return requests_[at]; }
    const WaitingRequest& operator[](std::size_t at) const { return requests_[at]; }

    void push(const WaitingRequest& request)
    {
        rows_.push_back(request.row);
        requests_.push_back(request);
    }
    void erase(std::size_t at)
    {
        rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(at));
        requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    /// The first that wants `row`, from `at` on; `size()` if there is none.
    std::size_t find(std::int64_t row, std::size_t at) const
    {
        while (at < rows_.size() && rows_[at] != row) {
            ++at;
        }
        return at;
    }

private:
    std::vector<std::int64_t> rows_;
    std::vector<WaitingRequest> requests_;
};

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

/// Requests of one direction that wait for room in the queue of their bank: a list for each bank,
/// so that the oldest that can move is found without looking at those that cannot.
class TransactionQueue {
public:
    explicit TransactionQueue(std::size_t banks) : lists_(banks) {}

    std::size_t size() const { return size_; }
    /// For which something waits.
    BankSet banks() const { return banks_; }

    void push(WaitingRequests& requests, std::size_t bank, WaitingRequests::Place request)
    {
        requests.push(lists_[bank], request);
        banks_ |= set_of(bank);
        ++size_;
    }

    /// The bank of `among` whose oldest request is the oldest of all. For each, something waits.
    std::size_t oldest(const WaitingRequests& requests, BankSet among) const
    {
        std::size_t best = first_of(among);
        for (among &= among - 1; among != 0; among &= among - 1) {
            const std::size_t bank = first_of(among);
            best = requests[lists_[bank].first].order < requests[lists_[best].first].order ? bank
                                                                                           : best;
        }
        return best;
    }

    WaitingRequest pop(WaitingRequests& requests, std::size_t bank)
    {
        const WaitingRequests::Place request = requests.pop(lists_[bank]);
        requests.remove(request);
        if (lists_[bank].empty()) {
            banks_ &= ~set_of(bank);
        }
        --size_;
        return requests[request];
    }

private:
    std::vector<WaitingRequests::List> lists_;
    std::size_t size_ = 0;
    BankSet banks_ = 0;
};

} // namespace alxsim::model
