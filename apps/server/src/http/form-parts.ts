import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { ProblemError } from '@kindred/contracts';
import type { FastifyRequest } from 'fastify';
import { joinYielding } from '../ground/event-loop.js';
import { tooLarge } from './uploads/sequences.js';
import { validationProblem } from './problems.js';

/** A form has at most this many parts, more than any route needs. */
const mostParts = 20;
/** The parser takes all parts of a piece in one turn of the event loop: some hundred at most. */
const pieceBytes = 4 << 10;
/** The headers of all parts together have at most this size. */
const headerBytes = 64 << 10;

export interface FormPart {
  name: string;
  /** The file has this name; null stands for a text field. */
  file: { name: string | undefined } | null;
  bytes: Buffer;
}

export interface FormRules {
  /** The bytes of all parts together have at most this size. */
  maxBytes: number;
  /** Returns the largest number of bytes of a part, or the reason why it is refused. */
  judge(part: Pick<FormPart, 'name' | 'file'>, earlier: ReadonlySet<string>): number | string;
}

/**
 * Reads the parts of a multipart form as bytes. As a field, the parser would turn a part into a text, or into
 * a value if the part claims to be JSON, all at once. Reading ends with the first fault.
 * @throws ProblemError payload_too_large, malformed_request, validation_failed (with the reason that the
 * rules give)
 */
export async function readFormParts(request: FastifyRequest, rules: FormRules): Promise<FormPart[]> {
  const mostBytes = rules.maxBytes + headerBytes;
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(rules.maxBytes);
  const reader = new FormReader(request.headers, rules);
  let size = 0;
  try {
    // The rest of the body is dropped after the answer.
    for await (const chunk of request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > mostBytes) throw tooLarge(rules.maxBytes);
      for (let at = 0; at < chunk.byteLength; at += pieceBytes)
        await reader.write(chunk.subarray(at, at + pieceBytes));
    }
    await reader.end();
  } catch (error) {
    throw error instanceof ProblemError ? error : unreadable(error as Error);
  }
  return reader.parts();
}

interface OpenPart extends Omit<FormPart, 'bytes'> {
  chunks: Buffer[];
}

class FormReader {
  readonly #form: BusboyInstance;
  readonly #rules: FormRules;
  readonly #parts = new Map<string, OpenPart>();
  #fault: Error | null = null;
  #giveUp = () => {};

  constructor(headers: FastifyRequest['headers'], rules: FormRules) {
    this.#rules = rules;
    try {
      this.#form = new Busboy({
        headers: headers as BusboyHeaders,
        limits: { parts: mostParts },
        isPartAFile: () => true,
      });
    } catch (error) {
      throw unreadable(error as Error);
    }
    this.#form
      .on('file', (...[name, stream, filename, , type]) => {
        const isFile = filename !== undefined || type === 'application/octet-stream';
        this.#open({ name: name ?? '', file: isFile ? { name: filename } : null }, stream);
      })
      .on('partsLimit', () => this.#fail(partFault('', `more than ${mostParts} parts`)))
      .on('error', (error) => this.#fail(error as Error));
  }

  /** @throws the first fault */
  write(piece: Buffer): Promise<void> {
    return this.#untilFault((done) => this.#form.write(piece, done));
  }

  end(): Promise<void> {
    return this.#untilFault((done) => this.#form.once('finish', done).end());
  }

  /** The parser does not call back after a fault, so the fault itself ends the wait. */
  async #untilFault(step: (done: () => void) => unknown): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#giveUp = resolve;
      step(resolve);
    });
    if (this.#fault !== null) throw this.#fault;
  }

  async parts(): Promise<FormPart[]> {
    const parts: FormPart[] = [];
    for (const { chunks, ...part } of this.#parts.values())
      parts.push({ ...part, bytes: await joinYielding(chunks) });
    return parts;
  }

  #open(part: Omit<FormPart, 'bytes'>, stream: BusboyFileStream): void {
    const judged = this.#rules.judge(part, new Set(this.#parts.keys()));
    stream.on('error', (error: Error) => this.#fail(error));
    if (typeof judged === 'string') {
      stream.resume();
      return this.#fail(partFault(part.name, judged));
    }
    const chunks: Buffer[] = [];
    this.#parts.set(part.name, { ...part, chunks });
    let left = judged;
    stream.on('data', (chunk: Buffer) => {
      left -= chunk.byteLength;
      if (left >= 0) chunks.push(chunk);
      else if (judged >= this.#rules.maxBytes) this.#fail(tooLarge(judged));
      else this.#fail(partFault(part.name, `longer than ${judged} bytes`));
    });
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    this.#giveUp();
  }
}

function unreadable(cause: Error): ProblemError {
  return new ProblemError('malformed_request', `The form could not be read: ${cause.message}.`, { cause });
}

export function partFault(part: string, message: string): ProblemError {
  return validationProblem([{ path: `/${part}`, message, code: 'bad_part' }]);
}
