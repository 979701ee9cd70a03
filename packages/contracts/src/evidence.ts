/** Evidence that counts as experimental: in ground truth, known terms and information accretion. */
export const experimentalEvidence = [
  'EXP',
  'IDA',
  'IPI',
  'IMP',
  'IGI',
  'IEP',
  'HTP',
  'HDA',
  'HMP',
  'HGI',
  'HEP',
  'IC',
  'TAS',
] as const;
