import { Alert, Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import { hasStatus } from '../../app/api/problem.js';
import { formatCount, formatTime } from '../../shared/format.js';
import { LinkButton } from '../../shared/link-button.js';
import { Loaded } from '../../shared/loading.js';
import { Page } from '../../shared/page.js';
import { runName } from '../../shared/run-name.js';
import { useKey } from '../../shared/use-key.js';
import overview from './overview.module.css';
import { Feedback } from './feedback.js';
import { Provenance } from './provenance.js';
import { ProteinAnswer } from './protein-answer.js';
import styles from './results.module.css';
import { RunActions } from './run-actions.js';
import { RunOverview } from './run-overview.js';
import { useAnswer, useOnlyProtein, usePredictionSet } from './use-results.js';
import { useView } from './use-view.js';

/** The pages of one run and of several share a chunk, as they share most of their parts. */
export { ProteomeMatrixPage } from './proteome-matrix-page.js';

const route = getRouteApi('/results/$setId');

/** Shows a run: all its proteins, or the one that the address names. */
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
      actions={set.data !== undefined && <RunActions set={set.data} />}
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

function summary({ expires_at, visibility }: PredictionSetDetail): string {
  const who =
    visibility === 'listed'
      ? 'Everyone finds this run in the list.'
      : 'Whoever has the link can read this run.';
  return expires_at === null ? who : `${who} It is deleted on ${formatTime(expires_at)}.`;
}

/** Explains a run that was cancelled or failed. */
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
  const { protein } = route.useSearch();
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
  const sources = (
    <>
      <Provenance set={set} />
      <Feedback jobId={set.job_id} />
    </>
  );
  if (protein !== undefined || set.protein_count === 1)
    return <OneProtein set={set} named={protein} sources={sources} />;
  return (
    <>
      <RunOverview set={set} />
      {sources}
    </>
  );
}

/** Shows one protein of the run, with links to the others. `sources` come below its answer, when that has its height. */
function OneProtein({
  set,
  named,
  sources,
}: {
  set: PredictionSetDetail;
  named: string | undefined;
  sources: ReactNode;
}) {
  const [{ aspect, all = false }, change] = useView();
  const navigate = route.useNavigate();
  const accession = useOnlyProtein(set, named);
  const { previous = null, next = null } = useAnswer(set, accession, all).data ?? {};
  const go = (protein: string | null) => {
    if (protein !== null) void navigate({ search: (before) => ({ ...before, protein }), resetScroll: false });
  };
  useKey('j', () => go(next));
  useKey('k', () => go(previous));
  if (accession === undefined) return <div className={styles.waiting} />;
  return (
    <>
      {set.protein_count > 1 && (
        <nav className={overview.way} aria-label="Proteins of this run">
          <Link
            to="/results/$setId"
            params={{ setId: set.id }}
            search={(before) => ({ ...before, protein: undefined, aspect: undefined, open: undefined })}
          >
            All {formatCount(set.protein_count)} proteins
          </Link>
          <Button
            size="compact-sm"
            variant="default"
            disabled={previous === null}
            onClick={() => go(previous)}
          >
            Previous
          </Button>
          <Button size="compact-sm" variant="default" disabled={next === null} onClick={() => go(next)}>
            Next
          </Button>
        </nav>
      )}
      <ProteinAnswer
        key={accession}
        set={set}
        accession={accession}
        sources={sources}
        aspect={aspect}
        onAspect={(next) => change({ aspect: next })}
      />
    </>
  );
}
