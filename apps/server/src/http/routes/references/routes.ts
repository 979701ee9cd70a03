import { type FieldFault, ProblemError } from '@kindred/contracts';
import { referenceRoutes } from '@kindred/contracts/resources/references';
import { type ReferenceRequest, startReference } from '../../../work/jobs/start-reference.js';
import {
  compareReferences,
  removeReference,
  requireReference,
  useReference,
} from '../../../resources/references.js';
import {
  type DescribedReference,
  findReference,
  listReferences,
} from '../../../store/references/references.repository.js';
import { findReferenceFile } from '../../../store/references/reference-files.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { addressFault } from '../../possible.js';
import { validationProblem } from '../../problems.js';
import { requireReferences } from '../../references.js';
import { serve } from '../../serve.js';
import { serveReferenceFiles } from './files.js';
import { serveReferencePacks } from './packs.js';
import { presentDiff, presentReference } from './present.js';

export function serveReferences(api: Api, deps: RouteDeps): void {
  const { db } = deps;
  serve(api, referenceRoutes.list, async (request, reply) => {
    const { limit, after } = request.query;
    const page = await listReferences(db, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'created_at' });
    return page.rows.map(presentReference);
  });
  serve(api, referenceRoutes.show, async (request) =>
    presentReference(await requireReference(db, request.params.reference)),
  );
  serve(api, referenceRoutes.create, async (request, reply) => {
    await requireSources(deps, request.body);
    const { id, queued } = await startReference(deps, request.body, {
      ownerUserId: request.principal.user?.id ?? null,
      checkFiles: () => requireFiles(deps, request.body),
    });
    const row = (await findReference(db, id)) as DescribedReference;
    return reply
      .code(queued ? 202 : 200)
      .header('location', `/v1/references/${row.name}@${row.version}`)
      .send(presentReference(row));
  });
  serve(api, referenceRoutes.diff, async (request) =>
    presentDiff(await compareReferences(db, request.params.reference, request.query.to)),
  );
  serve(api, referenceRoutes.use, async (request) =>
    presentReference(await useReference(db, request.params.reference)),
  );
  serve(api, referenceRoutes.remove, (request) =>
    removeReference(deps, request.params.reference, request.query),
  );
  serveReferenceFiles(api, deps);
  serveReferencePacks(api, deps);
}

/**
 * Checks that every address may be opened.
 * @throws ProblemError validation_failed
 */
async function requireSources(deps: RouteDeps, body: ReferenceRequest): Promise<void> {
  const { ontology_snapshot_id } = body;
  for (const embedding_config_id of body.embedding_config_ids)
    await requireReferences(deps.db, { embedding_config_id, ontology_snapshot_id }, '');
  const faults: FieldFault[] = [];
  for (const { path, url } of sourcesIn(body)) {
    const fault = sentFile(url) === null ? await addressFault(deps, url) : null;
    if (fault !== null) faults.push({ path, ...fault });
  }
  if (faults.length > 0) throw validationProblem(faults);
}

/** @throws ProblemError files_missing, naming each */
async function requireFiles({ db }: RouteDeps, body: ReferenceRequest): Promise<void> {
  const missing: FieldFault[] = [];
  for (const { path, url } of sourcesIn(body)) {
    const sent = sentFile(url);
    if (sent !== null && (await findReferenceFile(db, sent)) === undefined)
      missing.push({ path, message: `no file ${sent} was sent`, code: 'files_missing' });
  }
  if (missing.length === 0) return;
  throw new ProblemError(
    'files_missing',
    `${missing.length} of the files were not sent yet: POST each to /v1/references/files, then repeat this.`,
    { errors: missing },
  );
}

/** Gives the SHA-256 of a file that was sent; null for another address. */
function sentFile(url: string): string | null {
  return /^upload:([0-9a-f]{64})$/.exec(url)?.[1] ?? null;
}

interface Source {
  url: string;
}

function sourcesIn(body: ReferenceRequest): { path: string; url: string }[] {
  const { ontology, proteins, annotations, interpro_mapping, vectors = [] } = body;
  const taxonomy: Record<string, Source | undefined> = body.taxonomy ?? {};
  const places: Record<string, Source | undefined> = {
    ontology,
    ...Object.fromEntries(proteins.map((source, i) => [`proteins/${i}`, source])),
    ...Object.fromEntries(annotations.map((source, i) => [`annotations/${i}`, source])),
    ...Object.fromEntries(Object.entries(taxonomy).map(([file, source]) => [`taxonomy/${file}`, source])),
    interpro_mapping,
    ...Object.fromEntries(
      Object.entries(body.taxon_constraints ?? {}).map(([file, source]) => [
        `taxon_constraints/${file}`,
        source,
      ]),
    ),
    ...Object.fromEntries(vectors.map((source, i) => [`vectors/${i}`, source])),
  };
  return Object.entries(places).flatMap(([place, source]) =>
    source === undefined ? [] : [{ path: `/${place}/url`, url: source.url }],
  );
}
