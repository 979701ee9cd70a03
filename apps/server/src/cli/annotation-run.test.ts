import type { Client } from '@kindred/client';
import { expect, it } from 'vitest';
import { annotateCommand } from './annotate.js';
import { startAnnotation } from './annotation-run.js';

it('sends every choice of sources that the command line takes', async () => {
  const command = annotateCommand();
  command.parseOptions([
    ...['--evidence', 'experimental,ISS', '--sources', 'UniProt', '--aspects', 'F,C'],
    ...['--source-taxa', '40674', '--exclude-taxa', '9606', '--aspect', 'F'],
  ]);
  const sent: unknown[] = [];
  const client = {
    post: async (_: string, { query }: { query: unknown }) => sent.push(query),
  } as unknown as Client;
  const queries = { name: 'q.fasta', bytes: Buffer.from('>q\nMK\n'), sha256: '', count: 1 };
  await startAnnotation(client, queries as never, { ...command.opts(), saved: false });
  expect(sent).toEqual([
    expect.objectContaining({
      evidence: 'experimental,ISS',
      sources: 'UniProt',
      aspects: 'F,C',
      source_taxa: '40674',
      exclude_taxa: '9606',
      aspect: 'F',
    }),
  ]);
});
