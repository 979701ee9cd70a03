// Measures the peak speed of the processor: one large matrix product by the runtime that the backend uses, in float32 and in int8.
import { encodeModel } from '@kindred/backend-plm/graph/onnx';

/** The rows, inner size and columns of the product. */
export const productShape = [1024, 1024, 4096];
const [m, k, n] = productShape;
export const productOperations = 2 * m * n * k;

const numbers = (count) => Float32Array.from({ length: count }, () => Math.random() - 0.5);
const wholeNumbers = (count) => Uint8Array.from({ length: count }, () => Math.random() * 256);
const scalar = (name) => ({
  name,
  type: 'float',
  shape: [],
  data: new Uint8Array(Float32Array.of(0.01).buffer),
});

/** Opens sessions for both products; each call of one multiplies once. */
export async function openProducts() {
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const open = async (node, tensors, x) => {
    const model = encodeModel({
      nodes: [{ outputs: ['y'], ...node }],
      tensors,
      inputs: [{ name: 'x', type: x.type === 'float32' ? 'float' : x.type, shape: x.dims }],
      outputs: [{ name: 'y', type: 'float', shape: [m, n] }],
    });
    const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 });
    return () => session.run({ x });
  };
  return {
    float32: await open(
      { operator: 'Gemm', domain: '', inputs: ['x', 'w'], attributes: { transB: { integer: 1 } } },
      [{ name: 'w', type: 'float', shape: [n, k], data: new Uint8Array(numbers(n * k).buffer) }],
      new Tensor('float32', numbers(m * k), [m, k]),
    ),
    int8: await open(
      {
        operator: 'MatMulIntegerToFloat',
        domain: 'com.microsoft',
        inputs: ['x', 'w', 'xScale', 'wScale'],
        attributes: {},
      },
      [
        { name: 'w', type: 'int8', shape: [k, n], data: wholeNumbers(k * n) },
        scalar('xScale'),
        scalar('wScale'),
      ],
      new Tensor('uint8', wholeNumbers(m * k), [m, k]),
    ),
  };
}
