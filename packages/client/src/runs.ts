import type { DeletableTable, DependentRows, Dependents } from '@kindred/contracts/resources/dependents';
import type { Client } from './client.js';

interface Run {
  id: string;
  query_set_id: string | null;
}

/** Says of an error of the client whether it means that the row belongs to somebody else, or is gone. */
type IsNotOurs = (error: unknown) => boolean;

/** Deletes a run and its upload. An upload that belongs to somebody else stays. */
export async function deleteRun(
  client: Client,
  { id, query_set_id: uploadId }: Run,
  isNotOurs: IsNotOurs,
): Promise<void> {
  await client.delete('/embeddings/prediction-sets/:id', { params: { id } });
  if (uploadId !== null)
    await orNull(client.delete('/query-sets/:id', { params: { id: uploadId } }), isNotOurs);
}

/** Lists the rows that depend on a run and on its upload. */
export async function dependentsOfRun(
  client: Client,
  { id, query_set_id: uploadId }: Run,
  isNotOurs: IsNotOurs,
): Promise<Dependents> {
  const dependentsOf = (kind: DeletableTable, row: string) =>
    client.get('/dependents/:kind/:id', { params: { kind, id: row } });
  const own = await dependentsOf('prediction_set', id);
  const upload = uploadId === null ? null : await orNull(dependentsOf('query_set', uploadId), isNotOurs);
  if (upload === null) return own;
  return {
    first: [...own.first, ...upload.first],
    deleted: [...own.deleted, ...upload.deleted],
    kept: [...own.kept, ...upload.kept.flatMap(otherRuns)],
  };
}

/** Leaves out the run itself, which is one of the runs of its upload, because all rows have its name. */
function otherRuns(rows: DependentRows): DependentRows[] {
  const count = rows.count - 1;
  if (rows.kind !== 'prediction_set') return [rows];
  const words = `other ${count === 1 ? 'run' : 'runs'} of the same upload`;
  return count === 0 ? [] : [{ ...rows, count, words, names: [] }];
}

async function orNull<T>(answer: Promise<T>, isExpected: (error: unknown) => boolean): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (isExpected(error)) return null;
    throw error;
  });
}
