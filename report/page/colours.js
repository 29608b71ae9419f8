// SPDX-License-Identifier: Apache-2.0
// Each phase and resource has one colour wherever it is drawn, whatever stands beside it. `colours` is colours.json.

// By its name alone, unless another phase of the report has that colour already.
function colourOf(name, taken) {
  if (colours.phases[name]) {
    return colours.phases[name];
  }
  const n = colours.further.length;
  const start = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 9973, 7) % n;
  const order = colours.further.map((_, i) => colours.further[(start + i) % n]);
  return order.find((colour) => !taken.includes(colour)) || order[0];
}
