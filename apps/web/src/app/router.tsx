import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import type { Aspect } from '@kindred/contracts';
import { type Against, againsts } from '../shared/against.js';
import { isAspect } from '../shared/aspect.js';
import { type EvidenceKind, evidenceKinds } from '../shared/evidence-kinds.js';
import { type IdentityBand, identityBands } from '../shared/identity-band.js';
import { type Standing, standings } from '../shared/standing.js';
import { place } from './api/place.js';
import { RouteFault, RoutePending } from './fallbacks.js';
import { readPartSearch, text, written } from './part-search.js';
import { Shell } from './shell.js';

const root = createRootRoute({
  component:
    place.unknown === null ? Shell : lazyRouteComponent(() => import('./missing-pages.js'), 'UnknownPlace'),
  notFoundComponent: lazyRouteComponent(() => import('./missing-pages.js'), 'NotFoundPage'),
});

const aspectOf = (value: unknown) => (isAspect(value) ? value : undefined);

/** The state of the list of runs. */
interface ResultListSearch {
  /** The ids of the runs that are side by side, joined by commas. */
  runs?: string;
  aspect?: Aspect;
  /** The GO slim whose terms are counted. */
  slim?: string;
}

/** The state of the page of a run. Everything that can be shared is in the address. */
interface ResultSearch {
  protein?: string;
  aspect?: Aspect;
  view?: 'terms' | 'compare';
  q?: string;
  certainty?: Standing;
  evidence?: EvidenceKind;
  organism?: string;
  /** The band of identity in the alignment with the nearest source protein. */
  identity?: IdentityBand;
  term?: string;
  compare?: string;
  /** The day since which annotations are new, YYYY-MM-DD. */
  since?: string;
  /** The GO slim whose terms stand for the predicted ones. */
  slim?: string;
  /** The proteins that the terms of the chosen ones are compared with. */
  against?: Against;
  /** The term whose evidence is shown. */
  open?: string;
  /** The GO ids of the rows that are unfolded to list their broader terms, joined by commas. */
  unfold?: string;
  /** Whether to show all broader terms. */
  implied?: true;
  /** Whether to show less certain terms, too. */
  all?: true;
  graph?: true;
}

const annotate = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: (search: Record<string, unknown>): { repeat?: string; like?: string } => ({
    repeat: text(search.repeat),
    like: text(search.like),
  }),
  component: lazyRouteComponent(() => import('../features/annotate/annotate-page.js'), 'AnnotatePage'),
});
const inBrowser = createRoute({
  getParentRoute: () => root,
  path: '/private',
  component: lazyRouteComponent(() => import('../features/private/private-page.js'), 'PrivatePage'),
});
const progress = createRoute({
  getParentRoute: () => root,
  path: '/progress/$jobId',
  component: lazyRouteComponent(() => import('../features/progress/progress-page.js'), 'ProgressPage'),
});
const resultList = createRoute({
  getParentRoute: () => root,
  path: '/results',
  validateSearch: (search: Record<string, unknown>): ResultListSearch => ({
    runs: text(search.runs),
    aspect: aspectOf(search.aspect),
    slim: text(search.slim),
  }),
  component: lazyRouteComponent(() => import('../features/results/result-list-page.js'), 'ResultListPage'),
});
const result = createRoute({
  getParentRoute: () => root,
  path: '/results/$setId',
  validateSearch: (search: Record<string, unknown>): ResultSearch => ({
    protein: written(search.protein),
    aspect: aspectOf(search.aspect),
    view: search.view === 'terms' || search.view === 'compare' ? search.view : undefined,
    q: written(search.q),
    certainty: standings.find((standing) => standing === search.certainty),
    evidence: evidenceKinds.find((kind) => kind === search.evidence),
    organism: text(search.organism),
    identity: identityBands.find((band) => band === search.identity),
    term: text(search.term),
    compare: text(search.compare),
    since: text(search.since),
    slim: text(search.slim),
    against: againsts.find((against) => against === search.against),
    open: text(search.open),
    unfold: text(search.unfold),
    implied: search.implied === true || undefined,
    all: search.all === true || undefined,
    graph: search.graph === true || undefined,
  }),
  component: lazyRouteComponent(() => import('../features/results/result-page.js'), 'ResultPage'),
});
const term = createRoute({
  getParentRoute: () => root,
  path: '/go/$goId',
  component: lazyRouteComponent(() => import('../features/catalogue/term-page.js'), 'TermPage'),
});
const protein = createRoute({
  getParentRoute: () => root,
  path: '/proteins/$accession',
  component: lazyRouteComponent(() => import('../features/catalogue/protein-page.js'), 'ProteinPage'),
});
const job = createRoute({
  getParentRoute: () => root,
  path: '/jobs/$jobId',
  component: lazyRouteComponent(() => import('../features/jobs/job-page.js'), 'JobPage'),
});
const references = createRoute({
  getParentRoute: () => root,
  path: '/references/{-$part}',
  validateSearch: readPartSearch,
  component: lazyRouteComponent(() => import('../features/workbench/parts-page.js'), 'ReferencesPage'),
});
const evaluate = createRoute({
  getParentRoute: () => root,
  path: '/evaluate/{-$part}',
  validateSearch: readPartSearch,
  component: lazyRouteComponent(() => import('../features/workbench/parts-page.js'), 'EvaluatePage'),
});
const operation = createRoute({
  getParentRoute: () => root,
  path: '/operation/{-$part}',
  validateSearch: readPartSearch,
  component: lazyRouteComponent(() => import('../features/workbench/parts-page.js'), 'OperationPage'),
});
const people = createRoute({
  getParentRoute: () => root,
  path: '/people/{-$part}',
  validateSearch: readPartSearch,
  component: lazyRouteComponent(() => import('../features/workbench/parts-page.js'), 'PeoplePage'),
});
const evaluation = createRoute({
  getParentRoute: () => root,
  path: '/evaluation',
  component: lazyRouteComponent(() => import('../features/evaluation/evaluation-page.js'), 'EvaluationPage'),
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../features/account/sign-in-page.js'), 'SignInPage'),
});
const password = createRoute({
  getParentRoute: () => root,
  path: '/password-reset',
  component: lazyRouteComponent(() => import('../features/account/password-page.js'), 'PasswordPage'),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('../features/account/sign-up-page.js'), 'SignUpPage'),
});
const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(() => import('../features/account/own-account-page.js'), 'OwnAccountPage'),
});

// Old addresses lead to the pages that took the place of theirs, because people have kept links to them.
const formerWorkbench = createRoute({
  getParentRoute: () => root,
  path: '/workbench/$resource',
  validateSearch: readPartSearch,
  beforeLoad: async ({ params, search }) => {
    const { addressOfFormer } = await import('../features/workbench/addresses.js');
    throw redirect({ ...addressOfFormer(params.resource), search, replace: true });
  },
});
const formerData = createRoute({
  getParentRoute: () => root,
  path: '/data',
  beforeLoad: () => {
    throw redirect({ to: '/references/{-$part}', replace: true });
  },
});
const formerJobs = createRoute({
  getParentRoute: () => root,
  path: '/jobs',
  validateSearch: readPartSearch,
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/operation/{-$part}', search, replace: true });
  },
});
const formerAccounts = createRoute({
  getParentRoute: () => root,
  path: '/administration',
  validateSearch: readPartSearch,
  beforeLoad: ({ search }) => {
    const isOfLog = search.q !== undefined || search.act !== undefined;
    throw redirect({
      to: '/people/{-$part}',
      params: { part: isOfLog ? 'audit' : undefined },
      search,
      replace: true,
    });
  },
});

const help = createRoute({
  getParentRoute: () => root,
  path: '/help',
  validateSearch: (search: Record<string, unknown>): { q?: string } => ({
    q: written(search.q),
  }),
  component: lazyRouteComponent(() => import('../features/help/help-page.js'), 'HelpPage'),
});
const helpDocument = createRoute({
  getParentRoute: () => root,
  path: '/help/$section/$name',
  component: lazyRouteComponent(() => import('../features/help/help-page.js'), 'HelpDocumentPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    annotate,
    inBrowser,
    progress,
    resultList,
    result,
    term,
    protein,
    job,
    references,
    evaluate,
    operation,
    people,
    evaluation,
    signIn,
    password,
    signUp,
    account,
    formerWorkbench,
    formerData,
    formerJobs,
    formerAccounts,
    help,
    helpDocument,
  ]),
  basepath: place.pages,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: RoutePending,
  defaultErrorComponent: RouteFault,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
