/** A position in the square of both axes, 0 to 1 each. */
export type Place = readonly [across: number, up: number];

const left = 30;
const top = 8;
const width = 262;
const height = 150;

/** The size of a drawing with axes from 0 to 1, in pixels of its own. */
export const plot = { viewBox: `0 0 ${left + width + 10} ${top + height + 26}` } as const;

/** Returns the pixels of a position. A position outside is drawn at the edge. */
export function place([across, up]: Place): readonly [x: number, y: number] {
  const within = (value: number) => Math.min(1, Math.max(0, value));
  return [left + within(across) * width, top + (1 - within(up)) * height];
}

/** Returns the value of `points` of a polyline. */
export function lineThrough(places: readonly Place[]): string {
  return places
    .map(place)
    .map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`)
    .join(' ');
}

/** Returns the value of `points` of a polygon between a lower and an upper line. */
export function areaBetween(lower: readonly Place[], upper: readonly Place[]): string {
  return lineThrough([...lower, ...[...upper].reverse()]);
}
