import { pipeline, Readable } from 'node:stream';
import { ProblemError } from '@kindred/contracts';
import { extract } from 'tar-stream';

export interface TarEntry {
  name: string;
  sizeBytes: number;
  /** Callers read the bytes to their end before the next entry. An entry that is not read is skipped. */
  bytes: AsyncIterable<Uint8Array>;
}

const blockBytes = 512;

/**
 * Yields the plain files of a tar archive (ustar, GNU, pax), in order; entries are streamed. Other kinds of
 * entries are skipped.
 * @throws ProblemError bad_file if it is not a tar archive or ends early; errors of the source pass unchanged
 */
export async function* tarEntries(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const source = new WatchedSource(archive);
  const entries = extract();
  pipeline(Readable.from(source.bytes()), entries, () => {});
  try {
    for await (const entry of entries) {
      const { name, size, type } = entry.header;
      if (type === 'file' || type === 'contiguous-file')
        yield { name, sizeBytes: size, bytes: bytesOf(entry as AsyncIterable<Uint8Array>, source) };
      entry.resume();
    }
  } catch (error) {
    throw source.failure ?? tarProblem(error as Error);
  }
  // Empty blocks end an archive; they are missing if it was cut between two files.
  if (source.endsInZeros < blockBytes) throw new ProblemError('bad_file', 'The tar archive ends early.');
}

async function* bytesOf(entry: AsyncIterable<Uint8Array>, source: WatchedSource): AsyncGenerator<Uint8Array> {
  try {
    yield* entry;
  } catch (error) {
    throw source.failure ?? tarProblem(error as Error);
  }
}

/** Records what the parser hides: why the source failed, and how the archive ended. */
class WatchedSource {
  failure: unknown;
  endsInZeros = 0;
  readonly #archive: AsyncIterable<Uint8Array>;

  constructor(archive: AsyncIterable<Uint8Array>) {
    this.#archive = archive;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#archive) {
        const zeros = chunk.length - 1 - chunk.findLastIndex((byte) => byte !== 0);
        this.endsInZeros = zeros === chunk.length ? this.endsInZeros + zeros : zeros;
        yield chunk;
      }
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

function tarProblem(error: Error): unknown {
  if (error instanceof ProblemError) return error;
  if (/unexpected end/i.test(error.message))
    return new ProblemError('bad_file', 'The tar archive ends early.', { cause: error });
  return new ProblemError('bad_file', `The file is not a tar archive: ${error.message}.`, { cause: error });
}
