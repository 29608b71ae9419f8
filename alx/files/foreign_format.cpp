// SPDX-License-Identifier: Apache-2.0
#include "alx/files/foreign_format.h"

#include "alx/files/lines_in_text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <vector>

namespace alxsim::alx {
namespace {

using namespace std::string_view_literals;

struct Signature {
    std::size_t at;
    std::string_view bytes;
    const char* name;
    const char* way_out;
};

constexpr const char* with_pandas =
    "write it as text, for example with pandas: df.to_csv('links.tsv', sep='\\t', index=False)";
constexpr const char* with_numpy =
    "write it as text, for example with NumPy: np.savetxt('links.tsv', array, fmt='%d')";
constexpr const char* as_utf8 = "convert it to UTF-8: iconv -f UTF-16 -t UTF-8 FILE > links.csv";

/// Each with enough bytes that no text begins so: "FEA1,FEA2" may be the header of a table.
const std::vector<Signature>& signatures()
{
    static const std::vector<Signature> all{
        {0, "PK\3\4"sv, "a zip archive (.zip, .npz, .xlsx)",
         "unpack it first: unzip FILE; of an .npz of SciPy, scipy.io.mmwrite('links.mtx', "
         "scipy.sparse.load_npz(FILE))"},
        {0, "PK\5\6"sv, "an empty zip archive", "unpack it first: unzip FILE"},
        {257, "ustar"sv, "a tar archive", "unpack it first: tar -xf FILE"},
        {0, "7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive", "unpack it first: 7z x FILE"},
        {0, "Rar!\x1a\x07"sv, "a RAR archive", "unpack it first: unrar x FILE"},
        {0, "\x04\x22\x4d\x18"sv, "an lz4 file", "decompress it first: lz4 -d FILE"},
        {0, "\x1f\x9d"sv, "a file of 'compress' (.Z)", "decompress it first: gzip -d FILE"},
        {0, "LZIP\1"sv, "an lzip file", "decompress it first: lzip -d FILE"},
        {0, "\x5d\0\0\x80\0"sv, "an LZMA file", "decompress it first: xz -d FILE"},
        {0, "\xff\xfe"sv, "UTF-16 text", as_utf8},
        {0, "\xfe\xff"sv, "UTF-16 text", as_utf8},
        {0, "PAR1\x15"sv, "a Parquet file", with_pandas},
        {0, "ARROW1\0"sv, "an Arrow file", with_pandas},
        {0, "FEA1\0"sv, "a Feather file", with_pandas},
        {0, "Obj\1"sv, "an Avro file", with_pandas},
        {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file", with_pandas},
        {0, "SQLite format 3\0"sv, "an SQLite database",
         "write a table as text: sqlite3 -csv FILE 'select user, item from links' > links.csv"},
        {0, "\x93NUMPY"sv, "a NumPy array (.npy)", with_numpy},
        {0, "MATLAB 5.0 MAT-file"sv, "a MATLAB file",
         "write it as MatrixMarket, for example with SciPy: scipy.io.mmwrite('links.mtx', "
         "scipy.io.loadmat(FILE)['A'])"},
        {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an old Excel or Office file",
         "save it as CSV first"},
        {0, "%PDF-"sv, "a PDF document", "give the data themselves"}};
    return all;
}

bool is_letter_in(char letter, std::string_view all)
{
    return all.find(letter) != std::string_view::npos;
}

bool is_number(std::string_view token)
{
    return !token.empty() && std::all_of(token.begin(), token.end(), [](char letter) {
        return std::isdigit(static_cast<unsigned char>(letter)) != 0 ||
               is_letter_in(letter, "+-.eE");
    });
}

/// "12:0.5"
bool is_feature(std::string_view token)
{
    const std::size_t colon = token.find(':');
    return colon != std::string_view::npos && colon > 0 &&
           token.find_first_not_of("0123456789") == colon && is_number(token.substr(colon + 1));
}

/// `label id:value id:value ..`, of all lines that are looked at.
bool is_libsvm(const std::vector<TextLine>& lines)
{
    std::size_t features = 0;
    for (const TextLine& line : lines) {
        const std::vector<std::string_view>& tokens = line.tokens;
        if (line.comment || tokens.empty()) {
            continue;
        }
        if (!is_number(tokens[0]) || !std::all_of(tokens.begin() + 1, tokens.end(), is_feature)) {
            return false;
        }
        features += tokens.size() - 1;
    }
    return features > 0;
}

/// -1 for what is no whole number.
std::int64_t whole_number(std::string_view token)
{
    const bool digits = !token.empty() && token.size() < 16 &&
                        token.find_first_not_of("0123456789") == std::string_view::npos;
    return digits ? std::stoll(std::string(token)) : -1;
}

/// `nodes edges [format [constraints]]`, then a line for each node: its neighbours, from 1.
bool is_metis(std::vector<TextLine> lines, bool whole, Named named)
{
    lines.erase(std::remove_if(lines.begin(), lines.end(),
                               [](const TextLine& line) { return line.comment; }),
                lines.end());
    if (lines.empty() || lines[0].tokens.size() < 2 || lines[0].tokens.size() > 4) {
        return false;
    }
    const std::vector<std::string_view>& head = lines[0].tokens;
    const std::int64_t nodes = whole_number(head[0]);
    const std::int64_t edges = whole_number(head[1]);
    const bool weighted = head.size() > 2 && head[2].find_first_not_of('0') != head[2].npos;
    if (nodes < 1 || edges < 0 ||
        (head.size() > 2 &&
         (head[2].size() > 3 || head[2].find_first_not_of("01") != head[2].npos))) {
        return false;
    }
    std::int64_t neighbours = 0;
    std::set<std::string_view> firsts{head[0]};
    bool first_repeats = false;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::vector<std::string_view>& tokens = lines[i].tokens;
        for (const std::string_view token : tokens) {
            const std::int64_t id = whole_number(token);
            if (id < 0 || (!weighted && (id < 1 || id > nodes))) {
                return false;
            }
        }
        neighbours += static_cast<std::int64_t>(tokens.size());
        first_repeats = first_repeats || (!tokens.empty() && !firsts.insert(tokens[0]).second);
    }
    if (named == Named::metis) {
        return true;
    }
    // An adjacency list names no row twice.
    return whole && !weighted && first_repeats && neighbours == 2 * edges &&
           static_cast<std::int64_t>(lines.size()) - 1 == nodes;
}

/// `% bip unweighted`: the first line of KONECT's out.NAME.
bool is_konect(const std::vector<TextLine>& lines)
{
    const std::vector<std::string_view>& tokens = lines[0].tokens;
    return tokens.size() > 1 && tokens[0] == "%" &&
           (tokens[1] == "bip" || tokens[1] == "asym" || tokens[1] == "sym");
}

/// A mark at the beginning of text, whatever letters it is written in.
bool begins_with(std::string_view text, std::string_view mark)
{
    return text.size() >= mark.size() &&
           std::equal(mark.begin(), mark.end(), text.begin(), [](char a, char b) {
               return a == std::tolower(static_cast<unsigned char>(b));
           });
}

std::optional<ForeignFormat> markup_format(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (begins_with(text, "<!doctype html") || begins_with(text, "<html")) {
        return ForeignFormat{"a web page", "download the data themselves: a page was saved in "
                                           "their place"};
    }
    if (begins_with(text, "<?xml") || begins_with(text, "<graphml") || begins_with(text, "<gexf")) {
        return ForeignFormat{"XML (GraphML, GEXF)",
                             "write it as edges, for example with NetworkX: "
                             "nx.write_edgelist(nx.read_graphml(FILE), 'links.tsv', data=False)"};
    }
    if (begins_with(text, "{\"") || begins_with(text, "[{") || begins_with(text, "{ \"")) {
        return ForeignFormat{"JSON", "write its links as lines 'row column', for example with jq: "
                                     "jq -r '[.user, .item] | @tsv' FILE > links.tsv"};
    }
    return {};
}

} // namespace

std::optional<ForeignFormat> binary_format(std::string_view beginning)
{
    for (const Signature& signature : signatures()) {
        if (beginning.size() >= signature.at + signature.bytes.size() &&
            beginning.substr(signature.at, signature.bytes.size()) == signature.bytes) {
            return ForeignFormat{signature.name, signature.way_out};
        }
    }
    return {};
}

std::optional<ForeignFormat> text_format(std::string_view beginning, bool whole, Named named)
{
    if (std::optional<ForeignFormat> markup = markup_format(beginning)) {
        return markup;
    }
    const std::vector<TextLine> lines = lines_in(beginning, whole);
    if (lines.empty()) {
        return {};
    }
    if (lines[0].tokens.size() == 1 && (lines[0].tokens[0] == "AdjacencyGraph" ||
                                        lines[0].tokens[0] == "WeightedAdjacencyGraph")) {
        return ForeignFormat{
            "an adjacency graph of PBBS",
            "write it as edges: awk 'NR==2{n=$1} NR>3&&NR<=3+n{o[NR-4]=$1} NR==4+n{for(i=0;i<n;++i)"
            "for(k=o[i];k<(i<n-1?o[i+1]:m);++k)r[k]=i} NR==3{m=$1} NR>3+n&&NR<=3+n+m"
            "{print r[NR-4-n]\"\\t\"$1}' FILE > links.tsv"};
    }
    if (is_konect(lines)) {
        return ForeignFormat{
            "a file of KONECT (out.NAME), whose ids begin at 1",
            "take one off its ids: awk '!/^%/{print $1-1\"\\t\"$2-1}' FILE > links.tsv; or read it "
            "with --format edges, where row 0 and column 0 stay empty"};
    }
    if (named != Named::otherwise && is_metis(lines, whole, named)) {
        return ForeignFormat{
            "a graph of METIS, a line of neighbours from 1 for each node",
            "write it as an adjacency list, without its weights: awk '/^%/{next} "
            "!h{h=1;f=sprintf(\"%03d\",$3);b=1+substr(f,1,1)+substr(f,2,1)*($4?$4:1);"
            "s=1+substr(f,3,1);next} {printf \"%d\",i++; for(k=b;k<=NF;k+=s)printf \" %d\",$k-1; "
            "print \"\"}' FILE > links.adj"};
    }
    if (is_libsvm(lines)) {
        return ForeignFormat{
            "LIBSVM, lines 'label id:value ..'",
            "write it as an adjacency list: awk '{printf \"%d\",NR-1; for(k=2;k<=NF;++k)"
            "{split($k,p,\":\"); printf \" %d\",p[1]-1} print \"\"}' FILE > links.adj (ids from "
            "1)"};
    }
    return {};
}

} // namespace alxsim::alx
