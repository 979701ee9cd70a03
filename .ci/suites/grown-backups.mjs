// Checks that a backup of the grown world comes back as it was, and that a damaged one is refused in words.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { check, differences, digestsOf, expect, kindred } from './grown-lib.mjs';

/** The ways to damage the bytes of a whole backup. */
const damages = {
  'cut in the middle': (bytes) => bytes.subarray(0, bytes.length >> 1),
  'cut before its last bytes': (bytes) => bytes.subarray(0, bytes.length - 10),
  'one bit flipped early': (bytes) => flipped(bytes, 0.03),
  'one bit flipped late': (bytes) => flipped(bytes, 0.97),
  'a block of zeros': (bytes) =>
    changed(bytes, (copy) => copy.fill(0, bytes.length >> 2, (bytes.length >> 2) + 4096)),
  'two blocks exchanged': (bytes) =>
    changed(bytes, (copy) => {
      const at = bytes.length >> 1;
      bytes.copy(copy, at, at + 65_536, at + 131_072);
      bytes.copy(copy, at + 65_536, at, at + 65_536);
    }),
  'a block twice': (bytes) => Buffer.concat([bytes.subarray(0, 1 << 16), bytes.subarray(1 << 15)]),
  'without its beginning': (bytes) => bytes.subarray(1000),
  'an empty file': () => Buffer.alloc(0),
  'another gzip file': () => gzipSync('not a backup\n'.repeat(1000)),
  'a text': () => Buffer.from('This was a backup.\n'),
};
function changed(bytes, change) {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}
const flipped = (bytes, share) => changed(bytes, (copy) => (copy[Math.floor(bytes.length * share)] ^= 4));

/** Checks backups. @returns the digests of the world; its restored copy is left in `folder/restored` */
export async function checkBackups(dataDir, folder) {
  const file = join(folder, 'world.kindred');
  const restored = join(folder, 'restored');
  let digests = {};
  await check('a backup', async () => {
    digests = await digestsOf(dataDir);
    const made = await kindred(dataDir, ['backup', '-o', file]);
    expect(made.code === 0, made.stderr);
    return `${Object.keys(digests).length} tables and artifacts, ${Math.round(readFileSync(file).length / 1e6)} MB`;
  });
  await check('the proof of the backup', async () => {
    const proven = await kindred(dataDir, ['backup', '--verify', file]);
    expect(proven.code === 0 && /all checksums agree/.test(proven.stdout), proven.stderr);
  });
  await check('a restore gives every table and artifact back', async () => {
    const back = await kindred(restored, ['restore', file]);
    expect(back.code === 0, back.stderr);
    // The note of the backup itself is left out, because it was made after the backup.
    const differing = differences(digests, await digestsOf(restored)).filter(
      (name) => name !== 'public.backup',
    );
    expect(differing.length === 0, `these differ: ${differing}`);
    return `${Object.keys(digests).length} digests are equal`;
  });
  const bytes = readFileSync(file);
  for (const [name, damage] of Object.entries(damages))
    await check(`a damaged backup is refused: ${name}`, () => refused(folder, damage(bytes)));
  rmSync(file);
  return digests;
}

async function refused(folder, bytes) {
  const bad = join(folder, 'bad.kindred');
  const target = join(folder, 'nowhere');
  const scratch = join(folder, 'tmp');
  mkdirSync(scratch, { recursive: true });
  writeFileSync(bad, bytes);
  const { code, stdout, stderr } = await kindred(target, ['restore', bad], { TMPDIR: scratch });
  rmSync(bad);
  expect(code === 64, `exit code ${code}: ${stderr}`);
  expect(stdout === '' && /backup/.test(stderr), `it said ${stdout}${stderr}`);
  expect(!/\bat .*\.js:\d+|column|constraint/.test(stderr), `not in words: ${stderr}`);
  expect(!existsSync(target), `it left ${target}`);
  expect(readdirSync(scratch).length === 0, `it left ${readdirSync(scratch)}`);
}
