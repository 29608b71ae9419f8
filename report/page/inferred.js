// SPDX-License-Identifier: Apache-2.0
// Turns a result of infer into a page: curves before and after, what moved, what to measure.

const inferred = JSON.parse(document.getElementById("data").textContent);

const before = "#8c8c8c";
const after = "#0072b2";
const stated = "#d55e00";

const value = (number) => (typeof number === "boolean" ? (number ? "yes" : "no") : digits(number));
const bandText = (band, unit = "") =>
  band === null ? "none" : `${value(band.p05)} .. ${value(band.p50)} .. ${value(band.p95)} ${unit}`.trim();
const secondsText = (band) =>
  band === null ? "none" : `${seconds(band.p05)} .. ${seconds(band.p50)} .. ${seconds(band.p95)}`;

// ---- the answer

function agreement() {
  const parts = (inferred.agree_in_part || []).map(
    (part) => `; ${digits(part.draws)} with all but '${part.but.join("' and '")}', counted at ${percent(part.weight)}`,
  );
  const all = inferred.agree_with_all ?? inferred.survivors; // results of earlier versions
  const some =
    `${digits(all)} of ${digits(inferred.draws)} draws agree with all statements${parts.join("")}` +
    ` (the model's own error taken as ${percent(inferred.discrepancy)}).`;
  if (inferred.contradiction !== undefined) {
    return some + " No draw agrees with all statements; below is what would have to change.";
  }
  return inferred.method === "rejection"
    ? some
    : some +
        ` Too few to draw a band from: draws that agree were sampled in ${inferred.levels.count} levels of narrower tolerance,` +
        ` worth ${digits(inferred.effective)} independent ones; about ${percent(inferred.share)} of all draws agree.`;
}

const intervalOf = (series) => series.interval || unnamedInterval;

function answerOf(series) {
  const fitting = series.points.filter((point) => point.posterior !== null);
  const flat = series.linear_then_flat;
  if (fitting.length === 0 || flat?.posterior === undefined) {
    return null;
  }
  const run = series.run === undefined ? "" : `, as run '${series.run}' has it`;
  return element(
    "li",
    {},
    element("b", {}, series.name),
    `${run}: ${secondsText(last(fitting).posterior)} ${withArticle(intervalOf(series))} on ${count(last(fitting).cores, "core")}; ` +
      `linear, then flat in ${percent(flat.posterior)} of the draws that agree (${percent(flat.prior)} of all).`,
  );
}

function header() {
  return element(
    "header",
    {},
    element("p", { class: "eyebrow" }, "which draws agree"),
    element("h1", {}, document.title.replace(" - alxsim", "")),
    element("p", {}, agreement()),
    element("ul", {}, inferred.series.map(answerOf)),
  );
}

// ---- curves

function edges(points, which, colour, fill, label) {
  const fitting = points.filter((point) => point[which] !== null);
  const line = (field, more) => ({
    label: "",
    pointRadius: 0,
    pointHitRadius: 0,
    borderWidth: 0,
    backgroundColor: colour + fill,
    data: fitting.map((point) => ({ x: point.cores, y: point[which][field] })),
    ...more,
  });
  return [
    line("p50", { label, borderColor: colour, backgroundColor: colour, borderWidth: 2.5, pointRadius: 3 }),
    line("p95", { fill: "+1", label: bandLabel }),
    line("p05", {}),
  ];
}

function statedPoints(points) {
  const data = points.flatMap((point) => (point.stated || []).map((one) => ({ x: point.cores, y: one.seconds })));
  return data.length === 0
    ? []
    : [
        {
          label: "stated",
          showLine: false,
          pointStyle: "rectRot",
          pointRadius: 8,
          borderColor: themed("paper"),
          pointBorderWidth: 1.5,
          backgroundColor: stated,
          data,
        },
      ];
}

function curveChart({ points }, what) {
  const chart = timeChart(
    [
      ...statedPoints(points),
      ...edges(points, "posterior", after, "59", "draws that agree (median)"),
      ...edges(points, "prior", before, "38", "all draws (median)"),
    ],
    points.map((point) => point.cores),
    what,
  );
  chart.options.plugins.legend.labels.filter = (item) => !["", bandLabel].includes(item.text);
  return chart;
}

function spotChart(series) {
  const cores = unique(["prior", "posterior"].flatMap((which) => Object.keys(series.sweet_spot[which] || {})))
    .map(Number)
    .sort((a, b) => a - b);
  const bars = (which, colour, label) => ({
    label,
    backgroundColor: colour,
    maxBarThickness: 40,
    data: cores.map((at) => 100 * (series.sweet_spot[which]?.[at] ?? 0)),
  });
  return {
    type: "bar",
    data: {
      labels: cores,
      datasets: [bars("prior", before, "all draws"), bars("posterior", after, "draws that agree")],
    },
    options: {
      scales: {
        x: { title: title("TensorCores at the sweet spot"), grid: { display: false } },
        y: { beginAtZero: true, title: title("share of the draws"), ticks: { callback: (share) => share + " %" } },
      },
      plugins: {
        legend: { position: "bottom", labels: { boxWidth: 14, boxHeight: 14 } },
        tooltip: { callbacks: { label: (item) => `${item.dataset.label}: ${percent(item.raw / 100)}` } },
      },
    },
  };
}

function seriesSection(series) {
  const what = withArticle(intervalOf(series));
  return element(
    "section",
    {},
    element("h2", {}, series.name),
    element(
      "div",
      { class: "charts" },
      figure(
        `Time of ${what}`,
        "Bands hold 90 % of the draws: grey: all (prior), blue: those that agree with the statements (posterior).",
        () => curveChart(series, what),
      ),
      series.sweet_spot === undefined
        ? null
        : figure("Sweet spot", "The last core count from which on doubling gains too little, in each draw.", () =>
            spotChart(series),
          ),
    ),
    table(
      `Seconds ${what}: 5 .. 50 .. 95 % of the draws in which the job fits`,
      [
        { title: "cores", cell: (point) => digits(point.cores) },
        { title: "all draws", cell: (point) => secondsText(point.prior) },
        { title: "draws that agree", cell: (point) => secondsText(point.posterior) },
        {
          title: "stated",
          text: true,
          wrap: true,
          cell: (point) => (point.stated || []).map((one) => `${seconds(one.seconds)} (${one.name})`).join("; "),
        },
      ],
      series.points,
    ),
  );
}

// ---- tables

function statements() {
  return inferred.statements.length === 0
    ? null
    : element(
        "section",
        {},
        element("h2", {}, "Statements"),
        table(
          "How often each holds in all draws, and what the other statements predict for it",
          [
            { title: "statement", text: true, wrap: true, cell: (one) => one.name },
            { title: "holds in", cell: (one) => percent(one.holds_in_prior) },
            { title: "draws that agree with the others", cell: (one) => digits(one.agree_with_all_others) },
            {
              title: "of these, holds in",
              cell: (one) => (one.others_predict.holds === null ? "" : percent(one.others_predict.holds)),
            },
            {
              title: "its figure there",
              cell: (one) => (one.others_predict.figure === null ? "" : bandText(one.others_predict.figure)),
            },
            { title: "source", text: true, wrap: true, cell: (one) => one.source },
          ],
          inferred.statements,
        ),
      );
}

function moved() {
  const [told, kept] = [true, false].map((which) => inferred.unknowns.filter((one) => one.constrained === which));
  const columns = [
    { title: "unknown", text: true, wrap: true, cell: (one) => one.name },
    { title: "unit", text: true, cell: (one) => one.unit },
    { title: "before (5 .. 50 .. 95 %)", cell: (one) => bandText(one.prior) },
    { title: "now", cell: (one) => bandText(one.posterior) },
    { title: "distance", cell: (one) => digits(one.distance, 2) },
  ];
  return inferred.contradiction !== undefined
    ? null
    : element(
        "section",
        {},
        element("h2", {}, "Unknowns before and after"),
        element(
          "p",
          { class: "note" },
          "Kolmogorov-Smirnov distance between prior and posterior; from 0.15 on an unknown counts as constrained.",
        ),
        table("Unknowns that the statements constrain", columns, told),
        element(
          "details",
          {},
          element("summary", {}, `${kept.length} unknowns are unchanged`),
          table("", columns, kept),
        ),
      );
}

function together() {
  return inferred.correlations.length === 0
    ? null
    : element(
        "section",
        {},
        element("h2", {}, "Correlations"),
        element(
          "ul",
          {},
          inferred.correlations.map((one) =>
            element(
              "li",
              {},
              `${one.a} and ${one.b}` +
                (one.r > 0 ? " rise together" : ": where one is high, the other is low") +
                ` (${digits(one.r, 2)})`,
            ),
          ),
        ),
      );
}

function contradiction() {
  if (inferred.contradiction === undefined) {
    return null;
  }
  const { hold_nowhere: alone, exclude_each_other: pairs } = inferred.contradiction;
  const beyond = (one) =>
    (one.beyond || []).map((unknown) => `${unknown.name} beyond ${value(unknown.value)}`).join(", ");
  return element(
    "section",
    {},
    element("h2", {}, "Why no draw agrees"),
    element(
      "ul",
      {},
      alone.map((one) =>
        element(
          "li",
          {},
          `"${one.statement}" holds in no draw` +
            (one.nearest === undefined
              ? "."
              : `: the nearest is ${digits(one.nearest)}, not ${digits(one.wanted)}. What would have to leave its range: ${beyond(one)}.`),
        ),
      ),
      pairs.map(([a, b]) => element("li", {}, `"${a}" and "${b}" exclude each other.`)),
    ),
  );
}

function measurements() {
  const found = inferred.measurements;
  return found === undefined
    ? null
    : element(
        "section",
        {},
        element("h2", {}, "What to measure first"),
        element(
          "p",
          {},
          `For ${found.series} on ${count(found.cores, "core")}: ${secondsText(found.band)}, a factor of ${digits(found.ratio)} from 5 to 95 %.`,
        ),
        table(
          "Measurements, and the factor that each is expected to leave",
          [
            { title: "measurement", text: true, wrap: true, cell: (one) => one.name },
            { title: "leaves a factor of", cell: (one) => digits(one.expected_ratio) },
            { title: "narrows by", cell: (one) => percent(Math.max(0, one.narrows)) },
            { title: "good to", cell: (one) => percent(one.tolerance) },
            { title: "now anywhere in", cell: (one) => (one.figure === null ? "" : bandText(one.figure)) },
            { title: "how", text: true, wrap: true, cell: (one) => one.source },
          ],
          found.list,
        ),
      );
}

show(
  header(),
  contradiction(),
  ...inferred.series.map(seriesSection),
  moved(),
  together(),
  measurements(),
  statements(),
  glossarySection(),
  element(
    "footer",
    {},
    `alxsim infer: ${digits(inferred.draws)} draws, seed ${inferred.seed}. Times are of the analytic model.`,
  ),
);
