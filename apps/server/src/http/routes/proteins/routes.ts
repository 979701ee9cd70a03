import { proteinRoutes } from '@kindred/contracts/resources/proteins';
import { proteinAnnotations } from '../../../store/annotations/annotations.repository.js';
import { findProtein, listProteins, proteinStats } from '../../../store/proteins/proteins.repository.js';
import { linkNextOffset } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { presentAnnotation, presentProtein, presentProteinDetail } from './present.js';

export function serveProteins(api: Api, { db }: RouteDeps): void {
  serve(api, proteinRoutes.statistics, () => proteinStats(db));
  serve(api, proteinRoutes.list, async (request, reply) => {
    const { organism, taxonomy_id, reviewed, search, limit, offset } = request.query;
    const filter = { organism, taxonomyId: taxonomy_id, reviewed, search };
    const { total, items } = await listProteins(db, filter, { offset, limit });
    linkNextOffset(request, reply, { offset, limit, total });
    return { total, offset, limit, items: items.map(presentProtein) };
  });
  serve(api, proteinRoutes.show, async (request) => {
    const { accession } = request.params;
    const protein = await findProtein(db, accession);
    if (protein === undefined) throw absent('protein', accession);
    return presentProteinDetail(protein);
  });
  serve(api, proteinRoutes.annotations, async (request, reply) => {
    const { accession } = request.params;
    const { limit, offset } = request.query;
    // One row more tells whether there is a next page.
    const rows = await proteinAnnotations(db, accession, { limit: limit + 1, offset });
    if (rows.length === 0 && (await findProtein(db, accession)) === undefined)
      throw absent('protein', accession);
    linkNextOffset(request, reply, { offset, limit, total: offset + rows.length });
    return rows.slice(0, limit).map(presentAnnotation);
  });
}
