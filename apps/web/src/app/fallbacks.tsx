import { Loader } from '@mantine/core';
import { Page } from '../shared/page.js';
import { ProblemNote } from '../shared/problem-note.js';

export function RoutePending() {
  return <Loader role="status" aria-label="Loading the page" />;
}

/** Shows a fault of this page itself, or of a part that could not be fetched after an update of the service. */
export function RouteFault({ error }: { error: unknown }) {
  return (
    <Page title="This page failed">
      <ProblemNote error={error} />
      <p>
        <a href={location.href}>Load it again</a>
      </p>
    </Page>
  );
}
