import { createHash } from 'node:crypto';
import { atLeast, type Visibility } from '@kindred/contracts';
import { type annotateQuery, annotateReply, annotateRoutes } from '@kindred/contracts/resources/annotate';
import { combinedSources, sourceChoices, predictPayload } from '@kindred/contracts/resources/prediction-sets';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type AnnotationReference, startAnnotation } from '../../../work/jobs/start-annotation.js';
import type { Api, RouteDeps } from '../../deps.js';
import { requireRole } from '../../plugins/credentials.js';
import { runnerFaults } from '../../possible.js';
import { fieldProblem, validationProblem } from '../../problems.js';
import { requireReferences } from '../../references.js';
import { serve } from '../../serve.js';
import { beforeBody, callerOf } from '../../submit.js';
import { parseOrRefuse } from '../../validation.js';
import { chooseReference, commonTaxon } from './choice.js';
import { type Input, readInput } from './input.js';
import { nameOfRun } from './name-of-run.js';
import { withOrganism } from './organism.js';

type Reply = z.infer<typeof annotateReply>;

/** This id stands for the query set that is to be made. */
const zeroId = '00000000-0000-0000-0000-000000000000';

export function serveAnnotate(api: Api, deps: RouteDeps): void {
  const { settings } = deps;
  serve(
    api,
    annotateRoutes.annotate,
    async (request, reply) => {
      const { save_history, auto_predict } = request.query;
      const saved = isSaved(request, save_history);
      const visibility = visibilityOf(saved, request.query.visibility, settings.defaultVisibility);
      const { name: givenName, digest, runnerParameters, ...input } = await readInput(request, deps);
      const records = await withOrganism(deps.db, input.records, request.query.organism);
      const name = givenName ?? (await nameOfRun(deps.db, records));
      const { annotation_set_id, embedding_config_id, more_embedding_config_ids } = request.query;
      const named = { annotation_set_id, embedding_config_id, more_embedding_config_ids };
      await requireReferences(deps.db, named, '');
      const chosen = await chooseReference(deps.db, {
        ...request.query,
        taxonId: commonTaxon(records),
        isCombined: (request.query.method ?? 'combined') === 'combined' && request.query.runner === undefined,
      });
      const { reference, chosenBy } = partsOf(chosen);
      const options = {
        ...predictOptions({ ...request.query, runnerParameters, hits: input.hits }, reference),
        ...moreReferences(chosen),
      };
      await requireRunner(deps, options);
      const autoPredict = auto_predict ?? false;
      const given = input.hits === null ? [] : [input.hits.about];
      const asked = [givenName, saved, visibility, autoPredict, request.query, runnerParameters, ...given];
      const fingerprint = createHash('sha256').update(JSON.stringify(asked)).update(digest);
      const ttlHours = saved ? null : settings.ephemeralTtlHours;
      const caller = await callerOf(deps, request, fingerprint.digest());
      const answer = await startAnnotation(deps, caller, {
        name,
        records,
        ...{ leftOut: input.leftOut, hits: input.hits },
        ttlHours,
        visibility,
        autoPredict,
        reference,
        moreConfigs: more_embedding_config_ids ?? [],
        chosenBy,
        options,
      });
      return reply
        .code(202)
        .headers(answer.headers)
        .send(answer.body as Reply);
    },
    {
      // JSON escapes double a line end; the text itself is measured afterwards.
      bodyLimit: settings.maxUploadBytes * 2,
      onRequest: beforeBody(deps, 'sequences'),
    },
  );
}

/** Parts what the annotation is made with from who or what chose it. */
function partsOf({
  embedding_config_id,
  annotation_set_id,
  ontology_snapshot_id,
  ...chosenBy
}: Awaited<ReturnType<typeof chooseReference>>) {
  return { reference: { embedding_config_id, annotation_set_id, ontology_snapshot_id }, chosenBy };
}

/**
 * Makes the options of a prediction that also searches other references. If the operator's default answers a
 * query, that answer stands.
 */
function moreReferences({
  more_references: more,
  annotation_set_chosen_by: by,
}: Pick<Reply, 'more_references' | 'annotation_set_chosen_by'>): Record<string, unknown> {
  if (more.length === 0) return {};
  return {
    more_annotation_set_ids: more.map(({ annotation_set_id }) => annotation_set_id),
    prefer_first: by === 'operator',
  };
}

/** @throws ProblemError validation_failed for options that exclude each other */
function predictOptions(
  {
    runner,
    method = runner === undefined ? 'combined' : 'knn',
    runnerParameters,
    limit_per_entry,
    aspect,
    sequence_only: fromSequence = method === 'combined',
    more_embedding_config_ids: more,
    hits,
    ...query
  }: z.infer<typeof annotateQuery> & Pick<Input, 'runnerParameters' | 'hits'>,
  reference: AnnotationReference,
): Record<string, unknown> {
  const sources = limit_per_entry ?? (method === 'combined' ? combinedSources : undefined);
  const options = {
    method,
    ...(runner !== undefined && { runner }),
    ...(runnerParameters !== undefined && { runner_parameters: runnerParameters }),
    ...(sources !== undefined && { limit_per_entry: sources }),
    ...sourcesOf(query),
    ...(aspect !== undefined && { aspect }),
    ...(fromSequence && { sequence_only: true }),
    ...(more !== undefined && { more_embedding_config_ids: more }),
    ...(hits !== null && { use_hits: true }),
  };
  if (hits !== null && method !== 'combined')
    throw fieldProblem('/hits', 'the method combined takes hits; leave them out, or method and runner');
  // The query set is not there yet.
  parseOrRefuse(predictPayload, { ...reference, ...options, query_set_id: zeroId });
  return options;
}

/**
 * @throws ProblemError validation_failed for a runner that is not installed, or for parameters that it lacks
 */
async function requireRunner(deps: RouteDeps, options: Record<string, unknown>): Promise<void> {
  const faults = await runnerFaults(deps, options);
  if (faults.length > 0)
    throw validationProblem(faults.map(({ field, ...fault }) => ({ path: `/${field}`, ...fault })));
}

/** Gives the caller's choices of sources, by the names of the schema. */
function sourcesOf(query: Partial<z.infer<typeof annotateQuery>>): Record<string, unknown> {
  const names = Object.keys(sourceChoices) as (keyof typeof sourceChoices)[];
  return Object.fromEntries(
    names.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
  );
}

/**
 * @throws ProblemError credential_missing, role_too_low, because only accounts from researcher on have a
 * history
 */
function isSaved({ principal }: FastifyRequest, asked: boolean | undefined): boolean {
  if (asked === undefined) return atLeast(principal.role, 'researcher');
  if (asked) requireRole(principal, 'researcher');
  return asked;
}

/** @throws ProblemError validation_failed, because unsaved work is never listed */
function visibilityOf(saved: boolean, asked: Visibility | undefined, usual: Visibility): Visibility {
  if (saved) return asked ?? usual;
  if (asked === 'listed')
    throw fieldProblem('/visibility', 'only saved annotations can be listed: send save_history=true');
  return 'link';
}
