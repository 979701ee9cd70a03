import type { DependentKind } from '@kindred/contracts/dependent-words';
import { memberKinds } from '@kindred/contracts/resources/experiment-runs';
import { type RawBuilder, sql } from 'kysely';
import { isUnsaved } from '../postgres/fragments/unsaved.js';

/**
 * The deletion of a row affects a row that names it. `first`: the deletion is refused until the other row is
 * gone. `deleted`: the other row is deleted, too. `kept`: the other row stays.
 */
export type Effect = 'first' | 'deleted' | 'kept';

/**
 * The `column` of a row of `child` holds the `key` of a row of `parent`. In conditions, `c` is the row of
 * `child`.
 */
export interface Link {
  child: string;
  column: string;
  parent: string;
  key: string;
  effect: Effect;
  /** The rows have this kind. By default, the kind has the name of `child`. */
  kind?: DependentKind;
  where?: RawBuilder<boolean>;
  /** If true, the column is a list of keys. */
  isList?: true;
  /** The expression replaces the column. */
  value?: RawBuilder<unknown>;
  /** The column has this type. By default, it is uuid. */
  type?: string;
  /** This effect applies when the caller deletes a reference together with its runs (`dependents=true`). */
  effectWithDependents?: Effect;
}

const runsFrom = (column: string, parent: string, key: string, list: Pick<Link, 'isList'> = {}): Link[] => {
  const link = { child: 'prediction_set', column, parent, key, ...list };
  return [
    { ...link, effect: 'deleted', kind: 'unsaved_run', where: isUnsaved('c') },
    {
      ...link,
      effect: 'first',
      where: sql<boolean>`not ${isUnsaved('c')}`,
      ...(/annotation_set_ids?$/.test(column) ? { effectWithDependents: 'deleted' } : {}),
    },
  ];
};

/**
 * These links lead to jobs that are cancelled with a job that has not begun, and to jobs that only name one.
 */
const jobsOf = (column: 'parent_job_id' | 'waits_for_job_id'): Link[] => {
  const link = { child: 'job', column, parent: 'job', key: 'id', effect: 'kept' } as const;
  const isCancelled = sql<boolean>`(c.status in ('QUEUED', 'RUNNING')
    and exists (select from job p where p.id = ${sql.ref(`c.${column}`)} and p.status = 'QUEUED'))`;
  return [
    { ...link, kind: 'waiting_job', where: isCancelled },
    { ...link, where: sql<boolean>`not ${isCancelled}` },
  ];
};

/**
 * Makes a link to jobs that read the row that their payload names. Two rules of one column have different
 * names.
 */
function unfinishedJobsOf(parent: string, value: RawBuilder<unknown>): Link {
  return {
    ...{ child: 'job', column: 'payload', parent, key: 'id', value, type: 'text' },
    ...{ effect: 'first', kind: 'unfinished_job' },
    where: sql<boolean>`c.status in ('QUEUED', 'RUNNING')`,
  };
}

/**
 * The functions of deletion add these links to the keys of the database; a link here replaces the key of its
 * column. `refuseInUse` uses it to refuse a deletion, and people read it before they delete.
 */
export const deletionRules: readonly Link[] = [
  ...runsFrom('embedding_config_id', 'embedding_config', 'id'),
  ...runsFrom('more_embedding_config_ids', 'embedding_config', 'id', { isList: true }),
  {
    child: 'calibration_curve',
    column: 'more_embedding_config_ids',
    parent: 'embedding_config',
    key: 'id',
    effect: 'deleted',
    isList: true,
  },
  ...runsFrom('annotation_set_id', 'annotation_set', 'id'),
  ...runsFrom('annotation_set_id', 'reference', 'annotation_set_id'),
  ...runsFrom('more_annotation_set_ids', 'annotation_set', 'id', { isList: true }),
  ...runsFrom('more_annotation_set_ids', 'reference', 'annotation_set_id', { isList: true }),
  // The reference may not delete a set that was loaded by itself.
  {
    child: 'annotation_set',
    column: 'id',
    parent: 'reference',
    key: 'annotation_set_id',
    effect: 'deleted',
    where: sql<boolean>`c.source = 'reference'`,
  },
  // Vectors are useless without their configuration; results are figures that somebody may have cited.
  {
    child: 'sequence_embedding',
    column: 'embedding_config_number',
    parent: 'embedding_config',
    key: 'number',
    type: 'integer',
    effect: 'deleted',
  },
  {
    child: 'evaluation_result',
    column: 'evaluation_set_id',
    parent: 'evaluation_set',
    key: 'id',
    effect: 'first',
  },
  {
    child: 'reference_vectors',
    column: 'embedding_config_id',
    parent: 'embedding_config',
    key: 'id',
    effect: 'first',
    kind: 'reference',
  },
  unfinishedJobsOf('query_set', sql`c.payload ->> 'query_set_id'`),
  unfinishedJobsOf('prediction_set', sql`c.payload ->> 'prediction_set_id'`),
  ...jobsOf('parent_job_id'),
  ...jobsOf('waits_for_job_id'),
  ...memberKinds.map(
    (kind): Link => ({
      child: 'experiment_run_member',
      column: 'member_id',
      parent: kind,
      key: 'id',
      effect: 'kept',
      kind: 'experiment_run',
      where: sql<boolean>`c.kind = ${kind}`,
    }),
  ),
  // Unsaved sets are deleted by themselves, and the indexes cover the others.
  ...['query_set', 'prediction_set'].map(
    (child): Link => ({
      child,
      column: 'owner_user_id',
      parent: 'user_account',
      key: 'id',
      effect: 'kept',
      where: sql<boolean>`c.listed`,
    }),
  ),
];
