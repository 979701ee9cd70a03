import {
  type ExportFormatName,
  exportFormats,
  exportRoutes,
  methodReferences,
} from '@kindred/contracts/resources/exports';
import { complexRoot } from '@kindred/kernels/formats';
import { productVersion } from '../../../version.js';
import { termsBelow } from '../../../store/ontology/ontology.repository.js';
import { answerPages } from '../../../store/predictions/answers.repository.js';
import {
  findPredictionSet,
  type NamedPredictionSetRow,
} from '../../../store/predictions/prediction-sets.repository.js';
import type { ReferenceMark } from '../../../store/references/references.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent } from '../../problems.js';
import { requireComplete, requireFilled } from '../../references.js';
import { serve } from '../../serve.js';
import { sendChunks } from '../../stream.js';
import { type ExportedFile, exported } from './formats.js';
import { selected } from './select.js';

const withRelations: readonly ExportFormatName[] = ['gaf', 'gpad'];

export function serveExports(api: Api, { db }: RouteDeps): void {
  serve(api, exportRoutes.export, async (request, reply) => {
    const { format, database, taxon, ...filter } = request.query;
    const set = await findPredictionSet(db, request.params.id);
    if (set === undefined) throw absent('prediction set', request.params.id);
    requireComplete(set);
    requireFilled(set);
    const complexes = withRelations.includes(format)
      ? await termsBelow(db, set.ontology_snapshot_id, complexRoot)
      : [];
    const file = { ...fileOf(set, { database, taxon }), complexes: new Set(complexes) };
    // A submission is judged over all its scores.
    const all = filter.all ?? format === 'cafa';
    const pages = selected(answerPages(db, set, { onlyAnswered: !all }), { ...filter, all });
    const { mediaType, extension } = exportFormats[format];
    return sendChunks(request, reply, exported(format, pages, file), {
      contentType: `${mediaType}; charset=utf-8`,
      filename: `kindred_${set.id}.${extension}`,
    });
  });
}

function referenceText({ name, version, content_sha256: hash }: ReferenceMark): string {
  return `${name}@${version}${hash === null ? '' : `, SHA-256 ${hash}`}`;
}

function fileOf(
  set: NamedPredictionSetRow,
  { database, taxon }: { database: string; taxon: number },
): Omit<ExportedFile, 'complexes'> {
  const day = set.created_at.slice(0, 10);
  const reference = methodReferences[set.method];
  const annotations =
    set.annotation_set_source === null ? [] : [`${set.annotation_set_source} ${set.annotation_set_version}`];
  const embedding = set.embedding_config_name === null ? [] : [set.embedding_config_name];
  return {
    database,
    taxonId: taxon,
    reference: reference.id,
    method: set.method,
    date: day.replaceAll('-', ''),
    assignedBy: 'Kindred',
    header: [
      ['generated-by', `Kindred ${productVersion}`],
      ['date-generated', day],
      ['go-version', set.ontology_snapshot_version],
      ...(set.reference === null ? [] : [['reference', referenceText(set.reference)] as const]),
      ...annotations.map((value) => ['annotation-set', value] as const),
      ...embedding.map((value) => ['embedding', value] as const),
      ['method', `${set.method} (${reference.id}, ${reference.title})`],
      ['prediction-set', set.id],
      ['remark', 'Predictions, not reviewed: not for submission to the Gene Ontology.'],
    ],
  };
}
