// SPDX-License-Identifier: Apache-2.0
// What both pages say of a point beside its time: its dollars, broken parts of its machine, hosts that hold it up.

// Without an exponent: people read prices.
const usd = (value) =>
  `${value > 0 && value < 1e-4 ? value.toFixed(2 - Math.floor(Math.log10(value))) : digits(value)} USD`;

function faultWords({ core, speed, link, bandwidth, chip, hbm_bytes: hbm }) {
  if (link !== undefined) {
    const between = `the link between chips ${link[0]} and ${link[1]}`;
    return bandwidth === 0 ? `${between} is broken` : `${between} has ${percent(bandwidth)} of its bandwidth`;
  }
  return core !== undefined
    ? `core ${core} runs at ${percent(speed)} of its speed`
    : `chip ${chip} has ${bytes(hbm)} of HBM`;
}

const mostFaults = 4; // told one by one

// `faults`: as a study has them.
function brokenWords(point, faults) {
  if (!point.machine.faults) {
    return [];
  }
  const words = faults.map(faultWords);
  const more = words.length > mostFaults ? `, and ${count(words.length - mostFaults, "fault")} more` : "";
  return [
    words.length === 0
      ? `The machine has ${count(point.machine.faults, "fault")}.`
      : `Parts of the machine are broken: ${words.slice(0, mostFaults).join("; ")}${more}.`,
  ];
}

const infeedShare = (point) => (point.phases.infeed || 0) / point.epoch_seconds;

// The point at which the hosts hold the devices up most, if they do.
function heldByHosts(points) {
  const held = points.filter((point) => point.input && infeedShare(point) > 0.01);
  return held.length === 0 ? null : held.reduce((a, b) => (infeedShare(b) > infeedShare(a) ? b : a));
}

// By what they are held up there.
function inputWords(point) {
  const { read_seconds: read, parse_seconds: parse, every_host_reads_all: all } = point.input;
  const why =
    read < parse
      ? "they parse no faster"
      : all
        ? "each reads every record, so that more hosts do not help"
        : "they read no faster";
  return `Hosts hold the devices up: on ${count(point.machine.cores, "core")} ${percent(infeedShare(point))} of the time is infeed, since ${why}.`;
}
