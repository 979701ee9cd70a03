import { statedTermRoutes, statedTermsFields } from '@kindred/contracts/resources/stated-terms';
import { addStatedTerms, removeStatedTerms, requireOwnQuerySet } from '../../../resources/stated-terms.js';
import { termNames } from '../../../store/ontology/slims.repository.js';
import { answersOf, queriesAfter } from '../../../store/predictions/answers.repository.js';
import { findPredictionSet } from '../../../store/predictions/prediction-sets.repository.js';
import { accessionsOfQuerySet, findQuerySet } from '../../../store/proteins/query-sets.repository.js';
import { statedTermFiles, statedTermsOf } from '../../../store/records/stated-terms.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent, fieldProblem } from '../../problems.js';
import { serve } from '../../serve.js';
import { nameOfFile, readForm } from '../../upload.js';
import { readStatedTermsTask } from '../../uploads/stated-terms.js';
import { parseOrRefuse } from '../../validation.js';
import { compareAnswers, presentCompared, termsOfCompared } from './compare.js';

const mostMs = 120_000;

/** Serves the terms that other programs state of the proteins of a query set, and runs beside them. */
export function serveStatedTerms(api: Api, deps: RouteDeps): void {
  const { db, compute, settings } = deps;
  serve(api, statedTermRoutes.addStatedTerms, async (request, reply) => {
    const { principal, params } = request;
    await requireOwnQuerySet(db, principal, params.id);
    const form = await readForm(request, settings, ['program']);
    const { program } = parseOrRefuse(statedTermsFields, form.fields);
    if (form.file === null)
      throw fieldProblem('/file', "give the other program's file as the part file", 'required');
    const upload = {
      name: nameOfFile(form.file) ?? 'the file',
      ...{ bytes: form.file.bytes, program, maxBytes: settings.maxUploadBytes },
      accessions: await accessionsOfQuerySet(db, params.id),
    };
    const signal = AbortSignal.timeout(mostMs);
    const terms = await compute.run(readStatedTermsTask, upload, { signal, urgent: true });
    await addStatedTerms(db, principal, params.id, terms);
    return reply.code(201).send(terms.about);
  });
  serve(api, statedTermRoutes.statedTerms, async (request) => {
    const set = await findQuerySet(db, request.params.id);
    if (set === undefined) throw absent('query set', request.params.id);
    return statedTermFiles(db, set.id);
  });
  serve(api, statedTermRoutes.removeStatedTerms, async (request) => {
    const { id, program } = request.params;
    await removeStatedTerms(db, request.principal, id, program);
    return { deleted: program };
  });
  comparisonRoute(api, deps);
}

function comparisonRoute(api: Api, { db, ontologies }: RouteDeps): void {
  serve(
    api,
    statedTermRoutes.comparison,
    async (request) => {
      const { id } = request.params;
      const { accession, program, all = false, limit, after = '' } = request.query;
      const set = await findPredictionSet(db, id);
      if (set === undefined) throw absent('prediction set', id);
      const files = set.query_set_id === null ? [] : await statedTermFiles(db, set.query_set_id);
      const programs = files.map((file) => file.program).filter((name) => (program ?? name) === name);
      if (program !== undefined && programs.length === 0)
        throw absent('file of this program beside the run:', program);
      const accessions =
        accession === undefined
          ? (await queriesAfter(db, set.number, after, limit)).map((row) => row.protein_accession)
          : [accession];
      const answers = await answersOf(db, set, accessions, { onlyAnswered: !all });
      if (accession !== undefined && answers.length === 0)
        throw absent('query in this prediction set', accession);
      const stated =
        set.query_set_id === null ? [] : await statedTermsOf(db, set.query_set_id, programs, accessions);
      const { graph } = await ontologies.of(set.ontology_snapshot_id);
      const compared = await compareAnswers(answers, stated, { graph, programs, all });
      const names = await termNames(db, set.ontology_snapshot_id, termsOfCompared(compared));
      return {
        programs,
        next: accession !== undefined || accessions.length < limit ? null : (accessions.at(-1) ?? null),
        proteins: presentCompared(compared, new Map(names.map((term) => [term.go_id, term]))),
        obsolete: [...compared.obsolete],
        absent: [...compared.absent],
        implied: compared.implied,
      };
    },
    { config: { isLarge: true } },
  );
}
