// SPDX-License-Identifier: Apache-2.0
// The answer, before anything else: a few sentences, what became of the claims, one picture of all series, and what to
// keep in mind.

const coresWords = (point) =>
  `${digits(coresOf(point))} ${point.machine.chip} ${coresOf(point) === 1 ? "core" : "cores"}`;
const shareOf = (list) => list.reduce((a, b) => (b[1] > a[1] ? b : a));
// What sets a point apart beside its cores.
const labelled = ({ axes }, point) =>
  axes
    .filter(({ cores }) => !cores)
    .map((axis) => `${axis.title} ${valueWords(axis.of(point))}`)
    .join(", ");

// The fastest point of each series that has one.
const fastestOf = (views) =>
  views
    .filter(({ fitting }) => fitting.length > 0)
    .map((shownSeries) => ({
      shownSeries,
      point: shownSeries.fitting.reduce((a, b) => (b.epoch_seconds < a.epoch_seconds ? b : a)),
    }));
// Series over different data or models do different work: their times stand side by side, not in a race.
const weakViews = (views) => views.filter(({ weak, fitting }) => weak && fitting.length > 1);
// Or points of a series do: steps over batches of several sizes.
const pointsDiffer = (views) =>
  weakViews(views).length > 0 ||
  views.some(
    ({ fitting }) => spanOf(fitting.map((point) => point.throughput?.useful_operations).filter(isValue)) > 1.5,
  );
const differInWork = (views) =>
  pointsDiffer(views) ||
  (views.length > 1 &&
    unique(
      views.map(({ series }) =>
        shown((report.study.series || []).find((one) => one.name === series.name)?.set?.["/workload/dataset"] ?? null),
      ),
    ).length > 1);

function fastestSentence(views) {
  const all = fastestOf(views);
  const fastest = all.reduce((a, b) => (b.point.epoch_seconds < a.point.epoch_seconds ? b : a));
  const metric = metricFact(views.flatMap(({ fitting }) => fitting));
  const metricText = metric ? `; ${metric[1]}: ${metric[0]}.` : ".";
  if (differInWork(views)) {
    const every = pointsDiffer(views);
    const among = every
      ? views.flatMap((shownSeries) => shownSeries.fitting.map((point) => ({ point, shownSeries })))
      : all;
    const slowest = among.reduce((a, b) => (b.point.epoch_seconds > a.point.epoch_seconds ? b : a));
    const words = ({ point, shownSeries }) =>
      `${seconds(point.epoch_seconds)} (${[views.length > 1 ? shownSeries.series.name : "", labelled(shownSeries, point), coresWords(point)].filter(Boolean).join(", ")})`;
    return [
      `${sentence(anInterval)} takes between `,
      element("b", {}, words(fastest)),
      " and ",
      element("b", {}, words(slowest)),
      `${every ? "" : ", each series at its fastest"}${metricText}`,
    ];
  }
  const { point, shownSeries } = fastest;
  const where = [views.length > 1 ? `series \u201c${shownSeries.series.name}\u201d` : "", labelled(shownSeries, point)]
    .filter(Boolean)
    .join(", ");
  const band =
    point.epoch_seconds_p05 === undefined
      ? ""
      : `, between ${seconds(point.epoch_seconds_p05)} and ${seconds(point.epoch_seconds_p95)} in ${percent(point.uncertainty?.share ?? 0.9)} of the draws`;
  return [
    element("b", {}, lineWords(point)),
    ` is the fastest ${interval}, on ${coresWords(point)}${where ? ` (${where})` : ""}${band}${metricText}`,
  ];
}

function costAnswer(views) {
  const every = differInWork(views);
  const where = (point) => {
    const shownSeries = views.find(({ fitting }) => fitting.includes(point));
    const name = views.length > 1 ? shownSeries.series.name : "";
    const more = [name, labelled(shownSeries, point)].filter(Boolean);
    return every
      ? [...more, coresWords(point)].join(", ")
      : coresWords(point) + (more.length > 0 ? ` (${more.join(", ")})` : "");
  };
  const fastest = fastestOf(views).reduce((a, b) => (b.point.epoch_seconds < a.point.epoch_seconds ? b : a)).point;
  return pointsDiffer(views)
    ? unitCostSentence(
        views.flatMap(({ fitting }) => fitting),
        where,
      )
    : costSentence(views, every ? null : fastest, where);
}

function spotWords(shownSeries) {
  const { cores, at_edge: edge, gains } = shownSeries.series.sweet_spot;
  const next = gains.find((gain) => gain.from === cores);
  return edge === "high"
    ? `every step up to ${digits(cores)} cores, where the range ends, brings at least half of its ideal`
    : `the step to ${digits(next.to)} cores brings ${next.gain < 0 ? "nothing" : `${percent(next.gain)} of its ideal`}`;
}

// Where more cores stop to pay, or, where other things are swept, how much they matter.
function scalingSentence(views) {
  const curves = views.filter((shownSeries) => shownSeries.byCores);
  if (curves.length === 1) {
    const [{ series }] = curves;
    return [
      "The sweet spot is ",
      element("b", {}, count(series.sweet_spot.cores, "core")),
      `: ${spotWords(curves[0])}.`,
    ];
  }
  if (curves.length > 1) {
    const by = [...curves].sort((a, b) => a.series.sweet_spot.cores - b.series.sweet_spot.cores);
    const [low, high] = [first(by).series, last(by).series];
    return low.sweet_spot.cores === high.sweet_spot.cores
      ? [
          "The sweet spot of every series is ",
          element("b", {}, count(low.sweet_spot.cores, "core")),
          ", the last step up that brings at least half of its ideal.",
        ]
      : [
          "Adding cores pays up to between ",
          element(
            "b",
            {},
            `${digits(low.sweet_spot.cores)} (${low.name}) and ${digits(high.sweet_spot.cores)} cores (${high.name})`,
          ),
          ": the next step brings less than half of its ideal.",
        ];
  }
  const weak = weakViews(views)
    .flatMap((shownSeries) => shownSeries.curves.map((curve) => ({ end: last(curve.points), shownSeries })))
    .filter(({ end }) => end.scaling);
  if (weak.length > 0) {
    const [worst, best] = [
      weak.reduce((a, b) => (b.end.scaling.efficiency < a.end.scaling.efficiency ? b : a)),
      weak.reduce((a, b) => (b.end.scaling.efficiency > a.end.scaling.efficiency ? b : a)),
    ];
    const words = ({ end, shownSeries }) =>
      element(
        "b",
        {},
        `${percent(end.scaling.efficiency)} on ${count(coresOf(end), "core")}${weak.length > 1 ? ` (${shownSeries.series.name})` : ""}`,
      );
    return [
      "The work grows with the cores; of what a core does on the smallest machine, it still does ",
      words(worst),
      ...(weak.length > 1 ? [" at worst and ", words(best), " at best."] : ["."]),
    ];
  }
  const factors = axisFactors(views);
  if (factors.length === 0) {
    const fitting = views.flatMap((shownSeries) => shownSeries.fitting);
    return fitting.length === 1
      ? ["It is the only point of this report."]
      : [
          "The slowest of ",
          `${digits(fitting.length)} points takes `,
          element("b", {}, `${digits(spanOf(fitting.map((point) => point.epoch_seconds)))} times as long`),
          " as the fastest.",
        ];
  }
  const words = ([title, factor]) => `${title} by up to a factor of ${digits(factor)}`;
  return [
    "Of what is swept, the time changes with ",
    element("b", {}, words(factors[0])),
    factors.length > 1 ? `, with ${factors.slice(1, 4).map(words).join(", with ")}.` : ".",
  ];
}

// By how much each axis changes the time, all else being equal; the most first.
function axisFactors(views) {
  const found = views.flatMap(({ axes, fitting }) =>
    axes.map((axis) => {
      const others = axes.filter((one) => one !== axis);
      const alike = groupBy(fitting, (point) => others.map((one) => shown(one.of(point))).join(" "));
      return [
        axis.title,
        Math.max(1, ...[...alike.values()].map((points) => spanOf(points.map((point) => point.epoch_seconds)))),
      ];
    }),
  );
  return [...groupBy(found, ([title]) => title)]
    .map(([title, list]) => [title, Math.max(...list.map(([, factor]) => factor))])
    .sort((a, b) => b[1] - a[1]);
}

const mostOften = (list) => shareOf([...groupBy(list, (one) => one)].map(([name, same]) => [name, same.length]));
const longestShare = (point) =>
  shareParts.map((one) => [one.name, one.of(point)]).reduce((a, b) => (b[1] > a[1] ? b : a));

// What holds the fastest points up, and which uncertain input moves them most.
function limitSentence(views) {
  const all = fastestOf(views).map(({ point }) => point);
  const input = (point) => first(point.uncertainty?.ranking || [])?.name;
  if (all.length > 1) {
    const [resource, n] = mostOften(all.map((point) => longestShare(point)[0]));
    const [phase, m] = mostOften(all.map((point) => shareOf(Object.entries(point.phases))[0]));
    const inputs = all.map(input).filter(Boolean);
    const [name, k] = inputs.length > 0 ? mostOften(inputs) : [];
    const of = (some) => (some === all.length ? "all" : `${some} of ${all.length}`);
    return [
      "What takes most of the time at the fastest point is ",
      element("b", {}, `${resource} in ${of(n)} series`),
      `, and the longest phase is ${phase} in ${of(m)}`,
      name ? `; of what is uncertain, ${name} matters most in ${of(k)}.` : ".",
    ];
  }
  const [point] = all;
  const [name, time] = longestShare(point);
  const phase = shareOf(Object.entries(point.phases));
  const [uncertain] = point.uncertainty?.ranking || [];
  return [
    "At the fastest point, ",
    element("b", {}, `${percent(time / point.epoch_seconds)} of the time goes to ${name}`),
    `, and the longest phase is ${phase[0]} (${percent(phase[1] / point.epoch_seconds)})`,
    uncertain
      ? `; of what is uncertain, ${uncertain.name} matters most (a factor of ${uncertain.swing.toFixed(2)} over its range).`
      : ".",
  ];
}

const mostLeftOut = 3; // sentences before the answer

// What series do without, [words, names of those series]: before the figures, since they are not of the whole job.
const leftOutOf = (views) => told(views, ({ points }) => leftOutSentences(points));
const isShort = (sentences) => sentences.length <= mostLeftOut;
const saidInTheAnswer = ({ series }) =>
  isShort(report.leftOut) && report.leftOut.some(([, names]) => names.includes(series.name));

function leftOutAnswer(views) {
  const sentences = report.leftOut;
  const names = unique(sentences.flatMap(last));
  const words = isShort(sentences)
    ? sentences.map(([text, some]) => (some.length < views.length ? `${some.join(", ")}: ${text}` : text))
    : [
        `${digits(names.length)} of ${digits(views.length)} series leave a part of their data out: ${names.join(", ")}; what, stands with each of them.`,
      ];
  return words.map((text) => element("p", { class: "note warning" }, typeset(text)));
}

// ---- the picture

// Of a series with several curves, the one with its fastest point.
function leadingCurve({ series, curves, colour, shape, dash }) {
  const curve = curves.find(({ points }) => points.some((point) => point.index === series.fastest)) || first(curves);
  return {
    ...curve,
    colour,
    shape,
    dash,
    name: curve.name === series.name ? series.name : `${series.name}, ${curve.name}`,
  };
}

function pictureOf(views) {
  const drawn = views.filter((shownSeries) => shownSeries.fitting.length > 0);
  const lines = drawn.filter(({ x, fitting }) => x?.numeric && fitting.length > 1);
  const pointer =
    lines.length > 0
      ? shareOf([...groupBy(lines, ({ x }) => x.pointer)].map(([name, list]) => [name, list.length]))[0]
      : null;
  const shownLines = lines.filter(({ x }) => x.pointer === pointer);
  const [only] = shownLines.length === 1 && drawn.length === 1 ? shownLines : [];
  if (shownLines.length > 0 && (shownLines.length > 1 || only)) {
    const words = first(shownLines).x.title;
    return {
      title: only ? `Against ${words}` : `All series against ${words}`,
      note: (quantity) => noteOf(quantity, only, shownLines, drawn),
      config: (quantity) => {
        const curves = only ? shownCurves(only).curves : shownLines.map(leadingCurve);
        const rings = shownLines
          .filter(({ byCores }) => byCores)
          .flatMap((shownSeries) =>
            ringSets(shownSeries, quantity, only ? "sweet spot" : "", only ? themed("ink") : null),
          );
        const single = only && only.curves.length === 1;
        return withEndLabels(
          linesChart(
            [
              ...rings,
              ...curves.flatMap((curve) => curveSets(curve, first(shownLines).x, quantity, single)),
              ...(single
                ? idealSets(first(curves), only.x, quantity, only.weak)
                : shownLines.some(({ weak }) => weak)
                  ? weakIdeal(shownLines, quantity)
                  : []),
            ],
            words,
            quantity,
          ),
        );
      },
    };
  }
  const [categories] = drawn.length === 1 && drawn[0].x ? drawn : [];
  if (categories) {
    return {
      title: `By ${categories.x.title}`,
      note: () => fixedWords(categories),
      config: (quantity) => groupedBars(shownCurves(categories).curves, categories.x, quantity),
    };
  }
  const rows = drawn
    .map(({ series, fitting, axes, label }) => ({
      point: fitting.find((point) => point.index === series.fastest) || first(fitting),
      label,
      axes,
      series,
    }))
    .map(({ point, label, axes, series }) => ({
      point,
      name: axes.length > 0 ? `${series.name}, ${label(point)}` : series.name,
    }));
  return rows.length < 2
    ? null
    : {
        title: "All series",
        note: () => "The fastest point of each series.",
        config: (quantity) => namedBars(thinned(rows, 40), quantity, seriesColours[0]),
      };
}

// One line for all weak-scaling curves is possible of efficiency alone: their times differ.
const weakIdeal = (lines, quantity) =>
  quantity.id !== "efficiency" ? [] : idealSets(leadingCurve(first(lines)), first(lines).x, quantity, true);

const fixedWords = (shownSeries) =>
  shownCurves(shownSeries).fixed ? `With ${shownCurves(shownSeries).fixed}, as at the fastest point.` : "";

function noteOf(quantity, only, lines, drawn) {
  const rings = lines.some(({ byCores }) => byCores)
    ? ` ${only ? "The ring marks the sweet spot" : "Rings mark sweet spots"}.`
    : "";
  const several =
    lines.some(({ curves }) => curves.length > 1) && !only
      ? " Of a series over several axes, the curve with its fastest point."
      : "";
  const missing =
    drawn.length > lines.length
      ? ` ${count(drawn.length - lines.length, "series").replace(/ss$/, "s")} over other axes: below.`
      : "";
  const ranges =
    lines.length > 1 && lines.some(({ fitting }) => fitting.some((point) => isValue(quantity.low?.(point))))
      ? "Upright lines hold 90 % of all draws of the uncertain inputs."
      : "";
  return `${ranges}${only ? fixedWords(only) : ""}${only && only.curves.length === 1 && only.fitting.every((point) => isValue(quantity.low?.(point))) ? "The band holds 90 % of all draws of the uncertain inputs." : ""}${rings}${several}${missing}`.trim();
}

function topFigure(views) {
  const picture = pictureOf(views);
  if (!picture) {
    return null;
  }
  const quantities = quantitiesOf(views.flatMap(({ fitting }) => fitting));
  // Where no machine is compared, what it learns is the question.
  const cores =
    views.some(({ axes }) => axes.some((axis) => axis.cores)) || views.every(({ axes }) => axes.length === 0);
  let quantity = cores
    ? first(quantities)
    : first([...foremost(quantities.filter(({ metric }) => metric)), ...quantities]);
  const made = figure(
    picture.title,
    picture.note(quantity),
    () => picture.config(quantity),
    true,
    quantities.length < 2
      ? []
      : [
          select(
            "What the chart shows",
            quantities.map(({ id, name }) => [id, name]),
            (id) => {
              quantity = quantities.find((one) => one.id === id);
              made.querySelector(".note").textContent = picture.note(quantity);
              made.redraw();
            },
          ),
        ],
  );
  if (made.querySelector("select")) {
    made.querySelector("select").value = quantity.id;
  }
  made.classList.add("top");
  return made;
}

function metaLine(views) {
  const points = report.points;
  const data = report.dataset || {};
  const sizes = ["rows", "columns", "links"]
    .filter((key) => typeof data[key] === "number")
    .map((key) => `${digits(data[key])} ${key}`)
    .join(", ");
  const unfit = points.filter((point) => !point.fits && point.error === undefined).length;
  const refused = points.filter(isRefused).length;
  const failed = points.filter((point) => point.error !== undefined).length - refused;
  return [
    [data.name, sizes].filter(Boolean).join(": "),
    unique(points.map((point) => point.machine.chip)).join(", "),
    `${count(points.length, "point")}${views.length > 1 ? ` in ${views.length} series` : ""}`,
    unique(points.map((point) => point.fidelity).filter(Boolean)).join(", "),
    unfit > 0 ? `${digits(unfit)} do not fit into memory` : "",
    refused > 0 ? `${digits(refused)} refused` : "",
    failed > 0 ? `${digits(failed)} failed` : "",
    report.details_left_out ? `details of ${digits(report.details_left_out)} points are in report.json alone` : "",
  ]
    .filter(Boolean)
    .join(" \u00b7 ");
}

function answerSection(views) {
  const some = views.some(({ fitting }) => fitting.length > 0);
  return element(
    "header",
    { id: "answer" },
    element("p", { class: "eyebrow" }, "alxsim report"),
    element("h1", {}, report.study.study),
    element("p", { class: "soft" }, metaLine(views)),
    ...leftOutAnswer(views),
    element(
      "p",
      { class: "answer" },
      some
        ? [fastestSentence(views), costAnswer(views), " ", scalingSentence(views), " ", limitSentence(views)].flat()
        : "No point of this report has a result.",
    ),
    claimsAnswer(),
    some ? element("div", { class: "charts" }, topFigure(views)) : null,
    notesList(views),
  );
}

// All series, side by side.
function seriesTable(views) {
  if (views.length < 2) {
    return null;
  }
  const point = (index) => (index === undefined || index === null ? null : report.points[index]);
  const named = ({ series }) =>
    element(
      "a",
      { href: `#${anchorOf(series.name)}`, ...(series.name.length < 28 ? { class: "short" } : {}) },
      series.name,
    );
  const has = (test) => views.some(test);
  const words = (one, of) => (one ? of(one) : "");
  return element(
    "section",
    { id: "all-series" },
    element("h2", {}, "All series"),
    table(
      "What each series sets, and what it comes to.",
      [
        { title: "series", text: true, wrap: true, cell: (one) => element("span", {}, swatch(one.colour), named(one)) },
        ...(has(({ settings }) => settings.length > 0)
          ? [{ title: "sets", text: true, wrap: true, cell: ({ settings }) => settings.map(settingWords).join("; ") }]
          : []),
        {
          title: "points",
          cell: ({ fitting, points }) =>
            fitting.length === points.length ? points.length : `${fitting.length} of ${points.length} have a time`,
        },
        {
          title: `fastest ${interval}`,
          cell: ({ series }) =>
            words(point(series.fastest), (one) => `${seconds(one.epoch_seconds)} on ${count(coresOf(one), "core")}`),
        },
        ...(has(({ byCores }) => byCores)
          ? [
              {
                title: "sweet spot",
                cell: ({ series }) =>
                  series.sweet_spot
                    ? `${count(series.sweet_spot.cores, "core")}${series.sweet_spot.at_edge ? ` (${series.sweet_spot.at_edge === "high" ? "end" : "start"} of range)` : ""}`
                    : "",
              },
            ]
          : []),
        ...(has(({ series }) => series.cheapest !== undefined)
          ? [
              {
                title: "cheapest",
                cell: (view) => words(point(view.series.cheapest), () => cheapestWords(view)),
              },
            ]
          : []),
      ],
      views,
    ),
  );
}
