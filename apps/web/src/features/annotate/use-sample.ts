import { useQuery } from '@tanstack/react-query';
import { getAnswer, getPredictionSet } from '../../app/api/predictions.js';
import { getShowcase } from '../../app/api/showcase.js';

/** Fetches the answer for one protein of a run that everyone finds here; null without a run. */
async function sampleAnswer() {
  const { sample } = await getShowcase();
  if (sample === null) return null;
  const { prediction_set_id: setId, accession } = sample;
  const [set, answer] = await Promise.all([getPredictionSet(setId), getAnswer(setId, accession, false)]);
  return { set, answer };
}

export const useSample = () => useQuery({ queryKey: ['sample'], queryFn: sampleAnswer, staleTime: 300_000 });
