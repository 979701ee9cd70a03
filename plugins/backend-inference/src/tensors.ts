import { fromFloat16 } from '@kindred/kernels/arrays';
import { ProblemError } from '@kindred/contracts';

export interface TensorHead {
  name: string;
  datatype: string;
  shape: number[];
  data?: unknown;
  parameters?: Record<string, unknown>;
}
/** The JSON part of a response. */
export interface InferAnswer {
  model_name?: string;
  outputs?: TensorHead[];
}
export interface Tensor {
  name: string;
  shape: number[];
  /** The values, row-major. */
  values: Float32Array;
}

export const headerLength = 'inference-header-content-length';
const bytesOf: Record<string, number> = { FP16: 2, FP32: 4, FP64: 8 };

/** Writes texts in the binary extension: each is preceded by its length, four bytes, little-endian. */
export function packTexts(texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    }),
  );
}

/**
 * Reads the numeric tensors of a response, JSON or binary. If a header gives the length of the JSON part, the outputs with a
 * `binary_data_size` follow it, in order. @throws ProblemError bad_file, which names the invalid part
 */
export function readTensors(body: Buffer, jsonLength: string | null): Tensor[] {
  const end = jsonLength === null ? body.length : Number(jsonLength);
  if (!Number.isInteger(end) || end < 0 || end > body.length)
    throw misfit(`its header says that ${jsonLength} of ${body.length} bytes are JSON`);
  let answer: InferAnswer;
  try {
    answer = JSON.parse(body.toString('utf8', 0, end));
  } catch (error) {
    throw misfit(`it is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(answer.outputs)) throw misfit('it has no outputs');
  let offset = end;
  const tensors: Tensor[] = [];
  for (const output of answer.outputs) {
    const size = output.parameters?.binary_data_size;
    if (typeof size !== 'number') {
      tensors.push(fromJson(output));
      continue;
    }
    if (size < 0 || offset + size > body.length)
      throw misfit(`output ${output.name} should have ${size} bytes and ends early`);
    const width = bytesOf[output.datatype];
    if (width !== undefined) tensors.push(fromBytes(output, body.subarray(offset, offset + size), width));
    offset += size;
  }
  return tensors;
}

function fromJson({ name, shape, data }: TensorHead): Tensor {
  const values = Array.isArray(data) ? (data as unknown[]).flat(8) : [];
  // Standard JSON has no NaN or infinity, so any value that is not a number is an error.
  if (values.some((value) => typeof value !== 'number')) return { name, shape, values: new Float32Array(0) };
  return checked({ name, shape, values: Float32Array.from(values as number[]) });
}

function fromBytes({ name, shape, datatype }: TensorHead, bytes: Buffer, width: number): Tensor {
  if (bytes.length % width !== 0)
    throw misfit(`output ${name} has ${bytes.length} bytes, no multiple of ${width}`);
  // The bytes are copied, because the block may not be aligned for the element type.
  const { buffer } = Uint8Array.from(bytes);
  const values =
    datatype === 'FP16'
      ? fromFloat16(new Uint16Array(buffer))
      : datatype === 'FP32'
        ? new Float32Array(buffer)
        : Float32Array.from(new Float64Array(buffer));
  return checked({ name, shape, values });
}

function checked(tensor: Tensor): Tensor {
  const count = tensor.shape.reduce((product, length) => product * length, 1);
  if (count !== tensor.values.length)
    throw misfit(
      `output ${tensor.name} of shape [${tensor.shape.join(', ')}] has ${tensor.values.length} numbers`,
    );
  return tensor;
}

export function misfit(text: string): ProblemError {
  return new ProblemError('bad_file', `The answer of the inference server can't be used: ${text}.`);
}
