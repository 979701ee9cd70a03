import type { DependentKind } from '@kindred/contracts/dependent-words';
import { type RawBuilder, sql } from 'kysely';
import { type Reader, visibleTo } from '../postgres/fragments/visibility.js';

/** A label names a row. In expressions, `c` is the row. */
interface Label {
  /** People read this name. */
  name: RawBuilder<string>;
  /** Programs delete by this id. */
  id: RawBuilder<string>;
  /** Returns true if the reader would find the row, or its name, in a list. */
  visible: (reader: Reader) => RawBuilder<boolean>;
  newest: RawBuilder<unknown>;
}

const id = sql<string>`c.id::text`;
const newest = sql`c.created_at`;
const toAll = () => sql<boolean>`true`;
const named = { name: sql<string>`c.name`, id, visible: toAll, newest };
/** A job has no name, so its operation is shown, for which the web client has words. */
const job = {
  name: sql<string>`c.operation`,
  id,
  visible: (reader: Reader) => visibleTo('c', reader),
  newest,
};

const releases = (oldId: RawBuilder<unknown>, newId: RawBuilder<unknown>) => sql<string>`(
  select o.source || ' ' || o.source_version || ' → ' || n.source || ' ' || n.source_version
  from annotation_set o, annotation_set n where o.id = ${oldId} and n.id = ${newId})`;
const runName = (run: string) => sql<string>`coalesce(
  (select q.name from query_set q where q.id = ${sql.ref(`${run}.query_set_id`)}),
  ${sql.ref(`${run}.method`)} || ', ' || to_char(${sql.ref(`${run}.created_at`)}, 'YYYY-MM-DD'))`;
const atVersion = (reference: string) =>
  sql<string>`${sql.ref(`${reference}.name`)} || '@' || ${sql.ref(`${reference}.version`)}`;
const referenceOfVectors = sql<string>`(
  select ${atVersion('r')} from reference r where r.number = c.reference_number)`;

/** The labels are found by table, or by `table as kind` if its rows stand for something else. */
const labels: Readonly<Record<string, Label>> = {
  annotation_set: { ...named, name: sql<string>`c.source || ' ' || c.source_version` },
  api_key: named,
  dataset: named,
  evaluation_result: {
    name: sql<string>`(select ${releases(sql.ref('e.old_annotation_set_id'), sql.ref('e.new_annotation_set_id'))}
        || ': ' || ${runName('p')} from evaluation_set e, prediction_set p
      where e.id = c.evaluation_set_id and p.id = c.prediction_set_id)`,
    id,
    visible: (reader) =>
      sql<boolean>`exists (select from prediction_set p where p.id = c.prediction_set_id and ${visibleTo('p', reader)})`,
    newest,
  },
  evaluation_set: {
    ...named,
    name: releases(sql.ref('c.old_annotation_set_id'), sql.ref('c.new_annotation_set_id')),
  },
  experiment_run: { ...named, visible: (reader) => visibleTo('c', reader) },
  'experiment_run_member as experiment_run': {
    name: sql<string>`(select r.name from experiment_run r where r.id = c.experiment_run_id)`,
    id: sql<string>`c.experiment_run_id::text`,
    visible: (reader) =>
      sql<boolean>`exists (select from experiment_run r where r.id = c.experiment_run_id and ${visibleTo('r', reader)})`,
    newest: sql`c.attached_at`,
  },
  go_slim: { ...named, name: sql<string>`c.name || ' ' || c.version`, newest: sql`c.loaded_at` },
  job,
  'job as unfinished_job': job,
  'job as waiting_job': job,
  prediction_set: {
    name: runName('c'),
    id,
    visible: (reader) => sql<boolean>`(c.listed and ${visibleTo('c', reader)})`,
    newest,
  },
  query_set: {
    ...named,
    visible: (reader) => sql<boolean>`(c.listed and ${visibleTo('c', reader)})`,
  },
  reference: { ...named, name: atVersion('c'), id: atVersion('c') },
  'reference_vectors as reference': {
    name: referenceOfVectors,
    id: referenceOfVectors,
    visible: toAll,
    newest: sql`c.reference_number`,
  },
  reranker_model: named,
};

/** Gives the label of a row; undefined if the rows have no names. */
export function labelOf({ table, kind }: { table: string; kind: DependentKind }): Label | undefined {
  return labels[kind === table ? table : `${table} as ${kind}`];
}
