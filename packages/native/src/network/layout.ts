import type { Dense, NetworkProgram, Norm, Step } from '@kindred/kernels/network';

/** A network as the kernels read it; `src-cc/network-program.h` has the fields of the words. */
export interface NetworkTables {
  words: Int32Array;
  floats: Float32Array;
  /** The weights of each matrix: Int8 [rows, columns]. */
  weights: Int8Array;
  /** The number of packed 16-bit weights. */
  packed: number;
}

/** The number of rows of a matrix that are multiplied together, which is PANEL of the kernels. */
const panel = 32;
const kinds = { block: 0, halve: 1, attention: 2 } as const;

/** Collects arrays of one type, and returns the place of each. */
class Pool<T extends Float32Array | Int8Array> {
  readonly #parts: T[] = [];
  length = 0;

  add(part: T): number {
    const at = this.length;
    this.#parts.push(part);
    this.length += part.length;
    return at;
  }

  fill(whole: T): T {
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}

class Writer {
  readonly floats = new Pool<Float32Array>();
  readonly weights = new Pool<Int8Array>();
  readonly matrices: number[][] = [];
  packed = 0;

  norm({ weight, bias }: Norm): [number, number] {
    return [this.floats.add(weight), this.floats.add(bias)];
  }

  /** Writes a layer, and returns the number of its matrix. */
  dense({ weight, bias, levels }: Dense, channels = weight.columns): number {
    const padded = Math.ceil(weight.columns / 2) * 2;
    this.matrices.push([
      weight.rows,
      weight.columns,
      padded,
      weight.columns / channels,
      levels,
      this.floats.add(weight.scales),
      this.floats.add(bias),
      this.weights.add(weight.values),
      this.packed,
    ]);
    this.packed += Math.ceil(weight.rows / panel) * panel * padded;
    return this.matrices.length - 1;
  }

  step(step: Step): number[] {
    if (step.kind === 'halve') return [kinds.halve, 0, 0, 0, 0, this.dense(step.dense), 0, 0, 0, 0, 0, 0];
    const norm = this.norm(step.norm);
    const scale = this.floats.add(step.scale);
    if (step.kind === 'block') {
      const taps = this.dense(step.convolution, step.scale.length);
      return [kinds.block, step.dilation, ...norm, scale, taps, this.dense(step.out), 0, 0, 0, 0, 0];
    }
    const matrices = [step.queriesKeysValues, step.out, step.up, step.down].map((layer) => this.dense(layer));
    const forward = [...this.norm(step.forwardNorm), this.floats.add(step.forwardScale)];
    return [kinds.attention, 0, ...norm, scale, ...matrices, ...forward];
  }
}

export function layOutNetwork(program: NetworkProgram): NetworkTables {
  const { stemBias, embedding, pool } = program;
  const writer = new Writer();
  const { floats } = writer;
  const steps = program.steps.map((step) => writer.step(step));
  const poolWords = [
    ...writer.norm(pool.norm),
    writer.dense(pool.scores),
    writer.dense(pool.values),
    writer.dense(pool.maxima),
    writer.dense(pool.toVector),
    ...writer.norm(pool.vectorNorm),
  ];
  const head = [
    stemBias.length,
    embedding.length / stemBias.length,
    program.stemTaps,
    floats.add(embedding),
    floats.add(program.stem),
    floats.add(stemBias),
    floats.add(program.cosines),
    floats.add(program.sines),
    program.heads,
    program.rowLevels,
    program.poolHeads,
    writer.dense(program.head),
    program.longest,
    writer.matrices.length,
    steps.length,
  ];
  return {
    words: Int32Array.from([...head, ...poolWords, ...writer.matrices.flat(), ...steps.flat()]),
    floats: floats.fill(new Float32Array(floats.length)),
    weights: writer.weights.fill(new Int8Array(writer.weights.length)),
    packed: writer.packed,
  };
}

/** Returns the last feature of pooling, which is the same for every implementation. */
export function logLengthOf(residues: number, usualLogLength: number): number {
  return Math.fround(Math.log(residues) - usualLogLength);
}
