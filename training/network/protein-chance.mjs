// Learns from vectors of the network whether a sequence is a protein: logistic regression, or one hidden layer.
import { Random } from '@kindred/kernels/arrays';

const settings = { rate: 2e-3, decay: 0.03, batch: 64, epochs: 12 };

/** Returns the mean and the standard deviation of each column. */
function scaleOf(rows) {
  const dimension = rows[0].length;
  const mean = new Float64Array(dimension);
  const deviation = new Float64Array(dimension);
  for (const row of rows) row.forEach((value, j) => (mean[j] += value / rows.length));
  for (const row of rows) row.forEach((value, j) => (deviation[j] += (value - mean[j]) ** 2 / rows.length));
  return { mean, deviation: deviation.map((square) => Math.sqrt(square) || 1) };
}

/** A layer of weights [out, in] and biases with the moments of AdamW. */
class Layer {
  constructor(inputs, outputs, draw) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.weights = Float64Array.from({ length: inputs * outputs + outputs }, (_, i) =>
      i < inputs * outputs ? draw() : 0,
    );
    this.slopes = new Float64Array(this.weights.length);
    this.first = new Float64Array(this.weights.length);
    this.second = new Float64Array(this.weights.length);
  }

  apply(x) {
    const { inputs, outputs, weights } = this;
    return Float64Array.from({ length: outputs }, (_, out) => {
      let sum = weights[inputs * outputs + out];
      for (let j = 0, at = out * inputs; j < inputs; j++) sum += weights[at + j] * x[j];
      return sum;
    });
  }

  collect(x, slope, out) {
    this.slopes[this.inputs * this.outputs + out] += slope;
    for (let j = 0, at = out * this.inputs; j < this.inputs; j++) this.slopes[at + j] += slope * x[j];
  }

  step(rate, turn) {
    const { weights, slopes, first, second } = this;
    for (let j = 0; j < weights.length; j++) {
      first[j] = 0.9 * first[j] + 0.1 * slopes[j];
      second[j] = 0.99 * second[j] + 0.01 * slopes[j] ** 2;
      const moved = first[j] / (1 - 0.9 ** turn) / (Math.sqrt(second[j] / (1 - 0.99 ** turn)) + 1e-8);
      weights[j] -= rate * (moved + settings.decay * weights[j]);
    }
    slopes.fill(0);
  }
}

/**
 * @param hidden the number of units of the hidden layer; 0 is logistic regression
 * @returns a function that gives the log odds of a vector, and what it consists of
 */
export function learnChance(proteins, noise, { hidden, seed = 1 }) {
  const random = new Random(seed);
  // Both kinds weigh alike: the smaller one is repeated.
  const copies = Math.max(1, Math.round(noise.length / proteins.length));
  const rows = [...noise, ...Array.from({ length: copies }, () => proteins).flat()];
  const { mean, deviation } = scaleOf(rows);
  const scaled = (vector) => Float64Array.from(vector, (value, j) => (value - mean[j]) / deviation[j]);
  const draw = (inputs) => () => (random.float() * 2 - 1) * Math.sqrt(3 / inputs);
  const inner = hidden === 0 ? null : new Layer(mean.length, hidden, draw(mean.length));
  const outer = hidden === 0 ? new Layer(mean.length, 1, () => 0) : new Layer(hidden, 1, draw(hidden));
  const innerOf = (x) => (inner === null ? x : inner.apply(x).map((value) => Math.max(0, value)));
  const examples = rows.map((row, i) => ({ x: scaled(row), isProtein: Number(i >= noise.length) }));
  let turn = 0;
  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    for (let i = examples.length - 1; i > 0; i--) {
      const j = random.integer(i + 1);
      [examples[i], examples[j]] = [examples[j], examples[i]];
    }
    const rate = settings.rate * (0.5 + 0.5 * Math.cos((Math.PI * epoch) / settings.epochs));
    for (let from = 0; from < examples.length; from += settings.batch) {
      const some = examples.slice(from, from + settings.batch);
      for (const { x, isProtein } of some) {
        const units = innerOf(x);
        const slope = (1 / (1 + Math.exp(-outer.apply(units)[0])) - isProtein) / some.length;
        outer.collect(units, slope, 0);
        units.forEach(
          (unit, k) => inner !== null && unit > 0 && inner.collect(x, slope * outer.weights[k], k),
        );
      }
      turn++;
      outer.step(rate, turn);
      inner?.step(rate, turn);
    }
  }
  return { logOdds: (vector) => outer.apply(innerOf(scaled(vector)))[0], mean, deviation, inner, outer };
}
