// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/dataset_reader.h"

#include <memory>

// One function per format, each in its own file; the table of names is in dataset_reader.cpp.
namespace alxsim::alx {

/// `row column column ...` per line, 0-based, rows in any order, one line per row.
std::unique_ptr<const DatasetReader> adjacency_reader();

/// `row column` per line, 0-based, parted by tabs, commas or spaces; further fields (weights,
/// times) are ignored. Lines that begin with # or % are comments; the first line with commas may be
/// a header.
std::unique_ptr<const DatasetReader> edges_reader();

/// MatrixMarket (math.nist.gov/MatrixMarket/formats.html), coordinate or array, of any field and
/// symmetry: entries at one place are added, and a sum of 0 is no
/// link. Infinities and NaN are refused.
std::unique_ptr<const DatasetReader> matrix_market_reader();

/// Ratings of MovieLens before its tables had headers: u.data (tabs), ratings.dat (::): user, item,
/// rating, further fields. Users are rows. Ids are 1-based in the file and 0-based here, and not
/// compacted.
std::unique_ptr<const DatasetReader> movielens_reader();

/// A web graph of LAW: NAME.graph and NAME.properties (Boldi, Vigna, "The WebGraph framework I:
/// compression techniques", WWW 2004; codes of it.unimi.dsi.webgraph.BVGraph).
std::unique_ptr<const DatasetReader> bvgraph_reader();

/// The training split of the WebGraph release: TFRecord files of tf.train.Example with row_tag,
/// col_tag and an empty gt_tag. A folder stands for all files in it.
std::unique_ptr<const DatasetReader> webgraph_tfrecord_reader();

/// Our own compact binary form, see cache_file.h.
std::unique_ptr<const DatasetReader> cache_reader();

} // namespace alxsim::alx
