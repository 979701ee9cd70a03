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

/** Asks the publishers which files the selection needs. Nothing is downloaded yet. */
export async function planDownload(selection: string, release: string): Promise<PublishedFile[]> {
  const releases = release === '' ? {} : { uniprot: release };
  const payload = { selections: [selection], releases };
  const operation = 'plan_reference_download';
  const { result } = await api.run({ operation, queue_name: 'svc.jobs', payload });
  return result?.files as PublishedFile[];
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
