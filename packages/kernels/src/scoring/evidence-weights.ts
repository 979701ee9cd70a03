import { type EvidenceGroup, evidenceGroups } from '../vocabulary/index.js';

const weightOfGroup: Readonly<Record<EvidenceGroup, number>> = {
  experimental: 1,
  high_throughput: 1,
  curator: 1,
  computational: 0.7,
  author: 0.5,
  electronic: 0.3,
  no_data: 0.1,
};
const weightOfCode: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(evidenceGroups).flatMap(([group, codes]) =>
    codes.map((code) => [code, weightOfGroup[group as EvidenceGroup]]),
  ),
);

/** The GO evidence codes with a weight of their own. */
export const weightedEvidenceCodes: readonly string[] = Object.keys(weightOfCode);
/** The weight of a code that is not in the table (an ECO id without a code), and of a missing code. */
export const unknownEvidenceWeight = 0.5;

/**
 * Returns how far a GO evidence code is trusted, 0 to 1: experiments and curators' statements 1, reviewed computation 0.7, unsupported
 * author statements 0.5, electronic 0.3, no data 0.1. `own` takes precedence.
 */
export function evidenceWeight(code: string | null, own: Readonly<Record<string, number>> = {}): number {
  if (code === null) return unknownEvidenceWeight;
  for (const table of [own, weightOfCode]) if (Object.hasOwn(table, code)) return table[code];
  return unknownEvidenceWeight;
}
