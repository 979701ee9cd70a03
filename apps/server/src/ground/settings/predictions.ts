import { flag, optionalText } from './schemas.js';
import type { SettingRow } from './setting-row.js';

/** The rows name the vectors of GO terms, which fill optional columns of predictions. */
export const predictionSettingRows = {
  jsonbWrite: {
    env: 'SVC_GO_PREDICTION_JSONB_WRITE_ENABLED',
    yaml: 'predictions.jsonb_write_enabled',
    schema: flag(false),
    example: 'true',
    description: 'Fill go_prediction.predictions_jsonb too',
  },
  anc2vecFile: {
    env: 'SVC_ANC2VEC_FILE',
    yaml: 'predictions.anc2vec_file',
    schema: optionalText,
    whenUnset: 'none: the anc2vec columns are null',
    example: '/srv/kindred/anc2vec.npz',
    description:
      'Vectors of GO terms for the anc2vec columns: .npz (go_ids and embeddings), or lines of a GO id and its numbers. Every worker needs the same file',
  },
} as const satisfies Record<string, SettingRow>;
