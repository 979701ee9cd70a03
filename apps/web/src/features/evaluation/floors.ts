/** The methods that any other method has to beat to be of use. */
export const floors: ReadonlySet<string> = new Set([
  'naive',
  'sequence similarity',
  'blastp (E. coli and yeast)',
  'own electronic terms',
]);
