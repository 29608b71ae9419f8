// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "tests/temporary_folder.h"

#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace alxsim::testing {

struct Outcome {
    int exit_code = 0;
    std::string output;
    std::string errors;
};

/// Runs the program with these arguments and waits for it.
Outcome run_program(const std::vector<std::string>& arguments);

/// Starts the program without waiting for it, its output thrown away.
pid_t start_program(const std::vector<std::string>& arguments);

/// The same of any program, which is looked for in PATH.
pid_t start_command(std::vector<std::string> words);

/// Whether this build has the module for MPI, and this machine mpirun.
bool has_mpi();

/// How mpirun is called here before its own arguments: as root, too, and what it leaves behind if
/// it is killed in `folder`.
std::vector<std::string> mpirun_in(const std::string& folder);

/// The processes that `parent` has started.
std::vector<pid_t> children_of(pid_t parent);

/// A process and all that come of it.
std::vector<pid_t> family_of(pid_t process);

/// False of one that has ended, whether or not somebody has waited for it.
bool is_running(pid_t process);

/// Path of the program under test.
std::string program_path();

std::string read_file(const std::string& path);

/// What a run into the folder `out` keeps of its finished points: a JSON object each, by number.
/// Lines that were torn do not count.
std::map<std::size_t, std::string> kept_points(const std::string& out);

/// Whether a run into the folder `out` keeps this point within a minute.
bool wait_until_kept(const std::string& out, std::size_t point);

/// Leaves half of what is kept of a point.
void damage_kept_point(const std::string& out, std::size_t point);

/// The report's first point after a run that has to succeed; throws if it does not.
Json run_one_point(const Json& study);

/// A study of a graph of 200 x 150 that runs in well under a second; `extra` is merged on top.
Json small_study(const TemporaryFolder& folder, const Json& extra = Json::object());

} // namespace alxsim::testing
