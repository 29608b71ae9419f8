// SPDX-License-Identifier: Apache-2.0
// What the points of a series differ in: its axes. Values that are swept in pairs are one axis;
// seeds are none, but repetitions of one point.

const coresOf = (point) => point.machine.cores;
const shortPointer = (pointer) => pointer.split("/").pop().replaceAll("_", " ");
const axisWords = (pointer) => (pointer === "/machine/cores" ? "TensorCores" : shortPointer(pointer));

function valueWords(value) {
  if (value === undefined || value === null) {
    return "\u2013";
  }
  if (typeof value === "number") {
    return Math.abs(value) >= 1e6 ? String(Number(value.toPrecision(6)).toExponential()) : digits(value, 4);
  }
  if (Array.isArray(value)) {
    return value.map(valueWords).join(", ");
  }
  return typeof value === "object"
    ? Object.entries(value)
        .map(([key, inner]) => `${key} ${valueWords(inner)}`)
        .join(", ")
    : String(value);
}

// {pointers, title, numeric, values (ascending, or as they come), of: point => value}
function axisOf(pointers, points) {
  const pointer = pointers.includes("/machine/cores") ? "/machine/cores" : first(pointers);
  const of = (point) => point.sweep[pointer] ?? (pointer === "/machine/cores" ? coresOf(point) : null);
  const values = new Map(points.map((point) => [shown(of(point)), of(point)]));
  const numeric = [...values.values()].every((value) => typeof value === "number");
  const ordered = [...values.values()];
  return {
    pointers,
    pointer,
    title: axisWords(pointer),
    numeric,
    of,
    values: numeric ? ordered.sort((a, b) => a - b) : ordered,
    cores: pointer === "/machine/cores",
  };
}

function axesOf(points) {
  const swept = unique(points.flatMap((point) => Object.keys(point.sweep)));
  const keys = new Map(swept.map((pointer) => [pointer, points.map((point) => shown(point.sweep[pointer] ?? null))]));
  const varying = swept.filter((pointer) => new Set(keys.get(pointer)).size > 1);
  const isSeed = (pointer) => /\/seed$/.test(pointer) || pointer === "/seed";
  const paired = (a, b) => {
    const pairs = new Set(keys.get(a).map((value, i) => `${value} ${keys.get(b)[i]}`)).size;
    return pairs === new Set(keys.get(a)).size && pairs === new Set(keys.get(b)).size;
  };
  const groups = [];
  varying
    .filter((pointer) => !isSeed(pointer))
    .forEach((pointer) => {
      const group = groups.find(([one]) => paired(one, pointer));
      if (group) {
        group.push(pointer);
      } else {
        groups.push([pointer]);
      }
    });
  const rank = (axis) => (axis.cores ? 1e9 : axis.numeric ? 1e6 + axis.values.length : axis.values.length);
  return {
    axes: groups.map((group) => axisOf(group, points)).sort((a, b) => rank(b) - rank(a)),
    seeds: varying.filter(isSeed),
  };
}

// What a point is called within its series: "64", or "64, dim 128".
function labelOf(axes) {
  return (point) =>
    axes.length === 0
      ? String(coresOf(point))
      : axes.map((axis, i) => (i === 0 ? "" : `${axis.title} `) + valueWords(axis.of(point))).join(", ");
}

// One for each combination of the values of the other axes: {name, points (along x)}.
function curvesOf({ fitting, x, others, colour, shape }, name) {
  const placed = new Map((x ? x.values : []).map((value, i) => [shown(value), i]));
  const place = (point) => (x ? placed.get(shown(x.of(point))) : 0);
  const combined = groupBy(fitting, (point) =>
    others.map((axis) => `${axis.title} ${valueWords(axis.of(point))}`).join(", "),
  );
  return [...combined].map(([words, points], i) => ({
    name: words || name,
    points: points.sort((a, b) => place(a) - place(b)),
    colour: words ? seriesColours[i % 8] : colour,
    shape: words ? seriesShapes[i % 8] : shape,
    dash: words && i >= 8 ? [5, 3] : [],
  }));
}

const mostCurves = 8;
// Those that a chart has room for: where there are too many, those that share with the fastest
// point all axes but the first two. `fixed` says which.
function shownCurves({ curves, others, series, x }) {
  if (curves.length <= mostCurves) {
    return { curves, fixed: "" };
  }
  const fastest = curves.flatMap(({ points }) => points).find((point) => point.index === series.fastest);
  const [free, ...rest] = others;
  const alike = (point) => rest.every((axis) => shown(axis.of(point)) === shown(axis.of(fastest)));
  const same = thinned(
    curves.filter(({ points }) => alike(first(points))),
    mostCurves,
  );
  return {
    curves: same.map((curve, i) => ({
      ...curve,
      name: `${free.title} ${valueWords(free.of(first(curve.points)))}`,
      colour: seriesColours[i],
      shape: seriesShapes[i],
      dash: [],
    })),
    fixed: rest.map((axis) => `${axis.title} ${valueWords(axis.of(fastest))}`).join(", "),
  };
}

// ---- what a series sets

const settingWords = ([pointer, value]) => {
  const inner =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).filter(([, part]) => typeof part !== "object")
      : null;
  return inner
    ? `${shortPointer(pointer)}: ${inner.map(([key, part]) => `${key} ${valueWords(part)}`).join(", ")}`
    : `${shortPointer(pointer)}: ${valueWords(value)}`;
};

// [pointer, value] of each series; what all of them set alike is left out where there are several.
function settingsOf(name) {
  const all = (report.study.series || []).filter((one) => one.set && Object.keys(one.set).length > 0);
  const own = all.find((one) => one.name === name);
  const alike = (pointer, value) =>
    (report.study.series || []).length > 1 &&
    (report.study.series || []).every((one) => shown(one.set?.[pointer] ?? null) === shown(value));
  return own === undefined ? [] : Object.entries(own.set).filter(([pointer, value]) => !alike(pointer, value));
}

// ---- a series with its axes

function view(series, i) {
  const points = series.points.map((index) => ({ ...report.points[index], index }));
  const { axes, seeds } = axesOf(points);
  const byCores = series.sweet_spot !== undefined;
  if (byCores) {
    points.sort((a, b) => coresOf(a) - coresOf(b));
  }
  const fitting = points.filter((point) => point.epoch_seconds !== undefined);
  const label = labelOf(axes);
  const [x, ...others] = axes;
  // More work on more cores: as the report says; or, where cores are swept with something else, unless the work is known to stay.
  const work = fitting.map((point) => point.throughput?.useful_operations).filter(isValue);
  const weak =
    series.scaling === "weak" ||
    (x !== undefined && x.cores && x.pointers.length > 1 && (work.length === 0 || spanOf(work) > 1.5));
  const shownSeries = {
    series,
    points,
    fitting,
    byCores,
    axes,
    x,
    others,
    seeds,
    weak,
    label,
    colour: seriesColours[i % 8],
    shape: seriesShapes[i % 8],
    dash: i >= 8 ? [5, 3] : [],
    axisTitle: axes.map((axis) => axis.title).join(", "),
    settings: settingsOf(series.name),
  };
  shownSeries.curves = curvesOf(shownSeries, series.name);
  scaleCurves(shownSeries);
  return shownSeries;
}
