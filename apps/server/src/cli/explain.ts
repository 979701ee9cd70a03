import { stretchSentence } from '@kindred/contracts/sequence-only';
import type { termEvidenceReply } from '@kindred/contracts/resources/term-evidence';
import { supportSentence } from '@kindred/kernels/answer';
import { roundedProbability } from '@kindred/kernels/combined/vocabulary';
import { tableText } from '@kindred/kernels/formats';
import { Command } from 'commander';
import type { z } from 'zod';
import { serviceClient } from './api-client.js';
import { endOutput, openOutput, write } from './output.js';
import { addServiceOptions, type ServiceOptions, withStoredData } from './with-service.js';

type Evidence = z.infer<typeof termEvidenceReply>;

interface ExplainOptions extends ServiceOptions {
  alignment?: string | true;
  output?: string;
}

export function explainCommand(): Command {
  return addServiceOptions(new Command('explain'))
    .argument('<prediction-set>', 'id of the set: of its page, or the prediction_set_id of its job')
    .argument('<accession>', 'the query')
    .argument('<go-id>', 'the known or predicted term, such as GO:0005515')
    .option('--alignment [source]', 'also the alignment with this source (default: the first)')
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .action((id: string, accession: string, goId: string, options: ExplainOptions) =>
      explain({ id, accession, go_id: goId }, options),
    );
}

async function explain(
  params: { id: string; accession: string; go_id: string },
  options: ExplainOptions,
): Promise<void> {
  await withStoredData(options, async (service) => {
    const client = serviceClient(service);
    const ask = (alignment: string | undefined) =>
      client.get('/embeddings/prediction-sets/:id/proteins/:accession/terms/:go_id/evidence', {
        params,
        query: { alignment },
      });
    const named = typeof options.alignment === 'string' ? options.alignment : undefined;
    let evidence = await ask(named);
    const best = evidence.sources.at(0)?.accession;
    if (options.alignment === true && best !== undefined) evidence = await ask(best);
    const output = await openOutput(options.output);
    await write(output, evidenceText(evidence));
    await endOutput(output);
  });
}

const percent = (probability: number) => `${Math.round(100 * roundedProbability(probability))} %`;

const sourceColumns = [
  'source',
  'similar',
  'found_by',
  'score_without',
  'votes_by_alignment',
  'votes_by_distance',
  'log10_e_value',
  'identity',
  'query_coverage',
  'source_coverage',
  'distance',
  'evidence',
] as const;

/**
 * Writes lines "name: value", then tables of sources, annotations and the model's features, and the
 * alignment, each after an empty line.
 */
export function evidenceText(evidence: Evidence): string {
  const { sources, votes, model, alignment } = evidence;
  const facts: [string, string | null][] = [
    ['protein', evidence.accession],
    ['term', evidence.go_id],
    ['method', evidence.method],
    ['score', evidence.score === null ? noScoreText(evidence) : shown(evidence.score)],
    ...evidence.probabilities.map(({ meaning, probability, low, high }): [string, string] => [
      meaning,
      `${percent(probability)}${low === null || high === null ? '' : ` (95 % interval ${percent(low)} to ${percent(high)})`}`,
    ]),
    ['support', evidence.score === null ? null : supportSentence(evidence, sources)],
    ['taken over from', evidence.through === evidence.go_id ? null : evidence.through],
    ['sequence', evidence.stretch && stretchSentence(evidence.stretch)],
    ['own annotations by', evidence.own_evidence.join(', ') || null],
    ['votes, frequency of the term', votes && shown(votes.frequency)],
    ['votes, own annotations', votes && shown(votes.own_annotations)],
    ['votes, sources', votes && shown(votes.sources)],
    ['votes, weight in the score', votes && shown(votes.weight)],
    ['model', model && shown(model.score)],
    ['model, weight in the score', model && shown(model.weight)],
  ];
  const parts = [facts.flatMap(([name, value]) => (value === null ? [] : `${name}: ${value}\n`)).join('')];
  if (sources.length > 0) parts.push(tableText(sourceColumns, sources.map(sourceRow)));
  const annotations = annotationRows(evidence);
  if (annotations.length > 0) parts.push(tableText(annotationColumns, annotations));
  if (model !== null)
    parts.push(
      tableText(
        ['feature', 'value', 'added'],
        model.features
          .filter(({ added }) => added !== 0)
          .sort((a, b) => Math.abs(b.added) - Math.abs(a.added))
          .map(({ name, value, added }) => ({ feature: name, value: shown(value), added: shown(added) })),
      ),
    );
  if (alignment !== null) parts.push(alignmentText(alignment));
  return parts.join('\n');
}

const noScoreText = ({ own_annotations: own, denials }: Evidence) =>
  own.length === 0 && denials.length > 0
    ? 'none: the protein is known not to have the term (NOT)'
    : 'none: the protein is known to have the term';

const annotationColumns = [
  'annotated',
  'qualifier',
  'go_id',
  'evidence_code',
  'db_reference',
  'assigned_by',
  'with_from',
  'copied_from_query',
  'name',
] as const;

/** Lists annotations with the term: those of the protein itself, those that deny it by NOT, then those of its sources. */
function annotationRows({ accession, own_annotations: own, denials, sources }: Evidence): AnnotationCells[] {
  const denied = denials.map((row) => ({ ...row, is_copied: false }));
  return [
    ...own.map((row) => annotationCells(row, accession)),
    ...denied.map((row) => annotationCells(row, accession, 'NOT')),
    ...sources.flatMap((source) => source.annotations.map((row) => annotationCells(row, source.accession))),
  ];
}

type AnnotationCells = Record<(typeof annotationColumns)[number], string>;

function annotationCells(
  row: Evidence['own_annotations'][number],
  annotated: string,
  qualifier = '',
): AnnotationCells {
  return {
    annotated,
    qualifier,
    go_id: row.go_id,
    evidence_code: row.evidence_code,
    db_reference: row.db_reference ?? '',
    assigned_by: row.assigned_by ?? '',
    with_from: row.with_from ?? '',
    copied_from_query: row.is_copied ? 'yes' : 'no',
    name: row.name,
  };
}

function sourceRow(source: Evidence['sources'][number]): Record<(typeof sourceColumns)[number], string> {
  return {
    source: source.accession,
    similar: source.is_similar === null ? '' : source.is_similar ? 'yes' : 'no',
    found_by: source.found_by ?? '',
    score_without: shown(source.score_without),
    votes_by_alignment: shown(source.votes_by_alignment),
    votes_by_distance: shown(source.votes_by_distance),
    log10_e_value: shown(source.log10_e_value),
    identity: shown(source.identity),
    query_coverage: shown(source.query_coverage),
    source_coverage: shown(source.source_coverage),
    distance: shown(source.distance),
    evidence: source.evidence.join(', ') || (source.evidence_code ?? ''),
  };
}

function shown(value: number | null): string {
  return value === null ? '' : String(Number(value.toPrecision(4)));
}

const lineLetters = 60;

/** Writes blocks of 60 columns: the query, a bar below each equal letter, the source. */
function alignmentText(pair: NonNullable<Evidence['alignment']>): string {
  const blocks: string[] = [
    `alignment: score ${pair.score}, query ${pair.query_start}-${pair.query_end}, source ${pair.source_start}-${pair.source_end}\n`,
  ];
  for (let from = 0; from < pair.query.length; from += lineLetters) {
    const query = pair.query.slice(from, from + lineLetters);
    const source = pair.source.slice(from, from + lineLetters);
    const bars = Array.from(query, (letter, i) => (letter === source[i] ? '|' : ' ')).join('');
    blocks.push(`query   ${query}\n        ${bars.trimEnd()}\nsource  ${source}\n`);
  }
  return blocks.join('\n');
}
