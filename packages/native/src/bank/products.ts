/** Integer products of blocks of vectors by onnxruntime, for machines without the addon. */
export interface BlockProducts {
  /** The maximum magnitude of a query code. */
  readonly levels: number;
  /** Multiplies in place: products[r * columns + q] = sum over i of rows[r * width + i] * queries[i * columns + q]. */
  multiply(block: {
    /** The codes of the rows: Uint8 [rows x width]. */
    rows: Uint8Array;
    /** The codes of the queries: Int8 [width x columns]. */
    queries: Int8Array;
    /** The products: Int32 [rows x columns]. */
    products: Int32Array;
    width: number;
  }): Promise<void>;
  close(): Promise<void>;
}

/** The largest query code on processors that add products in 32 bits, and on those that first add two products in 16 bits. */
const [allLevels, fewLevels] = [127, 63];

type Runtime = typeof import('onnxruntime-node');

/** Opens the products of onnxruntime; null if it is not installed or does not run on this machine. */
export async function openProducts(threads: number): Promise<BlockProducts | null> {
  const runtime = await loadRuntime();
  if (runtime === null) return null;
  const session = await runtime.InferenceSession.create(productModel(), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // The few buffers are provided here, and an arena would only use more memory.
    enableCpuMemArena: false,
    enableMemPattern: false,
    // The threads must not spin while they wait, because other work runs between products.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
  const multiply: BlockProducts['multiply'] = async ({ rows, queries, products, width }) => {
    const [height, columns] = [rows.length / width, queries.length / width];
    const feeds = {
      a: new runtime.Tensor('uint8', rows, [height, width]),
      b: new runtime.Tensor('int8', queries, [width, columns]),
    };
    await session.run(feeds, { s: new runtime.Tensor('int32', products, [height, columns]) });
  };
  const levels = (await takesAllLevels(multiply)) ? allLevels : fewLevels;
  return { levels, multiply, close: () => session.release() };
}

/**
 * Checks that the largest possible products are correct: processors without VNNI saturate sums of two products at 16 bits.
 */
async function takesAllLevels(multiply: BlockProducts['multiply']): Promise<boolean> {
  const [height, width] = [64, 64];
  const rows = new Uint8Array(height * width).fill(255);
  for (const columns of [1, 16]) {
    const queries = new Int8Array(width * columns).fill(allLevels);
    const products = new Int32Array(height * columns);
    await multiply({ rows, queries, products, width });
    if (products.some((product) => product !== 255 * allLevels * width)) return false;
  }
  return true;
}

let loaded: Promise<Runtime | null> | undefined;

function loadRuntime(): Promise<Runtime | null> {
  loaded ??= import('onnxruntime-node').catch(() => null);
  return loaded;
}

/** The element types of onnx.proto3. */
const [uint8, int8, int32] = [2, 3, 6];

/** Writes the graph s = a b in ONNX's protobuf (onnx.proto3, operator set 13). */
function productModel(): Uint8Array {
  const node = [...text(1, 'a'), ...text(1, 'b'), ...text(2, 's'), ...text(4, 'MatMulInteger')];
  const graph = [
    ...message(1, node),
    ...text(2, 'products'),
    ...message(11, matrix('a', uint8, ['rows', 'width'])),
    ...message(11, matrix('b', int8, ['width', 'queries'])),
    ...message(12, matrix('s', int32, ['rows', 'queries'])),
  ];
  return Uint8Array.from([...number(1, 8), ...message(7, graph), ...message(8, number(2, 13))]);
}

/** Writes the ValueInfoProto of a matrix with named dimensions. */
function matrix(name: string, element: number, dimensions: string[]): number[] {
  const shape = dimensions.flatMap((dimension) => message(1, text(2, dimension)));
  const type = message(1, [...number(1, element), ...message(2, shape)]);
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
