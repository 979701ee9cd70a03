import protobuf from 'protobufjs/minimal.js';

type Writer = protobuf.Writer;

/** The element types of onnx.proto3 (TensorProto.DataType). */
export const elementType = { float: 1, uint8: 2, int8: 3, int64: 7, float16: 10, bfloat16: 16 } as const;
export type ElementType = keyof typeof elementType;

export type Attribute = number | { integer: number } | string | readonly number[];
export interface OnnxNode {
  operator: string;
  /** The set of operators; '' is the standard set. */
  domain: string;
  inputs: readonly string[];
  outputs: readonly string[];
  /** The attributes; a plain number is a float attribute. */
  attributes: Readonly<Record<string, Attribute>>;
}
export interface OnnxTensor {
  name: string;
  type: ElementType;
  shape: readonly number[];
  /** The data: little-endian bytes, or their location in a file next to the model. */
  data: Uint8Array | { file: string; offsetBytes: number; sizeBytes: number };
}
export interface OnnxValue {
  name: string;
  type: ElementType;
  /** The shape; a string names a size that is known only when the model runs. */
  shape: readonly (number | string)[];
}
export interface OnnxGraph {
  nodes: readonly OnnxNode[];
  tensors: readonly OnnxTensor[];
  inputs: readonly OnnxValue[];
  outputs: readonly OnnxValue[];
}

const irVersion = 8;
const operatorSets: readonly [domain: string, version: number][] = [
  ['', 17],
  ['com.microsoft', 1],
];
const lengthDelimited = 2;

/**
 * Writes a graph as an ONNX model file (protobuf). Field numbers are those of onnx.proto3.
 * @cite ONNX
 */
export function encodeModel(graph: OnnxGraph): Uint8Array {
  const writer = protobuf.Writer.create();
  integer(writer, 1, irVersion);
  text(writer, 2, 'kindred');
  message(writer, 7, () => encodeGraph(writer, graph));
  for (const [domain, version] of operatorSets) {
    message(writer, 8, () => {
      text(writer, 1, domain);
      integer(writer, 2, version);
    });
  }
  return writer.finish();
}

function encodeGraph(writer: Writer, { nodes, tensors, inputs, outputs }: OnnxGraph): void {
  for (const node of nodes) message(writer, 1, () => encodeNode(writer, node));
  text(writer, 2, 'encoder');
  for (const tensor of tensors) message(writer, 5, () => encodeTensor(writer, tensor));
  for (const value of inputs) message(writer, 11, () => encodeValue(writer, value));
  for (const value of outputs) message(writer, 12, () => encodeValue(writer, value));
}

function encodeNode(writer: Writer, { operator, domain, inputs, outputs, attributes }: OnnxNode): void {
  for (const name of inputs) text(writer, 1, name);
  for (const name of outputs) text(writer, 2, name);
  text(writer, 3, `${operator}:${outputs.find((name) => name !== '')}`);
  text(writer, 4, operator);
  for (const [name, value] of Object.entries(attributes))
    message(writer, 5, () => encodeAttribute(writer, name, value));
  text(writer, 7, domain);
}

function encodeAttribute(writer: Writer, name: string, value: Attribute): void {
  text(writer, 1, name);
  if (typeof value === 'number') {
    writer.uint32((2 << 3) | 5).float(value);
    integer(writer, 20, 1);
  } else if (typeof value === 'string') {
    text(writer, 4, value);
    integer(writer, 20, 3);
  } else if ('integer' in value) {
    integer(writer, 3, value.integer);
    integer(writer, 20, 2);
  } else {
    for (const item of value) integer(writer, 8, item);
    integer(writer, 20, 7);
  }
}

function encodeTensor(writer: Writer, { name, type, shape, data }: OnnxTensor): void {
  for (const size of shape) integer(writer, 1, size);
  integer(writer, 2, elementType[type]);
  text(writer, 8, name);
  if (data instanceof Uint8Array) {
    writer.uint32((9 << 3) | lengthDelimited).bytes(data);
    return;
  }
  const place = { location: data.file, offset: String(data.offsetBytes), length: String(data.sizeBytes) };
  for (const [key, value] of Object.entries(place)) {
    message(writer, 13, () => {
      text(writer, 1, key);
      text(writer, 2, value);
    });
  }
  integer(writer, 14, 1);
}

function encodeValue(writer: Writer, { name, type, shape }: OnnxValue): void {
  text(writer, 1, name);
  message(writer, 2, () =>
    message(writer, 1, () => {
      integer(writer, 1, elementType[type]);
      message(writer, 2, () => {
        for (const size of shape) {
          message(writer, 1, () =>
            typeof size === 'number' ? integer(writer, 1, size) : text(writer, 2, size),
          );
        }
      });
    }),
  );
}

function integer(writer: Writer, field: number, value: number): void {
  writer.uint32(field << 3).int64(value);
}

function text(writer: Writer, field: number, value: string): void {
  writer.uint32((field << 3) | lengthDelimited).string(value);
}

function message(writer: Writer, field: number, write: () => void): void {
  writer.uint32((field << 3) | lengthDelimited).fork();
  write();
  writer.ldelim();
}
