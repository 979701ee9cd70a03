import { defaultRunner } from '@kindred/contracts/runner-fields';
import type { AnnotateOptions } from '../../app/api/annotate.js';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import { isAspect } from '../../shared/aspect.js';
import { sourceChoiceNames } from '../../shared/evidence.js';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Returns the options of the form that repeat a run on the same reference. */
export function optionsOf(
  set: Pick<
    PredictionSetDetail,
    | 'method'
    | 'runner'
    | 'annotation_set_id'
    | 'more_references'
    | 'embedding_config_id'
    | 'more_embedding_configs'
    | 'limit_per_entry'
    | 'parameters'
  >,
): AnnotateOptions {
  const { method, runner, parameters } = set;
  const isKnn = method === 'knn' || runner !== null;
  const given = parameters.runner_parameters;
  const sources = Object.keys(sourceChoiceNames).flatMap((name) => {
    const chosen = parameters[name];
    return Array.isArray(chosen) ? [[name, chosen.join(',')] as const] : [];
  });
  return {
    ...Object.fromEntries(sources),
    // The reference is left open, because a run that was compared with several references had none chosen.
    ...(set.annotation_set_id !== null &&
      set.more_references.length === 0 && { annotation_set_id: set.annotation_set_id }),
    ...(set.embedding_config_id !== null && { embedding_config_id: set.embedding_config_id }),
    ...(set.more_embedding_configs.length > 0 && {
      more_embedding_config_ids: set.more_embedding_configs.map(({ id }) => id).join(','),
    }),
    ...(isKnn && { method: 'knn' as const, limit_per_entry: set.limit_per_entry }),
    ...(runner !== null && runner.name !== defaultRunner && { runner: runner.name }),
    ...(isRecord(given) && { runner_parameters: given }),
    // A run that could not give terms from the sequence alone would not give them again.
    ...(!isKnn && parameters.sequence_only === false && { sequence_only: false }),
    ...(!isKnn && isAspect(parameters.aspect) && { aspect: parameters.aspect }),
  };
}
