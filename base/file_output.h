// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace alxsim {

/// When a file's bytes are on the disk, so that they outlast the machine: before it takes its
/// place, or some time later. Thousands of small files go sooner together (durable.h).
enum class OnDisk { at_once, later };

/// Writes text to `path` whole or not at all: into a new file beside it, which then takes its
/// place. Where `path` is a link, the file is that which it leads to; what is there and is no
/// regular file (a device, a pipe) is written into. Throws std::runtime_error when the file cannot
/// be written.
void write_file_atomically(const std::string& path, std::string_view text,
                           OnDisk on_disk = OnDisk::at_once);
/// The same of what `write` writes.
void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write,
                           OnDisk on_disk = OnDisk::at_once);

/// Writes text to a new file at `path`, whole or not at all. What has that name already, even if it
/// is a link that leads nowhere, is neither followed nor touched. Throws std::runtime_error when
/// the file cannot be written.
void write_new_file(const std::string& path, std::string_view text);
/// The same of what `fill` writes into the file, which it gets as a descriptor for writing.
void write_new_file(const std::string& path, const std::function<void(int descriptor)>& fill);

/// Removes from a folder the new files that write_file_atomically() had begun in processes that
/// were killed, by their names. `of`: those alone that were to become files of a name that it
/// accepts; empty: all. Nobody may be writing them.
void remove_begun_files(const std::string& folder,
                        const std::function<bool(const std::string& name)>& of = {});

/// Removes the new files that write_file_atomically() has begun in this process and not yet named:
/// for a signal handler that ends it. Whoever writes one finds that it cannot be named.
void remove_unfinished_files() noexcept;

} // namespace alxsim
