// SPDX-License-Identifier: Apache-2.0
// What is folded away below a series: memory, network, traffic, skew, counters, uncertain inputs.

// All points in a sentence; what each of them says is in the details.
function networkNote({ fitting, label, axisTitle }) {
  const told = fitting.filter((point) => point.network !== undefined);
  if (told.length === 0) {
    return null;
  }
  const on = told.filter((point) => point.network.statement.startsWith("On "));
  const most = percent(Math.max(...told.map((point) => point.network.share)));
  const latencies = on.map((point) => point.network.latency_share).filter((share) => share !== undefined);
  const [low, high] = [percent(Math.min(...latencies)), percent(Math.max(...latencies))];
  const latency =
    latencies.length === 0
      ? ""
      : ` Of their time, ${low === high ? low : `${low} to ${high}`} is launch and hops, which no faster link shortens.`;
  const where =
    on.length === told.length
      ? "at every point"
      : `at ${on.length} of ${told.length} points (${axisTitle} ${on.map(label).join("; ")})`;
  const text =
    told.length === 1
      ? typeset(told[0].network.statement)
      : on.length === 0
        ? `Off the critical path at every point: collectives take at most ${most} of ${anInterval}.`
        : `On the critical path ${where}: collectives take up to ${most} of ${anInterval}.${latency}`;
  return element("p", { class: "note" }, element("b", {}, "Network. "), text);
}

// By what else than phases the workload tells its time, at the fastest point that has it.
function timeTables({ series, fitting, label }) {
  const told = fitting.filter((point) => point.time_by !== undefined);
  if (told.length === 0) {
    return null;
  }
  const point = told.find(({ index }) => index === series.fastest) || last(told);
  const names = point.time_by.map(({ by }) => by).join(", ");
  return folded(`Where the time goes: by ${names}`, () =>
    point.time_by.map(({ by, rows, unlisted }) =>
      table(
        `Time of ${anInterval} by ${by}${told.length > 1 ? `, at ${label(point)}` : ""}. On the path: of the critical path, by the analytic model; rows add up to the ${interval}. By themselves: all of its ops, as often as they run, whether anything waits for them or not.${unlisted > 0 ? ` ${digits(unlisted)} further rows take less.` : ""}`,
        [
          { title: by, text: true, wrap: true, cell: (row) => row.name },
          { title: "ops", cell: (row) => (row.ops > 0 ? digits(row.ops) : "") },
          { title: "on the path", cell: (row) => `${seconds(row.seconds)} (${percent(row.share)})` },
          { title: "by themselves", cell: (row) => (row.ops > 0 ? seconds(row.work_seconds) : "") },
          { title: "bytes a device", cell: (row) => (row.bytes === undefined ? "" : bytes(row.bytes)) },
        ],
        rows,
      ),
    ),
  );
}

// Seconds of collectives by axes, and of waiting by what for.
function communicationDetails({ fitting, label, axisTitle }) {
  const told = fitting.filter((point) => point.communication !== undefined || point.waiting !== undefined);
  if (told.length === 0) {
    return null;
  }
  const name = { title: axisTitle || "point", text: true, cell: ({ point }) => label(point) };
  const share = (value, point) => `${seconds(value)} (${percent(value / point.epoch_seconds)})`;
  const axes = told.flatMap((point) =>
    Object.entries(point.communication || {}).map(([of, times]) => ({ point, of, ...times })),
  );
  const waiting = told.filter((point) => point.waiting !== undefined);
  return folded("Communication by axes, and waiting", () => [
    axes.length === 0
      ? null
      : table(
          `Collectives of ${anInterval}, by the axes that they are along. Under way: on a device, hidden or not. Exposed: on the critical path, which waits for them; all axes add up to communication. Alone: of the time under way, with nothing computed.`,
          [
            name,
            { title: "axes", text: true, cell: (row) => row.of },
            { title: "under way", cell: (row) => share(row.total, row.point) },
            { title: "exposed", cell: (row) => share(row.exposed, row.point) },
            { title: "alone", cell: (row) => share(row.alone, row.point) },
          ],
          axes,
        ),
    waiting.length === 0
      ? null
      : table(
          `What devices wait for others in ${anInterval}. Bubble: until another role sends, or is done. Straggler: what the slowest device computes longer than the median one. Late peer: in a collective of several roles, until the last has come.`,
          [
            name,
            { title: "bubble", cell: ({ point }) => share(point.waiting.bubble, point) },
            { title: "straggler", cell: ({ point }) => share(point.waiting.straggler, point) },
            { title: "late peer", cell: ({ point }) => share(point.waiting.late_peer, point) },
          ],
          waiting.map((point) => ({ point })),
        ),
  ]);
}

function memoryDetails({ fitting, label, axisTitle }) {
  const told = fitting.filter((point) => point.hbm !== undefined);
  if (told.length === 0) {
    return null;
  }
  const gather = ({ point }) => point.hbm.row_gather;
  return folded("Memory as numbers", () =>
    table(
      `HBM of a chip: what a long stream gets of its peak, and what a row of ${told[0].hbm.row_gather.row_bytes} bytes takes in a gather: to issue, and in the banks, all over a table or the same row again and again (clamped ids).`,
      [
        { title: axisTitle || "point", text: true, cell: ({ point }) => label(point) },
        { title: "channels", cell: ({ point }) => digits(point.hbm.channels) },
        { title: "reads", cell: ({ point }) => percent(point.hbm.read_share_of_peak) },
        { title: "copies", cell: ({ point }) => percent(point.hbm.copy_share_of_peak) },
        { title: "row: issue", cell: (entry) => seconds(gather(entry).issue_seconds) },
        { title: "banks", cell: (entry) => seconds(gather(entry).uniform_bank_seconds) },
        { title: "clamped", cell: (entry) => seconds(gather(entry).clamped_bank_seconds) },
        {
          title: "address, from the highest bits",
          text: true,
          cell: ({ point }) =>
            `${point.hbm.address_mapping}, ${bytes(point.hbm.channel_interleave_bytes)} to a channel`,
        },
      ],
      told.map((point) => ({ point })),
    ),
  );
}

// Uncertain inputs at the largest point: each by itself, the others at their central values.
function uncertaintyTable({ fitting, label, byCores }) {
  const point = last(fitting.filter((candidate) => (candidate.uncertainty?.ranking || []).length > 0));
  if (point === undefined) {
    return null;
  }
  return folded("What the band rests on", () =>
    table(
      `On ${byCores ? count(coresOf(point), "core") : label(point)}: ${percent(point.uncertainty.share)} of ${point.uncertainty.draws} joint draws of all uncertain inputs lie in the band. Below, each input by itself, the one that matters most first.`,
      [
        { title: "unknown", text: true, cell: ({ name }) => name },
        { title: "low", cell: (row) => inUnit(row.low, row.unit) },
        { title: "central", cell: (row) => inUnit(row.central, row.unit) },
        { title: "high", cell: (row) => inUnit(row.high, row.unit) },
        { title: `${interval} at low`, cell: (row) => seconds(row.seconds_at_low) },
        { title: `${interval} at high`, cell: (row) => seconds(row.seconds_at_high) },
        { title: "longest / shortest", cell: (row) => row.swing.toFixed(2) },
        { title: "of the band", cell: (row) => percent(row.share_of_band || 0) },
      ],
      point.uncertainty.ranking,
    ),
  );
}

// Where a program has several of one name, as its parts (halves of an interval) may.
function numbered(schedules, entry) {
  const alike = schedules.filter(
    (one) => one.point === entry.point && one.phase === entry.phase && one.op === entry.op && one.kind === entry.kind,
  );
  return alike.length < 2 ? "" : `, ${alike.indexOf(entry) + 1} of ${alike.length}`;
}

function networkDetails({ fitting, label, axisTitle }) {
  const told = fitting.filter((point) => point.network !== undefined);
  if (told.length === 0) {
    return null;
  }
  const rowsOf = (list) => told.flatMap((point) => list(point).map((entry) => ({ ...entry, point })));
  const name = { title: axisTitle || "point", text: true, cell: ({ point }) => label(point) };
  const [axes, schedules] = [rowsOf((point) => point.ici.axes || []), rowsOf((point) => point.schedules || [])];
  return folded("Network and collectives as numbers", () => [
    table(
      `Of a mean ${interval}. Network: the share of collectives on the critical path.`,
      [
        name,
        { title: "network", cell: ({ point }) => percent(point.network.share) },
        { title: "on links", cell: ({ point }) => bytes(point.ici.bytes) },
        { title: "links busy", cell: ({ point }) => percent(point.ici.utilisation) },
        ...(axes.length === 0
          ? []
          : [
              {
                title: "hops a message",
                cell: ({ point }) =>
                  point.ici.hops_per_message === undefined ? "" : digits(point.ici.hops_per_message),
              },
            ]),
        { title: "", text: true, wrap: true, long: true, cell: ({ point }) => typeset(point.network.statement) },
      ],
      told.map((point) => ({ point })),
    ),
    axes.length === 0
      ? null
      : table(
          `Links by axis and direction, in a mean ${interval}; busiest: the link that was busy longest, by the chip where it starts.`,
          [
            name,
            { title: "axis", text: true, cell: (use) => use.direction + use.axis },
            { title: "links", cell: (use) => use.links },
            { title: "bytes", cell: (use) => bytes(use.bytes) },
            { title: "busy", cell: (use) => percent(use.utilisation) },
            { title: "busiest", text: true, cell: (use) => (use.busiest ? `chip ${use.busiest.chip}` : "") },
            { title: "its bytes", cell: (use) => (use.busiest ? bytes(use.busiest.bytes) : "") },
            { title: "its busy time", cell: (use) => (use.busiest ? seconds(use.busiest.busy_seconds) : "") },
          ],
          axes,
        ),
    schedules.length === 0
      ? null
      : table(
          `Collectives, in the order of the program, and the schedule picked for each, by itself on the network. Times: in ${anInterval}. Latency: of the time, launch and hops, which no faster link shortens.`,
          [
            name,
            { title: "phase", text: true, cell: (entry) => entry.phase },
            {
              title: "collective",
              text: true,
              cell: (entry) =>
                [entry.op, entry.kind.replaceAll("_", "-")].filter(Boolean).join(": ") + numbered(schedules, entry),
            },
            { title: "bytes", cell: (entry) => bytes(entry.bytes) },
            { title: "times", cell: (entry) => digits(entry.times) },
            { title: "time", cell: (entry) => seconds(entry.seconds) },
            { title: "latency", cell: (entry) => percent(entry.latency_seconds / entry.seconds) },
            { title: "bound", cell: (entry) => seconds(entry.bound_seconds) },
            { title: "schedule", text: true, wrap: true, cell: (entry) => entry.schedule },
          ],
          schedules,
        ),
  ]);
}

// What collectives carry, at the largest point.
function trafficTable({ fitting, label, byCores }) {
  const point = last(fitting.filter((candidate) => (candidate.traffic || []).length > 0));
  if (point === undefined) {
    return null;
  }
  const messages = point.traffic.some((entry) => entry.message_bytes !== undefined);
  return folded("What collectives carry", () =>
    table(
      `On ${byCores ? count(coresOf(point), "core") : label(point)}, in ${anInterval}. Payload: a core's buffer, every time added up` +
        (messages
          ? "; where messages differ in size, what a core sends in the mean, and what all cores send together."
          : "."),
      [
        { title: "phase", text: true, cell: (entry) => entry.phase },
        { title: "collective", text: true, cell: (entry) => `${entry.op}: ${entry.kind.replaceAll("_", "-")}` },
        { title: "times", cell: (entry) => digits(entry.times) },
        { title: "payload a core", cell: (entry) => bytes(entry.payload_bytes) },
        ...(messages
          ? [
              {
                title: "all messages",
                cell: (entry) => (entry.message_bytes === undefined ? "" : bytes(entry.message_bytes)),
              },
            ]
          : []),
        { title: "time of the phase", cell: (entry) => seconds(point.phases[entry.phase] || 0) },
        {
          title: `its share of the ${interval}`,
          cell: (entry) => percent((point.phases[entry.phase] || 0) / point.epoch_seconds),
        },
      ],
      point.traffic,
    ),
  );
}

const skewRows = (fitting) => fitting.flatMap((point) => (point.skew || []).map((entry) => ({ ...entry, point })));

// The most uneven of all in a sentence; all of them are in the details.
function skewNote({ fitting, label, byCores }) {
  const rows = skewRows(fitting);
  if (rows.length === 0) {
    return null;
  }
  const worst = rows.reduce((a, b) => (b.most_over_mean > a.most_over_mean ? b : a));
  return element(
    "p",
    { class: "note" },
    element("b", {}, "Skew. "),
    `Most uneven from core to core: ${worst.unit} of \u201c${worst.of}\u201d (${worst.phase}) on ${byCores ? count(coresOf(worst.point), "core") : label(worst.point)}: core ${worst.straggler} has ${worst.most_over_mean.toFixed(2)} times the mean.`,
  );
}

function skewTable({ fitting, label, axisTitle }) {
  const rows = skewRows(fitting);
  return rows.length === 0
    ? null
    : folded("What differs from core to core", () =>
        table(
          `Over ${anInterval}. Straggler: the core that has most.`,
          [
            { title: axisTitle || "point", text: true, cell: ({ point }) => label(point) },
            { title: "phase", text: true, cell: (entry) => entry.phase },
            { title: "of", text: true, cell: (entry) => entry.of },
            { title: "unit", text: true, cell: (entry) => entry.unit },
            { title: "least", cell: (entry) => digits(entry.least) },
            { title: "mean", cell: (entry) => digits(entry.mean) },
            { title: "most", cell: (entry) => digits(entry.most) },
            { title: "most / mean", cell: (entry) => entry.most_over_mean.toFixed(2) },
            { title: "straggler", cell: (entry) => `core ${entry.straggler}` },
          ],
          rows,
        ),
      );
}

function countersTable({ fitting, label, axisTitle }) {
  const rows = fitting.flatMap((point) => (point.device_counters || []).map((entry) => ({ ...entry, point })));
  const value = (entry, key) => (({ seconds, bytes })[entry.unit] || digits)(entry[key]);
  return rows.length === 0
    ? null
    : folded("What each device did", () =>
        table(
          `In a mean ${interval}, over devices or chips.`,
          [
            { title: axisTitle || "point", text: true, cell: ({ point }) => label(point) },
            { title: "counter", text: true, cell: (entry) => entry.name.replaceAll("_", " ") },
            ...["least", "mean", "most"].map((key) => ({ title: key, cell: (entry) => value(entry, key) })),
            {
              title: "most on",
              cell: (entry) => (entry.least === entry.most ? "all alike" : `${entry.per} ${entry.most_at}`),
            },
          ],
          rows,
        ),
      );
}

function stubbornTable({ series, fitting }) {
  const phases = series.phases_that_do_not_shrink || [];
  if (phases.length === 0) {
    return null;
  }
  const spot = series.sweet_spot.cores;
  const from = spot === coresOf(last(fitting)) ? coresOf(first(fitting)) : spot;
  const to = coresOf(last(fitting));
  return table(
    `What bends the curve: phases that do not shrink from ${digits(from)} to ${count(to, "core")}.`,
    [
      { title: "phase", text: true, cell: (change) => change.phase },
      { title: `at ${count(from, "core")}`, cell: (change) => seconds(change.seconds_first) },
      { title: `at ${count(to, "core")}`, cell: (change) => seconds(change.seconds_last) },
      { title: `share of the last ${interval}`, cell: (change) => percent(change.share_of_last) },
    ],
    phases,
  );
}
