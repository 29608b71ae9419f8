// SPDX-License-Identifier: Apache-2.0
// What is drawn and written of curves, in the look of the report's page.
"use strict";

const Drawing = (() => {
  const fits = (point) => point.epoch_seconds !== undefined;
  const coresOf = (point) => point.machine.cores;
  const label = (point) =>
    Object.entries(point.sweep || {})
      .map(([pointer, value]) =>
        pointer === "/machine/cores" ? shown(value) : `${last(pointer.split("/"))} ${shown(value)}`,
      )
      .join(", ") || String(coresOf(point));
  const byCores = (curve) =>
    curve.points.every((point) => Object.keys(point.sweep || {}).every((pointer) => pointer === "/machine/cores"));
  const places = (curve) => curve.points.map((point, index) => ({ ...point, index }));
  const intervalOf = (curve) => curve.points.find(fits)?.interval || "interval";

  // ---- charts

  let charts = {};

  function draw(id, what, config) {
    const place = document.getElementById(id);
    let canvas = place.querySelector("canvas");
    if (!canvas) {
      place.append((canvas = element("canvas", { role: "img" })));
    }
    canvas.setAttribute("aria-label", what);
    Chart.defaults.color = themed("soft");
    Chart.defaults.borderColor = themed("grid");
    Chart.defaults.font = { family: getComputedStyle(document.body).fontFamily, size: 12.5 };
    Chart.defaults.animation = false;
    Chart.defaults.maintainAspectRatio = false;
    charts[id]?.destroy();
    charts[id] = new Chart(canvas, config);
  }

  // A point's place across: its cores, or its place in the list.
  function line(name, curve, x, colour, shape, more = {}) {
    return {
      label: name,
      borderColor: colour,
      backgroundColor: colour,
      borderWidth: 2.5,
      pointStyle: shape,
      pointRadius: 4.5,
      pointBorderWidth: 2,
      data: places(curve)
        .filter(fits)
        .map((point) => ({ x: x(point), y: point.epoch_seconds })),
      ...more,
    };
  }

  function band(curve, x, colour) {
    const points = places(curve).filter(fits);
    if (points.length < 2 || !points.every((point) => point.epoch_seconds_p05 !== undefined)) {
      return [];
    }
    const edge = (field, more) => ({
      label: "",
      pointRadius: 0,
      pointHitRadius: 0,
      borderWidth: 0,
      backgroundColor: colour + "2e",
      data: points.map((point) => ({ x: x(point), y: point[field] })),
      ...more,
    });
    return [edge("epoch_seconds_p95", { fill: "+1" }), edge("epoch_seconds_p05")];
  }

  function ring(curve, x) {
    const found = places(curve).find((point) => fits(point) && coresOf(point) === curve.series.sweet_spot?.cores);
    return !found
      ? []
      : [
          {
            label: "sweet spot",
            showLine: false,
            pointStyle: "circle",
            pointRadius: 11,
            pointHoverRadius: 12,
            pointBorderWidth: 2.5,
            borderColor: themed("ink"),
            backgroundColor: "transparent",
            clip: false,
            data: [{ x: x(found), y: found.epoch_seconds }],
          },
        ];
  }

  // Where something else than cores is swept.
  function placedChart(datasets, labels) {
    return {
      type: "line",
      data: { labels, datasets },
      options: {
        scales: {
          x: { type: "category", labels },
          y: { type: "logarithmic", ticks: { callback: (value) => seconds(value) } },
        },
        plugins: {
          legend: {
            position: "bottom",
            labels: { usePointStyle: true, boxWidth: 8, boxHeight: 8, filter: (item) => item.text !== "" },
          },
          tooltip: {
            filter: (item) => item.dataset.label !== "",
            callbacks: { label: (item) => `${item.dataset.label}: ${seconds(item.parsed.y)}` },
          },
        },
      },
    };
  }

  // The study's other curves, thinly. Where they cannot share the axes, their names.
  function otherLines(curve, others, names) {
    const fit = (other) => byCores(curve) && byCores(other) && intervalOf(other) === intervalOf(curve);
    const style = (name) => {
      const place = names.indexOf(name) + 1; // the curve that is shown has the first colour
      return [seriesColours[place % 8], seriesShapes[place % 8]];
    };
    return {
      lines: others
        .filter(([, other]) => fit(other))
        .map(([name, other]) => line(name, other, coresOf, ...style(name), { borderWidth: 1.25, pointRadius: 2.5 })),
      missing: others.filter(([, other]) => !fit(other)).map(([name]) => name),
    };
  }

  // What the first point would take on more cores, were it only shared out.
  function perfectScaling(curve) {
    const points = places(curve).filter(fits);
    if (!byCores(curve) || points.length < 2) {
      return [];
    }
    const ideal = (point) => (points[0].epoch_seconds * coresOf(points[0])) / coresOf(point);
    return [
      line("perfect scaling", curve, coresOf, themed("soft"), "line", {
        borderWidth: 1.5,
        borderDash: [6, 5],
        pointRadius: 0,
        data: [points[0], last(points)].map((point) => ({ x: coresOf(point), y: ideal(point) })),
      }),
    ];
  }

  // pins: [{name, curve}]; confirmed: a curve, or null; others: [[name, curve]] of the study, `names` all of them.
  // Returns what is not drawn, in words.
  function curves(curve, pins, confirmed, others, names) {
    const colour = seriesColours[0];
    const cores = byCores(curve);
    const labels = curve.points.map(label);
    const x = cores ? coresOf : (point) => label(point);
    const { lines: otherSets, missing } = otherLines(curve, others, names);
    const simulated = { showLine: false, pointRadius: 7, pointBorderWidth: 3 };
    const datasets = [
      ...(confirmed ? [line("SystemC", confirmed, x, themed("bad"), "crossRot", simulated)] : []), // the first is on top
      ...ring(curve, x),
      line(curve.series?.name || "this curve", curve, x, colour, "circle", { chosen: true }),
      ...perfectScaling(curve),
      ...otherSets,
      ...pins.map(({ name, curve: other }, i) =>
        line(`pinned: ${name}`, other, x, seriesColours[7 - (i % 7)], seriesShapes[7 - (i % 7)], {
          borderDash: [6, 4],
        }),
      ),
      ...band(curve, x, colour),
    ].filter((set) => set.data.length > 0);
    if (datasets.length === 0) {
      return "";
    }
    const all = [
      curve,
      ...pins.map((pin) => pin.curve),
      ...others.filter(([name]) => !missing.includes(name)).map(([, other]) => other),
    ]
      .flatMap((one) => one.points)
      .filter(fits)
      .map(coresOf);
    draw(
      "curve",
      `Time of ${withArticle(intervalOf(curve))} against cores. The numbers are in the table.`,
      cores ? timeChart(datasets, unique(all), withArticle(intervalOf(curve))) : placedChart(datasets, labels),
    );
    return missing.length === 0
      ? ""
      : `Not drawn, since their times are not of ${withArticle(intervalOf(curve))} against cores: ${missing.join(", ")}.`;
  }

  function phases(curve) {
    const points = curve.points.filter(fits);
    const known = Object.keys(colours.phases); // in the program's order
    const found = unique(points.flatMap((point) => Object.keys(point.phases || {}))).filter((name) =>
      points.some((point) => point.phases[name] > 0),
    );
    const names = [...known.filter((name) => found.includes(name)), ...found.filter((name) => !known.includes(name))];
    if (points.length === 0) {
      return;
    }
    const taken = [];
    names.forEach((name) => taken.push(colourOf(name, taken)));
    draw("phases", "Share of each phase at each point.", {
      type: "bar",
      data: {
        labels: points.map(label),
        datasets: names.map((name, i) => ({
          label: name,
          backgroundColor: taken[i],
          borderColor: themed("paper"),
          borderWidth: 1,
          maxBarThickness: 64,
          data: points.map((point) => (100 * (point.phases[name] || 0)) / point.epoch_seconds),
        })),
      },
      options: {
        scales: {
          x: {
            stacked: true,
            grid: { display: false },
            title: { display: true, text: byCores(curve) ? "TensorCores" : "" },
          },
          y: { stacked: true, min: 0, max: 100, ticks: { stepSize: 25, callback: (value) => value + " %" } },
        },
        plugins: {
          legend: { position: "bottom", labels: { boxWidth: 14, boxHeight: 14 } },
          tooltip: { callbacks: { label: (item) => `${item.dataset.label}: ${percent(item.raw / 100)}` } },
        },
      },
    });
  }

  // ---- words

  const state = (point) =>
    point.error !== undefined
      ? point.error
      : point.fits === false
        ? "does not fit into memory"
        : seconds(point.epoch_seconds);

  function pointsTable(curve, confirmed) {
    const same = (point) => confirmed?.points.find((one) => label(one) === label(point));
    const gains = Object.fromEntries((curve.series.sweet_spot?.gains || []).map((gain) => [gain.to, gain.gain]));
    const low = (point) =>
      point.epoch_seconds_p05 === undefined
        ? ""
        : `${seconds(point.epoch_seconds_p05)} \u2013 ${seconds(point.epoch_seconds_p95)}`;
    const against = (point) => {
      const other = same(point);
      if (!other) {
        return "";
      }
      return fits(other) && fits(point)
        ? `${seconds(other.epoch_seconds)} (${digits(other.epoch_seconds / point.epoch_seconds)} \u00d7)`
        : state(other);
    };
    return table(
      "",
      [
        { title: byCores(curve) ? "TensorCores" : "point", text: true, cell: label },
        { title: "slice", cell: (point) => point.machine.slice },
        { title: intervalOf(curve), cell: state, wrap: curve.points.some((point) => point.error !== undefined) },
        ...(curve.points.some((point) => point.epoch_seconds_p05 !== undefined)
          ? [{ title: "low \u2013 high", cell: low }]
          : []),
        ...(Object.keys(gains).length > 0
          ? [{ title: "gain", cell: (point) => gains[coresOf(point)]?.toFixed(2) }]
          : []),
        ...(confirmed ? [{ title: "SystemC", cell: against }] : []),
        ...(curve.points.some(isPriced) ? [{ title: "cost", cell: (point) => costWords(point) }] : []),
        { title: "memory a core", cell: (point) => (point.memory ? bytes(point.memory.bytes_per_core) : "") },
      ],
      curve.points,
      (point) =>
        curve.series.sweet_spot?.cores === coresOf(point) && fits(point) ? "sweet" : fits(point) ? "" : "unfit",
    );
  }

  const isPriced = (point) => fits(point) && typeof point.cost_usd === "number";
  const costWords = (point) => (isPriced(point) ? usd(point.cost_usd) : fits(point) ? "no price" : "");

  function costSentence(points, fastest, interval) {
    const priced = points.filter(isPriced);
    if (priced.length === 0) {
      return ` No price is known of ${fastest.machine.chip}.`;
    }
    const cheapest = priced.reduce((a, b) => (b.cost_usd < a.cost_usd ? b : a));
    return cheapest === fastest
      ? ""
      : ` Cheapest: ${usd(cheapest.cost_usd)} ${withArticle(interval)}, ${seconds(cheapest.epoch_seconds)} on ${count(coresOf(cheapest), "core")}.`;
  }

  const leftOut = (curve) =>
    leftOutSentences(curve.points.filter(fits)).map((words) => element("p", { class: "note warning" }, typeset(words)));

  // Each once: broken parts, hosts that hold the devices up, notes of the points.
  function notes(curve) {
    const points = curve.points.filter(fits);
    const held = heldByHosts(points);
    const capital = (words) => words[0].toUpperCase() + words.slice(1);
    const { first: kinds, rest } = alike(
      unique([
        ...points.flatMap((point) => brokenWords(point, curve.faults || [])),
        ...(held ? [inputWords(held)] : []),
        ...points.flatMap((point) => point.notes || []).map((note) => `${capital(note)}.`),
      ]),
    );
    const item = (words) => element("li", {}, withUnits(typeset(words)));
    const more = () => element("ul", {}, rest.map(item));
    return [
      ...kinds.map(item),
      ...(rest.length > 0 ? [element("li", {}, folded(`${digits(rest.length)} more alike`, more))] : []),
    ];
  }

  function headline(curve, pins) {
    const points = curve.points.filter(fits);
    if (points.length === 0) {
      return "No point fits into memory.";
    }
    const fastest = points.reduce((a, b) => (b.epoch_seconds < a.epoch_seconds ? b : a));
    const interval = intervalOf(curve);
    const spot = curve.series.sweet_spot;
    const pin = last(pins)?.curve.points.find((point) => fits(point) && label(point) === label(fastest));
    const dollars = isPriced(fastest) ? `, for ${usd(fastest.cost_usd)}` : "";
    return (
      `Fastest ${interval}: ${seconds(fastest.epoch_seconds)} on ${count(coresOf(fastest), "core")}${dollars}.` +
      costSentence(points, fastest, interval) +
      (spot
        ? ` Sweet spot: ${count(spot.cores, "core")}${{ low: ", where the range begins", high: ", where the range ends" }[spot.at_edge] || ""}.`
        : "") +
      (pin
        ? ` Against the last pinned curve: ${digits(fastest.epoch_seconds / pin.epoch_seconds)} times its time there.`
        : "")
    );
  }

  return { curves, phases, pointsTable, headline, leftOut, notes, label, fits };
})();
