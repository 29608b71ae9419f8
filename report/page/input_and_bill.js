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
  const evaluates = has((point) => point.bill.seconds.evaluation);
  return table(
    "The bill of the whole job. Parts that the study does not ask for are left out. Dollars are for the chips while " +
      `this job holds them: no storage, no traffic out of the cloud, ${evaluates ? "" : "no evaluation, "}nothing ` +
      "before or after it.",
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

// ---- dollars of the answer

// What people pay for: the whole job where the study has its bill, else an interval.
const dollarsOf = (point) => point.bill?.dollars ?? point.cost_usd;
const paidFor = (point) =>
  isValue(point.bill?.dollars)
    ? `the whole job (${digits(point.bill.intervals)} ${point.bill.intervals === 1 ? interval : manyIntervals})`
    : anInterval;
const cheapestOf = (points) => points.reduce((a, b) => (dollarsOf(b) < dollarsOf(a) ? b : a));

// Where points do different work: what a million of its units cost.
function unitCostSentence(points, where) {
  const priced = points.filter((point) => isValue(point.throughput?.usd_per_million));
  const units = unique(priced.map((point) => point.throughput.unit));
  if (units.length !== 1) {
    return [];
  }
  const price = (point) => point.throughput.usd_per_million;
  const [least, most] = [
    priced.reduce((a, b) => (price(b) < price(a) ? b : a)),
    priced.reduce((a, b) => (price(b) > price(a) ? b : a)),
  ];
  const words = (point) => element("b", {}, `${usd(price(point))} (${where(point)})`);
  return price(least) === price(most)
    ? [` A million ${units[0]} cost `, words(least), "."]
    : [` A million ${units[0]} cost between `, words(least), " and ", words(most), "."];
}

const withoutPrice = (points) => {
  const chips = unique(points.filter((point) => !isValue(dollarsOf(point))).map((point) => point.machine.chip));
  return `No price is known of ${chips.join(", ")}`;
};

// `fastest`: of all; none where series do different work. `where`: a point's place in words.
function costSentence(views, fastest, where) {
  const priced = views.flatMap(({ fitting }) => fitting).filter((point) => isValue(dollarsOf(point)));
  if (priced.length === 0) {
    return [` ${withoutPrice(views.flatMap(({ fitting }) => fitting))}.`];
  }
  const cheapest = cheapestOf(priced);
  if (!fastest) {
    const each = views
      .map(({ fitting }) => fitting.filter((point) => isValue(dollarsOf(point))))
      .filter((points) => points.length > 0)
      .map(cheapestOf);
    const dearest = each.reduce((a, b) => (dollarsOf(b) > dollarsOf(a) ? b : a));
    const words = (point) => element("b", {}, `${usd(dollarsOf(point))} (${where(point)})`);
    return dearest === cheapest
      ? [` At its cheapest, ${paidFor(cheapest)} costs `, words(cheapest), "."]
      : [
          ` ${sentence(paidFor(cheapest))} costs between `,
          words(cheapest),
          " and ",
          words(dearest),
          ", each series at its cheapest.",
        ];
  }
  const price = (point) => element("b", {}, usd(dollarsOf(point)));
  const least = [price(cheapest), `, is on ${where(cheapest)}, where ${anInterval} takes ${lineWords(cheapest)}.`];
  return !isValue(dollarsOf(fastest))
    ? [` ${withoutPrice([fastest])}; of the others, the least, `, ...least]
    : dollarsOf(fastest) <= dollarsOf(cheapest)
      ? [` There ${paidFor(fastest)} costs `, price(fastest), priced.length > 1 ? ", less than anywhere else." : "."]
      : [` There ${paidFor(fastest)} costs `, price(fastest), "; the least, ", ...least];
}
