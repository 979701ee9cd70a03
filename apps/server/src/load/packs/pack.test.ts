import { createHash, createPrivateKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isPacked,
  memberNames,
  packFormat,
  packManifest,
  type PackManifest,
  type PackMember,
} from './format.js';
import { checkPack, PackReader } from './pack-reader.js';
import { file, PackWriter } from './pack-writer.js';
import { signedPack } from './sign-pack.js';
import type { SignatureRules } from '../../work/operation/operation.js';
import { anySigner, newKeyPair } from './signing.js';
import { archiveEnd, headerBlock, padding, readHeader } from './tar-blocks.js';

const names = memberNames(1);
const contentOf = (name: string) => Buffer.from(`${name}\tof a small pack\n`.repeat(40));
let folder: string;
let pack: Buffer;
let manifest: PackManifest;
const keys = newKeyPair();
const privateKey = createPrivateKey(keys.privatePem);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-pack-'));
  const writer = await PackWriter.in(join(folder, 'members'));
  for (const name of names)
    await writer.add(name, chunks(contentOf(name)), () => 40, new AbortController().signal);
  manifest = { ...facts, members: writer.members };
  pack = await bytesOf(writer.archive(manifest));
  await writer.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const zero = '0'.repeat(64);
const facts: Omit<PackManifest, 'members'> = {
  format: packFormat,
  made_by: 'test',
  reference: {
    name: 'yeast',
    version: '1',
    content_sha256: zero,
    evidence: 'all',
    protein_count: 40,
    left_out: {},
    parts: [],
    reliability: null,
  },
  ontology: {
    obo_version: 'releases/2020-02-02',
    obo_url: 'file:///go.obo',
    obo_sha256: zero,
    ia_url: null,
    term_counts: { P: 1, F: 0, C: 0, obsolete: 0 },
    relationship_count: 0,
    alt_id_count: 0,
  },
  annotations: {
    content_sha256: null,
    annotation_count: 0,
    protein_count: 0,
    newest_annotation_date: null,
    statistics: { by_aspect: { P: 0, F: 0, C: 0 }, by_evidence_code: {}, negated: 0, terms: 0 },
  },
  vectors: [
    {
      model_name: 'kmer-512',
      model_backend: 'kmer',
      layer_indices: [0],
      layer_agg: 'mean',
      pooling: 'mean',
      normalize_residues: false,
      normalize: true,
      max_length: 1000,
      use_chunking: false,
      chunk_size: 512,
      chunk_overlap: 0,
      dimension: 512,
      display_name: null,
      family: null,
      param_count: null,
      description: null,
      vector_count: 40,
    },
  ],
  taxonomy: null,
  interpro_mapping: null,
};

async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}
async function* chunks(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const check = (bytes: Buffer, rules: SignatureRules = anySigner) => checkPack(chunks(bytes), rules);
const refusal = (bytes: Buffer, rules?: SignatureRules) =>
  check(bytes, rules).then(
    () => 'accepted',
    (error: Error & { code?: string }) => (error.code === 'bad_file' ? error.message : error),
  );
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const sumOf = (text: Buffer) => Buffer.from(`${digest(text)}\n`);
/** Builds a pack with any manifest and any members. */
function forged(json: unknown, members: { name: string; bytes: Buffer; saidSize?: number }[]): Buffer {
  const text = Buffer.from(JSON.stringify(json));
  return Buffer.concat([
    ...file('manifest.json', text),
    ...file('manifest.sha256', sumOf(text)),
    ...members.flatMap(({ name, bytes, saidSize }) => [
      headerBlock(name, saidSize ?? bytes.length),
      bytes,
      padding(bytes.length),
    ]),
    archiveEnd,
  ]);
}
/** Makes a complete manifest with right digests. */
function whole(change: (member: PackMember) => Partial<PackMember> = () => ({})) {
  const members = names.map((name) => {
    const bytes = isPacked(name) ? gzipSync(contentOf(name)) : contentOf(name);
    return { name, bytes };
  });
  const listed = members.map(({ name, bytes }) => {
    const member = {
      name,
      size_bytes: bytes.length,
      unpacked_bytes: contentOf(name).length,
      rows: 40,
      sha256: digest(bytes),
    };
    return { ...member, ...change(member) };
  });
  return { members, json: { ...facts, members: listed } };
}

describe('a pack', () => {
  it('is read as it was written, in any chunks', async () => {
    for (const size of [37, 512, 70_000]) {
      const reader = await PackReader.open(chunks(pack, size), anySigner);
      expect(reader.manifest).toEqual(manifest);
      for (const name of names) expect(await bytesOf(reader.member(name))).toEqual(contentOf(name));
      await reader.finish();
    }
    expect(packManifest.parse(manifest)).toEqual(manifest);
  });

  it('is refused with any byte changed, added or missing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(pack.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const bytes = Buffer.from(pack);
        bytes[at] ^= change;
        expect(await refusal(bytes)).toMatch(/^The (pack|file) .*[Nn]othing was installed/);
      }),
      { numRuns: 80 },
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(pack.length - 1), async (at) => {
        expect(await refusal(pack.subarray(0, at))).toMatch(/Nothing was installed/);
      }),
      { numRuns: 30 },
    );
    expect(await refusal(Buffer.concat([pack, Buffer.alloc(512)]))).toContain('bytes follow its end');
  });

  it('of a newer format asks for a newer Kindred', async () => {
    expect(await refusal(forged({ format: packFormat + 1, anything: [] }, []))).toContain(
      'install a newer Kindred',
    );
  });

  it('has no other names than a pack has', async () => {
    const { members, json } = whole();
    expect(await refusal(forged(json, members))).toBe('accepted');
    for (const name of [
      '../../etc/passwd',
      '/etc/passwd',
      'sequences\0.tsv.gz',
      '..',
      'C:\\x',
      'manifest.json',
    ]) {
      const listed = json.members.map((member, i) => (i === 3 ? { ...member, name } : member));
      expect(await refusal(forged({ ...json, members: listed }, members)), name).toContain(
        'which a pack does not contain',
      );
      const moved = members.map((member, i) => (i === 3 ? { ...member, name } : member));
      expect(await refusal(forged(json, moved)), name).toMatch(/belongs|no pack has/);
    }
    const [first, second, ...others] = members;
    expect(await refusal(forged(json, [second, first, ...others]))).toContain('belongs');
    expect(await refusal(forged(json, members.slice(1)))).toContain('belongs');
  });

  it('says no sizes that it does not have', async () => {
    const huge = whole(() => ({ unpacked_bytes: 2 ** 50 }));
    expect(await refusal(forged(huge.json, huge.members))).toContain('taken for a trap');
    const { members, json } = whole();
    const large = members.map((member, i) => (i === 0 ? { ...member, saidSize: 2 ** 43 } : member));
    expect(await refusal(forged(json, large))).toContain('another size');
    const bomb = whole(({ unpacked_bytes }) => ({ unpacked_bytes: unpacked_bytes - 1 }));
    expect(await refusal(forged(bomb.json, bomb.members))).toContain('unpacks to more');
    const text = Buffer.concat([headerBlock('manifest.json', 2 ** 40), Buffer.alloc(512)]);
    expect(await refusal(text)).toContain('is said to have');
  });

  it('that is not a pack is refused', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('not a pack'), Buffer.alloc(4096), gzipSync(pack)])
      expect(await refusal(bytes)).toMatch(/^The pack|^The file is not a pack/);
  });

  it('is closed when it is refused before its members', async () => {
    let isClosed = false;
    async function* source() {
      try {
        yield* chunks(pack);
      } finally {
        isClosed = true;
      }
    }
    await expect(checkPack(source(), { trustedKeys: [], signatureDemanded: true })).rejects.toThrow(
      'not signed',
    );
    expect(isClosed).toBe(true);
  });

  it('of any size has blocks that say it', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (size) => {
        expect(readHeader(headerBlock('vectors/0.f16', size))).toEqual({
          name: 'vectors/0.f16',
          sizeBytes: size,
        });
      }),
    );
  });
});

describe('a signature', () => {
  const trusted = (signatureDemanded = true): SignatureRules => ({
    trustedKeys: [keys.publicKey],
    signatureDemanded,
  });
  const other = newKeyPair();

  it('lets a pack in where it is demanded, and names its key', async () => {
    const signed = await bytesOf(signedPack(chunks(pack), privateKey));
    expect(await refusal(signed, trusted())).toBe('accepted');
    expect((await PackReader.open(chunks(signed), trusted())).signedBy).toBe(keys.publicKey);
    expect(await refusal(signed)).toBe('accepted');
    expect(await refusal(pack, trusted())).toContain('it is not signed');
    expect(await refusal(pack, trusted(false))).toBe('accepted');
    expect(await refusal(signed, { trustedKeys: [], signatureDemanded: true })).toContain('knows no key');
  });

  it('of another key, or of another content, is refused', async () => {
    const stranger = await bytesOf(signedPack(chunks(pack), createPrivateKey(other.privatePem)));
    for (const demanded of [true, false])
      expect(await refusal(stranger, trusted(demanded))).toContain(
        'which is not among SVC_PACK_TRUSTED_KEYS',
      );
    // A second signature replaces the first one.
    const again = await bytesOf(signedPack(chunks(stranger), privateKey));
    expect(again).toEqual(await bytesOf(signedPack(chunks(pack), privateKey)));
    const text = Buffer.from(JSON.stringify({ ...manifest, made_by: 'somebody else' }));
    const start = Buffer.concat([...file('manifest.json', text), ...file('manifest.sha256', sumOf(text))]);
    const own = pack.indexOf(headerBlock(names[0], manifest.members[0].size_bytes));
    const swapped = Buffer.concat([start, again.subarray(again.indexOf('manifest.sig'))]);
    expect(own).toBeGreaterThan(0);
    expect(await refusal(swapped, trusted())).toContain('not that of its content');
  });

  it('is spoiled by any changed byte', async () => {
    const signed = await bytesOf(signedPack(chunks(pack), privateKey));
    await fc.assert(
      fc.asyncProperty(fc.nat(signed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const bytes = Buffer.from(signed);
        bytes[at] ^= change;
        expect(await refusal(bytes, trusted())).toMatch(/[Nn]othing was installed/);
      }),
      { numRuns: 40 },
    );
  });
});
