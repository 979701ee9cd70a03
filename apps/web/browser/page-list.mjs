import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Every page of the client with its real addresses, for the checks of pages and for their pictures.
 * `ready` is a selector of what a visitor waits for; `signedIn` pages show more with an account.
 *
 * @param ids {{run: string, query: string, single: string, job: string, term: string, protein: string}} of what the service holds:
 * a run of several proteins, one of its proteins, a run of one protein, a job, a GO term and a reference protein
 * @param resources {string[]} keys of the lists of the workbench that are looked at
 */
export function pageList({ run, query, single, job, term, protein }, resources) {
  return [
    { name: 'annotate', path: '/', ready: 'textarea' },
    { name: 'progress', path: `/progress/${job}`, route: '/progress/$jobId', ready: 'main h1' },
    { name: 'results', path: '/results', ready: 'tbody tr' },
    { name: 'run', path: `/results/${run}`, route: '/results/$setId', ready: '[data-row]' },
    { name: 'run-terms', path: `/results/${run}?view=terms`, route: '/results/$setId', ready: 'tbody tr' },
    { name: 'run-compare', path: `/results/${run}?view=compare`, route: '/results/$setId', ready: 'select' },
    {
      name: 'protein-of-run',
      path: `/results/${run}?protein=${query}`,
      route: '/results/$setId',
      ready: 'main h2:visible',
    },
    { name: 'single', path: `/results/${single}`, route: '/results/$setId', ready: 'main h2:visible' },
    { name: 'term', path: `/go/${term}`, route: '/go/$goId', ready: 'main h2' },
    { name: 'protein', path: `/proteins/${protein}`, route: '/proteins/$accession', ready: 'main h2' },
    { name: 'jobs', path: '/jobs', ready: 'tbody tr' },
    { name: 'job', path: `/jobs/${job}`, route: '/jobs/$jobId', ready: 'main h2' },
    { name: 'data', path: '/data', ready: 'tbody tr' },
    { name: 'accuracy', path: '/evaluation', ready: 'main h2' },
    { name: 'sign-in', path: '/sign-in', ready: 'input' },
    { name: 'sign-up', path: '/sign-up', ready: 'input' },
    { name: 'password', path: '/password-reset', ready: 'input' },
    { name: 'account', path: '/account', ready: 'main h2', signedIn: true },
    { name: 'accounts', path: '/administration', ready: 'tbody tr', signedIn: true },
    ...resources.map((key) => ({
      name: `workbench-${key}`,
      path: `/workbench/${key}`,
      route: '/workbench/$resource',
      ready: 'nav[aria-label=Workbench] a',
      signedIn: true,
    })),
  ];
}

/** What pages can show of two prediction sets, one of several proteins and one of a single protein. */
export async function findSubjects(request, { several, single }) {
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
  const { items: proteins } = await get('/proteins?limit=1');
  return {
    run: several,
    query: items[0].accession,
    single,
    job: set.job_id,
    term: terms[0].go_id,
    protein: proteins[0].accession,
  };
}
