export {
  type AgreementCurve,
  agreementAt,
  type AgreementPoints,
  fitAgreement,
  FunctionAgreement,
  type KnownFunctions,
} from './agreement.js';
export {
  type MergedNeighbour,
  mergedDistance,
  nearestMerged,
  nearestMergedNaive,
  type QueryDistances,
} from './nearest.js';
