import { defaultProteinLimit, proteinRoutes } from '@kindred/contracts/resources/proteins';
import { proteinAnnotations } from '../../../store/annotations/annotations.repository.js';
import {
  countProteins,
  findProtein,
  listProteins,
  proteinPages,
  proteinStats,
} from '../../../store/proteins/proteins.repository.js';
import { linkNextOffset, sayTotal } from '../../cursor.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { serve } from '../../serve.js';
import { sendChunks } from '../../stream.js';
import { presentAnnotation, presentProtein, presentProteinDetail, proteinText } from './present.js';

export function serveProteins(api: Api, { db, replies }: RouteDeps): void {
  const countAll = () => replies.shared('number of proteins', ['protein'], () => countProteins(db));
  serve(api, proteinRoutes.statistics, () =>
    replies.shared('protein statistics', ['protein'], () => proteinStats(db)),
  );
  serve(
    api,
    proteinRoutes.list,
    async (request, reply) => {
      const { accessions, organism, taxonomy_id, descendants, reviewed, search } = request.query;
      const { format, limit = defaultProteinLimit, offset = 0 } = request.query;
      const filter = { accessions, organism, taxonomyId: taxonomy_id, descendants, reviewed, search };
      if (format !== 'json')
        return sendChunks(request, reply, proteinText(proteinPages(db, filter), format), files[format]);
      const { total, totalIsExact, items } = await listProteins(db, filter, { offset, limit }, countAll);
      linkNextOffset(request, reply, {
        offset,
        limit,
        total: totalIsExact ? total : Number.POSITIVE_INFINITY,
      });
      return { total, total_is_exact: totalIsExact, offset, limit, items: items.map(presentProtein) };
    },
    { config: { madeOf } },
  );
  serve(
    api,
    proteinRoutes.show,
    async (request) => {
      const { accession } = request.params;
      const protein = await findProtein(db, accession);
      if (protein === undefined) throw absent('protein', accession);
      return presentProteinDetail(protein);
    },
    { config: { madeOf } },
  );
  serve(api, proteinRoutes.annotations, async (request, reply) => {
    const { accession } = request.params;
    const { limit, offset, aspect, evidence_code, annotation_set_id, qualifier, go_id, descendants } =
      request.query;
    const protein = await findProtein(db, accession);
    if (protein === undefined) throw absent('protein', accession);
    const filter = {
      aspect,
      evidenceCodes: evidence_code?.map((code) => code.toUpperCase()),
      annotationSetId: annotation_set_id,
      qualifier,
      goId: go_id,
      descendants,
    };
    const page = await proteinAnnotations(db, protein.id, { limit, offset }, filter);
    sayTotal(reply, page);
    linkNextOffset(request, reply, { offset, limit, total: page.total });
    return page.rows.map(presentAnnotation);
  });
}

const madeOf = ['annotation_set', 'protein', 'protein_metadata', 'secondary_accession', 'taxon'] as const;

const files = {
  tsv: { contentType: 'text/tab-separated-values; charset=utf-8', filename: 'proteins.tsv' },
  fasta: { contentType: 'text/x-fasta; charset=utf-8', filename: 'proteins.fasta' },
};
