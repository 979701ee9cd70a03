export {
  cleanedName,
  nameCautions,
  nameKey,
  nameRule,
  nameStem,
  type NameSource,
  nearestSources,
  type PredictedName,
  predictedNameOf,
} from './product-name.js';
