import { ProblemError } from '@kindred/contracts';
import { hitsOfSet, nameOfHits } from '@kindred/contracts/search-hits';
import { termEvidenceRoutes } from '@kindred/contracts/resources/term-evidence';
import { isFromSequenceAlone } from '@kindred/kernels/combined';
import { stretchFor } from '../../../predict/explanations/speaking-stretch.js';
import { alignedSource, explainTerm } from '../../../predict/explanations/term-evidence.js';
import { findPredictionSet } from '../../../store/predictions/prediction-sets.repository.js';
import {
  asAnswered,
  namesOfQuery,
  denyingAnnotations,
  sourceAnnotations,
} from '../../../store/predictions/term-evidence.repository.js';
import { coverageOf } from '../../../predict/explanations/coverage.js';
import { predictionsOfProtein } from '../../../store/predictions/predictions.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { presentKnownEvidence, presentStoredEvidence, presentTermEvidence } from './present.js';

/**
 * The first answer of a process reads the annotations of the reference. For a set from before sources were
 * stored, it reads the sequences, too.
 */
const mostMs = 300_000;

/** Serves the evidence for the terms of proteins. */
export function serveTermEvidence(api: Api, { db, compute, memory, settings }: RouteDeps): void {
  serve(api, termEvidenceRoutes.coverage, async (request) => {
    const { id, accession } = request.params;
    const whole = await findPredictionSet(db, id);
    if (whole === undefined) throw absent('prediction set', id);
    const set = await asAnswered(db, whole, accession);
    const found = await coverageOf(set, accession, { db, compute, signal: AbortSignal.timeout(mostMs) });
    if (found === undefined) throw absent(`protein in prediction set ${id}:`, accession);
    return found;
  });
  serve(api, termEvidenceRoutes.show, async (request) => {
    const { id, accession, go_id: goId } = request.params;
    const whole = await findPredictionSet(db, id);
    if (whole === undefined) throw absent('prediction set', id);
    const set = await asAnswered(db, whole, accession);
    const rows = (await predictionsOfProtein(db, set.number, accession)).filter((row) => row.go_id === goId);
    const best = rows.at(0);
    const { known, names } = await namesOfQuery(db, set, accession);
    const witnessesOf = async (sources: readonly string[]) => ({
      known,
      denials: known === null ? [] : await denyingAnnotations(db, set, { goId, accession: known }),
      of: await sourceAnnotations(db, set, {
        goId,
        accessions: known === null ? sources : [...sources, known],
        names,
      }),
    });
    if (best === undefined) {
      const witnesses = await witnessesOf([]);
      if (known !== null && (witnesses.of.has(known) || witnesses.denials.length > 0))
        return presentKnownEvidence(set.method, { accession, goId }, witnesses);
      if (set.status === 'filling')
        throw new ProblemError(
          'conflict',
          `Prediction set ${id} is still being filled and has no ${goId} for ${accession} yet. Ask again when its job has ended.`,
        );
      throw absent(`term of ${accession}, known or predicted, in prediction set ${id}:`, goId);
    }
    const asked = { accession, goId, score: best.score, alignWith: request.query.alignment ?? null };
    const context = { db, compute, memory, signal: AbortSignal.timeout(mostMs) };
    const method = isFromSequenceAlone(best.calibrated_on) ? 'sequence_alone' : set.method;
    if (method === 'combined') {
      const found = await explainTerm(set, asked, { ...context, cacheDir: settings.cacheDir });
      const accessions = found.sources.map(({ reference }) => found.bank.texts.accessions[reference]);
      const hits = hitsOfSet(set.parameters);
      return presentTermEvidence(best, found, {
        witnesses: await witnessesOf(accessions),
        hits: hits === null ? null : nameOfHits(hits),
      });
    }
    const { alignWith } = asked;
    const sources = rows.map((row) => row.ref_protein_accession);
    const alignment =
      alignWith === null ? null : await alignedSource(set, { ...asked, alignWith }, sources, context);
    const witnesses = await witnessesOf(sources.filter((source) => source !== null));
    const stretch = method === 'sequence_alone' ? await stretchFor(set, asked, context) : null;
    return { ...presentStoredEvidence(method, { rows, witnesses }, alignment), stretch };
  });
}
