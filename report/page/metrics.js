// SPDX-License-Identifier: Apache-2.0
// How good a run's numbers are, interval by interval: whatever metrics its workload has.

const besideMetrics = ["epoch", "simulated_seconds"];
const metricsOf = (point) =>
  unique((point.quality || []).flatMap((entry) => Object.keys(entry))).filter((name) => !besideMetrics.includes(name));

// As its workload calls it, or else "precision_at_5" as "precision@5"; what differs in its depth alone shares a chart.
const metricWords = (name) => report.metrics?.[name]?.title || name.replace(/_at_(\d+)$/, "@$1").replaceAll("_", " ");
const metricFamily = (name) => report.metrics?.[name]?.title || metricWords(name.replace(/_at_\d+$/, ""));
const withUnit = (words, name) => (report.metrics?.[name]?.unit ? `${words}, ${report.metrics[name].unit}` : words);
const metricValue = (value, n) => (value === undefined ? "" : value === null ? "not a number" : digits(value, n));
const keptQuality = (point) => (point.quality || []).find((entry) => entry.epoch === point.kept_interval);
const lastMetric = (point, name) =>
  (keptQuality(point) ?? last((point.quality || []).filter((entry) => entry[name] !== undefined)))?.[name];

// What a point has by the names of its metrics, [name, figures]: something simpler to hold them against.
function baselinesOf(point) {
  const isFigures = (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
  return [...Object.entries(point), ...Object.entries(point.results || {})].filter(
    ([field, value]) =>
      field !== "phases" && isFigures(value) && Object.keys(value).every((name) => metricsOf(point).includes(name)),
  );
}

function metricChart(point, names) {
  const intervals = point.quality.map((entry) => entry.epoch);
  const style = (i) => ({
    borderColor: seriesColours[i % 8],
    backgroundColor: seriesColours[i % 8],
    pointStyle: seriesShapes[i % 8],
  });
  const lines = names.map((name, i) => ({
    ...style(i),
    label: metricWords(name),
    borderWidth: 2.5,
    pointRadius: 3.5,
    data: point.quality.map((entry) => ({ x: entry.epoch, y: entry[name] ?? null })),
  }));
  const baselines = baselinesOf(point).flatMap(([field, figures]) =>
    names.map((name, i) => ({
      ...style(i),
      label: `${metricWords(field)}, ${metricWords(name)}`,
      borderWidth: 1.5,
      borderDash: [6, 5],
      pointRadius: 0,
      pointStyle: "line",
      data:
        figures[name] === undefined ? [] : [first(intervals), last(intervals)].map((x) => ({ x, y: figures[name] })),
    })),
  );
  const values = [...lines, ...baselines].flatMap(({ data }) => data.map(({ y }) => y)).filter((y) => y !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return {
    type: "line",
    data: { datasets: [...lines, ...baselines.filter(({ data }) => data.length > 0)] },
    options: {
      scales: {
        x: { type: "linear", title: title(interval), ticks: { precision: 0 }, grid: { display: false } },
        y: { beginAtZero: low >= 0 && low < high / 2, title: title(withUnit(metricFamily(names[0]), names[0])) },
      },
      plugins: {
        legend: { position: "bottom", labels: pointLegend },
        tooltip: {
          callbacks: {
            title: (items) => (items.length > 0 ? `${interval} ${items[0].parsed.x}` : ""),
            label: (item) => `${item.dataset.label}: ${digits(item.parsed.y, 4)}`,
          },
        },
      },
    },
  };
}

// One for each family of metrics, interval by interval, of the point with most to tell.
function metricFigures(point, { label, axes }) {
  const names = metricsOf(point);
  const families = unique(names.map(metricFamily));
  return families.map((family) => {
    const shownNames = names.filter((name) => metricFamily(name) === family);
    const dashed = baselinesOf(point)
      .filter(([, figures]) => shownNames.some((name) => figures[name] !== undefined))
      .map(([field]) => metricWords(field));
    return figure(
      `${sentence(family)} per ${interval}`,
      `Of the run on ${axes.length > 1 || (axes.length === 1 && !axes[0].cores) ? `${count(coresOf(point), "core")}, ${axes[0].title} ${label(point)}` : count(coresOf(point), "core")}${dashed.length > 0 ? `; dashed: ${dashed.join(", ")}` : ""}.`,
      () => metricChart(point, shownNames),
    );
  });
}

// Columns of a table of points: each metric after the last interval, and the time to a target.
function metricColumns(points) {
  const targets = unique(points.flatMap((point) => Object.keys(point)))
    .filter((field) => field.startsWith("seconds_to_"))
    .filter((field) => points.some((point) => point[field] !== null && point[field] !== undefined));
  return [
    ...unique(points.flatMap(metricsOf)).map((name) => ({
      title: withUnit(metricWords(name), name),
      cell: (point) => metricValue(lastMetric(point, name), 4),
    })),
    ...targets.map((field) => ({
      title: `to target ${metricWords(field.slice("seconds_to_".length))}`,
      cell: (point) =>
        point.epoch_seconds === undefined
          ? ""
          : point[field] === null || point[field] === undefined
            ? "not reached"
            : seconds(point[field]),
    })),
  ];
}

function metricTable(point) {
  return folded("Metrics as numbers", () =>
    table(
      `After each ${interval}.`,
      [
        { title: interval, cell: (entry) => entry.epoch },
        ...metricsOf(point).map((name) => ({
          title: withUnit(metricWords(name), name),
          cell: (entry) => metricValue(entry[name], 6),
        })),
        {
          title: "simulated time",
          cell: (entry) => (entry.simulated_seconds === undefined ? "" : seconds(entry.simulated_seconds)),
        },
      ],
      point.quality,
    ),
  );
}

// In a word or two for the head of the page: the metric with something to hold it against, or the first.
function metricFact(points) {
  const learned = points.filter((point) => metricsOf(point).length > 0);
  if (learned.length === 0) {
    return null;
  }
  const [baseline, figures] = first(learned.flatMap(baselinesOf)) || [];
  const name = first(Object.keys(figures || {})) || first(metricsOf(first(learned)));
  const values = learned.map((point) => lastMetric(point, name)).filter((value) => typeof value === "number");
  if (values.length === 0) {
    return null;
  }
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => digits(value));
  return [
    low === high ? low : `${low} to ${high}`,
    `${metricWords(name)} after ${countIntervals(last(last(learned).quality).epoch)}`,
    baseline ? `${metricWords(baseline)}: ${digits(figures[name])}` : null,
  ];
}
