import { nonExperimentalTerms } from '../../store/predictions/baselines.repository.js';
import type { OperationContext } from '../../work/operation/operation.js';
import type { BaselineMethodRun, BaselinePayload } from './baseline-method.js';
import type { ReferenceTerms } from '../reference-terms.js';

/** Every query gets the non-experimental terms that the set has for its protein, each with score 1. */
export async function ownTerms(
  { set }: ReferenceTerms,
  _payload: BaselinePayload,
  context: OperationContext,
): Promise<BaselineMethodRun> {
  return async (queries) => {
    // A query with another name has no annotations of its own.
    const own = queries.filter((query) => query.known_accession === query.accession);
    const accessions = own.map((query) => query.accession);
    const rows = await nonExperimentalTerms(context.db, set.number, accessions);
    const ofAccession = new Map<string, typeof rows>();
    for (const row of rows) ofAccession.set(row.accession, [...(ofAccession.get(row.accession) ?? []), row]);
    return queries.map(({ accession, taxonomy_id }) =>
      (ofAccession.get(accession) ?? []).map((row) => ({
        termRowId: row.go_term_id,
        score: 1,
        source: { kind: 'own_annotation', id: accession, taxonomy_id },
        distance: null,
        evidenceCode: row.evidence_code,
      })),
    );
  };
}
