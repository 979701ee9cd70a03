/** Products of blocks of vectors by onnxruntime, for machines without the addon. */
export interface BlockProducts {
  /** scores[i * references + j] = <query i, reference j>, all float32 and row-major; `scores` is written in place. */
  multiply(block: {
    queries: Float32Array;
    references: Float32Array;
    scores: Float32Array;
    dimension: number;
  }): Promise<void>;
  close(): Promise<void>;
}

type Runtime = typeof import('onnxruntime-node');

/** null where onnxruntime is not installed, or does not run here. */
export async function openProducts(threads: number): Promise<BlockProducts | null> {
  const runtime = await loadRuntime();
  if (runtime === null) return null;
  const session = await runtime.InferenceSession.create(productModel(), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Buffers are ours and few: an arena would only keep memory.
    enableCpuMemArena: false,
    enableMemPattern: false,
  });
  const tensor = (values: Float32Array, columns: number) =>
    new runtime.Tensor('float32', values, [values.length / columns, columns]);
  return {
    async multiply({ queries, references, scores, dimension }) {
      const right = tensor(references, dimension);
      await session.run({ a: tensor(queries, dimension), b: right }, { s: tensor(scores, right.dims[0]) });
    },
    close: () => session.release(),
  };
}

let loaded: Promise<Runtime | null> | undefined;

function loadRuntime(): Promise<Runtime | null> {
  loaded ??= import('onnxruntime-node').catch(() => null);
  return loaded;
}

/** The graph s = a b^T as ONNX's protobuf (onnx.proto3, operator set 13). */
function productModel(): Uint8Array {
  const transposed = [...text(1, 'transB'), ...number(3, 1), ...number(20, 2)];
  const node = [
    ...text(1, 'a'),
    ...text(1, 'b'),
    ...text(2, 's'),
    ...text(4, 'Gemm'),
    ...message(5, transposed),
  ];
  const graph = [
    ...message(1, node),
    ...text(2, 'products'),
    ...message(11, matrix('a', ['queries', 'dimension'])),
    ...message(11, matrix('b', ['references', 'dimension'])),
    ...message(12, matrix('s', ['queries', 'references'])),
  ];
  return Uint8Array.from([...number(1, 8), ...message(7, graph), ...message(8, number(2, 13))]);
}

/** ValueInfoProto of a float32 matrix with named dimensions. */
function matrix(name: string, dimensions: string[]): number[] {
  const shape = dimensions.flatMap((dimension) => message(1, text(2, dimension)));
  const type = message(1, [...number(1, 1), ...message(2, shape)]);
  return [...text(1, name), ...message(2, type)];
}

function message(field: number, bytes: number[]): number[] {
  return [...varint(field * 8 + 2), ...varint(bytes.length), ...bytes];
}

function text(field: number, value: string): number[] {
  return message(field, [...Buffer.from(value)]);
}

function number(field: number, value: number): number[] {
  return [...varint(field * 8), ...varint(value)];
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}
