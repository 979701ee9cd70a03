import { type FieldFault, type OperationName, ProblemError } from '@kindred/contracts';
import { operationRows } from '@kindred/contracts/operations';
import { defaultRunner } from '@kindred/contracts/runner-fields';
import { addressFields } from '@kindred/contracts/fields';
import { reversedReleases } from '../evaluate/release-order.js';
import { findAnnotationSet } from '../store/annotations/annotations.repository.js';
import { unknownAccessions } from '../store/embeddings/embeddings.repository.js';
import { openJobWith } from '../store/jobs/jobs.repository.js';
import { findDataset } from '../store/records/datasets.repository.js';
import type { RouteDeps } from './deps.js';
import { validationProblem } from './problems.js';
import { faultsIn } from './validation.js';

interface Job {
  operation: string;
  payload: Record<string, unknown>;
}
type Fault = Omit<FieldFault, 'path'> & { field: string };

const maxUnknownAccessions = 20;

/**
 * Refuses a job that could only fail, as far as the service can know before it runs. `requireReferences`
 * checks the rows that it names.
 * @throws ProblemError validation_failed, naming every such field
 */
export async function requirePossible(deps: RouteDeps, job: Job, place: '' | '/payload'): Promise<void> {
  const schema = operationRows.find(({ name }) => name === job.operation)?.payload;
  // The payload is checked with the defaults that the worker will fill in.
  const payload: Record<string, unknown> = schema?.safeParse(job.payload).data ?? job.payload;
  const faults = [
    ...(schema === undefined ? [] : await refusedAddresses(deps, addressFields(schema), payload)),
    ...(await missingProteins(deps, payload)),
    ...(await takenName(deps, { ...job, payload })),
    ...(await wrongOrder(deps, payload)),
    ...(await runnerFaults(deps, payload)),
  ];
  if (faults.length === 0) return;
  throw validationProblem(faults.map(({ field, ...fault }) => ({ path: `${place}/${field}`, ...fault })));
}

/** Gives the fault of an address that may not be opened; null for a good address. */
export async function addressFault(
  { checkAddress }: Pick<RouteDeps, 'checkAddress'>,
  address: string,
): Promise<Omit<FieldFault, 'path'> | null> {
  try {
    await checkAddress(address);
    return null;
  } catch (error) {
    if (error instanceof ProblemError) return { message: error.message, code: error.code };
    throw error;
  }
}

async function refusedAddresses(
  deps: RouteDeps,
  fields: string[],
  payload: Record<string, unknown>,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const field of fields) {
    const address = payload[field];
    const fault = typeof address === 'string' ? await addressFault(deps, address) : null;
    if (fault !== null) faults.push({ field, ...fault });
  }
  return faults;
}

async function missingProteins({ db }: RouteDeps, payload: Record<string, unknown>): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const field of ['query_accessions', 'accessions']) {
    const asked = payload[field];
    if (!Array.isArray(asked)) continue;
    for (const accession of await unknownAccessions(db, asked as string[], maxUnknownAccessions)) {
      const message = `there is no protein ${accession}; load it with insert_proteins, or upload a query set`;
      faults.push({ field: `${field}/${asked.indexOf(accession)}`, message, code: 'not_found' });
    }
  }
  return faults;
}

/** The name may also belong to an export that has not finished. */
async function takenName({ db }: RouteDeps, { operation, payload }: Job): Promise<Fault[]> {
  const { name } = payload;
  if (operation !== ('export_research_dataset' satisfies OperationName) || typeof name !== 'string')
    return [];
  const dataset = await findDataset(db, name);
  const job =
    dataset === undefined ? await openJobWith(db, { operation, field: 'name', value: name }) : undefined;
  if (dataset === undefined && job === undefined) return [];
  const owner = dataset === undefined ? `job ${job} is making a dataset` : `dataset ${dataset.id} is`;
  const message = `${owner} of this name; choose another, a dataset is never changed`;
  return [{ field: 'name', message, code: 'already_exists' }];
}

/** Lists the faults of the runner that a payload names, and of its parameters. */
export async function runnerFaults(
  { plugins }: Pick<RouteDeps, 'plugins'>,
  { runner, runner_parameters }: Record<string, unknown>,
): Promise<Fault[]> {
  if (typeof runner !== 'string' && (runner_parameters ?? null) === null) return [];
  try {
    const plugin = await plugins.runnerPlugin(typeof runner === 'string' ? runner : defaultRunner);
    return faultsIn(plugin.parameters, runner_parameters ?? {}).map(({ path, ...fault }) => ({
      ...fault,
      field: `runner_parameters${path}`,
    }));
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'backend_unavailable')
      return [{ field: 'runner', message: error.message, code: 'unknown_runner' }];
    throw error;
  }
}

async function wrongOrder({ db }: RouteDeps, payload: Record<string, unknown>): Promise<Fault[]> {
  const { old_annotation_set_id: oldId, new_annotation_set_id: newId } = payload;
  if (typeof oldId !== 'string' || typeof newId !== 'string') return [];
  const [before, after] = [await findAnnotationSet(db, oldId), await findAnnotationSet(db, newId)];
  const message = before && after && reversedReleases(before, after);
  return message ? [{ field: 'new_annotation_set_id', message, code: 'wrong_order' }] : [];
}
