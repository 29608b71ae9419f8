// SPDX-License-Identifier: Apache-2.0
// Points of a large report stand in columns (report/compact/compact_points.h says how).

function valueOf(column, row) {
  if (column.value !== undefined) {
    return column.value;
  }
  return column.values !== undefined ? column.values[row] : column.distinct[column.at[row]];
}

function pointOf(part, columns, row) {
  if (typeof part === "number") {
    return valueOf(columns[part], row);
  }
  return Array.isArray(part)
    ? part.map((inner) => pointOf(inner, columns, row))
    : Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, pointOf(inner, columns, row)]));
}

// Whichever form they have; those that have kept their details are put back.
function withPoints(read) {
  if (Array.isArray(read.points)) {
    return read;
  }
  const rows = read.points.shapes.map(() => 0);
  const points = read.points.runs.flatMap(([shape, count]) => {
    const { point, columns } = read.points.shapes[shape];
    return Array.from({ length: count }, () => pointOf(point, columns, rows[shape]++));
  });
  for (const [number, point] of Object.entries(read.detailed_points || {})) {
    points[number] = point;
  }
  return { ...read, points };
}
