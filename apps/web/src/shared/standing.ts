/** The words for how sure the answer for a protein is, from the best term that it has. */
export const standings = ['known', 'strong', 'likely', 'possible', 'weak', 'uncalibrated', 'none'] as const;
export type Standing = (typeof standings)[number];

export const standingWords: Readonly<Record<Standing, string>> = {
  known: 'Known exactly',
  strong: 'Strong',
  likely: 'Likely',
  possible: 'Possible',
  weak: 'Weak',
  uncalibrated: 'Not calibrated',
  none: 'No answer',
};
