import { goIdPattern, type PayloadOf, ProblemError } from '@kindred/contracts';
import { maxSlimTerms } from '@kindred/contracts/resources/slims';
import { type OboDocument, readObo } from '@kindred/kernels/ontology';
import { findSlimByVersion, insertSlim, type SlimTermRow } from '../store/ontology/slims.repository.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { loadProblem } from './load-problem.js';
import { SourceSession } from '../work/operation/source-session.js';

type Payload = PayloadOf<'load_go_slim'>;
const name = 'load_go_slim';

interface Slim {
  name: string;
  version: string;
  terms: SlimTermRow[];
}

/**
 * Reads the terms of a slim, or of a subset of an ontology. A slim that is already stored is not written
 * again.
 */
export const loadGoSlim: Operation<'load_go_slim'> = {
  name,
  async run(payload, context) {
    await context.emit(`${name}.start`, { obo_url: payload.obo_url });
    const document = await read(payload, context);
    const { length: total } = document.rejected;
    if (total > 0)
      await context.emit(`${name}.rejected`, { total, lines: document.rejected.slice(0, 50) }, 'warning');
    const slim = slimOf(document, payload);
    const inserted = await insertSlim(context.db, { ...slim, obo_url: payload.obo_url }, context.jobId);
    const stored = inserted ?? (await storedAlike(slim, context));
    const result = {
      slim_id: stored.id,
      name: slim.name,
      version: slim.version,
      term_count: slim.terms.length,
      skipped: inserted === undefined,
    };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};

async function read({ obo_url, timeout_seconds }: Payload, context: OperationContext): Promise<OboDocument> {
  const options = { operation: name, rowLimit: null, headerLines: 0, sideUrls: [] };
  const session = new SourceSession(context, options);
  try {
    const { bytes } = await session.context.openStream(obo_url, { timeoutMs: 1000 * timeout_seconds });
    return await readObo(bytes);
  } catch (error) {
    throw loadProblem(error, obo_url);
  }
}

/** @throws ProblemError bad_file */
function slimOf({ version, header, terms: all }: OboDocument, { obo_url, subset }: Payload): Slim {
  const terms = all.flatMap(({ id, name: termName, aspect, isObsolete, subsets }) =>
    !goIdPattern.test(id) || aspect === null || isObsolete || (subset !== null && !subsets.includes(subset))
      ? []
      : [{ go_id: id, name: termName, aspect }],
  );
  terms.sort((a, b) => (a.go_id < b.go_id ? -1 : 1));
  if (terms.length === 0) {
    const which = subset === null ? 'live term of the Gene Ontology' : `term of the subset ${subset}`;
    throw new ProblemError('bad_file', `${obo_url} has no ${which}: give the OBO file of a slim.`);
  }
  if (terms.length > maxSlimTerms)
    throw new ProblemError(
      'bad_file',
      `${obo_url} has ${terms.length} terms, and a slim at most ${maxSlimTerms}: name one of its subsets in "subset".`,
    );
  const slimName = subset ?? header.ontology?.[0]?.split('/').at(-1);
  if (!slimName)
    throw new ProblemError('bad_file', `${obo_url} has no "ontology:" line that names it: give "subset".`);
  return { name: slimName, version, terms };
}

/** @throws ProblemError conflict if the stored slim of that name and version has other terms */
async function storedAlike(slim: Slim, { db }: OperationContext): Promise<{ id: string }> {
  const stored = await findSlimByVersion(db, slim);
  const idsOf = (terms: readonly SlimTermRow[] = []) => terms.map((term) => term.go_id).join();
  if (stored !== undefined && idsOf(stored.terms) === idsOf(slim.terms)) return stored;
  throw new ProblemError(
    'conflict',
    `${slim.name} ${slim.version} is loaded with other terms: delete it first, then load this file.`,
  );
}
