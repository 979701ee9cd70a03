/** Writes a difference with its sign: `+0.012`, `−0.130`. */
export function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
