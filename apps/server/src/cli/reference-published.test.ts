import type { Client } from '@kindred/client';
import { Problem } from '@kindred/client';
import { ProblemError } from '@kindred/contracts';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import { beforeEach, expect, it, vi } from 'vitest';
import { serviceClient } from './api-client.js';
import { buildFromPublished } from './reference-published.js';

vi.mock('./api-client.js', () => ({ serviceClient: vi.fn() }));

const fileOf = (kind: PublishedFile['kind'], sha256: string | null): PublishedFile => ({
  kind,
  file_name: `${kind}.txt`,
  url: `https://example.org/${kind}`,
  query: null,
  member: null,
  size_bytes: 1000,
  proteins: null,
  etag: '"e"',
  last_modified: null,
  md5: null,
  release: '2024_05',
  origin: 'UniProt',
  licence: 'CC BY 4.0',
  citation: 'c',
  sha256,
});
const kinds = ['ontology', 'proteins', 'annotations', 'interpro_mapping'] as const;
const sha = (n: number) => String(n).repeat(64);
const complete = { name: 'swissprot', version: '1', status: 'complete', is_default: true };

/** The stand-in for a service got these requests, in order. */
let asked: [string, unknown][];
let known: boolean;
let missing: boolean;
let openJob: string | null;
let fault: 'plan' | 'download' | null;
beforeEach(() => {
  [asked, known, missing, openJob, fault] = [[], true, false, null, null];
  const client = {
    get: async (path: string, { query }: { query?: { status?: string } } = {}) => {
      if (path === '/embeddings/configs') return [{ id: 'config', model_name: 'kmer-1024' }];
      if (path !== '/jobs' || openJob === null || query?.status !== 'RUNNING') return [];
      return [{ id: openJob, tags: (asked.at(-1)?.[1] as { tags?: string[] })?.tags ?? lastTags }];
    },
    run: async ({ operation }: { operation: string }) => {
      asked.push([operation, null]);
      if (fault === 'plan') throw new Error('goa.example answered 500; given up after 7 attempts.');
      return { result: { files: kinds.map((kind, n) => fileOf(kind, known ? sha(n) : null)) } };
    },
    post: async (path: string, { body }: { body: { tags?: string[] } }) => {
      asked.push([path, body]);
      if (path === '/jobs') {
        lastTags = body.tags ?? [];
        return { id: 'new' };
      }
      if (!missing) return complete;
      missing = false;
      const problem = new Problem({
        type: '',
        title: '',
        status: 409,
        detail: 'missing',
        code: 'files_missing',
        errors: [{ path: '', message: `no file ${sha(1)} was sent`, code: '' }],
      } as never);
      throw new ProblemError('files_missing', 'missing', { cause: problem });
    },
    finish: async (id: string) => {
      asked.push(['finish', id]);
      if (fault === 'download') throw new Error('The disk is full: free space, then submit the job again.');
      return { id, result: { files: kinds.map((kind, n) => fileOf(kind, sha(n))) } };
    },
  };
  vi.mocked(serviceClient).mockReturnValue(client as unknown as Client);
});
let lastTags: string[] = [];

const build = () =>
  buildFromPublished({ url: 'http://service', apiKey: null }, ['swissprot'], {
    evidence: 'all',
    model: 'kmer-1024',
    quiet: true,
  });
const paths = () => asked.map(([path]) => path);

it('downloads nothing where the service has built a reference of these very files', async () => {
  await build();
  expect(paths()).toEqual(['plan_reference_download', '/references']);
  expect(asked[1][1]).toMatchObject({
    name: 'swissprot',
    proteins: [
      {
        url: `upload:${sha(1)}`,
        file_name: 'proteins.txt',
        origin: 'UniProt 2024_05, https://example.org/proteins',
        licence: 'CC BY 4.0',
      },
    ],
    embedding_config_ids: ['config'],
  });
});

it('downloads first where a file is new, and builds from what came', async () => {
  known = false;
  await build();
  expect(paths()).toEqual(['plan_reference_download', '/jobs', 'finish', '/references']);
  expect(asked[3][1]).toMatchObject({ ontology: { url: `upload:${sha(0)}` } });
});

it('downloads again what the service knows and no longer has', async () => {
  missing = true;
  await build();
  expect(paths()).toEqual(['plan_reference_download', '/references', '/jobs', 'finish', '/references']);
});

it('follows the download of an earlier call', async () => {
  known = false;
  await build();
  [openJob, asked] = ['earlier', []];
  await build();
  expect(paths()).toEqual(['plan_reference_download', 'finish', '/references']);
  expect(asked[1]).toEqual(['finish', 'earlier']);
});

it.each([
  ['plan', /could not be planned: goa\.example answered 500.*Nothing was downloaded.*again later.*--mirror/],
  ['download', /not downloaded: The disk is full: free space.*Nothing was built; what came is kept.*goes on/],
] as const)('says what to do where the %s fails, and builds nothing', async (where, message) => {
  [fault, known] = [where, false];
  await expect(build()).rejects.toThrow(message);
  expect(paths()).not.toContain('/references');
});
