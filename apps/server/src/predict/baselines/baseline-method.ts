import type { PayloadOf } from '@kindred/contracts';
import type { QueryIdentity } from '../../store/predictions/prediction-writer.js';
import type { QueryRow } from '../../store/proteins/queries.repository.js';
import type { ScoredTerm } from '../scored-terms.js';

export type BaselinePayload = PayloadOf<'predict_baseline'>;
export type IdentifiedQuery = QueryRow & QueryIdentity;
/** Gives the terms of each query, best first, in one list per query. */
export type BaselineMethodRun = (
  queries: readonly IdentifiedQuery[],
) => Promise<readonly (readonly ScoredTerm[])[]>;
