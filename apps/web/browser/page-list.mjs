import { setTimeout as sleep } from 'node:timers/promises';

/** The selector of the links to the parts of a page. */
const parts = 'nav[aria-label="Parts of this page"] a';

/**
 * Lists every page of the client with its real addresses, for the checks of pages and for their pictures. `ready` is a selector of what a
 * visitor waits for, `whole` of what comes last; `signedIn` pages show more with an account.
 *
 * @param ids {{run: string, query: string, predicted: string, aspect: string, single: string, job: string, term: string, protein:
 * string}} ids that the service holds: a run of several proteins, one of its proteins, a term that is predicted for it with its aspect, a
 * run of one protein, a job, a GO term and a reference protein
 * @param resources {string[]} keys of the lists of the workbench to check
 */
export function pageList({ run, query, predicted, aspect, single, job, term, protein }, resources) {
  return [
    { name: 'annotate', path: '/', ready: 'textarea' },
    { name: 'private', path: '/private', ready: 'main button' },
    { name: 'progress', path: `/progress/${job}`, route: '/progress/$jobId', ready: 'main h1' },
    { name: 'results', path: '/results', ready: 'tbody tr', signedIn: true },
    ...runPages({ run, query, predicted, aspect }),
    { name: 'single', path: `/results/${single}`, route: '/results/$setId', ready: 'main h2:visible' },
    { name: 'term', path: `/go/${term}`, route: '/go/$goId', ready: 'main h2' },
    { name: 'protein', path: `/proteins/${protein}`, route: '/proteins/$accession', ready: 'main h2' },
    { name: 'job', path: `/jobs/${job}`, route: '/jobs/$jobId', ready: 'main h2' },
    { name: 'references', path: '/references', ready: parts },
    { name: 'evaluate', path: '/evaluate', ready: parts, signedIn: true },
    { name: 'operation', path: '/operation', ready: parts, signedIn: true },
    { name: 'people', path: '/people', ready: parts, signedIn: true },
    ...[
      ['references', 'ontologies'],
      ['evaluate', 'experiments'],
      ['operation', 'dead-letters'],
      ['people', 'audit'],
    ].map(([page, part]) => ({
      ...{ name: `${page}-${part}`, path: `/${page}/${part}`, route: `/${page}/$part`, ready: parts },
      signedIn: true,
    })),
    { name: 'former-data', path: '/data', ready: parts },
    { name: 'former-jobs', path: '/jobs', ready: parts, signedIn: true },
    { name: 'accuracy', path: '/evaluation', ready: 'main h2' },
    { name: 'help', path: '/help', ready: 'main dl' },
    {
      name: 'help-document',
      path: '/help/reference/operations',
      route: '/help/$section/$name',
      ready: 'main article h2',
    },
    { name: 'sign-in', path: '/sign-in', ready: 'input' },
    { name: 'sign-up', path: '/sign-up', ready: 'input' },
    { name: 'password', path: '/password-reset', ready: 'input' },
    { name: 'account', path: '/account', ready: 'main h2', signedIn: true },
    { name: 'former-accounts', path: '/administration', ready: parts, signedIn: true },
    ...resources.map((key) => ({
      name: `workbench-${key}`,
      path: `/workbench/${key}`,
      route: '/workbench/$resource',
      ready: parts,
      signedIn: true,
    })),
  ];
}

/** Lists the pages of one run. */
const runPages = ({ run, query, predicted, aspect }) => [
  { name: 'run', path: `/results/${run}`, route: '/results/$setId', ready: '[data-row]' },
  { name: 'run-terms', path: `/results/${run}?view=terms`, route: '/results/$setId', ready: 'tbody tr' },
  {
    name: 'run-compare',
    path: `/results/${run}?view=compare`,
    route: '/results/$setId',
    ready: 'select:visible',
  },
  {
    name: 'protein-of-run',
    path: `/results/${run}?protein=${query}`,
    route: '/results/$setId',
    ready: 'main h2:visible',
  },
  {
    name: 'evidence',
    path: `/results/${run}?protein=${query}&aspect=${aspect}&open=${predicted}`,
    route: '/results/$setId',
    ready: '[aria-label="Path to the root"]',
    whole: '[aria-label="Its annotations"]',
  },
  {
    name: 'graph',
    path: `/results/${run}?protein=${query}&aspect=${aspect}&implied=true&graph=true`,
    route: '/results/$setId',
    ready: 'svg[role=img]',
  },
];

/**
 * Finds subjects that pages can show, from two prediction sets: one of several proteins, and one of a single protein. `shown` is the
 * accession of the protein of the first set that the pages show; it is the first protein by default.
 */
export async function findSubjects(request, { several, single, shown }) {
  const get = async (path) => {
    const reply = await request.get(`/v1${path}`);
    if (!reply.ok()) throw new Error(`${path} answers ${reply.status()}: ${await reply.text()}`);
    return reply.json();
  };
  let set = await get(`/embeddings/prediction-sets/${several}`);
  for (; set.status === 'filling'; await sleep(200))
    set = await get(`/embeddings/prediction-sets/${several}`);
  const { items } = await get(`/embeddings/prediction-sets/${several}/proteins`);
  const { top_terms: terms } = await get(`/embeddings/prediction-sets/${several}/go-terms`);
  const query = items.find(({ accession }) => accession === shown) ?? items[0];
  const answer = await get(`/embeddings/prediction-sets/${several}/proteins/${query.accession}/answer`);
  // The chosen term has much to show: it is calibrated, and annotated itself.
  const annotated = answer.terms.filter(({ evidence_code }) => evidence_code !== null);
  const best = annotated.find(({ probability }) => probability !== null) ?? annotated[0];
  const { items: proteins } = await get('/proteins?limit=1');
  return {
    run: several,
    query: query.accession,
    predicted: best.go_id,
    aspect: best.aspect,
    single,
    job: set.job_id,
    term: terms[0].go_id,
    protein: proteins[0].accession,
  };
}
