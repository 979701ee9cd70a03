import { experimentalEvidence } from '@kindred/contracts';

/**
 * How far a GO evidence code is trusted, 0 to 1: experiments and curators' statements 1, reviewed computation 0.7, unsupported author statements 0.5,
 * electronic 0.3. Which evidence stands for a (protein, term) pair that has several.
 */
const strengthOfCode: Record<string, number> = {
  ...Object.fromEntries(experimentalEvidence.map((code) => [code, 1])),
  ...Object.fromEntries(
    ['ISS', 'ISO', 'ISA', 'ISM', 'IGC', 'IBA', 'IBD', 'IKR', 'IRD', 'RCA'].map((code) => [code, 0.7]),
  ),
  NAS: 0.5,
  IEA: 0.3,
  ND: 0.1,
};

/** Codes that are not in the table (unmapped ECO ids) count as 0.5. */
export function evidenceStrength(code: string): number {
  return strengthOfCode[code] ?? 0.5;
}
