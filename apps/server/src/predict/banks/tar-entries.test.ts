import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { tarEntries } from './tar-entries.js';

async function archiveOf(files: Record<string, Buffer>): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content);
  archive.entry({ name: 'folder', type: 'directory' });
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function* cut(bytes: Uint8Array, size: number) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(archive: AsyncIterable<Uint8Array>, skip: readonly string[] = []) {
  const found: Record<string, string> = {};
  for await (const { name, bytes } of tarEntries(archive)) {
    if (skip.includes(name)) continue;
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    found[name] = Buffer.concat(chunks).toString('latin1');
  }
  return found;
}

const long = `${'a'.repeat(120)}/${'b'.repeat(120)}.dmp`;
const files = {
  'one.dmp': Buffer.alloc(1300, 'x'),
  empty: Buffer.alloc(0),
  [long]: Buffer.from('behind a long name'),
};
const texts = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, content.toString()]));

describe('tarEntries', () => {
  it.each([1, 100, 512, 100_000])('reads files in chunks of %i bytes, long names included', async (size) => {
    expect(await read(cut(await archiveOf(files), size))).toEqual(texts);
  });

  it('skips files that nobody reads', async () => {
    expect(await read(cut(await archiveOf(files), 700), ['one.dmp'])).toEqual({
      empty: '',
      [long]: texts[long],
    });
  });

  it.each([100, 700, 1000])('says that an archive of %i bytes of a longer one ends early', async (length) => {
    const archive = (await archiveOf(files)).subarray(0, length);
    await expect(read(cut(archive, 64))).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('ends early'),
    });
  });

  it('detects a cut between two files', async () => {
    const archive = (await archiveOf({ 'one.dmp': Buffer.alloc(512, 'x') })).subarray(0, 1024);
    await expect(read(cut(archive, 512))).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('ends early'),
    });
  });

  it('refuses a file that is not an archive, and passes on why the source failed', async () => {
    await expect(read(cut(Buffer.alloc(600, 'a'), 512))).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('not a tar archive'),
    });
    async function* failing() {
      yield (await archiveOf(files)).subarray(0, 1000);
      throw new Error('the line went dead');
    }
    await expect(read(failing())).rejects.toThrow('the line went dead');
  });
});
