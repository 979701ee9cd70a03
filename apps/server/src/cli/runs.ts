import { type Reply } from '@kindred/client';
import { deleteRun, dependentsOfRun } from '@kindred/client/runs';
import { ProblemError } from '@kindred/contracts';
import { hitsOfSet, hitsText } from '@kindred/contracts/search-hits';
import { notChecked } from '@kindred/contracts/resources/prediction-sets';
import { referenceText } from '@kindred/contracts/reference-words';
import { Command } from 'commander';
import { serviceClient } from './api-client.js';
import { wholeNumber } from './option-values.js';
import { writeJson } from './output.js';
import { alignedColumns, describeDependents } from './reference-text.js';
import { addServiceOptions, type ServiceOptions, withStoredData } from './with-service.js';

type Run = Reply<'GET', '/embeddings/prediction-sets'>[number];
type RunInDetail = Reply<'GET', '/embeddings/prediction-sets/:id'>;

/** The command `kindred runs` lists, shows and removes what was annotated. */
export function runsCommand(): Command {
  const group = new Command('runs');
  const command = (name: string, description: string) =>
    addServiceOptions(group.command(name)).description(description);
  command('list', 'Runs that you may find, newest first')
    .option('--limit <number>', 'at most so many', wholeNumber, 50)
    .option('--json', 'as the API gives them')
    .action(list);
  command('show', 'One run: its state, what it was made with, how many proteins and terms it has')
    .argument('<run>', 'its id')
    .option('--json', 'as the API gives it')
    .action(show);
  command('remove', 'Delete a run and the sequences that were uploaded for it')
    .argument('<run>', 'its id')
    .action(remove);
  return group;
}

async function list(options: ServiceOptions & { limit: number; json?: boolean }): Promise<void> {
  await withStoredData(options, async (service) => {
    const client = serviceClient(service);
    const rows: Run[] = [];
    for (let after: string | undefined; rows.length < options.limit; ) {
      const limit = Math.min(500, options.limit - rows.length);
      const page = await client.page('/embeddings/prediction-sets', { query: { limit, after } });
      rows.push(...page.rows);
      if (page.next === null) break;
      after = page.next;
    }
    if (options.json === true) writeJson(rows);
    else process.stdout.write(runTable(rows));
  });
}

async function show(run: string, options: ServiceOptions & { json?: boolean }): Promise<void> {
  await withStoredData(options, async (service) => {
    const found = await serviceClient(service).get('/embeddings/prediction-sets/:id', {
      params: { id: run },
    });
    if (options.json === true) writeJson(found);
    else process.stdout.write(describeRun(found));
  });
}

async function remove(run: string, options: ServiceOptions): Promise<void> {
  await withStoredData(options, async (service) => {
    const client = serviceClient(service);
    const found = await client.get('/embeddings/prediction-sets/:id', { params: { id: run } });
    process.stderr.write(describeDependents(await dependentsOfRun(client, found, isNotOurs)));
    await deleteRun(client, found, isNotOurs);
    process.stdout.write(`Removed the run ${nameOf(found)} (${found.id}).\n`);
  });
}

const isNotOurs = (error: unknown): boolean =>
  error instanceof ProblemError && ['role_too_low', 'not_found'].includes(error.code);

const count = (n: number) => n.toLocaleString('en');
const nameOf = (run: Pick<Run, 'query_set_name'>) => run.query_set_name ?? 'Proteins of the catalogue';

/** The state in words: a run that is being filled has not answered all of its proteins yet. */
function stateOf({
  status,
  protein_count,
  query_count,
}: Pick<Run, 'status' | 'protein_count' | 'query_count'>): string {
  if (status === 'complete') return 'complete';
  const of = query_count === null ? '' : ` of ${count(query_count)}`;
  return `${status === 'filling' ? 'running' : 'incomplete'}, ${count(protein_count)}${of}`;
}

const referencesOf = (run: Pick<Run, 'reference' | 'more_references'>): string =>
  [run.reference, ...run.more_references]
    .flatMap((one) => (one === null ? [] : referenceText(one)))
    .join('; ');

function runTable(runs: readonly Run[]): string {
  if (runs.length === 0) return 'There are no runs. kindred annotate <proteins> makes one.\n';
  const head = ['run', 'name', 'made', 'state', 'proteins', 'reference'];
  const rows = runs.map((run) => [
    ...[run.id, nameOf(run), run.created_at.slice(0, 16).replace('T', ' '), stateOf(run)],
    ...[count(run.protein_count), referencesOf(run)],
  ]);
  return alignedColumns([head, ...rows]);
}

function describeRun(run: RunInDetail): string {
  const { statistics: found } = run;
  const hits = hitsOfSet(run.parameters);
  const lines = [
    ['state', stateOf(run)],
    ['made', run.created_at],
    ...(run.expires_at === null ? [] : [['kept until', run.expires_at]]),
    ['method', run.runner === null ? run.method : `${run.method} ${run.runner.version}`],
    ['reference', referencesOf(run) || (run.annotation_set_label ?? 'none')],
    ['ontology', run.ontology_snapshot_version],
    ['vectors', run.embedding_config_name ?? 'none'],
    [
      'proteins',
      `${count(found.proteins_with_predictions)} with predictions, ${count(found.proteins_without_predictions)} without`,
    ],
    ['terms', `${count(found.pair_count)} of proteins, ${count(found.term_count)} different`],
    ...(hits === null ? [] : [['hits', hitsText(hits)]]),
    ...(run.job_id === null ? [] : [['job', run.job_id]]),
    ...notChecked(run).map((sentence) => ['not checked', sentence]),
  ];
  return `${nameOf(run)} (${run.id})\n${lines.map(([name, value]) => `  ${name.padEnd(11)}  ${value}\n`).join('')}`;
}
