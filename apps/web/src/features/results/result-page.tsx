import { Alert, Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import {
  answersTsv,
  predictionsCafa,
  predictionsTsv,
  type PredictionSetDetail,
} from '../../app/api/predictions.js';
import { hasStatus } from '../../app/api/problem.js';
import { CopyLink } from '../../shared/copy-link.js';
import { formatTime, plural } from '../../shared/format.js';
import { DownloadIcon } from '../../shared/icons.js';
import { LinkButton } from '../../shared/link-button.js';
import { Loaded } from '../../shared/loading.js';
import { Page } from '../../shared/page.js';
import { runName } from '../../shared/run-name.js';
import { Provenance } from './provenance.js';
import { ProteinList } from './protein-list.js';
import { ProteinAnswer } from './protein-answer.js';
import { ProteinTerms } from './protein-terms.js';
import styles from './results.module.css';
import { useFirstProtein, useHeaders, usePredictionSet } from './use-results.js';

const route = getRouteApi('/results/$setId');

/** One prediction set: proteins at the left, the terms of one at the right. The address names protein and aspect. */
export function ResultPage() {
  const { setId } = route.useParams();
  const set = usePredictionSet(setId);
  if (hasStatus(set.error, 404) || hasStatus(set.error, 422)) {
    return (
      <Page
        title="Result not found"
        lead="The address may be incomplete, the result may have been deleted, or it was not kept: results without an account are deleted after a day."
        actions={<LinkButton to="/">Annotate again</LinkButton>}
      />
    );
  }
  return (
    <Page
      title={set.data === undefined ? 'Predicted functions' : runName(set.data)}
      lead={set.data !== undefined && summary(set.data)}
      actions={
        set.data !== undefined && (
          <>
            <Download href={answersTsv(setId)} title="What is known and predicted, as on this page">
              answers.tsv
            </Download>
            <Download href={predictionsTsv(setId)} title="32 columns, one row per term and neighbour">
              predictions.tsv
            </Download>
            <Download href={predictionsCafa(setId)} title="CAFA submission: protein, term, score">
              CAFA file
            </Download>
            <CopyLink />
          </>
        )
      }
    >
      <Loaded query={set}>
        {(detail) => (
          <>
            <Unfinished set={detail} />
            <ResultBody set={detail} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Download({ href, title, children }: { href: string; title: string; children: string }) {
  return (
    <Button component="a" href={href} download title={title} variant="default" leftSection={<DownloadIcon />}>
      {children}
    </Button>
  );
}

function summary({ statistics, protein_count, expires_at }: PredictionSetDetail): string {
  const none = statistics.proteins_without_predictions;
  const terms = `${plural(statistics.pair_count, 'prediction')} of ${plural(statistics.term_count, 'term')} for ${plural(protein_count, 'protein')}`;
  const without = none === 0 ? '' : `, of which ${none} ${none === 1 ? 'has' : 'have'} no prediction`;
  const kept = expires_at === null ? '' : ` This result is deleted on ${formatTime(expires_at)}.`;
  return `${terms}${without}.${kept}`;
}

/** What a job left when it was cancelled or failed. */
function Unfinished({ set: { status, protein_count, query_count } }: { set: PredictionSetDetail }) {
  if (status !== 'incomplete') return null;
  const of = query_count === null ? '' : ` of ${query_count.toLocaleString('en')}`;
  return (
    <Alert color="yellow" title="This result is incomplete">
      Its job was cancelled or failed: it has {protein_count.toLocaleString('en')}
      {of} proteins. The others were not looked at; annotate again for all of them.
    </Alert>
  );
}

function ResultBody({ set }: { set: PredictionSetDetail }) {
  const { protein: named, aspect } = route.useSearch();
  const navigate = route.useNavigate();
  const first = useFirstProtein(set.id);
  const protein = named ?? first;
  const headers = useHeaders(set);
  const Protein = set.method === 'combined' ? ProteinAnswer : ProteinTerms;
  if (set.protein_count === 0) {
    return (
      <Alert color="yellow" title="No protein has a prediction">
        {set.job_id === null ? (
          'The run had no protein with a vector.'
        ) : (
          <>
            The run had no protein with a vector. Its{' '}
            <Link to="/jobs/$jobId" params={{ jobId: set.job_id }}>
              job
            </Link>{' '}
            says more.
          </>
        )}
      </Alert>
    );
  }
  return (
    <>
      <div className={styles.columns}>
        <ProteinList
          set={set}
          headers={headers}
          chosen={protein}
          onChoose={(accession) =>
            navigate({ search: (before) => ({ ...before, protein: accession }), resetScroll: false })
          }
        />
        {protein !== undefined && (
          <Protein
            key={protein}
            set={set}
            accession={protein}
            header={headers.get(protein)}
            aspect={aspect}
            onAspect={(next) =>
              navigate({
                search: (before) => ({ ...before, aspect: next }),
                replace: true,
                resetScroll: false,
              })
            }
          />
        )}
      </div>
      <Provenance set={set} />
    </>
  );
}
