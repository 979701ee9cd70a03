import type { PayloadOf } from '@kindred/contracts';
import type { QueryRow } from '../../store/proteins/queries.repository.js';
import type { ScoredTerm } from '../scored-terms.js';

export type BaselinePayload = PayloadOf<'predict_baseline'>;
/** Terms of each query, best first; one list per query. */
export type BaselineMethodRun = (queries: readonly QueryRow[]) => Promise<readonly (readonly ScoredTerm[])[]>;
