/** The words for the prior knowledge of a protein, by category. */
export const categoryWords: Readonly<Record<string, string>> = {
  NK: 'nothing known before',
  LK: 'other aspects known',
  PK: 'more of the same aspect',
};
