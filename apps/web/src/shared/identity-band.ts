/** The ranges of identity by which a run is narrowed down: the lower end in percent, or none if nothing was aligned. */
export const identityBands = ['90', '60', '40', '0', 'none'] as const;
export type IdentityBand = (typeof identityBands)[number];

export const identityBandWords: Readonly<Record<IdentityBand, string>> = {
  '90': '90 % and more',
  '60': '60 to 90 %',
  '40': '40 to 60 %',
  '0': 'below 40 %',
  none: 'no alignment',
};

/** Returns the range of the largest identity, 0 to 1; null if nothing was aligned. */
export function identityBandOf(identity: number | null): IdentityBand {
  if (identity === null) return 'none';
  return identityBands.find((band) => band !== 'none' && 100 * identity >= Number(band)) ?? '0';
}
