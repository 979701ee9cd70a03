import { noQuery } from '@kindred/contracts/fields';
import {
  annotationQuery,
  annotationReply,
  proteinDetailReply,
  proteinListQuery,
  proteinPageReply,
  proteinParams,
  statsReply,
} from '@kindred/contracts/resources/proteins';
import { z } from 'zod';
import { proteinAnnotations } from '../../../store/annotations/annotations.repository.js';
import { findProtein, listProteins, proteinStats } from '../../../store/proteins/proteins.repository.js';
import { linkNextOffset } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { presentAnnotation, presentProtein, presentProteinDetail } from './present.js';

export function proteinRoutes(api: Api, { db }: RouteDeps): void {
  api.get('/proteins/stats', { schema: { querystring: noQuery, response: { 200: statsReply } } }, () =>
    proteinStats(db),
  );
  api.get(
    '/proteins',
    { schema: { querystring: proteinListQuery, response: { 200: proteinPageReply } } },
    async (request, reply) => {
      const { organism, taxonomy_id, reviewed, search, limit, offset } = request.query;
      const filter = { organism, taxonomyId: taxonomy_id, reviewed, search };
      const { total, items } = await listProteins(db, filter, { offset, limit });
      linkNextOffset(request, reply, { offset, limit, total });
      return { total, offset, limit, items: items.map(presentProtein) };
    },
  );
  api.get(
    '/proteins/:accession',
    { schema: { params: proteinParams, querystring: noQuery, response: { 200: proteinDetailReply } } },
    async (request) => {
      const { accession } = request.params;
      const protein = await findProtein(db, accession);
      if (protein === undefined) throw absent('protein', accession);
      return presentProteinDetail(protein);
    },
  );
  api.get(
    '/proteins/:accession/annotations',
    {
      schema: {
        params: proteinParams,
        querystring: annotationQuery,
        response: { 200: z.array(annotationReply) },
      },
    },
    async (request, reply) => {
      const { accession } = request.params;
      const { limit, offset } = request.query;
      // One row more tells whether there is a next page.
      const rows = await proteinAnnotations(db, accession, { limit: limit + 1, offset });
      if (rows.length === 0 && (await findProtein(db, accession)) === undefined)
        throw absent('protein', accession);
      linkNextOffset(request, reply, { offset, limit, total: offset + rows.length });
      return rows.slice(0, limit).map(presentAnnotation);
    },
  );
}
