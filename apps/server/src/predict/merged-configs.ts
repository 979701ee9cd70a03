import { absent, ProblemError } from '@kindred/contracts';
import type { AgreementCurve } from '@kindred/kernels/merging';
import { z } from 'zod';
import { type BankSubject, ensureReferenceBank } from './banks/ensure-reference-bank.js';
import type { FurtherEmbedding } from './banks/merged-embeddings.js';
import { findEmbeddingConfig } from '../store/embeddings/embedding-configs.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

/** The coordinator writes these facts about embeddings that are searched together into the row of the set. */
export const mergedParameters = z.object({
  /** The neighbours in these configurations count besides that of the set; null means none. */
  more_embedding_config_ids: z.array(z.uuid()).nullable().default(null),
  /** The distances of each configuration have a curve; that of the set comes first. */
  agreement_curves: z
    .array(z.object({ distance: z.array(z.number()), agreement: z.array(z.number()) }))
    .nullable()
    .default(null),
});

/**
 * Reads the configurations besides the main one, in the order of their ids. A configuration that is named
 * twice counts once.
 */
export async function furtherConfigs(
  main: string,
  ids: readonly string[] | null,
  { db }: Pick<OperationContext, 'db'>,
): Promise<BankSubject['config'][]> {
  const others = [...new Set((ids ?? []).map((id) => id.toLowerCase()))].filter((id) => id !== main).sort();
  const configs: BankSubject['config'][] = [];
  for (const id of others) {
    const config = await findEmbeddingConfig(db, id);
    if (config === undefined) throw absent('embedding configuration', id);
    configs.push(config);
  }
  return configs;
}

/** Gives the banks of the references in the other configurations; the coordinator found the `keys`. */
export async function furtherEmbeddings(
  configs: readonly BankSubject['config'][],
  set: BankSubject['set'],
  context: OperationContext,
  keys?: readonly string[],
): Promise<FurtherEmbedding[]> {
  const found: FurtherEmbedding[] = [];
  for (const [i, config] of configs.entries()) {
    const bank = await ensureReferenceBank(
      context,
      context.settings.cacheDir,
      { config, set },
      {
        ...(keys !== undefined && { key: keys[i] }),
        artifacts: context.artifacts,
        emit: context.emit,
      },
    );
    found.push({ config, bank });
  }
  return found;
}

/** @throws ProblemError internal_error for a set whose row lacks a curve */
export function curvesOfSet(curves: AgreementCurve[] | null, embeddings: number): AgreementCurve[] {
  if (curves?.length === embeddings) return curves;
  throw new ProblemError(
    'internal_error',
    `The prediction set has ${curves?.length ?? 0} curves for ${embeddings} embedding configurations; predict again.`,
  );
}
