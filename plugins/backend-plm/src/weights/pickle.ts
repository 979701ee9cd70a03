import { badModel } from '../bad-model.js';

/** A name in a pickle. It is never resolved, so that no code can run. */
export class PickleName {
  constructor(readonly name: string) {}
}
/** A call `callee(...arguments)` in a pickle. It is never executed. */
export class PickleCall {
  constructor(
    readonly callee: PickleValue,
    readonly parameters: PickleValue[],
  ) {}
}
/** A value that is stored outside the pickle. */
export class PickleReference {
  constructor(readonly id: PickleValue) {}
}
export type PickleValue =
  | string
  | number
  | boolean
  | null
  | PickleValue[]
  | Map<PickleValue, PickleValue>
  | PickleName
  | PickleCall
  | PickleReference;

const mark = Symbol('mark');
type Slot = PickleValue | typeof mark;
const maxStackSize = 1_000_000;

/**
 * Reads a pickle as data: names and calls are not executed, and an OrderedDict becomes a Map. Only the operations that PyTorch writes for
 * weights are supported; any other is an error. The cost is one pass.
 *
 * @throws ProblemError bad_file
 */
export function readPickle(bytes: Buffer): PickleValue {
  try {
    return new PickleReader(bytes).read();
  } catch (error) {
    throw error instanceof RangeError ? badModel('the list of weights (data.pkl) is damaged') : error;
  }
}

class PickleReader {
  #at = 0;
  readonly #stack: Slot[] = [];
  readonly #memo = new Map<number, PickleValue>();

  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  read(): PickleValue {
    for (;;) {
      const code = this.byte();
      if (code === 0x2e) return this.pop();
      this.#step(code);
      if (this.#stack.length > maxStackSize) throw new RangeError('the stack is too deep');
    }
  }

  #step(code: number): void {
    const operation = operations.get(code);
    if (operation === undefined)
      throw badModel(`the list of weights (data.pkl) does what no list of weights does (operation ${code})`);
    operation(this);
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }
  int32(): number {
    this.#at += 4;
    return this.#bytes.readInt32LE(this.#at - 4);
  }
  uint16(): number {
    this.#at += 2;
    return this.#bytes.readUInt16LE(this.#at - 2);
  }
  float64(): number {
    this.#at += 8;
    return this.#bytes.readDoubleBE(this.#at - 8);
  }
  /** Reads a number of `count` bytes, little-endian, in two's complement. */
  long(count: number): number {
    if (count === 0) return 0;
    if (count > 8) throw new RangeError('a number is too large');
    let value = 0n;
    for (let i = 0; i < count; i++) value |= BigInt(this.byte()) << BigInt(8 * i);
    return Number(BigInt.asIntN(8 * count, value));
  }
  text(count: number): string {
    if (count < 0 || this.#at + count > this.#bytes.length)
      throw new RangeError('a text ends behind the file');
    this.#at += count;
    return this.#bytes.toString('utf8', this.#at - count, this.#at);
  }
  line(): string {
    const end = this.#bytes.indexOf(0x0a, this.#at);
    if (end < 0) throw new RangeError('a line has no end');
    const text = this.text(end - this.#at);
    this.#at++;
    return text;
  }

  push(value: Slot): void {
    this.#stack.push(value);
  }
  pop(): PickleValue {
    const value = this.#stack.pop();
    if (value === undefined || value === mark) throw new RangeError('the stack is empty');
    return value;
  }
  /** Removes and returns the values above the last mark. */
  popMarked(): PickleValue[] {
    const start = this.#stack.lastIndexOf(mark);
    if (start < 0) throw new RangeError('there is no mark');
    const values = this.#stack.splice(start).slice(1);
    return values as PickleValue[];
  }
  top(): PickleValue {
    const value = this.pop();
    this.push(value);
    return value;
  }
  keep(key: number): void {
    this.#memo.set(key, this.top());
  }
  keepNext(): void {
    this.keep(this.#memo.size);
  }
  recall(key: number): void {
    const value = this.#memo.get(key);
    if (value === undefined) throw new RangeError('a value was not kept');
    this.push(value);
  }
  setItems(values: PickleValue[]): void {
    const target = this.top();
    if (!(target instanceof Map)) throw new RangeError('items are set on what is not a dictionary');
    for (let i = 0; i + 1 < values.length; i += 2) target.set(values[i], values[i + 1]);
  }
  append(values: PickleValue[]): void {
    const target = this.top();
    if (!Array.isArray(target)) throw new RangeError('values are appended to what is not a list');
    target.push(...values);
  }
  reduce(): void {
    const parameters = this.pop();
    const callee = this.pop();
    if (!Array.isArray(parameters)) throw new RangeError('a call has no parameters');
    const isMap = callee instanceof PickleName && callee.name === 'collections.OrderedDict';
    this.push(isMap && parameters.length === 0 ? new Map() : new PickleCall(callee, parameters));
  }
  tuple(count: number): void {
    const values = Array.from({ length: count }, () => this.pop());
    this.push(values.reverse());
  }
}

/** The operations by their numbers in Python's pickletools, each with its name there. */
const operations = new Map<number, (reader: PickleReader) => void>([
  [0x80, (reader) => void reader.byte()], // PROTO
  [0x95, (reader) => void reader.text(8)], // FRAME
  [0x28, (reader) => reader.push(mark)],
  [0x7d, (reader) => reader.push(new Map())], // EMPTY_DICT
  [0x5d, (reader) => reader.push([])], // EMPTY_LIST
  [0x29, (reader) => reader.push([])], // EMPTY_TUPLE
  [0x4e, (reader) => reader.push(null)],
  [0x88, (reader) => reader.push(true)],
  [0x89, (reader) => reader.push(false)],
  [0x4a, (reader) => reader.push(reader.int32())], // BININT
  [0x4b, (reader) => reader.push(reader.byte())], // BININT1
  [0x4d, (reader) => reader.push(reader.uint16())], // BININT2
  [0x8a, (reader) => reader.push(reader.long(reader.byte()))], // LONG1
  [0x47, (reader) => reader.push(reader.float64())], // BINFLOAT
  [0x58, (reader) => reader.push(reader.text(reader.int32()))], // BINUNICODE
  [0x8c, (reader) => reader.push(reader.text(reader.byte()))], // SHORT_BINUNICODE
  [0x63, (reader) => reader.push(new PickleName(`${reader.line()}.${reader.line()}`))], // GLOBAL
  [0x51, (reader) => reader.push(new PickleReference(reader.pop()))], // BINPERSID
  [0x71, (reader) => reader.keep(reader.byte())], // BINPUT
  [0x72, (reader) => reader.keep(reader.int32())], // LONG_BINPUT
  [0x94, (reader) => reader.keepNext()], // MEMOIZE
  [0x68, (reader) => reader.recall(reader.byte())], // BINGET
  [0x6a, (reader) => reader.recall(reader.int32())], // LONG_BINGET
  [0x85, (reader) => reader.tuple(1)],
  [0x86, (reader) => reader.tuple(2)],
  [0x87, (reader) => reader.tuple(3)],
  [0x74, (reader) => reader.push(reader.popMarked())], // TUPLE
  [0x52, (reader) => reader.reduce()],
  [0x62, (reader) => void reader.pop()], // BUILD, for attributes besides the items (_metadata)
  [0x73, (reader) => reader.setItems([reader.pop(), reader.pop()].reverse())], // SETITEM
  [0x75, (reader) => reader.setItems(reader.popMarked())], // SETITEMS
  [0x61, (reader) => reader.append([reader.pop()])], // APPEND
  [0x65, (reader) => reader.append(reader.popMarked())], // APPENDS
]);
