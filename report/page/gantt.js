// SPDX-License-Identifier: Apache-2.0
// The critical path of one step as a Gantt chart: what the step waited for, one thing after another.

const ganttRows = {
  phase: { words: "phases", of: (span) => span.phase },
  unit: { words: "units", of: (span) => span.unit },
  share: { words: "resources", of: (span) => span.share },
};

// What is within the range: what is not would be drawn at its edge, as nothing is thinner than a line.
const ganttBars = (path, of, [from, to]) =>
  path.spans
    .filter((span) => span.begin_seconds < to && span.begin_seconds + span.seconds > from)
    .map((span) => ({ x: [span.begin_seconds, span.begin_seconds + span.seconds], y: of(span), span }));

function ganttConfig(path, by, range) {
  const of = ganttRows[by].of;
  const order =
    by === "phase" ? phaseParts.map(({ name }) => name) : by === "share" ? shares.map(({ word }) => word) : [];
  const place = (name) => (order.includes(name) ? order.indexOf(name) : order.length);
  const rows = unique(path.spans.map(of)).sort((a, b) => place(a) - place(b));
  const data = ganttBars(path, of, range);
  return {
    type: "bar",
    data: {
      labels: rows,
      datasets: [
        {
          data,
          backgroundColor: ({ raw }) => phaseColour(raw?.span.phase),
          grouped: false,
          barThickness: Math.min(22, 300 / rows.length),
          minBarLength: 1.5,
        },
      ],
    },
    options: {
      indexAxis: "y",
      scales: {
        x: {
          type: "linear",
          min: range[0],
          max: range[1],
          title: title(`time since the step began`),
          ticks: { maxRotation: 0, callback: (value) => seconds(Number(value.toPrecision(6))) },
        },
        y: { type: "category", grid: { display: true }, ticks: { autoSkip: false } },
      },
      interaction: { mode: "nearest", intersect: true },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: (items) => (items.length > 0 ? items[0].raw.span.name : ""),
            label: ({ raw: { span } }) => [
              `${seconds(span.seconds)}, from ${seconds(span.begin_seconds)}`,
              `phase ${span.phase}, ${span.share}${span.device === undefined ? "" : `, device ${span.device}`}`,
            ],
          },
        },
      },
    },
  };
}

// Buttons, keys and dragging move the part of the step that is seen.
function ganttFigure(candidates) {
  let point = first(candidates).point;
  let by = "phase";
  let range = [0, point.critical_path.seconds];
  const whole = () => [0, point.critical_path.seconds];
  const see = (begin, end) => {
    const total = point.critical_path.seconds;
    const length = Math.min(total, Math.max(end - begin, total / 5000));
    const from = Math.min(Math.max(0, begin), total - length);
    range = [from, from + length];
    const axis = made.entry.chart?.options.scales.x;
    if (axis) {
      [axis.min, axis.max] = range;
      made.entry.chart.data.datasets[0].data = ganttBars(point.critical_path, ganttRows[by].of, range);
      made.entry.chart.update();
    }
  };
  const zoom = (factor, at = (range[0] + range[1]) / 2) =>
    see(at - (at - range[0]) * factor, at + (range[1] - at) * factor);
  const move = (share) => see(range[0] + share * (range[1] - range[0]), range[1] + share * (range[1] - range[0]));
  const choice =
    candidates.length > 1
      ? [
          select(
            "Point",
            candidates.map(({ label }, i) => [i, label]),
            (i) => {
              point = candidates[i].point;
              range = whole();
              made.redraw();
              note();
            },
          ),
        ]
      : [];
  const made = figure("Critical path of one step", "", () => ganttConfig(point.critical_path, by, range), true, [
    ...choice,
    select(
      "Rows",
      Object.entries(ganttRows).map(([id, { words }]) => [id, `by ${words}`]),
      (id) => {
        by = id;
        made.redraw();
      },
    ),
    button("\u2212", "Zoom out", () => zoom(2)),
    button("+", "Zoom in", () => zoom(0.5)),
    button("\u2190", "Earlier", () => move(-0.5)),
    button("\u2192", "Later", () => move(0.5)),
    button("Whole step", "Show the whole step", () => see(...whole())),
  ]);
  const note = () => {
    const path = point.critical_path;
    made.querySelector(".note").textContent =
      `Step ${path.step}: ${seconds(path.seconds)}. Colours are the phases. Drag over a part to see it larger, or use + and \u2212 and the arrow keys.` +
      (path.merged > 0
        ? ` ${count(path.merged, "short span")} ${path.merged === 1 ? "is" : "are"} drawn together with their neighbours.`
        : "");
  };
  note();
  ganttKeys(made.entry, { zoom, move, whole: () => see(...whole()) });
  ganttDrag(made, () => range, see);
  return made;
}

function ganttKeys(entry, { zoom, move, whole }) {
  const keys = {
    "+": () => zoom(0.5),
    "-": () => zoom(2),
    ArrowLeft: () => move(-0.25),
    ArrowRight: () => move(0.25),
    0: whole,
  };
  entry.canvas.tabIndex = 0;
  entry.canvas.addEventListener("keydown", (event) => {
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });
}

function ganttDrag(made, range, see) {
  const { canvas } = made.entry;
  const box = element("div", { class: "chosen", hidden: "" });
  canvas.parentNode.append(box);
  let from = null;
  const at = (event) =>
    Math.max(made.entry.chart.chartArea.left, Math.min(made.entry.chart.chartArea.right, event.offsetX));
  const time = (pixel) => made.entry.chart.scales.x.getValueForPixel(pixel);
  const draw = (a, b) => {
    box.style.left = `${Math.min(a, b)}px`;
    box.style.width = `${Math.abs(a - b)}px`;
  };
  canvas.addEventListener("pointerdown", (event) => {
    from = at(event);
    box.hidden = false;
    draw(from, from);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (from !== null) {
      draw(from, at(event));
    }
  });
  const end = (event) => {
    if (from === null) {
      return;
    }
    const to = at(event);
    if (Math.abs(to - from) > 6) {
      see(...[time(from), time(to)].sort((a, b) => a - b));
    }
    from = null;
    box.hidden = true;
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", () => {
    from = null;
    box.hidden = true;
  });
  canvas.addEventListener("dblclick", () => see(0, Infinity));
}

function criticalPathSection(views) {
  const candidates = views.flatMap((shownSeries) =>
    shownSeries.fitting
      .filter((point) => point.critical_path)
      .map((point) => ({
        point,
        label: `${views.length > 1 ? `${shownSeries.series.name}, ` : ""}${shownSeries.axes.length === 0 || (shownSeries.x.cores && shownSeries.axes.length === 1) ? count(coresOf(point), "core") : shownSeries.label(point)}`,
      })),
  );
  const simulated = report.points.some((point) => ["detailed", "sampled"].includes(point.fidelity));
  const missing = simulated
    ? "Run the study again with --trace FOLDER: the report then has the critical path of the first step of each point that SystemC simulates, and the folder has its timeline."
    : "The points of this report are analytic: nothing was simulated step by step. With --fidelity sampled --trace FOLDER, the report has the critical path of one step.";
  const made = element("section", { id: "critical-path" }, element("h2", {}, "Critical path of one step"));
  made.append(
    candidates.length > 0
      ? element("div", { class: "charts" }, ganttFigure(candidates))
      : element("p", { class: "note" }, missing),
  );
  return made;
}
