/** The values that the service wrote into its document. */
interface DocumentMarks {
  /** The service's address, relative to that of the page. */
  root: string;
  /** The path that the service was set up for (SVC_BASE_URL). */
  basePath: string;
}

export interface Place {
  /** The text before every path of the service. */
  service: string;
  /** The text before every path of the pages. */
  pages: string;
  /** The address of the service in this browser, if it was set up for another path; otherwise null. */
  unknown: string | null;
}

/** Finds the address of the service for this browser. An operator, for example, who uses the service's own port sees it at the root. */
export function placeOf({ root, basePath }: DocumentMarks, { href }: { href: string }): Place {
  const { origin, pathname } = new URL(root, href);
  const service = basePath.replace(/\/$/, '');
  const pages = pathname.replace(/\/$/, '');
  const isKnown = pages === service || pages === '';
  return { service, pages, unknown: isKnown ? null : origin + pages };
}

/** The place without marks: in development and in tests no service has written into the document. */
const atRoot: Place = { service: '', pages: '', unknown: null };

export const place = import.meta.env.DEV ? atRoot : placeOf(marksOf(document.documentElement), location);

function marksOf({ dataset: { root = '/', basePath = '/' } }: HTMLElement): DocumentMarks {
  return { root, basePath };
}
