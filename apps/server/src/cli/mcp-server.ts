import type { Client } from '@kindred/client';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { lines } from '@kindred/kernels/formats';
import { z } from 'zod';
import { productVersion } from '../ground/version.js';
import { finishAnnotation, startAnnotation } from './annotation-run.js';
import { maxAnswerLength } from './feature-annotations.js';
import { openProgress } from './progress.js';

export { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

/** One call gives at most this many terms, because more would not fit into the context of an assistant. */
const mostTerms = 50;
const fastaBytes = 200_000;

/** Makes the server for assistants: every answer is JSON with probabilities and sources, to be cited. */
export function mcpServer(client: Client, { saved }: { saved: boolean }): McpServer {
  const server = new McpServer({ name: 'kindred', version: productVersion });
  addAnnotation(server, client, saved);
  addEvidence(server, client);
  addLookUps(server, client);
  return server;
}

function addAnnotation(server: McpServer, client: Client, saved: boolean): void {
  server.registerTool(
    'annotate_proteins',
    {
      description:
        'Predict Gene Ontology terms of protein sequences. Gives what is known of each protein, and predicted terms with score, probability (null: ' +
        'not calibrated for such proteins), the annotated protein that each rests on, and the prediction set for term_evidence. Cite probability and source.',
      inputSchema: {
        fasta: z.string().max(fastaBytes).describe('Protein sequences as FASTA, at most 200 kB'),
        terms: z
          .number()
          .int()
          .min(1)
          .max(mostTerms)
          .default(10)
          .describe('Largest number of terms of each protein'),
      },
    },
    async ({ fasta, terms }) => {
      const queries = { name: 'assistant.fasta', bytes: Buffer.from(fasta), sha256: '', leftOut: [] };
      const started = await startAnnotation(client, queries, { saved });
      const id = await finishAnnotation(client, started, { bar: openProgress(true) });
      const download = await client.download('/embeddings/prediction-sets/:id/export', {
        params: { id },
        query: { format: 'jsonl' },
      });
      const answers: unknown[] = [];
      for await (const line of lines(download.body as unknown as AsyncIterable<Uint8Array>, {
        maxLineLength: maxAnswerLength,
      })) {
        const answer = JSON.parse(line) as { terms: unknown[] };
        answers.push({ ...answer, terms: answer.terms.slice(0, terms) });
      }
      return said({ prediction_set_id: id, answers, left_out: started.left_out });
    },
  );
}

function addEvidence(server: McpServer, client: Client): void {
  server.registerTool(
    'term_evidence',
    {
      description:
        'What a predicted term of a protein rests on: source proteins with identity and evidence, votes, and what each feature of the model adds.',
      inputSchema: {
        prediction_set_id: z.guid(),
        accession: z.string().min(1).max(255),
        go_id: z.string().regex(/^GO:\d{7}$/),
      },
    },
    async ({ prediction_set_id: id, accession, go_id }) =>
      said(
        await client.get('/embeddings/prediction-sets/:id/proteins/:accession/terms/:go_id/evidence', {
          params: { id, accession, go_id },
        }),
      ),
  );
}

function addLookUps(server: McpServer, client: Client): void {
  server.registerTool(
    'find_protein',
    {
      description: 'A protein that the service knows, with its annotations: term, evidence code, reference.',
      inputSchema: { accession: z.string().min(1).max(100) },
    },
    async ({ accession }) => {
      const protein = await client.get('/proteins/:accession', { params: { accession } });
      const annotations = await client.get('/proteins/:accession/annotations', {
        params: { accession },
        query: { limit: mostTerms },
      });
      return said({ protein, annotations });
    },
  );
  server.registerTool(
    'find_terms',
    {
      description:
        'Gene Ontology terms by id or by words of their name, in the newest ontology of the service.',
      inputSchema: { search: z.string().trim().min(1).max(200) },
    },
    async ({ search }) => {
      const [newest] = await client.get('/annotations/snapshots');
      if (newest === undefined) return said({ terms: [], note: 'The service has no ontology.' });
      const terms = await client.get('/annotations/snapshots/:id/terms', {
        params: { id: newest.id },
        query: { search, limit: mostTerms },
      });
      return said({ ontology: newest.obo_version, terms });
    },
  );
}

function said(value: unknown) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(value) }] };
}
