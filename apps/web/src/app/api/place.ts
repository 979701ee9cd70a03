/** What the service wrote into its document. */
interface DocumentMarks {
  /** From the address of the page to that of the service. */
  root: string;
  /** The path that the service was set up for (SVC_BASE_URL). */
  basePath: string;
}

export interface Place {
  /** Before every path of the service. */
  service: string;
  /** Before every path of the pages. */
  pages: string;
  /** The address of the service in this browser, where it was set up for another path. */
  unknown: string | null;
}

/** Where the service is for this browser. Whoever uses its own port, as its operator may, sees it at the root. */
export function placeOf({ root, basePath }: DocumentMarks, { href }: { href: string }): Place {
  const { origin, pathname } = new URL(root, href);
  const service = basePath.replace(/\/$/, '');
  const pages = pathname.replace(/\/$/, '');
  const isKnown = pages === service || pages === '';
  return { service, pages, unknown: isKnown ? null : origin + pages };
}

/** In development no service has written into the document, and tests have none. */
const atRoot: Place = { service: '', pages: '', unknown: null };

export const place = import.meta.env.DEV ? atRoot : placeOf(marksOf(document.documentElement), location);

function marksOf({ dataset: { root = '/', basePath = '/' } }: HTMLElement): DocumentMarks {
  return { root, basePath };
}
