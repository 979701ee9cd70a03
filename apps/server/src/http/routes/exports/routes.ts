import { Readable } from 'node:stream';
import {
  type BinaryFormatName,
  type ExportFormatName,
  exportFormats,
  type exportQuery,
  exportRoutes,
  isBinaryFormat,
  methodReference,
  methodText,
  ownAnnotationReference,
  sequenceAloneReference,
} from '@kindred/contracts/resources/exports';
import { embeddingText } from '@kindred/contracts/embedding-text';
import { hitsNotMeasured, hitsOfSet, hitsText } from '@kindred/contracts/search-hits';
import { chosenSources } from '@kindred/contracts/resources/prediction-sets';
import { usesSequenceOnly } from '@kindred/contracts/sequence-only';
import { namesakesText } from '@kindred/contracts/resources/answers';
import { namesNotCompared } from '@kindred/contracts/resources/prediction-sets';
import { referenceText } from '@kindred/contracts/reference-words';
import { informationContent } from '@kindred/kernels/enrichment';
import { complexRoot } from '@kindred/kernels/formats';
import type { OntologyGraph } from '@kindred/kernels/ontology';
import type { z } from 'zod';
import { productVersion } from '../../../ground/version.js';
import { findAnnotationSet } from '../../../store/annotations/annotations.repository.js';
import { ontologyColumns } from '../../../store/ontology/ontology-columns.repository.js';
import { termsBelow } from '../../../store/ontology/ontology.repository.js';
import { termNames } from '../../../store/ontology/slims.repository.js';
import { crossReferencesText } from '../../../store/ontology/cross-references.js';
import { answerPages } from '../../../store/predictions/answers.repository.js';
import {
  findPredictionSet,
  type NamedPredictionSetRow,
} from '../../../store/predictions/prediction-sets.repository.js';
import { predictionTotals } from '../../../store/predictions/predictions.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { absent, fieldProblem } from '../../problems.js';
import { runnerOf } from '../prediction-sets/present.js';
import { markedFile } from '../../marked-file.js';
import { requireComplete, requireFilled } from '../../references.js';
import { serve } from '../../serve.js';
import type { SlimView } from '../../slims.js';
import { sendChunks } from '../../stream.js';
import { countsInTime } from '../../term-counts.js';
import { type ExportedFile, exported, type Pages } from './formats.js';
import { mostSpecific, selected, slimmed } from './select.js';
import { parquetTable, parquetWideTable } from './parquet.js';
import { workbook } from './workbook.js';

const withRelations: readonly ExportFormatName[] = ['gaf', 'gpad', 'turtle'];

const withImplied: readonly ExportFormatName[] = ['term2gene', 'term2name'];

export function serveExports(api: Api, deps: RouteDeps): void {
  const { db, slims, ontologies } = deps;
  serve(api, exportRoutes.export, async (request, reply) => {
    const { format, database, taxon, slim, slim_terms, specific = false, min_ic, ...filter } = request.query;
    const set = await findPredictionSet(db, request.params.id);
    if (set === undefined) throw absent('prediction set', request.params.id);
    requireComplete(set);
    requireFilled(set);
    const complexes = withRelations.includes(format)
      ? await termsBelow(db, set.ontology_snapshot_id, complexRoot)
      : [];
    const view = await slims.view({ slim, slim_terms }, set.ontology_snapshot_id);
    const isInformative = min_ic === undefined ? undefined : await informativeTerms(deps, set, min_ic);
    const { namesakes } = await predictionTotals(db, set.number);
    const needsGraph = specific || (view === null && withImplied.includes(format));
    const graph = needsGraph ? (await ontologies.of(set.ontology_snapshot_id)).graph : null;
    const file: ExportedFile = {
      ...fileOf(set, { database, taxon, view, namesakes }),
      complexes: new Set(complexes),
      implied: (ids) => (graph === null || view !== null ? [...ids] : withAncestors(graph, ids)),
      nameOf: (ids) => termNames(db, set.ontology_snapshot_id, ids),
    };
    // CAFA judges a submission over all its scores.
    const all = filter.all ?? format === 'cafa';
    const pages = (): Pages => {
      const answers = selected(answerPages(db, set, { onlyAnswered: !all }), {
        ...filter,
        all,
        isInformative,
      });
      const rows = view === null ? answers : slimmed(answers, view, format === 'cafa' ? scoreOf : undefined);
      return specific && graph !== null ? mostSpecific(rows, graph) : rows;
    };
    const { mediaType, extension } = exportFormats[format];
    const filename = markedFile(reply, { name: `kindred_${set.id}`, extension }, [
      set.reference,
      ...set.more_references,
    ]);
    if (isBinaryFormat(format)) {
      const about = { header: [...file.header, ...chosen(request.query)] };
      return reply
        .type(mediaType)
        .header('content-disposition', `attachment; filename="${filename}"`)
        .send(binaryFile(format, pages, about));
    }
    return sendChunks(request, reply, exported(format, pages(), file), {
      contentType: `${mediaType}; charset=utf-8`,
      filename,
    });
  });
}

/** Finds the terms with at least so many bits in the annotations that the set was made from. A term that the ontology lacks has none. */
async function informativeTerms(
  deps: RouteDeps,
  { annotation_set_id: id, ontology_snapshot_id: snapshotId }: NamedPredictionSetRow,
  bits: number,
): Promise<(goId: string) => boolean> {
  const set = id === null ? undefined : await findAnnotationSet(deps.db, id);
  if (set === undefined)
    throw fieldProblem(
      '/min_ic',
      'the run was made without annotations, in which its terms could be counted: leave this filter out',
    );
  const ontology = await ontologyColumns(deps.db, snapshotId);
  const { graph } = await deps.ontologies.of(snapshotId);
  const content = informationContent(graph, await countsInTime(deps, set, { ontology, snapshotId }));
  return (goId) => {
    const number = graph.liveIndexOf(goId);
    return number >= 0 && content[number] >= bits;
  };
}

function binaryFile(
  format: BinaryFormatName,
  pages: () => Pages,
  about: Pick<ExportedFile, 'header'>,
): Readable {
  switch (format) {
    case 'xlsx':
      return workbook(pages, about);
    case 'parquet':
      return Readable.from(parquetTable(pages(), about), { objectMode: false });
    case 'parquet_wide':
      return Readable.from(parquetWideTable(pages(), about), { objectMode: false });
  }
}

/** Writes the requested filters as lines of the provenance. */
function chosen({ format: _, ...asked }: z.infer<typeof exportQuery>): (readonly [string, string])[] {
  return Object.entries(asked).map(([name, value]) => [`parameter ${name}`, String(value)] as const);
}

function withAncestors(graph: OntologyGraph, goIds: ReadonlySet<string>): string[] {
  const numbers = Array.from(goIds, (id) => graph.liveIndexOf(id)).filter((number) => number >= 0);
  const implied = Array.from(graph.ancestorsOf(numbers), (number) => graph.termIds[number]);
  return [...new Set([...goIds, ...implied])];
}

const scoreOf = ({ score }: { score: number }): number => score;

function slimText({ slim: { name, version, term_count }, terms }: SlimView): string {
  return `${name} ${version}, ${terms.length} of ${term_count} terms in this ontology`;
}

const namesText = (namesakes: number | null) =>
  namesakes === null ? `Not checked: ${namesNotCompared}` : namesakesText(namesakes);

/** Names the other reference that lines of a run can have, where it answers queries without a similar protein. */
function sequenceAloneOf(parameters: unknown): (readonly [string, string])[] {
  if (!usesSequenceOnly(parameters)) return [];
  return [['method', `${sequenceAloneReference.id}, ${sequenceAloneReference.title}`]];
}

function fileOf(
  set: NamedPredictionSetRow,
  {
    database,
    taxon,
    view,
    namesakes,
  }: { database: string; taxon: number; view: SlimView | null; namesakes: number | null },
): Omit<ExportedFile, 'complexes' | 'implied' | 'nameOf'> {
  const day = set.created_at.slice(0, 10);
  const reference = methodReference(set.method);
  const method = methodText({ method: set.method, runner: runnerOf(set.parameters) });
  const annotations =
    set.annotation_set_source === null ? [] : [`${set.annotation_set_source} ${set.annotation_set_version}`];
  const embedding = embeddingText(set);
  return {
    run: set.id,
    database,
    taxonId: taxon,
    reference: reference.id,
    method,
    ownReference: ownAnnotationReference.id,
    sequenceReference: sequenceAloneReference.id,
    ownAssignedBy: set.annotation_set_source ?? 'unknown',
    date: day.replaceAll('-', ''),
    assignedBy: 'Kindred',
    header: [
      ['generated-by', `Kindred ${productVersion}`],
      ['date-generated', day],
      ['go-version', set.ontology_snapshot_version],
      ...[set.reference, ...set.more_references].flatMap((one) =>
        one === null ? [] : [['reference', referenceText(one)] as const],
      ),
      ...annotations.map((value) => ['annotation-set', value] as const),
      ...(embedding === null ? [] : [['embedding', embedding] as const]),
      ...hitsOf(set.parameters),
      ...chosenSources(set.parameters).map(([name, values]) => [name.replace('_', '-'), values] as const),
      ['cross-references', crossReferencesText],
      ['method', `${method} (${reference.id}, ${reference.title})`],
      ...sequenceAloneOf(set.parameters),
      ...(view === null ? [] : [['slim', slimText(view)] as const]),
      ['prediction-set', set.id],
      ...(namesakes === 0 ? [] : [['remark', namesText(namesakes)] as const]),
      [
        'remark',
        'Rows with a reference KINDRED_REF that are assigned by Kindred are predictions, not reviewed: not for submission to the Gene Ontology. The others are annotations of the protein itself in the annotation set.',
      ],
    ],
  };
}

/** Says in a file which hits of another program its terms rest on, too; the column source_found_by says for which. */
function hitsOf(parameters: unknown): [string, string][] {
  const hits = hitsOfSet(parameters);
  return hits === null ? [] : [['hits', `${hitsText(hits)} ${hitsNotMeasured(hits)}`]];
}
