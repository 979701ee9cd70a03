import { checkRunComparison } from './run-compare.mjs';
import { checkRunTable } from './run-table.mjs';

/**
 * Checks the pages of a run: its table and its comparison with another run.
 * @param run a run of several proteins
 */
export async function checkRunPages({ checks, context, run }) {
  await checkRunTable({ checks, context, run });
  await checkRunComparison({ checks, context, run });
}
