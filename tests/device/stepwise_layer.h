// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/unit/model/building.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// A layer of GPT-2 on q x q chips by SUMMA (Optimus, arXiv 2104.05343), a step a panel: chip (i,
/// j) holds block row i of the tokens and block column j of the hidden units, and of each weight
/// its block (i, j). What lies along a row differs in the slice's second axis.
namespace alxsim::sim {

struct StepwiseLayer {
    int q = 2;
    std::int64_t batch = 8;
    std::int64_t hidden = 768;
    std::int64_t heads = 12;
    std::int64_t sequence = 1024;
    /// Whether panel t comes from (or goes to) member t. Else everything begins at member 0, and a
    /// reduce is a broadcast, as graphs had to say it before there were roots.
    bool roots = true;
    bool backward = true;
};

/// Appends the layer's ops, each linear after the one before it.
class StepwiseGraph {
public:
    explicit StepwiseGraph(const StepwiseLayer& layer)
        : layer_(layer),
          tokens_(layer.batch * layer.sequence / layer.q)
    {
    }

    std::shared_ptr<const model::OpGraph> build()
    {
        const std::int64_t h = layer_.hidden;
        const std::vector<std::pair<std::int64_t, std::int64_t>> linears{
            {h, 3 * h}, {h, h}, {h, 4 * h}, {4 * h, h}};
        for (std::size_t i = 0; i < linears.size(); ++i) {
            if (i % 2 == 0) {
                norm();
            }
            forward(linears[i].first, linears[i].second);
            if (i == 0) {
                attention();
            }
        }
        for (std::size_t i = linears.size(); layer_.backward && i-- > 0;) {
            input_gradient(linears[i].first, linears[i].second);
            weight_gradient(linears[i].first, linears[i].second);
        }
        return std::make_shared<const model::OpGraph>(std::move(graph_));
    }

private:
    static constexpr const char* row_axis = "y";
    static constexpr const char* column_axis = "x";
    static constexpr std::int64_t bf16 = 2;

    std::vector<int> after_last() const
    {
        return last_ < 0 ? std::vector<int>{} : std::vector{last_};
    }

    int add(model::Work work, std::vector<int> after, const std::string& phase)
    {
        return graph_.add(model::op_of(std::move(work), std::move(after), phase));
    }

    int collective(model::CollectiveKind kind, const char* axis, int panel, std::int64_t elements,
                   std::vector<int> after)
    {
        model::Collective work{kind, Bytes(elements * bf16), {}, {axis}};
        if (model::has_root(kind)) {
            work.kind = layer_.roots ? kind : model::CollectiveKind::broadcast;
            work.root = layer_.roots ? panel : 0;
        }
        return add(work, std::move(after), "panels");
    }

    int matmul(std::int64_t m, std::int64_t k, std::int64_t n, std::vector<int> after)
    {
        model::Matmul work;
        work.m = m;
        work.k = k;
        work.n = n;
        return add(work, std::move(after), "products");
    }

    /// Two all-reduces of a number a token in the row.
    void norm()
    {
        for (int i = 0; i < 2; ++i) {
            last_ =
                collective(model::CollectiveKind::all_reduce, row_axis, 0, tokens_, after_last());
        }
        model::Vector work;
        work.elements = tokens_ * layer_.hidden / layer_.q;
        work.ops_per_element = 8;
        last_ = add(work, after_last(), "norm");
    }

    /// Local: its own sequences and heads.
    void attention()
    {
        model::Matmul work;
        work.batch = std::max<std::int64_t>(1, layer_.batch / layer_.q * layer_.heads / layer_.q);
        work.m = work.n = layer_.sequence;
        work.k = layer_.hidden / layer_.heads;
        last_ = add(work, after_last(), "attention");
        std::swap(work.k, work.n);
        last_ = add(work, after_last(), "attention");
    }

    /// X [tokens x in] times W [in x out].
    void forward(std::int64_t in, std::int64_t out)
    {
        const std::int64_t q = layer_.q;
        const std::vector<int> input = after_last();
        for (int panel = 0; panel < q; ++panel) {
            const int x = collective(model::CollectiveKind::broadcast, row_axis, panel,
                                     tokens_ * in / q, input);
            const int w = collective(model::CollectiveKind::broadcast, column_axis, panel,
                                     in / q * out / q, {});
            last_ = matmul(tokens_, in / q, out / q, {x, w});
        }
    }

    /// dY W^T, summed along the row.
    void input_gradient(std::int64_t in, std::int64_t out)
    {
        const std::int64_t q = layer_.q;
        gradient_ = after_last();
        for (int panel = 0; panel < q; ++panel) {
            const int w = collective(model::CollectiveKind::broadcast, column_axis, panel,
                                     in / q * out / q, {});
            std::vector<int> operands = gradient_;
            operands.push_back(w);
            const int product = matmul(tokens_, out / q, in / q, std::move(operands));
            last_ = collective(model::CollectiveKind::reduce, row_axis, panel, tokens_ * in / q,
                               {product});
        }
    }

    /// X^T dY, summed up the column.
    void weight_gradient(std::int64_t in, std::int64_t out)
    {
        const std::int64_t q = layer_.q;
        for (int panel = 0; panel < q; ++panel) {
            const int x =
                collective(model::CollectiveKind::broadcast, row_axis, panel, tokens_ * in / q, {});
            std::vector<int> operands = gradient_;
            operands.push_back(x);
            const int product = matmul(in / q, tokens_, out / q, std::move(operands));
            collective(model::CollectiveKind::reduce, column_axis, panel, in / q * out / q,
                       {product});
        }
    }

    const StepwiseLayer layer_;
    const std::int64_t tokens_; ///< of a row of chips
    model::OpGraph graph_;
    int last_ = -1;
    std::vector<int> gradient_; ///< whoever made the output's
};

inline std::shared_ptr<const model::OpGraph> stepwise_graph(const StepwiseLayer& layer)
{
    return StepwiseGraph(layer).build();
}

/// q x q chips of v5e: a mesh, as the vendor's slices below 16 are.
inline topologies::Machine stepwise_machine(int q, bool overlap = false)
{
    const std::string side = std::to_string(q);
    return model::machine_of("tpu_v5e",
                             topologies::SliceRequest{q * q, side + "x" + side, {{false, false}}},
                             {{"collectives_overlap_compute", overlap}});
}

} // namespace alxsim::sim
