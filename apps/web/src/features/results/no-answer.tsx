import { Button } from '@mantine/core';
import { defaultRunner } from '@kindred/contracts/runner-fields';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { annotate } from '../../app/api/annotate.js';
import { submissionKey } from '../../app/api/client.js';
import { type Answer, getUploadedFasta, type PredictionSetDetail } from '../../app/api/predictions.js';
import { plural } from '../../shared/format.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { optionsOf } from '../annotate/options-of-run.js';
import { recordOf, searchedSentence } from './searched-words.js';
import styles from './results.module.css';

interface Props {
  set: PredictionSetDetail;
  answer: Answer;
}

/** Says why nothing is predicted, what was searched, and which other references can be searched. */
export function NoAnswer({ set, answer: { accession, no_answer, searched } }: Props) {
  const why = no_answer?.sentence ?? withoutReason(set);
  // A sequence that cannot have a prediction has no answer by any reference, so only the other reason offers a further search.
  const isSearched = no_answer === null || no_answer.reason === 'no_similar_protein';
  return (
    <div className={styles.empty}>
      <p>No prediction. {why} Absence of a prediction does not mean absence of a function.</p>
      {isSearched && searched !== null && (
        <>
          <p>{searchedSentence(searched)}</p>
          {set.query_set_id !== null && (
            <Others set={set} querySetId={set.query_set_id} accession={accession} others={searched.others} />
          )}
        </>
      )}
    </div>
  );
}

interface OthersProps {
  set: PredictionSetDetail;
  querySetId: string;
  accession: string;
  others: NonNullable<Answer['searched']>['others'];
}

/** Searches another reference for this protein, with the other settings of the run. */
function Others({ set, querySetId, accession, others }: OthersProps) {
  const navigate = useNavigate();
  const search = useMutation({
    mutationFn: async (annotationSetId: string) => {
      const text = recordOf(await getUploadedFasta(querySetId), accession);
      const { embedding_config_id: _, more_embedding_config_ids: __, ...options } = optionsOf(set);
      return annotate({
        source: { kind: 'text', text },
        name: undefined,
        keeping: undefined,
        options: { ...options, annotation_set_id: annotationSetId },
        key: submissionKey(),
      });
    },
    onSuccess: ({ predict_job_id, embedding_job_id }) =>
      navigate({ to: '/progress/$jobId', params: { jobId: predict_job_id ?? embedding_job_id } }),
  });
  return (
    <>
      {others.map(({ annotation_set_id, name, protein_count }) => (
        <Button
          key={annotation_set_id}
          variant="default"
          loading={search.isPending && search.variables === annotation_set_id}
          onClick={() => search.mutate(annotation_set_id)}
        >
          Search {name} ({plural(protein_count, 'protein')})
        </Button>
      ))}
      {search.error !== null && <ProblemNote error={search.error} />}
    </>
  );
}

/** Says why a protein of this run has no term, if the method recorded no reason. */
function withoutReason({ method, runner, distance_threshold, limit_per_entry }: PredictionSetDetail): string {
  if (method === 'combined') return 'No term has other support than its frequency.';
  if (runner === null || runner.name !== defaultRunner) return `The method ${method} gives no term for it.`;
  return distance_threshold === null
    ? `None of its ${plural(limit_per_entry, 'nearest neighbour')} has a term to transfer.`
    : `No annotated neighbour is within the distance of ${distance_threshold} that this run allowed.`;
}
