// SPDX-License-Identifier: Apache-2.0
#include "alx/names/named_links.h"
#include "base/file_output.h"
#include "program/dataset/commands.h"
#include "program/dataset/dataset_files.h"

#include <iostream>
#include <memory>
#include <optional>

namespace alxsim::program {

using namespace alx;

namespace {

struct NamesRequest {
    NamedLinksFile links;
    std::string output;
    std::string rows;
    std::string columns;
};

void write_names(const char* what, const Names& names, const std::string& path)
{
    write_file_atomically(path, compressed_as_named(names.text(), path));
    std::cout << what << ": " << names.size() << " names -> " << path << "\n";
}

/// What of the ratings does not go into the file.
void tell_ratings(const NamedLinksFile& links, const NamedLinks& named)
{
    if (links.threshold) {
        std::cout << "ratings: " << named.below_threshold
                  << " more lines have one below the threshold, and are no links\n";
    } else if (named.has_ratings && !links.with_ratings) {
        std::cout << "ratings: not written, every line is a link (--ratings writes them, "
                     "--threshold leaves out those below)\n";
    }
}

int run_names(const NamesRequest& request)
{
    const bool same_names = request.columns.empty();
    NamedLinksFile links = request.links;
    links.same_names = same_names;
    std::optional<NamedLinks> named;
    write_file_atomically(request.output, [&](std::ostream& file) {
        PackedOutput ids(file, request.output);
        named = number_links(links, ids);
        ids.finish();
    });
    std::cout << "read: lines " << named->read_as << "\n";
    std::cout << "links: " << named->links << " lines -> " << request.output << "\n";
    tell_ratings(links, *named);
    write_names(same_names ? "rows and columns" : "rows", named->rows, request.rows);
    if (!same_names) {
        write_names("columns", named->columns, request.columns);
    }
    return 0;
}

} // namespace

void add_dataset_names(CLI::App& parent, Action& action)
{
    CLI::App* command = parent.add_subcommand(
        "names", "Gives numbers to rows and columns that have names, as the other commands need");
    auto request = std::make_shared<NamesRequest>();
    command
        ->add_option("FILE", request->links.path,
                     "Lines 'row column ...', parted by tabs, '::', commas, semicolons, bars or "
                     "blanks; plain or compressed")
        ->required();
    command
        ->add_option("-o,--output", request->output,
                     "Written: lines 'row column' of numbers; gzip if it "
                     "ends in .gz")
        ->required();
    command
        ->add_option("--rows", request->rows,
                     "Written: the rows' names, that of row i on line i from 0; gzip if it ends "
                     "in .gz")
        ->required();
    command->add_option("--columns", request->columns,
                        "Written: the columns' names (default: rows and columns are the same "
                        "things, and have the same numbers)");
    command->add_flag("--header", request->links.header,
                      "The first line names the columns (default: if it has common names for "
                      "user and item)");
    command->add_option("--threshold", request->links.threshold,
                        "Lines whose rating is below are no links (default: all are)");
    command->add_flag("--ratings", request->links.with_ratings,
                      "Written behind each link: its rating, and its time where the table has one");
    add_fields(*command, request->links.fields);
    command->footer(
        "\nNumbers go by first appearance. A name may hold what does not part the fields of its "
        "line, or\nstand in double quotes. Further columns are ignored. A study then says "
        "\"dataset\": {\"file\": OUTPUT, "
        "\"names\": {\"rows\": ROWS, \"columns\": COLUMNS}},\nand \"evaluation\": "
        "{\"recommend\": {\"rows\": [\"a name\", ...]}} for what is recommended to these rows.\n"
        "\nLike: alxsim dataset names plays.tsv -o plays.edges --rows users.names --columns "
        "songs.names\n      alxsim dataset names follows.csv --header -o follows.edges --rows "
        "people.names\n");
    command->callback([request, &action] { action = [request] { return run_names(*request); }; });
}

} // namespace alxsim::program
