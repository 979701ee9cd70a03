import type { AgreementCurve, KnownFunctions } from '@kindred/kernels/merging';
import type { EmbeddingBank } from './merged-search.js';
import type { ComputeTask } from '../../ground/pool/pool.js';
import type { SearchedBank } from './reference-bank.js';

export interface AgreementInput {
  bank: SearchedBank;
  metric: 'cosine' | 'l2';
  embeddings: readonly EmbeddingBank[];
  /** Known functions of the bank's references. */
  known: KnownFunctions;
}

export interface AgreementOutput {
  /** Curves, one for each embedding. */
  curves: AgreementCurve[];
  /** Proteins that were compared with others. */
  proteins: number;
}

export const agreementTask: ComputeTask<AgreementInput, AgreementOutput> = {
  file: new URL('./tasks/agreement.js', import.meta.url),
  export: 'agreement',
};
