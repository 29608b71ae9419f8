// SPDX-License-Identifier: Apache-2.0
#include "base/file_output.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ext/stdio_filebuf.h>
#include <fcntl.h>
#include <filesystem>
#include <ostream>
#include <random>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace alxsim {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40; ///< one behind the other, as the system has it
constexpr int most_names = 100;
constexpr std::string_view part_ending = ".part";
constexpr std::size_t part_digits = 20; ///< of a number of 64 bits
constexpr mode_t readable = 0666;       ///< less what the user's umask takes away

[[noreturn]] void refuse(const std::string& path)
{
    throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
}

/// Where links lead to; the file itself need not be there.
fs::path behind_links(fs::path path)
{
    std::error_code no_link;
    for (int i = 0; i < most_links && fs::is_symlink(path, no_link); ++i) {
        path = path.parent_path() / fs::read_symlink(path);
    }
    return path;
}

bool is_device_or_pipe(const fs::path& path)
{
    std::error_code problem;
    const fs::file_status status = fs::status(path, problem);
    return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

/// Writes all, and closes the descriptor.
bool write_all(int descriptor, const std::function<void(std::ostream&)>& write, OnDisk on_disk)
{
    __gnu_cxx::stdio_filebuf<char> buffer(descriptor, std::ios::out | std::ios::binary);
    std::ostream file(&buffer);
    write(file);
    file.flush();
    // A file system may write the new name before the content: a lost current would leave nothing.
    const bool written = file && (on_disk == OnDisk::later || fsync(descriptor) == 0);
    return buffer.close() != nullptr && written;
}

std::function<void(std::ostream&)> writes(std::string_view text)
{
    return [text](std::ostream& file) {
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
    };
}

/// ".part" and a random number.
std::string new_ending(std::random_device& random)
{
    const std::uint64_t number = (std::uint64_t{random()} << 32) | random();
    const std::string decimal = std::to_string(number);
    return std::string(part_ending) + std::string(part_digits - decimal.size(), '0') + decimal;
}

/// The name that a begun file was to get; "": it is none. Nobody else lets a name end so.
std::string name_to_get(const std::string& name)
{
    constexpr std::size_t ending = part_ending.size() + part_digits;
    const bool begun =
        name.size() > ending &&
        name.compare(name.size() - ending, part_ending.size(), part_ending) == 0 &&
        name.find_first_not_of("0123456789", name.size() - part_digits) == std::string::npos;
    return begun ? name.substr(0, name.size() - ending) : "";
}

/// The names of files that are being written, where a signal handler finds them: who takes a name
/// out of its place owns it.
class UnfinishedNames {
public:
    /// Where it stands; null: all places are taken, and a signal leaves the file behind.
    std::atomic<char*>* add(const std::string& name)
    {
        char* const own = strdup(name.c_str());
        for (std::atomic<char*>& place : places_) {
            char* nobody = nullptr;
            if (place.compare_exchange_strong(nobody, own)) {
                return &place;
            }
        }
        std::free(own);
        return nullptr;
    }

    static void take_out(std::atomic<char*>* place)
    {
        if (place != nullptr) {
            std::free(place->exchange(nullptr));
        }
    }

    void remove_files() noexcept
    {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (char* const name = places_[i].exchange(nullptr)) {
                unlink(name);
                removed_[i] = name; // a handler may not free it
            }
        }
    }

private:
    static_assert(std::atomic<char*>::is_always_lock_free);
    std::array<std::atomic<char*>, 64> places_{};
    std::array<std::atomic<char*>, 64> removed_{};
};

UnfinishedNames unfinished;

/// A file that had no name until now, and which nobody else can have made.
class NewFile {
public:
    explicit NewFile(const fs::path& beside)
    {
        std::random_device random;
        for (int i = 0; i < most_names && descriptor_ < 0; ++i) {
            name_ = beside.string() + new_ending(random);
            descriptor_ =
                open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, readable);
            if (descriptor_ < 0 && errno != EEXIST) {
                return;
            }
        }
        place_ = unfinished.add(name_);
    }
    /// Takes it away again unless it has got its name.
    ~NewFile()
    {
        if (descriptor_ >= 0 && !named_) {
            std::remove(name_.c_str());
        }
        UnfinishedNames::take_out(place_);
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    int descriptor() const { return descriptor_; }
    bool rename_to(const fs::path& path)
    {
        named_ = std::rename(name_.c_str(), path.c_str()) == 0;
        return named_;
    }
    /// The same where nothing has that name.
    bool rename_to_new(const fs::path& path)
    {
        named_ = renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0;
        if (named_ || (errno != EINVAL && errno != ENOSYS)) {
            return named_;
        }
        // Not on this file system, as NFS: a second name, and the first is taken away.
        return link(name_.c_str(), path.c_str()) == 0;
    }

private:
    std::string name_;
    int descriptor_ = -1;
    std::atomic<char*>* place_ = nullptr; ///< of its name among the unfinished
    bool named_ = false;
};

} // namespace

void write_file_atomically(const std::string& path, std::string_view text, OnDisk on_disk)
{
    write_file_atomically(path, writes(text), on_disk);
}

void write_new_file(const std::string& path, std::string_view text)
{
    NewFile file(path);
    if (file.descriptor() < 0 || !write_all(file.descriptor(), writes(text), OnDisk::at_once) ||
        !file.rename_to_new(path)) {
        refuse(path);
    }
}

void write_new_file(const std::string& path, const std::function<void(int descriptor)>& fill)
{
    NewFile file(path);
    if (file.descriptor() < 0) {
        refuse(path);
    }
    try {
        fill(file.descriptor());
    } catch (...) {
        close(file.descriptor());
        throw;
    }
    const bool written = fsync(file.descriptor()) == 0;
    if (close(file.descriptor()) != 0 || !written || !file.rename_to_new(path)) {
        refuse(path);
    }
}

void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write,
                           OnDisk on_disk)
{
    if (is_device_or_pipe(path)) {
        const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0 || !write_all(descriptor, write, OnDisk::later)) {
            refuse(path);
        }
        return;
    }
    const fs::path target = behind_links(path);
    NewFile file(target);
    if (file.descriptor() < 0 || !write_all(file.descriptor(), write, on_disk) ||
        !file.rename_to(target)) {
        refuse(path);
    }
}

void remove_unfinished_files() noexcept
{
    unfinished.remove_files();
}

void remove_begun_files(const std::string& folder,
                        const std::function<bool(const std::string& name)>& of)
{
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = name_to_get(entry.path().filename().string());
        if (!name.empty() && (!of || of(name))) {
            fs::remove(entry.path(), ignored);
        }
    }
}

} // namespace alxsim
