import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';

const maxBytes = 16 << 20;

/**
 * Writes a log file that is renamed to `<file>.1` at 16 MiB, replacing the previous one. A line is never
 * split between the two. If the disk is full, lines are dropped, because a log must not stop the program that
 * it describes.
 */
export class RotatingLog extends Writable {
  #fd: number;
  #bytes: number;
  readonly #file: string;
  readonly #maxBytes: number;

  constructor(file: string, limitBytes = maxBytes) {
    super();
    mkdirSync(dirname(file), { recursive: true });
    this.#file = file;
    this.#maxBytes = limitBytes;
    this.#fd = openSync(file, 'a');
    this.#bytes = fstatSync(this.#fd).size;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    try {
      // The rest of a line stays with its beginning.
      const lineEnd = this.#bytes < this.#maxBytes ? 0 : chunk.indexOf(10) + 1;
      this.#put(chunk.subarray(0, lineEnd));
      if (lineEnd > 0) this.#rotate();
      this.#put(chunk.subarray(lineEnd));
    } catch {
      // The line is dropped.
    }
    done();
  }

  override _final(done: () => void): void {
    closeSync(this.#fd);
    done();
  }

  #put(bytes: Buffer): void {
    if (bytes.length > 0) this.#bytes += writeSync(this.#fd, bytes);
  }

  #rotate(): void {
    closeSync(this.#fd);
    renameSync(this.#file, `${this.#file}.1`);
    this.#fd = openSync(this.#file, 'a');
    this.#bytes = 0;
  }
}
