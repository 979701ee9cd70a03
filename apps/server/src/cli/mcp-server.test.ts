import { Client as Api } from '@kindred/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, expect, it, vi } from 'vitest';
import { mcpServer } from './mcp-server.js';

const setId = '11111111-1111-4111-8111-111111111111';
const job = {
  status: 'SUCCEEDED',
  progress_current: 1,
  progress_total: 1,
  result: { prediction_set_id: setId },
};
const term = { go_id: 'GO:0005515', probability: 0.9, source: 'P00001' };
const answer = { accession: 'Q1', known: null, terms: [term, { ...term, go_id: 'GO:0008150' }] };
/** The service answers these paths with these replies. */
const replies: Record<string, unknown> = {
  '/v1/annotate': { embedding_job_id: 'e', predict_job_id: 'p' },
  '/v1/jobs/e': job,
  '/v1/jobs/p': job,
  [`/v1/embeddings/prediction-sets/${setId}/export`]: answer,
  [`/v1/embeddings/prediction-sets/${setId}/proteins/Q1/terms/GO%3A0005515/evidence`]: {
    go_id: 'GO:0005515',
    sources: [],
  },
  '/v1/proteins/P00001': { accession: 'P00001' },
  '/v1/proteins/P00001/annotations': [{ go_id: 'GO:0005515', evidence_code: 'IDA' }],
  '/v1/annotations/snapshots': [{ id: setId, obo_version: 'releases/2026-01-01' }],
  [`/v1/annotations/snapshots/${setId}/terms`]: [{ go_id: 'GO:0005515', name: 'protein binding' }],
};

const open: Client[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function assistant(): Promise<Client> {
  vi.stubGlobal('fetch', async (input: string | URL) => {
    const { pathname } = new URL(String(input));
    const detail = `There is no ${pathname}.`;
    return replies[pathname] === undefined
      ? Response.json({ title: 'Not found', status: 404, detail, errors: [] }, { status: 404 })
      : Response.json(replies[pathname]);
  });
  const api = new Api({ baseUrl: 'http://service.example' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await mcpServer(api, { saved: true }).connect(there);
  await client.connect(here);
  open.push(client);
  return client;
}

async function call(name: string, args: Record<string, unknown>) {
  const { content, isError } = await (await assistant()).callTool({ name, arguments: args });
  const [{ text }] = content as [{ text: string }];
  return { isError: isError === true, text, value: isError === true ? null : JSON.parse(text) };
}

it('lists what an assistant may ask', async () => {
  const { tools } = await (await assistant()).listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'annotate_proteins',
    'term_evidence',
    'find_protein',
    'find_terms',
  ]);
});

it('annotates, with probability, source, and the set to ask more of', async () => {
  const { value } = await call('annotate_proteins', { fasta: '>Q1\nMKTAYIAKQR\n', terms: 1 });
  expect(value).toEqual({ prediction_set_id: setId, answers: [{ ...answer, terms: [term] }] });
});

it('gives evidence, proteins and terms', async () => {
  const evidence = await call('term_evidence', {
    prediction_set_id: setId,
    accession: 'Q1',
    go_id: 'GO:0005515',
  });
  expect(evidence.value).toMatchObject({ go_id: 'GO:0005515' });
  expect((await call('find_protein', { accession: 'P00001' })).value.annotations).toHaveLength(1);
  expect((await call('find_terms', { search: 'binding' })).value).toMatchObject({
    ontology: 'releases/2026-01-01',
    terms: [{ go_id: 'GO:0005515' }],
  });
});

it('tells the assistant what is wrong, in words', async () => {
  const absent = await call('find_protein', { accession: 'NONE' });
  expect(absent).toMatchObject({
    isError: true,
    text: expect.stringContaining('There is no /v1/proteins/NONE'),
  });
  expect(
    (await call('term_evidence', { prediction_set_id: 'x', accession: 'Q1', go_id: 'binding' })).isError,
  ).toBe(true);
});
