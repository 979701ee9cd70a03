import { goRelations } from '@kindred/contracts';
import { snapshotRoutes } from '@kindred/contracts/resources/snapshots';
import {
  findSnapshot,
  findTerm,
  listSnapshots,
  relationsAmong,
  searchTerms,
  setIaUrl,
  subgraph,
  termPages,
} from '../../../store/ontology/ontology.repository.js';
import { linkNext, readAfter } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { addressFault } from '../../possible.js';
import { absent, validationProblem } from '../../problems.js';
import { serve } from '../../serve.js';
import { shownTo } from '../../server-paths.js';
import { jsonWithList, sendChunks } from '../../stream.js';
import { queueShortcut } from '../../submit.js';
import { presentSnapshot, presentSubgraph, presentTerm } from './present.js';

export function serveSnapshots(api: Api, deps: RouteDeps): void {
  readRoutes(api, deps);
  const { db } = deps;
  serve(api, snapshotRoutes.setIaUrl, async (request) => {
    const address = request.body.ia_url || null;
    const fault = address === null ? null : await addressFault(deps, address);
    if (fault !== null) throw validationProblem([{ path: '/ia_url', ...fault }]);
    const row = await setIaUrl(db, request.params.id, address);
    if (row === undefined) throw absent('ontology snapshot', request.params.id);
    return presentSnapshot(row);
  });
  serve(api, snapshotRoutes.load, (request, reply) =>
    queueShortcut(deps, request, reply, { operation: 'load_ontology_snapshot', payload: request.body }),
  );
}

async function required(db: RouteDeps['db'], id: string) {
  const row = await findSnapshot(db, id);
  if (row === undefined) throw absent('ontology snapshot', id);
  return row;
}

/**
 * @throws ProblemError validation_failed for a relation that neither the Gene Ontology nor the snapshot has
 */
async function requireRelations(db: RouteDeps['db'], id: string, asked: readonly string[]): Promise<void> {
  const known: readonly string[] = goRelations;
  const others = asked.filter((relation) => !known.includes(relation));
  if (others.length === 0) return;
  const found = await relationsAmong(db, id, others);
  const faults = asked.flatMap((relation, i) => {
    if (known.includes(relation) || found.includes(relation)) return [];
    const message = `there is no relation ${relation}; expected is_a, part_of, regulates or another of the snapshot`;
    return [{ path: `/relations/${i}`, message, code: 'not_found' }];
  });
  if (faults.length > 0) throw validationProblem(faults);
}

function readRoutes(api: Api, { db }: RouteDeps): void {
  serve(api, snapshotRoutes.list, async (request, reply) => {
    const { limit, after } = request.query;
    const page = await listSnapshots(db, limit, readAfter(after));
    linkNext(request, reply, { limit, page, time: 'loaded_at' });
    return page.rows.map(presentSnapshot);
  });
  serve(api, snapshotRoutes.show, async (request, reply) => {
    const snapshot = await required(db, request.params.id);
    const terms = jsonWithList(
      shownTo(request.principal, presentSnapshot(snapshot)),
      'terms',
      termPages(db, snapshot.id),
      presentTerm,
    );
    return sendChunks(request, reply, terms, {
      contentType: 'application/json; charset=utf-8',
      filename: null,
    });
  });
  serve(api, snapshotRoutes.terms, async (request) => {
    const { id } = await required(db, request.params.id);
    return (await searchTerms(db, id, request.query)).map(presentTerm);
  });
  serve(
    api,
    snapshotRoutes.term,
    async (request) => {
      const { id, go_id } = request.params;
      const term = await findTerm(db, id, go_id);
      if (term === undefined) {
        await required(db, id);
        throw absent(`GO term in ontology snapshot ${id}:`, go_id);
      }
      const { alternative_ids, parents, children } = term;
      return { ...presentTerm(term), alternative_ids, parents, children };
    },
    { config: { madeOf: ['ontology_snapshot', 'go_term'] } },
  );
  serve(api, snapshotRoutes.subgraph, async (request) => {
    const { id } = await required(db, request.params.id);
    const { go_ids, relations, depth } = request.query;
    await requireRelations(db, id, relations);
    return presentSubgraph(await subgraph(db, id, [...new Set(go_ids)], relations), depth);
  });
}
