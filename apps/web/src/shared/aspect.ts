import { type Aspect, aspects } from '@kindred/contracts/vocabulary';

/** The aspects in the order of the service, with the words that a page shows. */
export const aspectOrder: readonly [Aspect, ...Aspect[]] = aspects;

export const aspectNames: Record<Aspect, string> = {
  P: 'Biological process',
  F: 'Molecular function',
  C: 'Cellular component',
};

export const aspectMeanings: Record<Aspect, string> = {
  P: 'what the protein takes part in',
  F: 'what the protein does',
  C: 'where the protein is',
};

export function isAspect(value: unknown): value is Aspect {
  return (aspects as readonly unknown[]).includes(value);
}
