// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alxsim::model {

/// A text of which the process keeps one copy for ever, as an op graph is full of them: a Name is
/// copied, compared and looked up as a pointer. Usable from all threads.
class Name {
public:
    Name() : Name("") {}
    Name(const char* text); // NOLINT(google-explicit-constructor): stands where a text stood
    Name(const std::string& text) : text_(kept(text)) {} // NOLINT(google-explicit-constructor)

    const std::string& text() const { return *text_; }
    operator const std::string&() const { return *text_; } // NOLINT(google-explicit-constructor)
    /// The same for equal texts within a process, another one in the next.
    std::uintptr_t identity() const { return reinterpret_cast<std::uintptr_t>(text_); }

    friend bool operator==(Name a, Name b) { return a.text_ == b.text_; }
    friend bool operator!=(Name a, Name b) { return a.text_ != b.text_; }
    /// In the order of the alphabet.
    friend bool operator<(Name a, Name b) { return a.text_ != b.text_ && *a.text_ < *b.text_; }
    friend std::string operator+(const std::string& a, Name b) { return a + *b.text_; }
    friend std::string operator+(Name a, const std::string& b) { return *a.text_ + b; }
    friend std::ostream& operator<<(std::ostream& out, Name name) { return out << *name.text_; }

private:
    static const std::string* kept(std::string_view text);

    const std::string* text_;
};

/// Numbers names from 0, in the order in which they are first met.
class NameNumbers {
public:
    std::size_t number_of(Name name)
    {
        if (2 * (names_.size() + 1) > slots_.size()) {
            grow();
        }
        std::size_t& slot = slot_of(name);
        if (slot == none) {
            slot = names_.size();
            names_.push_back(name);
        }
        return slot;
    }
    const std::vector<Name>& names() const { return names_; }
    /// Forgets all names. The room for few of them stays.
    void clear()
    {
        constexpr std::size_t few = 1024;
        names_.clear();
        slots_.resize(slots_.size() > few ? 0 : slots_.size());
        std::fill(slots_.begin(), slots_.end(), none);
    }
    bool has(Name name) const { return !slots_.empty() && slots_[place_of(name)] != none; }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    /// Where `name` stands among the slots, or would.
    std::size_t place_of(Name name) const
    {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = (name.identity() >> 5) & mask;
        while (slots_[at] != none && names_[slots_[at]] != name) {
            at = (at + 1) & mask;
        }
        return at;
    }
    std::size_t& slot_of(Name name) { return slots_[place_of(name)]; }
    void grow()
    {
        slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), none);
        for (std::size_t i = 0; i < names_.size(); ++i) {
            slot_of(names_[i]) = i;
        }
    }

    std::vector<Name> names_;
    std::vector<std::size_t> slots_; ///< open addressing: numbers
};

/// Names of which each is there once.
class NameSet {
public:
    NameSet() = default;
    NameSet(std::initializer_list<Name> names)
    {
        for (const Name name : names) {
            insert(name);
        }
    }

    void insert(Name name) { numbers_.number_of(name); }
    void clear() { numbers_.clear(); }
    std::size_t count(Name name) const { return numbers_.has(name) ? 1 : 0; }
    std::size_t size() const { return numbers_.names().size(); }
    bool empty() const { return numbers_.names().empty(); }

    friend bool operator==(const NameSet& a, const NameSet& b)
    {
        const std::vector<Name>& names = a.numbers_.names();
        return a.size() == b.size() && std::all_of(names.begin(), names.end(),
                                                   [&b](Name name) { return b.count(name) == 1; });
    }
    friend std::ostream& operator<<(std::ostream& out, const NameSet& set)
    {
        for (const Name name : set.numbers_.names()) {
            out << name << ' ';
        }
        return out;
    }

private:
    NameNumbers numbers_;
};

} // namespace alxsim::model
