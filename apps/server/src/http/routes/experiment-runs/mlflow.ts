import type { Readable } from 'node:stream';
import { cafaAspectOf } from '@kindred/contracts';
import type { FastifyReply } from 'fastify';
import { ZipFile } from 'yazl';
import type { RunDetail } from './present.js';

/** All runs belong to one experiment, so that several exports can be unpacked into one folder. */
const experiment = { id: '726011823904416275', name: 'kindred' };
/** MLflow's RunStatus has these numbers. */
const statusOf = { planned: 2, running: 1, done: 3, abandoned: 5 } as const;
const localSource = 4;

type Files = Map<string, string>;

/**
 * Sends the run as a folder `mlruns` of MLflow's file store: parameters from the configuration, metrics from
 * the evaluation results (the n-th result is step n), the narrative as the note, and the whole run as
 * artifacts.
 */
export function sendMlflow(reply: FastifyReply, run: RunDetail): FastifyReply {
  const zip = new ZipFile();
  for (const [path, text] of mlflowFiles(run))
    zip.addBuffer(Buffer.from(text), path, { mtime: new Date(run.updated_at) });
  // MLflow looks for these folders even if they are empty.
  for (const name of ['params', 'metrics', 'tags', 'artifacts'])
    zip.addEmptyDirectory(`${folderOf(run)}/${name}`, { mtime: new Date(run.updated_at) });
  zip.end();
  return reply
    .type('application/zip')
    .header('content-disposition', `attachment; filename="mlflow_${run.id}.zip"`)
    .send(zip.outputStream as Readable);
}

const idOf = (run: RunDetail) => run.id.replaceAll('-', '');
const folderOf = (run: RunDetail) => `mlruns/${experiment.id}/${idOf(run)}`;
const milliseconds = (time: string | null) => (time === null ? null : Date.parse(time));

export function mlflowFiles(run: RunDetail): Files {
  const folder = folderOf(run);
  const files: Files = new Map();
  const created = milliseconds(run.created_at);
  files.set(
    `mlruns/${experiment.id}/meta.yaml`,
    yamlOf({
      artifact_location: `./mlruns/${experiment.id}`,
      creation_time: created,
      experiment_id: experiment.id,
      last_update_time: created,
      lifecycle_stage: 'active',
      name: experiment.name,
    }),
  );
  files.set(`${folder}/meta.yaml`, yamlOf(runMeta(run)));
  for (const [key, value] of flat(run.config)) files.set(`${folder}/params/${key}`, value);
  for (const [key, value] of tagsOf(run)) files.set(`${folder}/tags/${key}`, value);
  for (const [key, lines] of metricsOf(run)) files.set(`${folder}/metrics/${key}`, lines.join(''));
  const artifact = (name: string, value: unknown) =>
    files.set(`${folder}/artifacts/${name}`, `${JSON.stringify(value, null, 2)}\n`);
  // The run does not include the rights of its caller.
  artifact('run.json', { ...run, may_change: undefined });
  for (const result of run.evaluation_results) artifact(`evaluation_results/${result.id}.json`, result);
  for (const model of run.reranker_models) artifact(`reranker_models/${model.id}.json`, model);
  return files;
}

function runMeta(run: RunDetail): Record<string, string | number | null> {
  return {
    artifact_uri: `./${folderOf(run)}/artifacts`,
    end_time: milliseconds(run.finished_at),
    entry_point_name: '',
    experiment_id: experiment.id,
    lifecycle_stage: 'active',
    run_id: idOf(run),
    run_name: run.name,
    run_uuid: idOf(run),
    source_name: '',
    source_type: localSource,
    source_version: '',
    start_time: milliseconds(run.started_at ?? run.created_at),
    status: statusOf[run.status],
    user_id: 'kindred',
  };
}

function tagsOf(run: RunDetail): Files {
  const narrative = (['description', 'hypothesis', 'findings'] as const).flatMap((name) =>
    run[name] === null ? [] : [`**${name[0].toUpperCase()}${name.slice(1)}.** ${run[name]}`],
  );
  return new Map([
    ['mlflow.runName', run.name],
    ['mlflow.user', 'kindred'],
    ['mlflow.source.type', 'LOCAL'],
    ['mlflow.note.content', narrative.join('\n\n')],
    ['kindred.run_id', run.id],
    ['kindred.status', run.status],
    ['kindred.tags', run.tags.join(', ')],
    ...[...flat(run.provenance)].map(([key, value]): [string, string] => [`provenance.${key}`, value]),
    ...run.jobs.map((job): [string, string] => [`kindred.job.${job.id}`, `${job.operation} ${job.status}`]),
  ]);
}

/** Makes lines `time value step` of each metric. */
function metricsOf(run: RunDetail): Map<string, string[]> {
  const metrics = new Map<string, string[]>();
  run.evaluation_results.forEach((result, step) => {
    for (const [name, value] of numbersOf(result.results)) {
      const lines = metrics.get(name) ?? [];
      lines.push(`${milliseconds(result.created_at)} ${value} ${step}\n`);
      metrics.set(name, lines);
    }
  });
  return metrics;
}

function* numbersOf(results: unknown): Generator<[string, number]> {
  for (const [category, aspects] of Object.entries(results as Record<string, object>))
    for (const [aspect, figures] of Object.entries(aspects as Record<string, object>))
      for (const [figure, value] of Object.entries(figures ?? {})) {
        const code = cafaAspectOf[aspect as keyof typeof cafaAspectOf] ?? aspect;
        if (typeof value === 'number' && Number.isFinite(value))
          yield [[category, code, figure].map(plainKey).join('/'), value];
      }
}

/** Makes `a.b` = `1` from `{a: {b: 1}}`. Lists and empty objects stay JSON. */
function flat(record: Record<string, unknown>, prefix = ''): Files {
  const files: Files = new Map();
  for (const [key, value] of Object.entries(record)) {
    const name = prefix + plainKey(key);
    const nested = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (nested && Object.keys(value).length > 0)
      for (const entry of flat(value as Record<string, unknown>, `${name}.`)) files.set(...entry);
    else files.set(free(name, files), typeof value === 'string' ? value : JSON.stringify(value));
  }
  return files;
}

/** A name of MLflow may have letters, digits and _ - . only; the name of a file has at most 255 bytes. */
function plainKey(key: string): string {
  const plain = key.replaceAll(/[^\w.-]/g, '_').slice(0, 100);
  return /^\.*$/.test(plain) ? `_${plain}` : plain;
}

/** Two keys may become equal when they are made plain, so the second one gets a number. */
function free(name: string, taken: Files): string {
  for (let n = 2; ; n++) {
    const candidate = n === 2 ? name.slice(0, 240) : `${name.slice(0, 236)}_${n - 1}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** JSON values are valid YAML values. */
function yamlOf(values: Record<string, string | number | null>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');
}
