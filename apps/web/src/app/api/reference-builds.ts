import type { Input, Reply } from '@kindred/client';
import { configurationOfModel } from '@kindred/client/configuration-of-model';
import {
  defaultModel,
  failedStepOf,
  failureText,
  isBuilt,
  partsOfPublished,
  progressOfBuild,
  stateOfBuild,
} from '@kindred/client/reference-builds';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import { hasStatus } from '@kindred/client';
import { api, rowsOrNone } from './client.js';

export type Reference = Reply<'GET', '/references'>[number];
type Body = Input<'POST', '/references'>['body'];
export type Parts = Omit<Body, 'name' | 'embedding_config_ids'>;

/** The step that a build is at, and the share that is done. */
export interface Doing {
  doing: string;
  share: number;
}
type Show = (now: Doing) => void;

/** A build that the visitor has chosen: its name, and how its parts come. */
export interface ChosenBuild {
  name: string;
  bring: (show: Show) => Promise<Parts>;
}

export const listReferences = () => rowsOrNone(api.get('/references', { query: { limit: 100 } }));

export const useForRuns = ({ name, version }: Reference) =>
  api.post('/references/:reference/use', { params: { reference: `${name}@${version}` } });

/** The time that publishers have to say which files there are: they answer within seconds, and without a network never. */
const planSeconds = 60;

/** Asks the publishers which files the selection needs. Nothing is downloaded yet. @throws Error if they do not answer */
export async function planDownload(selection: string, release: string): Promise<PublishedFile[]> {
  const releases = release === '' ? {} : { uniprot: release };
  const payload = { selections: [selection], releases };
  const asked = { operation: 'plan_reference_download', queue_name: 'svc.jobs', payload };
  const { id } = await api.post('/jobs', { body: asked });
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), planSeconds * 1000);
  try {
    const { result } = await api.finish(id, { signal: patience.signal });
    return result?.files as PublishedFile[];
  } catch (error) {
    if (!patience.signal.aborted) throw error;
    await api.post('/jobs/:id/cancel', { params: { id } });
    throw new Error(
      `UniProt, GOA and the Gene Ontology did not answer within ${planSeconds} seconds. Check that the machine of this service reaches the internet, by its proxy where it has one; or build from your own files.`,
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Downloads the files of a plan. Those that are here already are not asked for again. */
export async function downloadParts(files: readonly PublishedFile[], show: Show): Promise<Parts> {
  const operation = { operation: 'download_reference_files', queue_name: 'svc.jobs', payload: { files } };
  const { result } = await api.run(operation, {
    onUpdate: ({ progress_current: done, progress_total: total }) =>
      show({ doing: 'downloading', share: total ? done / total : 0 }),
  });
  return partsOfPublished(result?.files as PublishedFile[]);
}

/** Sends a file to the service. @returns the source that a build names */
export async function sendFile(file: File): Promise<{ url: string; file_name: string }> {
  const form = new FormData();
  form.set('file', file);
  const { url } = await api.post('/references/files', { form });
  return { url, file_name: file.name };
}

/** Begins a build with the default model; a build of equal files that ended early goes on. */
export async function beginBuild(name: string, parts: Parts): Promise<Reference> {
  const embedding_config_ids = [await configurationOfModel(api, defaultModel)];
  return api.post('/references', { body: { ...parts, name, embedding_config_ids } });
}

/** Waits for a build and its test. @throws Error that says why there is no reference */
export async function followBuild(begun: Reference, show: Show, signal?: AbortSignal): Promise<Reference> {
  if (begun.job_id === null) return begun;
  for (;;) {
    const { end, steps, reference } = await stateOfBuild(api, begun);
    if (isBuilt(reference, steps)) return reference;
    const all = [...steps, end];
    const failed = failedStepOf(all);
    if (failed !== undefined) throw new Error(failureText(failed, reference));
    const { doing, done, total } = progressOfBuild(all);
    show({ doing, share: done / total });
    await new Promise((passed) => setTimeout(passed, 700));
    signal?.throwIfAborted();
  }
}

export type Difference = Reply<'GET', '/references/:reference/diff'>;
export type Pack = Reply<'GET', '/references/:reference/pack'>;

const asParams = ({ name, version }: Pick<Reference, 'name' | 'version'>) => ({
  params: { reference: `${name}@${version}` },
});

export const compareReferences = (from: Reference, to: string) =>
  api.get('/references/:reference/diff', { ...asParams(from), query: { to } });
export const deleteReference = (one: Reference) => api.delete('/references/:reference', asParams(one));

/** Returns the pack that was made last; null if there is none. */
export const findPack = (one: Reference): Promise<Pack | null> =>
  api.get('/references/:reference/pack', asParams(one)).catch((error: unknown) => {
    if (hasStatus(error, 404)) return null;
    throw error;
  });
export const packAddress = (one: Reference) => api.address('/references/:reference/pack/file', asParams(one));

/** Writes a reference into a file, and waits until it is there. */
export async function makePack(one: Reference): Promise<void> {
  const { id } = await api.post('/references/:reference/pack', asParams(one));
  await api.finish(id);
}

/** Sends a packed reference and installs it. @returns its name and version */
export async function installPack(file: File, isDefault: boolean, show: Show): Promise<string> {
  show({ doing: `sending ${file.name}`, share: 0 });
  const { url } = await sendFile(file);
  const { id } = await api.post('/references/install', { body: { url, make_default: isDefault } });
  const { result } = await api.finish(id, {
    onUpdate: ({ progress_current: done, progress_total: total }) =>
      show({ doing: 'installing', share: total ? done / total : 0 }),
  });
  return String(result?.reference);
}

/** Predicts the proteins of a reference without their annotations, and waits for the figures. */
export async function testReference({ id }: Reference): Promise<void> {
  const payload = { reference_id: id };
  await api.run({ operation: 'measure_reference', queue_name: 'svc.jobs', payload });
}
