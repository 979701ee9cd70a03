import { afterEach, expect, it } from 'vitest';
import { startStubServer, type StubServer } from '../testing/stub-server.js';
import { withSequences } from './accession-queries.js';
import { serviceClient } from './api-client.js';

const sequences: Record<string, string> = {
  P12345: '>sp|P12345|AATM_RABIT Aspartate OX=9986\nMALLHS\n',
  Q9NAE2: '>tr|Q9NAE2|X\nMKTAYI\n',
  'P12345-2': '>sp|P12345-2|AATM_RABIT\nMALL\n',
};
const servers: StubServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** The server has some sequences, found by the parameter `accessions` or by a path. */
async function serverOf(...names: string[]): Promise<StubServer> {
  const server = await startStubServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const asked = url.searchParams.get('accessions')?.split(',') ?? [
      url.pathname.replace(/.*\/(.*)\.fasta$/, '$1'),
    ];
    const texts = asked.filter((name) => names.includes(name)).map((name) => sequences[name]);
    if (texts.length === 0 && url.pathname.endsWith('.fasta')) response.statusCode = 404;
    response.setHeader('content-type', 'text/x-fasta');
    response.end(response.statusCode === 404 ? '' : texts.join(''));
  });
  servers.push(server);
  return server;
}

async function read(accessions: string[], service: StubServer, uniprot: string) {
  const queries = { name: 'a.txt.fasta', bytes: Buffer.from(''), sha256: 'x', accessions, leftOut: [] };
  const client = serviceClient({ url: service.url, apiKey: null });
  const read = await withSequences(queries, client, { uniprot });
  return { ...read, bytes: Buffer.from(read.bytes).toString() };
}

it('takes sequences from the service first, and the others from UniProt', async () => {
  const [service, uniprot] = [await serverOf('P12345'), await serverOf('P12345', 'Q9NAE2', 'P12345-2')];
  const accessions = ['Q9NAE2', 'P12345', 'P12345-2', 'P99999'];
  expect(await read(accessions, service, uniprot.url)).toEqual({
    name: 'a.txt.fasta',
    sha256: 'x',
    bytes: ['Q9NAE2', 'P12345', 'P12345-2'].map((name) => sequences[name]).join(''),
    leftOut: [{ protein: 'P99999', reason: 'no_sequence', sentence: expect.any(String) }],
  });
  expect(uniprot.requests).toEqual([
    '/uniprotkb/accessions?accessions=Q9NAE2,P99999&format=fasta&size=100',
    '/uniprotkb/P12345-2.fasta',
  ]);
});

it('asks nobody else where the service has all', async () => {
  const service = await serverOf('P12345');
  expect((await read(['P12345'], service, 'http://127.0.0.1:9')).bytes).toBe(sequences.P12345);
});

it('refuses a list without a sequence, and says what to do where UniProt is away', async () => {
  const [service, uniprot] = [await serverOf(), await serverOf()];
  await expect(read(['P99999'], service, uniprot.url)).rejects.toThrow(
    '1 of 1 accessions have no sequence in this service or in UniProt: P99999.',
  );
  await expect(read(['P99999'], service, 'http://127.0.0.1:9')).rejects.toThrow(
    /1 accessions are not in this service \(P99999\).*name a mirror with --uniprot/,
  );
});

it('leaves other files as they are', async () => {
  const queries = { name: 'a.fasta', bytes: Buffer.from('>a\nMK\n'), sha256: 'x', leftOut: [] };
  expect(await withSequences(queries, serviceClient({ url: 'http://127.0.0.1:9', apiKey: null }), {})).toBe(
    queries,
  );
});
