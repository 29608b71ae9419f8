// SPDX-License-Identifier: Apache-2.0
// What can be drawn of a point: its time, how it scales, its cost, its metrics.

// Speed-up and efficiency of each point, against the smallest of its curve. Where work grows with
// the cores, by work done in the same time: with constant work a core, efficiency is t0/t.
function scaleCurves(shownSeries) {
  if (!shownSeries.x?.cores) {
    return;
  }
  shownSeries.curves.forEach(({ points }) => {
    const base = first(points);
    if (shownSeries.seeds.length > 0 || unique(points.map(coresOf)).length < 2) {
      return;
    }
    points.forEach((point) => {
      const cores = coresOf(point) / coresOf(base);
      const [work, workBase] = [point, base].map((one) => one.throughput?.useful_operations);
      const growth = !shownSeries.weak ? 1 : work && workBase ? work / workBase : cores;
      point.scaling = { speedup: point.speedup ?? (growth * base.epoch_seconds) / point.epoch_seconds };
      point.scaling.efficiency = point.efficiency ?? point.scaling.speedup / cores;
      point.scaling.growth = growth / cores;
    });
  });
}

// Whether each core keeps its work along a weak-scaling curve, within a quarter.
const keepsWork = ({ points }) => points.every(({ scaling }) => scaling && Math.abs(scaling.growth - 1) < 0.25);

const times = (value) => `${digits(value)}\u00d7`;
const usd = (value) => `${digits(value)} USD`;
function joules(value) {
  const [size, unit] = [
    [1e9, "GJ"],
    [1e6, "MJ"],
    [1e3, "kJ"],
    [1, "J"],
    [0, "mJ"],
  ].find(([least]) => value >= least * 0.9995);
  return `${digits(value / (size || 1e-3))} ${unit}`;
}

// What a series' cheapest point costs: an interval, or a million units where points do not get through as many.
function cheapestWords({ series, fitting }) {
  const cheapest = report.points[series.cheapest];
  const units = (one) => one.throughput?.per_interval;
  const alike = !units(cheapest) || fitting.every((one) => !units(one) || units(one) === units(cheapest));
  const price = alike
    ? `${usd(cheapest.cost_usd)} ${anInterval}`
    : `${usd(cheapest.throughput.usd_per_million)} a million ${cheapest.throughput.unit}`;
  return `${price} on ${count(coresOf(cheapest), "core")}`;
}

const perSecond = (point) => `${point.throughput.unit}/s`;
const spanOf = (values) => Math.max(...values) / Math.min(...values);

// {id, name (of an axis), words, of, log, low, high}; `log`: on a logarithmic axis where x has one.
const fixedQuantities = [
  {
    id: "time",
    name: `time of ${anInterval}`,
    words: seconds,
    of: (point) => (point.epoch_seconds === undefined ? undefined : lineSeconds(point)),
    log: true,
    low: (point) => point.epoch_seconds_p05,
    high: (point) => point.epoch_seconds_p95,
  },
  { id: "speedup", name: "speed-up", words: times, of: (point) => point.scaling?.speedup, log: true },
  { id: "efficiency", name: "efficiency", words: percent, of: (point) => point.scaling?.efficiency },
  {
    id: "throughput",
    name: "throughput",
    words: (value) => digits(value),
    of: (point) => point.throughput?.per_second,
    log: true,
  },
  { id: "mfu", name: "MFU", words: percent, of: (point) => point.throughput?.mfu },
  { id: "hfu", name: "HFU", words: percent, of: (point) => point.throughput?.hfu },
  { id: "cost", name: `cost of ${anInterval}`, words: usd, of: (point) => point.cost_usd, log: true },
  {
    id: "permillion",
    name: "cost of a million",
    words: usd,
    of: (point) => point.throughput?.usd_per_million,
    log: true,
  },
  { id: "energy", name: `energy of ${anInterval}`, words: joules, of: (point) => point.energy_joules, log: true },
  {
    id: "communication",
    name: "share of communication",
    words: percent,
    of: (point) => point.communication_seconds / point.epoch_seconds,
  },
  {
    id: "bubble",
    name: "share of bubbles",
    words: percent,
    of: (point) => (point.waiting?.bubble > 0 ? point.waiting.bubble / point.epoch_seconds : undefined),
  },
  { id: "memory", name: "memory a core", words: bytes, of: (point) => point.memory?.bytes_per_core, log: true },
];

const isValue = (value) => typeof value === "number" && Number.isFinite(value);

// Those that some of the points have; metrics only where they differ from point to point.
function quantitiesOf(points) {
  const metrics = unique(points.flatMap(metricsOf)).map((name) => ({
    id: name,
    name: metricWords(name),
    words: (value) => digits(value, 4),
    of: (point) => lastMetric(point, name),
    metric: true,
  }));
  const differ = ({ of }) => new Set(points.map(of).filter(isValue)).size > 1;
  return [...fixedQuantities.filter(({ of }) => points.some((point) => isValue(of(point)))), ...metrics.filter(differ)];
}

// Those first that something simpler is held against.
function foremost(metrics) {
  const compared = unique(report.points.flatMap(baselinesOf).flatMap(([, figures]) => Object.keys(figures)));
  return [...metrics].sort((a, b) => compared.includes(b.id) - compared.includes(a.id));
}
