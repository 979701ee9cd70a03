/**
 * Computes the angles of rotary positions: cos and sin of position / base^(2 i / headSize), float32 [length, headSize / 2]. Each step is
 * rounded to float32, as in the training of the models.
 * @cite Su2024
 */
export function rotaryAngles(
  length: number,
  headSize: number,
  base: number,
): { cos: Float32Array; sin: Float32Array } {
  const half = headSize / 2;
  const cos = new Float32Array(length * half);
  const sin = new Float32Array(length * half);
  for (let i = 0; i < half; i++) {
    const frequency = Math.fround(1 / Math.fround(base ** Math.fround((2 * i) / headSize)));
    for (let position = 0; position < length; position++) {
      const angle = Math.fround(position * frequency);
      cos[position * half + i] = Math.cos(angle);
      sin[position * half + i] = Math.sin(angle);
    }
  }
  return { cos, sin };
}

/**
 * Returns the bucket of each relative position (key - query) from 1 - length to length - 1: exact for near ones, logarithmic up to
 * `maxDistance`, one bucket for all larger distances; the upper half of the buckets is for keys after the query. Each step is rounded to
 * float32, because boundaries would move otherwise.
 * @cite Raffel2020
 */
export function relativeBuckets(length: number, buckets: number, maxDistance: number): BigInt64Array {
  const perSide = Math.floor(buckets / 2);
  const exact = Math.floor(perSide / 2);
  const range = Math.fround(Math.log(maxDistance / exact));
  const bucketOf = (distance: number): number => {
    if (distance < exact) return distance;
    const share = Math.fround(Math.fround(Math.log(Math.fround(distance / exact))) / range);
    return Math.min(perSide - 1, exact + Math.trunc(Math.fround(share * (perSide - exact))));
  };
  return BigInt64Array.from({ length: 2 * length - 1 }, (_, index) => {
    const relative = index - (length - 1);
    return BigInt(bucketOf(Math.abs(relative)) + (relative > 0 ? perSide : 0));
  });
}
