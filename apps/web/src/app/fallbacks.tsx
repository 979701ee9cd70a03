import { Loader } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Page } from '../shared/page.js';
import { ProblemNote } from '../shared/problem-note.js';

export function NotFoundPage() {
  return (
    <Page title="No such page">
      <p>
        The address may be mistyped, or the page has moved. <Link to="/">Annotate proteins</Link> or look at
        the <Link to="/jobs">jobs</Link>.
      </p>
    </Page>
  );
}

/** Links, sessions and what programs are given would lead elsewhere. */
export function UnknownPlace({ address }: { address: string }) {
  return (
    <Page title="This service is set up for another address">
      <p>
        Its operator starts it with <code>SVC_BASE_URL={address}</code> to have it here.
      </p>
    </Page>
  );
}

export function RoutePending() {
  return <Loader role="status" aria-label="Loading the page" />;
}

/** A fault of this page itself, or a part of it that could not be fetched after an update of the service. */
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
