// SPDX-License-Identifier: Apache-2.0
// One series: its words, tables and charts.

// Whether it cannot be made: reports of earlier versions do not tell that from a failure.
const isRefused = (point) => point.no_result?.kind === "refused";

// What became of points without times.
const becameWords = { does_not_fit: "does not fit", refused: "refused", failed: "failed" };

// Why points have no times, the first ones by name.
function reasonsList({ points, label }) {
  const most = 10;
  const none = points.filter((point) => point.no_result !== undefined);
  const words = none
    .slice(0, most)
    .map((point) => `${label(point) || "Its point"}: ${becameWords[point.no_result.kind]}: ${point.no_result.why}`);
  return none.length === 0
    ? null
    : element(
        "div",
        {},
        element("p", {}, "Without a time:"),
        element(
          "ul",
          {},
          [...words, ...(none.length > most ? [`${digits(none.length - most)} more: report.json says why`] : [])].map(
            (text) => element("li", {}, text),
          ),
        ),
      );
}

function summary({ series, fitting, points }) {
  if (fitting.length === 0) {
    return "No point of this series has a result.";
  }
  const fastest = report.points[series.fastest];
  const text = [`Fastest: ${lineWords(fastest)} ${anInterval} on ${count(coresOf(fastest), "core")}.`];
  const spot = series.sweet_spot;
  if (spot) {
    text.push(
      `Sweet spot: ${count(spot.cores, "core")}` +
        ({
          low: ", where the range begins: the first step already gains less than half of the ideal.",
          high: ", where the range ends: every step gains at least half of the ideal.",
        }[spot.at_edge] || ": the next step gains less than half of the ideal."),
    );
  }
  text.push(...movedSentences(series));
  if (series.cheapest !== undefined) {
    text.push(`Cheapest: ${cheapestWords({ series, fitting })}.`);
  }
  const unfit = points.filter((point) => !point.fits && point.error === undefined);
  if (unfit.length > 0) {
    text.push(`Does not fit: ${unfit.map((point) => coresOf(point)).join(", ")} cores.`);
  }
  return text.join(" ");
}

// With which other choice of the job the curve bends elsewhere.
function movedSentences({ moved_by: moves }) {
  return (moves || []).map((move) => {
    const choice = Object.entries(move.set)
      .map(([pointer, value]) => `${shortPointer(pointer)} ${value}`)
      .join(" and ");
    return `With ${choice} the ${move.what} is ${count(move.cores, "core")}, not ${digits(move.own_cores)}: by closed forms ${anInterval} on ${count(move.compared_at, "core")} takes ${seconds(move.seconds)} with it, ${seconds(move.own_seconds)} as it is.`;
  });
}

function fitTerms(fit) {
  const terms = [
    [fit.a_over_n, `${seconds(fit.a_over_n)} / N`],
    [fit.constant, seconds(fit.constant)],
    [fit.log || 0, `${seconds(fit.log || 0)} \u00d7 log2(N)`],
    [fit.per_core, `${seconds(fit.per_core)} \u00d7 N`],
  ];
  return (
    terms
      .filter(([value]) => value > 0)
      .map(([, words]) => words)
      .join(" + ") || "0 s"
  );
}

function fitText(fit) {
  const quality =
    fit.spare_points === 0
      ? "through all points, so that its quality says nothing"
      : `r\u00b2 = ${fit.r2.toFixed(4)}` +
        (fit.largest_residual === undefined ? "" : `, worst point off by ${percent(fit.largest_residual)}`);
  return `T(N) = ${fitTerms(fit)}, ${quality}.`;
}

// The fit of the whole curve, and those of its parts where torus axes wrap alike.
function fitNote({ fit, regimes = [] }) {
  if (fit === undefined) {
    return null;
  }
  const axes = (wrap) =>
    wrap.every((wraps) => !wraps)
      ? "no axis wraps"
      : wrap.every(Boolean)
        ? "all axes wrap"
        : `only ${wrap
            .map((wraps, i) => (wraps ? "xyz"[i] : null))
            .filter(Boolean)
            .join(" and ")} wraps`;
  const range = (cores) =>
    cores.length === 1 ? count(cores[0], "core") : `${cores[0]} to ${count(last(cores), "core")}`;
  const parts =
    regimes.length < 2
      ? []
      : regimes.map(
          (regime) =>
            ` Where ${axes(regime.wrap)}, ${range(regime.cores)}: ` +
            (regime.fit ? fitText(regime.fit) : "too few points for a fit."),
        );
  return element("p", { class: "note" }, `Least-squares fit over N cores: ${fitText(fit)}${parts.join("")}`);
}

function fitTable({ fit }) {
  if (fit?.by_phase === undefined) {
    return null;
  }
  const rows = Object.entries(fit.by_phase).filter(
    ([, part]) => part.a_over_n + part.constant + part.per_core + (part.log || 0) > 0,
  );
  const term = (title, key, words) =>
    fit[key] === undefined ? [] : [{ title, cell: ([, part]) => (part[key] > 0 ? words(part[key]) : "") }];
  return folded("What each term of the fit is made of", () =>
    table(
      `The same terms fitted to each phase; errors relative to the ${interval}.`,
      [
        { title: "phase", text: true, cell: ([phase]) => phase },
        ...term("shrinks: a, a/N", "a_over_n", seconds),
        ...term("stays", "constant", seconds),
        ...term("grows with log2(N)", "log", seconds),
        ...term("grows with N", "per_core", seconds),
        { title: "off by at most", cell: ([, part]) => percent(part.largest_residual) },
      ],
      rows,
    ),
  );
}

// Of a sampled point.
function simulatedPart({ simulated_steps, steps, estimated_iterations }) {
  const loops = estimated_iterations === undefined ? "" : `, ${estimated_iterations} loop iterations estimated`;
  return `${simulated_steps} of ${steps} steps${loops}`;
}

// "sampled" and how well, below it.
function fidelityCell({ fidelity, confidence }) {
  return confidence === undefined
    ? fidelity
    : element(
        "span",
        {},
        fidelity,
        element(
          "span",
          { class: "below" },
          `\u00b1 ${percent(confidence.relative_width / 2)}, ${simulatedPart(confidence)}`,
        ),
      );
}

function fidelityText({ fidelity, confidence }) {
  return confidence === undefined
    ? fidelity
    : `${fidelity}, \u00b1 ${percent(confidence.relative_width / 2)} (${simulatedPart(confidence)})`;
}

// What the times to a target are the times to.
const targetWords = (series) =>
  Object.entries(series)
    .filter(([field, value]) => field.startsWith("target_") && isValue(value))
    .map(([field, value]) => ` Target: ${metricWords(field.slice("target_".length))} ${digits(value, 4)}.`)
    .join("");

function pointsTable(shownSeries) {
  const { series, points, fitting, label, axisTitle, byCores } = shownSeries;
  const has = (of) => points.some((point) => isValue(of(point)));
  const gains = Object.fromEntries((series.sweet_spot?.gains || []).map((gain) => [gain.to, gain.gain]));
  const isSweet = (point) => byCores && coresOf(point) === series.sweet_spot.cores && point.epoch_seconds !== undefined;
  const tags = (point) =>
    [
      isSweet(point) ? "sweet spot" : null,
      point.index === series.fastest ? "fastest" : null,
      point.index === series.cheapest ? "cheapest" : null,
    ]
      .filter(Boolean)
      .map((text) => element("span", { class: "tag" }, text));
  const result = (title, of, words) =>
    has(of) ? [{ title, cell: (point) => (isValue(of(point)) ? words(of(point), point) : "") }] : [];
  const below = (text) => element("span", { class: "below" }, text);
  const state = (point) =>
    point.error !== undefined
      ? becameWords[isRefused(point) ? "refused" : "failed"]
      : !point.fits
        ? becameWords.does_not_fit
        : [
            lineWords(point),
            point.epoch_seconds_p05 === undefined
              ? null
              : below(`${seconds(point.epoch_seconds_p05)} \u2013 ${seconds(point.epoch_seconds_p95)}`),
          ];
  const machines = unique(points.map((point) => machineWords(point.machine)));
  const caption =
    "Points." +
    (machines.length === 1 ? ` All on ${machines[0]}.` : "") +
    (has((point) => point.epoch_seconds_p05)
      ? ` Below the ${interval}: where 90 % of the draws lie. ${ruleOfTheLine}`
      : "") +
    (byCores
      ? " Gain: what the step from the row above brought of its ideal; 1 is perfect, below 0.5 it no longer pays."
      : "") +
    (points.some((point) => metricsOf(point).length > 0) ? ` Metrics: after the last ${interval}.` : "") +
    targetWords(series);
  const seedsOf = (point) =>
    shownSeries.seeds.map((pointer) => `${shortPointer(pointer)} ${valueWords(point.sweep[pointer])}`).join(", ");
  const filling = (text) => (Array.isArray(text) ? element("span", {}, text.filter(Boolean)) : text);
  return table(
    caption,
    [
      {
        title: axisTitle || "point",
        text: true,
        cell: (point) =>
          element(
            "span",
            {},
            label(point),
            ...tags(point),
            machines.length > 1 ? below(machineWords(point.machine)) : null,
            seedsOf(point) ? below(seedsOf(point)) : null,
          ),
      },
      { title: interval, cell: (point) => filling(state(point)) },
      ...result(
        "speed-up, efficiency",
        (point) => point.scaling?.speedup,
        (value, point) => element("span", {}, value.toFixed(2), below(percent(point.scaling.efficiency))),
      ),
      ...result(
        "gain",
        (point) => gains[coresOf(point)],
        (value) => value.toFixed(2),
      ),
      ...metricColumns(points),
      ...result(
        has((point) => point.throughput?.hfu) ? "throughput, MFU, HFU" : "throughput, MFU",
        (point) => point.throughput?.per_second,
        (value, point) =>
          element(
            "span",
            {},
            `${digits(value)} ${perSecond(point)}`,
            below([point.throughput.mfu, point.throughput.hfu].filter(isValue).map(percent).join(", ")),
          ),
      ),
      ...(has((point) => point.cost_usd)
        ? [
            {
              title: has((point) => point.energy_joules) ? "cost, energy" : "cost",
              cell: (point) =>
                element(
                  "span",
                  {},
                  costCell(point),
                  isValue(point.energy_joules) ? below(joules(point.energy_joules)) : null,
                ),
            },
          ]
        : []),
      ...result("cost of a million", (point) => point.throughput?.usd_per_million, usd),
      ...result(
        "memory a core",
        (point) => point.memory?.bytes_per_core,
        (value, point) =>
          element(
            "span",
            {},
            bytes(value),
            below(
              [
                `of ${bytes(point.memory.capacity_bytes)}`,
                point.memory.at_edge ? "at the edge" : "",
                compilerBytes(point.memory),
              ]
                .filter(Boolean)
                .join(", "),
            ),
          ),
      ),
      ...(unique(fitting.map(fidelityText)).length > 1
        ? [{ title: "fidelity", cell: (point) => (point.epoch_seconds === undefined ? "" : fidelityCell(point)) }]
        : []),
    ],
    points,
    (point) => (isSweet(point) ? "sweet" : point.epoch_seconds === undefined ? "unfit" : ""),
  );
}

// What decides whether a compiled program fits.
function compilerBytes(memory) {
  const allocated = memory.compiler_bytes_per_core;
  return allocated === undefined ? "" : `its compiler allocates ${bytes(allocated)}`;
}

const mostColumns = 24;

function partsTable({ fitting, label }) {
  const rows = [...phaseParts, null, ...shareParts].map((part) => part || { name: "", of: () => null });
  const cell = (point) => (part) =>
    part.of(point) === null ? "" : `${seconds(part.of(point))} (${percent(part.of(point) / point.epoch_seconds)})`;
  return folded("Phases and resources as numbers", () =>
    table(
      `Time on the critical path of ${anInterval}, and its share. Phases add up to the ${interval}, and so do resources.${fitting.length > mostColumns ? ` ${mostColumns} points of ${fitting.length}.` : ""}`,
      [
        { title: "", text: true, cell: (part) => part.name },
        ...thinned(fitting, mostColumns).map((point) => ({ title: label(point), cell: cell(point) })),
      ],
      rows,
    ),
  );
}

// Mean and standard deviation over seeds.
function seedsTable(shownSeries) {
  const { x, curves, seeds, fitting } = shownSeries;
  if (seeds.length === 0) {
    return null;
  }
  const single = { of: () => 0 };
  const samples = (curve, quantity) => samplesOf(curve.points, x || single, quantity);
  const time = quantitiesOf(fitting).filter(({ id, metric }) => id === "time" || metric);
  const rows = curves.flatMap((curve) => samples(curve, time[0]).map((sample) => ({ curve, sample })));
  const cell =
    (quantity) =>
    ({ curve, sample }) => {
      const found = samples(curve, quantity).find((one) => shown(one.x) === shown(sample.x));
      return found ? `${quantity.words(found.y)} \u00b1 ${quantity.words(found.spread)}` : "";
    };
  return table(
    "Over the seeds: mean \u00b1 standard deviation.",
    [
      ...(x ? [{ title: x.title, text: true, cell: ({ sample }) => valueWords(sample.x) }] : []),
      ...(curves.length > 1 ? [{ title: "curve", text: true, cell: ({ curve }) => curve.name }] : []),
      { title: "seeds", cell: ({ sample }) => sample.n },
      ...time.map((quantity) => ({ title: quantity.name, cell: cell(quantity) })),
    ],
    rows,
  );
}

// ---- charts of a series

// Curves of one quantity, over numbers or over words.
function curveConfig(shownSeries, quantity) {
  const { x, curves, weak } = shownSeries;
  const drawn = shownCurves(shownSeries).curves;
  if (!x.numeric) {
    return groupedBars(drawn, x, quantity);
  }
  const single = curves.length === 1;
  return linesChart(
    [
      ...(single ? ringSets(shownSeries, quantity, "sweet spot", themed("ink")) : []),
      ...drawn.flatMap((curve) => curveSets(curve, x, quantity, single)),
      ...(x.cores && (single || quantity.id === "efficiency") ? idealSets(first(drawn), x, quantity, weak) : []),
    ],
    x.title,
    quantity,
  );
}

function chosenFigure(heading, note, shownSeries, quantities, wide = false) {
  let [quantity] = quantities;
  const made = figure(
    heading(quantity),
    note(quantity),
    () => curveConfig(shownSeries, quantity),
    wide,
    quantities.length < 2
      ? []
      : [
          select(
            "What the chart shows",
            quantities.map(({ id, name }) => [id, name]),
            (id) => {
              quantity = quantities.find((one) => one.id === id);
              made.querySelector("h3").textContent = made.entry.title = heading(quantity);
              made.querySelector(".note").textContent = note(quantity);
              made.redraw();
            },
          ),
        ],
  );
  return made;
}

function timeFigure(shownSeries) {
  const { x, curves, byCores } = shownSeries;
  const note = [
    curves.length === 1 &&
    shownSeries.seeds.length === 0 &&
    shownSeries.fitting.every((point) => isValue(point.epoch_seconds_p05))
      ? "Band: 90 % of the draws."
      : "",
    byCores ? "Ring: the sweet spot." : "",
    fixedWords(shownSeries),
  ]
    .filter(Boolean)
    .join(" ");
  return chosenFigure(
    (quantity) => `${sentence(quantity.name)} against ${x.title}`,
    () => note,
    shownSeries,
    [quantitiesOf(shownSeries.fitting).find(({ id }) => id === "time")],
  );
}

// How it scales, or else whatever there is besides the time; metrics, where they differ between points.
function scalingFigure(shownSeries) {
  const all = quantitiesOf(shownSeries.fitting).filter(({ id }) => id !== "time");
  const scales = all.filter(({ id }) => ["efficiency", "speedup"].includes(id)).reverse();
  const metrics = all.filter(({ metric }) => metric);
  const quantities = unique([...scales, ...foremost(metrics), ...all]);
  const note = (quantity) =>
    ["efficiency", "speedup"].includes(quantity.id)
      ? shownSeries.weak
        ? "Work done in the same time, against the smallest point. Perfect: each core does as much as before."
        : "Against the smallest point of the curve; dashed: perfect scaling."
      : "";
  return quantities.length === 0
    ? null
    : chosenFigure(
        (quantity) => `${sentence(quantity.name)} against ${shownSeries.x.title}`,
        note,
        shownSeries,
        quantities,
      );
}

// Stacked shares along the first axis; of several curves, the one that is chosen.
function shareFigures(shownSeries) {
  const { curves, axes, series } = shownSeries;
  let curve = curves.find(({ points }) => points.some((point) => point.index === series.fastest)) || first(curves);
  const seeds = shownSeries.seeds.length > 0 && axes.length > 0;
  const shownPoints = () => thinned(seeds ? [...groupBy(curve.points, axes[0].of).values()].map(first) : curve.points);
  const label = axes.length > 0 ? (point) => valueWords(axes[0].of(point)) : (point) => count(coresOf(point), "core");
  const chart = (parts) => () => shareChart(shownPoints().map(label), shownPoints(), parts(), axes[0]?.title || "");
  const used = (parts) => () =>
    parts.filter((part) => curve.points.some((point) => part.of(point) > 0.001 * point.epoch_seconds));
  const thin = curves.some(({ points }) => points.length > mostMarks) ? ` ${mostMarks} points of each curve.` : "";
  const made = [];
  const choose =
    curves.length < 2
      ? []
      : [
          select(
            "Which curve is shown",
            curves.map(({ name }, i) => [i, name]),
            (i) => {
              curve = curves[i];
              made.forEach((one) => one.redraw());
            },
          ),
        ];
  choose.forEach((one) => {
    one.value = curves.indexOf(curve);
  });
  made.push(
    figure(
      "Where the time goes: phases",
      `Share of each phase on the critical path of ${anInterval}.${seeds ? " The first seed." : ""}${thin}`,
      chart(used(phaseParts)),
      false,
      choose,
    ),
    figure(
      "Where the time goes: resources",
      `What the critical path waited for.${curves.length > 1 ? " The same points." : ""}`,
      chart(used(shareParts)),
    ),
  );
  return made;
}

// Why a slice is assumed: none is listed with so many cores, or the study asks for it.
function sliceMark(machine) {
  return !machine.slice_assumed ? "" : machine.slice_asked ? " \u2020" : " *";
}

function sliceWords(machine) {
  return (machine.slices ? `${machine.slices} of ` : "") + machine.slice + sliceMark(machine);
}

function machineWords(machine) {
  const counts = [
    [machine.chips, "chip"],
    [machine.cores, "core"],
    [machine.devices, "device"],
  ].filter(([number]) => isValue(number));
  return [...counts.map(([number, what]) => count(number, what)), `slice ${sliceWords(machine)}`].join(", ");
}

function sliceNotes(points) {
  const notes = {
    " *": "* assumed: no listed slice has so many cores, so a part of the next larger one is used, without wrap-around links.",
    " \u2020":
      "\u2020 assumed: the study asks for this slice, which the vendor does not list with these wrap-around links. Where the study does not say which axes wrap, the chip's preset does.",
  };
  const marks = new Set(points.map((point) => sliceMark(point.machine)));
  return Object.keys(notes)
    .filter((mark) => marks.has(mark))
    .map((mark) => element("p", { class: "note" }, notes[mark]));
}

function settingChips(settings) {
  return settings.map((one) => element("span", { class: "chip" }, settingWords(one)));
}

function seriesBody(shownSeries, alone) {
  const { series, fitting, x, points } = shownSeries;
  const grid = element("div", { class: "charts" });
  if (x && fitting.length > 1) {
    grid.append(...[alone && x.numeric ? null : timeFigure(shownSeries), scalingFigure(shownSeries)].filter(Boolean));
  }
  if (grid.children.length === 1) {
    grid.firstChild.classList.add("wide");
  }
  if (fitting.length > 0) {
    grid.append(...shareFigures(shownSeries));
  }
  // Where metrics do not depend on what is swept, one point speaks for all; the last has most to tell.
  const learned = last(fitting.filter((point) => (point.quality || []).length > 1));
  grid.append(...(learned ? metricFigures(learned, shownSeries) : []));
  if ((grid.children.length - grid.querySelectorAll(".wide").length) % 2 === 1) {
    grid.lastChild.classList.add("wide");
  }
  return [
    ...(saidInTheAnswer(shownSeries) ? [] : leftOutSentences(points)).map((words) =>
      element("p", { class: "note warning" }, typeset(words)),
    ),
    element("p", {}, summary(shownSeries)),
    ...assumedSentences(points).map((words) => element("p", { class: "note" }, typeset(words))),
    fitting.length > 1 ? heatSection(shownSeries) : null,
    grid,
    seedsTable(shownSeries),
    pointsTable(shownSeries),
    reasonsList(shownSeries),
    ...sliceNotes(points),
    ...priceNotes(points),
    billTable(shownSeries),
    networkNote(shownSeries),
    skewNote(shownSeries),
    stubbornTable(shownSeries),
    fitNote(series),
    fitTable(series),
    fitting.length > 0 ? partsTable(shownSeries) : null,
    timeTables(shownSeries),
    communicationDetails(shownSeries),
    inputTable(shownSeries),
    uncertaintyTable(shownSeries),
    networkDetails(shownSeries),
    trafficTable(shownSeries),
    skewTable(shownSeries),
    countersTable(shownSeries),
    memoryDetails(shownSeries),
    learned ? metricTable(learned) : null,
    resultsTable(shownSeries),
  ];
}

function seriesSection(shownSeries, open, alone) {
  const { series, settings, colour } = shownSeries;
  return foldedSection({
    id: anchorOf(series.name),
    heading: [swatch(colour), series.name],
    open,
    printed: true,
    beside: [settings.length > 0 ? element("span", { class: "chips" }, settingChips(settings)) : null],
    make: () => seriesBody(shownSeries, alone),
  });
}
