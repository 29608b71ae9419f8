// SPDX-License-Identifier: Apache-2.0
// What the hosts' input takes beside the devices, what the whole job costs, and which figure is drawn.

const ruleOfTheLine =
  "The figure is the world in which each uncertain input has its central value; where that lies outside the band, it is the median of the draws (marked m).";

// Whether the world of central values lies outside the band of its draws.
function isOutsideBand({
  epoch_seconds: central,
  epoch_seconds_p05: low,
  epoch_seconds_p95: high,
  epoch_seconds_p50: median,
}) {
  return isValue(low) && isValue(median) && (central < low || central > high);
}

const lineSeconds = (point) => (isOutsideBand(point) ? point.epoch_seconds_p50 : point.epoch_seconds);
const lineWords = (point) => seconds(lineSeconds(point)) + (isOutsideBand(point) ? " m" : "");

const costCell = (point) =>
  isValue(point.cost_usd) ? usd(point.cost_usd) : point.epoch_seconds === undefined ? "" : "no price";

// Of chips that have no price, wherever dollars would stand.
function priceNotes(points) {
  const chips = unique(
    points
      .filter((point) => point.epoch_seconds !== undefined && !isValue(point.cost_usd))
      .map((point) => point.machine.chip),
  );
  return chips.length === 0
    ? []
    : [element("p", { class: "note" }, `No price is known of ${chips.join(", ")}: no dollars are told of it.`)];
}

// Where the hosts hold the devices up, and by what.
function inputNotes({ fitting }) {
  const held = fitting.filter((point) => point.input && (point.phases.infeed || 0) > 0.01 * point.epoch_seconds);
  if (held.length === 0) {
    return [];
  }
  const worst = held.reduce((a, b) => (b.phases.infeed / b.epoch_seconds > a.phases.infeed / a.epoch_seconds ? b : a));
  const { read_seconds: read, parse_seconds: parse, every_host_reads_all: all } = worst.input;
  const why =
    read < parse
      ? "the hosts parse no faster"
      : all
        ? "every host reads every record, so that more hosts do not help"
        : "the hosts read no faster";
  return [
    element(
      "p",
      { class: "note" },
      `Input: on ${count(coresOf(worst), "core")} ${percent(worst.phases.infeed / worst.epoch_seconds)} of the time is infeed, since ${why}.`,
    ),
  ];
}

function inputTable({ fitting, label }) {
  const points = fitting.filter((point) => point.input);
  if (points.length === 0) {
    return null;
  }
  const of = (title, field) => ({ title, cell: (point) => seconds(point.input[field]) });
  return folded("What the hosts do for their devices", () =>
    table(
      `The hosts' input of ${anInterval} by itself. Its stages work side by side, ahead of the devices; infeed is what sticks out of the devices' own work.`,
      [
        { title: "", text: true, cell: (point) => label(point) },
        {
          title: "reading records",
          cell: (point) =>
            seconds(point.input.read_seconds) + (point.input.every_host_reads_all ? " (each host all)" : ""),
        },
        of("parsing", "parse_seconds"),
        of("PCIe", "transfer_seconds"),
        { title: "infeed", cell: (point) => seconds(point.phases.infeed || 0) },
      ],
      points,
    ),
  );
}

const billParts = [
  ["compiling", "compile"],
  ["loading", "load"],
  ["training", "training"],
  ["evaluation", "evaluation"],
  ["checkpoints", "checkpoints"],
  ["lost to failures", "lost_to_failures"],
];

function billTable({ fitting, label }) {
  const points = fitting.filter((point) => point.bill);
  if (points.length === 0) {
    return null;
  }
  const has = (of) => points.some((point) => isValue(of(point)) && of(point) > 0);
  const part = ([title, field]) =>
    has((point) => point.bill.seconds[field]) ? [{ title, cell: (point) => seconds(point.bill.seconds[field]) }] : [];
  const dollars = (title, field) =>
    has((point) => point.bill[field])
      ? [{ title, cell: (point) => (isValue(point.bill[field]) ? usd(point.bill[field]) : "no price") }]
      : [];
  return table(
    "The bill of the whole job. Parts that the study does not ask for are left out.",
    [
      { title: "", text: true, cell: (point) => label(point) },
      { title: manyIntervals, cell: (point) => digits(point.bill.intervals) },
      ...billParts.flatMap(part),
      { title: "hours", cell: (point) => digits(point.bill.hours) },
      ...dollars("on demand", "dollars"),
      ...dollars("spot", "dollars_spot"),
      ...dollars("committed", "dollars_committed"),
    ],
    points,
  );
}
