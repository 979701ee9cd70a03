import { badModel } from '../bad-model.js';
import type { FloatType, TensorSpan, Weights } from '../weights/safetensors.js';
import {
  type Attribute,
  type ElementType,
  encodeModel,
  type OnnxNode,
  type OnnxTensor,
  type OnnxValue,
} from './onnx.js';

/** The location of the quantised copy of a weight (see weights/quantise.ts). */
export interface QuantisedWeight {
  file: string;
  /** The size of a block of weights with a common scale; null means one scale for all weights of an output. */
  blockSize: number | null;
  /** The values: with blocks uint8 [out, in / blockSize, blockSize], where 128 is zero; without blocks int8 [in, out]. */
  values: { offsetBytes: number; sizeBytes: number };
  /** The scales: float32 [out x in / blockSize], or [out]. */
  scales: { offsetBytes: number; sizeBytes: number };
}
export type QuantisedWeights = ReadonlyMap<string, QuantisedWeight>;

const onnxType: Record<FloatType, ElementType> = { F32: 'float', F16: 'float16', BF16: 'bfloat16' };
const microsoft = 'com.microsoft';

/**
 * Collects operators and weights of an encoder. Weights stay in their files; the graph refers to them. Float16 and bfloat16
 * weights get a Cast, which the runtime executes once when it opens the model; all arithmetic is float32.
 */
export class GraphBuilder {
  readonly #nodes: OnnxNode[] = [];
  readonly #tensors: OnnxTensor[] = [];
  readonly #inputs: OnnxValue[] = [];
  readonly #outputs: OnnxValue[] = [];
  readonly #known = new Map<string, string>();
  #counter = 0;

  readonly #weights: Weights;
  /** The prefix of every weight's name. */
  readonly #prefix: string;
  readonly #quantised: QuantisedWeights | null;

  constructor(weights: Weights, prefix: string, quantised: QuantisedWeights | null) {
    this.#weights = weights;
    this.#prefix = prefix;
    this.#quantised = quantised;
  }

  input(name: string, type: ElementType, shape: readonly (number | string)[]): string {
    this.#inputs.push({ name, type, shape });
    return name;
  }

  output(value: string, shape: readonly (number | string)[]): void {
    this.#outputs.push({ name: value, type: 'float', shape });
  }

  /** Adds a standard operator with one output. */
  op(operator: string, inputs: readonly string[], attributes: Record<string, Attribute> = {}): string {
    const output = this.#fresh(operator);
    this.#nodes.push({ operator, domain: '', inputs, outputs: [output], attributes });
    return output;
  }

  /** Adds an operator of ONNX Runtime's own set; absent outputs are ''. */
  fused(
    operator: string,
    inputs: readonly string[],
    attributes: Record<string, Attribute> = {},
    outputs: readonly boolean[] = [true],
  ): string[] {
    const names = outputs.map((wanted) => (wanted ? this.#fresh(operator) : ''));
    this.#nodes.push({ operator, domain: microsoft, inputs, outputs: names, attributes });
    return names;
  }

  #fresh(operator: string): string {
    return `${operator}_${this.#counter++}`;
  }

  /** Adds an int64 constant; one number without `shape` is a scalar. */
  integers(values: readonly number[], shape: readonly number[] = [values.length]): string {
    return this.#constant(
      'int64',
      shape,
      `i${shape.join('x')}:${values}`,
      new BigInt64Array(values.map(BigInt)),
    );
  }

  float(value: number): string {
    return this.#constant('float', [], `f${value}`, new Float32Array([value]));
  }

  #constant(
    type: ElementType,
    shape: readonly number[],
    key: string,
    values: BigInt64Array | Float32Array,
  ): string {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.#fresh('constant');
    this.#tensors.push({ name, type, shape, data: new Uint8Array(values.buffer) });
    this.#known.set(key, name);
    return name;
  }

  has(name: string): boolean {
    return this.#weights.has(this.#prefix + name);
  }

  /**
   * Adds a weight as float32.
   * @throws ProblemError bad_file if the folder does not have it or its shape differs
   */
  weight(name: string, shape: readonly number[]): string {
    const full = this.#prefix + name;
    const known = this.#known.get(full);
    if (known !== undefined) return known;
    const span = this.#span(name, shape);
    this.#tensors.push({
      name: full,
      type: onnxType[span.type],
      shape: span.shape,
      data: { file: span.file, offsetBytes: span.offsetBytes, sizeBytes: span.sizeBytes },
    });
    const value = span.type === 'F32' ? full : this.op('Cast', [full], { to: { integer: 1 } });
    this.#known.set(full, value);
    return value;
  }

  #span(name: string, shape: readonly number[]): TensorSpan {
    const span = this.#weights.get(this.#prefix + name);
    if (span === undefined) throw badModel(`the weights have no tensor ${this.#prefix}${name}`);
    if (span.shape.join() !== shape.join())
      throw badModel(
        `the tensor ${this.#prefix}${name} has the shape ${span.shape.join(' x ')}; config.json asks for ${shape.join(' x ')}`,
      );
    return span;
  }

  /** Multiplies rows x `input` to rows x `output`: x W' + b, with W in PyTorch's layout, [output, input]. */
  linear(x: string, name: string, [output, input]: readonly [number, number], biased = true): string {
    const weight = `${name}.weight`;
    const bias = biased ? [this.weight(`${name}.bias`, [output])] : [];
    const small = this.#quantised?.get(this.#prefix + weight);
    if (small === undefined)
      return this.op('Gemm', [x, this.weight(weight, [output, input]), ...bias], { transB: { integer: 1 } });
    this.#span(weight, [output, input]);
    return this.#smallProduct([x, ...bias], this.#prefix + weight, small, [output, input]);
  }

  #smallProduct(
    [x, ...bias]: readonly string[],
    name: string,
    weight: QuantisedWeight,
    [output, input]: readonly [number, number],
  ): string {
    const { file, blockSize, values, scales } = weight;
    if (blockSize === null) return this.#roundedProduct([x, ...bias], name, weight, [output, input]);
    const blocks = input / blockSize;
    this.#tensors.push(
      {
        name: `${name}:values`,
        type: 'uint8',
        shape: [output, blocks, blockSize],
        data: { file, ...values },
      },
      { name: `${name}:scales`, type: 'float', shape: [output * blocks], data: { file, ...scales } },
    );
    return this.fused('MatMulNBits', [x, `${name}:values`, `${name}:scales`, '', '', ...bias], {
      K: { integer: input },
      N: { integer: output },
      bits: { integer: 8 },
      block_size: { integer: blockSize },
      accuracy_level: { integer: 4 },
    })[0];
  }

  /** Rounds the rows to 8 bits with one common scale, and computes an integer product. */
  #roundedProduct(
    [x, bias = '']: readonly string[],
    name: string,
    { file, values, scales }: QuantisedWeight,
    [output, input]: readonly [number, number],
  ): string {
    this.#tensors.push(
      { name: `${name}:values`, type: 'int8', shape: [input, output], data: { file, ...values } },
      { name: `${name}:scales`, type: 'float', shape: [output], data: { file, ...scales } },
    );
    const inputs = [x, `${name}:values`, `${name}:scales`, '', ...(bias === '' ? [] : [bias])];
    return this.fused('DynamicQuantizeMatMul', inputs)[0];
  }

  /** Returns the memory of the weights when the graph is open: float16 and bfloat16 are widened to float32. */
  weightBytes(): number {
    return this.#tensors.reduce((sum, { type, data }) => {
      if (data instanceof Uint8Array) return sum;
      return sum + data.sizeBytes * (type === 'float16' || type === 'bfloat16' ? 2 : 1);
    }, 0);
  }

  /** Says whether all weights are float32 in their files. */
  hasFloat32Files(): boolean {
    return this.#tensors.every(({ type, data }) => data instanceof Uint8Array || type === 'float');
  }

  weightFiles(): string[] {
    return [...new Set(this.#tensors.flatMap(({ data }) => (data instanceof Uint8Array ? [] : data.file)))];
  }

  finish(): Uint8Array {
    return encodeModel({
      nodes: this.#nodes,
      tensors: this.#tensors,
      inputs: this.#inputs,
      outputs: this.#outputs,
    });
  }
}
