// SPDX-License-Identifier: Apache-2.0
// What is drawn of a report: the report itself, and charts (Chart.js) that several sections use.

const report = withPoints(JSON.parse(document.getElementById("data").textContent));

// What epoch_seconds is of, as its workload says it.
const intervals = unique(
  report.points.filter((point) => point.epoch_seconds !== undefined).map((point) => point.interval || unnamedInterval),
);
const interval = intervals.length === 1 ? intervals[0] : "interval";
const anInterval = withArticle(interval);
const countIntervals = (value) => (value === 1 ? `1 ${interval}` : `${digits(value)} ${manyIntervals}`);
const manyIntervals =
  (intervals.length === 1 && report.points.find((point) => point.intervals)?.intervals) || `${interval}s`;
const sentence = (words) => words[0].toUpperCase() + words.slice(1);

const mostMarks = 60; // points of a line that are drawn as marks, bars of a chart

const isLogarithmic = (values) => values.length > 2 && values[0] > 0 && last(values) / values[0] >= 8;

// values: ascending
function numericAxis(words, values) {
  const log = isLogarithmic(values);
  const ticks = values.length <= 14 ? values : null;
  return {
    type: log ? "logarithmic" : "linear",
    title: title(words),
    ...(log ? { min: values[0] / 1.2, max: last(values) * 1.2 } : { grace: "4%" }),
    ...(ticks
      ? {
          afterBuildTicks: (axis) => {
            axis.ticks = ticks.map((value) => ({ value }));
          },
        }
      : {}),
    ticks: { callback: (value) => digits(value), autoSkip: true, maxRotation: 0 },
  };
}

function valueAxis(quantity, values, log) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (log && quantity.log && low > 0) {
    return logAxis(low / 1.25, high * 1.25, quantity.name, quantity.words);
  }
  const zero = low >= 0 && (quantity.metric ? low < high / 2 : true);
  return {
    type: "linear",
    title: title(quantity.name),
    beginAtZero: zero,
    ...(quantity.id === "efficiency" ? { suggestedMax: 1.05 } : { grace: "5%" }),
    ticks: { callback: (value) => quantity.words(value) },
  };
}

// Points with one x are repetitions (seeds): their mean, and their standard deviation.
function samplesOf(points, x, quantity) {
  return [
    ...groupBy(
      points.filter((point) => isValue(quantity.of(point))),
      x.of,
    ),
  ].map(([at, same]) => {
    const values = same.map(quantity.of);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const spread =
      values.length < 2
        ? 0
        : Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
    return { x: at, y: mean, spread, n: values.length, point: first(same) };
  });
}

const edgeLine = (data, colour, more) => ({
  label: "",
  pointRadius: 0,
  pointHitRadius: 0,
  borderWidth: 0,
  backgroundColor: colour + "2e",
  data,
  ...more,
});

// What lies between two edges; `label` stands in the legend.
function bandSets(data, low, high, colour, label) {
  return [
    edgeLine(
      data.map((sample) => ({ x: sample.x, y: high(sample) })),
      colour,
      { fill: "+1", label, pointStyle: "rect", borderColor: colour + "2e" },
    ),
    edgeLine(
      data.map((sample) => ({ x: sample.x, y: low(sample) })),
      colour,
      {},
    ),
  ];
}

// ---- several curves in one chart

// Bands of several curves would hide each other: upright lines at their points, beside those of the others.
const betweenRanges = 4; // pixels

const rangeLines = {
  id: "rangeLines",
  beforeDatasetsDraw(chart) {
    const { ctx, scales } = chart;
    const ranged = chart.data.datasets
      .map((set, i) => ({ set, i }))
      .filter(({ set, i }) => set.ranges?.length > 0 && chart.isDatasetVisible(i));
    ctx.save();
    ctx.lineWidth = 1.5;
    ctx.globalAlpha = 0.75;
    ranged.forEach(({ set }, place) => {
      ctx.strokeStyle = set.borderColor;
      set.ranges.forEach(({ x, low, high }) => {
        const at = scales.x.getPixelForValue(x) + (place - (ranged.length - 1) / 2) * betweenRanges;
        ctx.beginPath();
        ctx.moveTo(at, scales.y.getPixelForValue(low));
        ctx.lineTo(at, scales.y.getPixelForValue(high));
        ctx.stroke();
      });
    });
    ctx.restore();
  },
};

function rangesOf(data, quantity) {
  const found = data.filter(
    ({ n, point }) => n === 1 && isValue(quantity.low?.(point)) && isValue(quantity.high?.(point)),
  );
  return found.map(({ x, point }) => ({ x, low: quantity.low(point), high: quantity.high(point) }));
}

const rangeWords = (set, x, words) => {
  const range = set.ranges?.find((one) => one.x === x);
  return range ? ` (${words(range.low)} \u2013 ${words(range.high)})` : "";
};

// Names of lines where they end, one below the other.
const lineHeight = 16; // pixels

const endLabels = {
  id: "endLabels",
  afterDatasetsDraw(chart) {
    const { ctx, chartArea } = chart;
    const ends = chart.data.datasets
      .map((set, i) => ({ set, i, end: last(chart.getDatasetMeta(i).data) }))
      .filter(({ set, i, end }) => set.endLabel && end && chart.isDatasetVisible(i))
      .sort((a, b) => a.end.y - b.end.y);
    let most = chartArea.bottom;
    const places = ends.map(({ end }) => end.y);
    for (let i = 1; i < places.length; ++i) {
      places[i] = Math.max(places[i], places[i - 1] + lineHeight);
    }
    for (let i = places.length - 1; i >= 0; --i) {
      places[i] = Math.min(places[i], most);
      most = places[i] - lineHeight;
    }
    ctx.save();
    ctx.font = `12px ${Chart.defaults.font.family}`;
    ctx.textBaseline = "middle";
    ends.forEach(({ set, end }, i) => {
      ctx.strokeStyle = set.borderColor;
      ctx.globalAlpha = 0.6;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(end.x + 6, end.y);
      ctx.lineTo(chartArea.right + 14, places[i]);
      ctx.stroke();
      ctx.globalAlpha = 1;
      ctx.fillStyle = themed("ink");
      ctx.fillText(set.endLabel, chartArea.right + 18, places[i]);
    });
    ctx.restore();
  },
};

const shortened = (words, most = 24) => (words.length <= most ? words : `${words.slice(0, most - 1)}\u2026`);
const leastWidth = 900; // of a page with room for names beside a chart

// A chart of several curves: names at their ends where there is room.
function withEndLabels(config) {
  const named = config.data.datasets.filter((set) => set.samples);
  if (named.length < 2 || document.documentElement.clientWidth < leastWidth) {
    return config;
  }
  named.forEach((set) => {
    set.endLabel = shortened(set.label);
  });
  const longest = Math.max(...named.map((set) => set.endLabel.length));
  config.options.layout = { padding: { right: 26 + 6.6 * longest } };
  config.plugins = [...config.plugins, endLabels];
  return config;
}

const spreadLabel = "mean \u00b1 standard deviation";

function curveSets(curve, x, quantity, alone) {
  const data = samplesOf(curve.points, x, quantity);
  const marks = data.length <= mostMarks;
  const line = {
    label: curve.name,
    borderColor: curve.colour,
    backgroundColor: curve.colour,
    borderWidth: 2.5,
    pointStyle: curve.shape,
    borderDash: curve.dash || [],
    pointRadius: marks ? 4.5 : 0,
    pointHitRadius: 6,
    pointBorderWidth: 2,
    data,
    samples: true,
    ...(alone ? {} : { ranges: rangesOf(data, quantity) }),
  };
  const repeated = data.some(({ n }) => n > 1);
  const banded =
    alone &&
    quantity.low &&
    !repeated &&
    data.length > 0 &&
    data.every(({ point }) => isValue(quantity.low(point)) && isValue(quantity.high(point)));
  return [
    line,
    ...(repeated
      ? bandSets(
          data,
          ({ y, spread }) => y - spread,
          ({ y, spread }) => y + spread,
          curve.colour,
          alone ? spreadLabel : "",
        )
      : []),
    ...(banded
      ? bandSets(
          data,
          ({ point }) => quantity.low(point),
          ({ point }) => quantity.high(point),
          curve.colour,
          bandLabel,
        )
      : []),
  ];
}

const dashed = (label, data) => ({
  label,
  borderColor: themed("soft"),
  backgroundColor: "transparent",
  borderDash: [6, 5],
  borderWidth: 1.5,
  pointRadius: 0,
  pointStyle: "line",
  data,
});

// Perfect scaling from the smallest point: each core does as much in the same time. Where the work
// of a core stays the same, that is the same time on more cores.
function idealSets({ points }, x, quantity, weak) {
  const told = points.filter((point) => isValue(quantity.of(point)));
  if (!x.cores || told.length < 2) {
    return [];
  }
  const base = first(told);
  const growth = (point) => coresOf(point) / coresOf(base);
  const work = (point) => (weak ? (point.scaling?.growth ?? 1) * growth(point) : 1);
  const line = (label, of) => [
    dashed(
      label,
      (weak ? told : [base, last(told)]).map((point) => ({ x: coresOf(point), y: quantity.of(base) * of(point) })),
    ),
  ];
  return quantity.id === "time"
    ? line(
        !weak
          ? "ideal: time \u00d7 cores constant"
          : keepsWork({ points: told })
            ? "ideal: time constant"
            : "ideal: time \u00d7 cores / work constant",
        (point) => work(point) / growth(point),
      )
    : quantity.id === "speedup"
      ? line("ideal", growth)
      : quantity.id === "efficiency"
        ? line("ideal", () => 1)
        : [];
}

function ringSets({ series, fitting, colour }, quantity, label, ring) {
  const found = fitting.find((point) => coresOf(point) === series.sweet_spot?.cores);
  return found === undefined || !isValue(quantity.of(found))
    ? []
    : [
        {
          label,
          showLine: false,
          pointStyle: "circle",
          pointRadius: 11,
          pointHoverRadius: 12,
          pointBorderWidth: 2.5,
          borderColor: ring || colour,
          backgroundColor: "transparent",
          clip: false,
          data: [{ x: coresOf(found), y: quantity.of(found) }],
        },
      ];
}

// datasets with {x, y}: lines over an axis of numbers.
function linesChart(datasets, words, quantity) {
  const values = unique(datasets.flatMap((set) => set.data.map((datum) => datum.x))).sort((a, b) => a - b);
  const figures = datasets
    .flatMap((set) => [
      ...set.data.map((datum) => datum.y),
      ...(set.ranges || []).flatMap(({ low, high }) => [low, high]),
    ])
    .filter(isValue);
  return {
    type: "line",
    data: { datasets },
    plugins: [rangeLines],
    options: {
      scales: {
        x: numericAxis(words, values),
        y: valueAxis(quantity, figures, isLogarithmic(values) || quantity.id === "speedup"),
      },
      plugins: {
        legend: { position: "bottom", labels: { ...pointLegend, filter: (item) => item.text !== "" } },
        tooltip: {
          filter: (item) => !["", bandLabel, spreadLabel].includes(item.dataset.label),
          callbacks: {
            title: (items) => (items.length > 0 ? `${words}: ${digits(items[0].parsed.x)}` : ""),
            label: (item) =>
              `${item.dataset.label}: ${quantity.words(item.parsed.y)}` +
              rangeWords(item.dataset, item.raw.x, quantity.words) +
              (item.raw.n > 1 ? ` \u00b1 ${quantity.words(item.raw.spread)} (${item.raw.n} seeds)` : ""),
          },
        },
      },
      interaction: { mode: "nearest", axis: "x", intersect: false },
    },
  };
}

// Curves over values that are no numbers: groups of bars.
function groupedBars(curves, x, quantity) {
  const at = (curve) => new Map(samplesOf(curve.points, x, quantity).map((sample) => [shown(sample.x), sample.y]));
  return {
    type: "bar",
    data: {
      labels: x.values.map(valueWords),
      datasets: curves.map((curve) => ({
        label: curve.name,
        backgroundColor: curve.colour,
        maxBarThickness: 48,
        data: x.values.map((value) => at(curve).get(shown(value)) ?? null),
      })),
    },
    options: {
      scales: {
        x: { title: title(x.title), grid: { display: false } },
        y: { beginAtZero: true, title: title(quantity.name), ticks: { callback: (value) => quantity.words(value) } },
      },
      plugins: {
        legend: { display: curves.length > 1, position: "bottom", labels: { boxWidth: 14, boxHeight: 14 } },
        tooltip: { callbacks: { label: (item) => `${item.dataset.label}: ${quantity.words(item.raw)}` } },
      },
    },
  };
}

// Points side by side, each under its name.
function namedBars(rows, quantity, colour) {
  return {
    type: "bar",
    data: {
      labels: rows.map(({ name }) => name),
      datasets: [
        {
          label: quantity.name,
          backgroundColor: colour,
          maxBarThickness: 28,
          data: rows.map(({ point }) => quantity.of(point) ?? null),
        },
      ],
    },
    options: {
      indexAxis: "y",
      scales: {
        x: { beginAtZero: true, title: title(quantity.name), ticks: { callback: (value) => quantity.words(value) } },
        y: { grid: { display: false } },
      },
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: (item) => quantity.words(item.raw) } } },
    },
  };
}

// At most `most` of a list, evenly chosen, its ends among them.
const thinned = (list, most = mostMarks) =>
  list.length <= most
    ? list
    : Array.from({ length: most }, (_, i) => list[Math.round((i * (list.length - 1)) / (most - 1))]);

// Stacked bars of parts of an interval, in percent. parts: [{name, colour, of: point => seconds}]
function shareChart(labels, points, parts, axisTitle) {
  return {
    type: "bar",
    data: {
      labels,
      datasets: parts.map((part) => ({
        label: part.name,
        backgroundColor: part.colour,
        borderColor: themed("paper"),
        borderWidth: labels.length > 30 ? 0 : 1,
        maxBarThickness: 64,
        data: points.map((point) => (100 * part.of(point)) / point.epoch_seconds),
      })),
    },
    options: {
      scales: {
        x: { stacked: true, title: title(axisTitle), grid: { display: false }, ticks: { maxRotation: 60 } },
        y: {
          stacked: true,
          min: 0,
          max: 100,
          title: title(`share of the ${interval}`),
          ticks: { stepSize: 25, callback: (value) => value + " %" },
        },
      },
      plugins: {
        legend: { position: "bottom", labels: { boxWidth: 14, boxHeight: 14 } },
        tooltip: {
          callbacks: {
            label: (item) =>
              `${item.dataset.label}: ${percent(item.raw / 100)}, ${seconds(parts[item.datasetIndex].of(points[item.dataIndex]))}`,
          },
        },
      },
    },
  };
}
