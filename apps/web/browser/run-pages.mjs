import { checkAnswerPage } from './answer-page.mjs';
import { checkRunComparison } from './run-compare.mjs';
import { checkRunTable } from './run-table.mjs';

/**
 * Checks the pages of a run: its table, its comparison with another run, and a protein.
 * @param run a run of several proteins, among them Q9QZ82
 */
export async function checkRunPages({ checks, context, run }) {
  await checkRunTable({ checks, context, run });
  await checkRunComparison({ checks, context, run });
  await checkAnswerPage({ checks, context, run });
}
