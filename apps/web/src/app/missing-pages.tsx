import { Link } from '@tanstack/react-router';
import { Page } from '../shared/page.js';
import { place } from './api/place.js';

export function NotFoundPage() {
  return (
    <Page title="No such page">
      <p>
        The address may be mistyped, or the page has moved. <Link to="/">Annotate proteins</Link> or look at
        your <Link to="/results">runs</Link>.
      </p>
    </Page>
  );
}

/** Tells the visitor that the address is unknown, because links, sessions and addresses for programs would lead elsewhere. */
export function UnknownPlace() {
  return (
    <Page title="This service is set up for another address">
      <p>
        Its operator starts it with <code>SVC_BASE_URL={place.unknown}</code> to have it here.
      </p>
    </Page>
  );
}
