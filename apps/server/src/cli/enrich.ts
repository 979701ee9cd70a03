import type { EnrichedTerm, EnrichmentMethod } from '@kindred/kernels/enrichment';
import { enrichment, enrichmentMethods, SlimMapping } from '@kindred/kernels/enrichment';
import { isNegated, lines, readGaf } from '@kindred/kernels/formats';
import { OntologyGraph, readObo, type OboDocument, type TermRows } from '@kindred/kernels/ontology';
import { ProblemError } from '@kindred/contracts';
import { Command, Option } from 'commander';
import { readFileWith } from './evaluate-files.js';
import { fraction } from './option-values.js';
import { endOutput, openOutput, write } from './output.js';
import { tableText } from './table-text.js';

interface EnrichOptions {
  annotations: string;
  ontology: string;
  population?: string;
  slim?: string;
  method: EnrichmentMethod;
  maxRate: number;
  output?: string;
}

const enrichColumns = [
  'go_id',
  'go_name',
  'aspect',
  'direction',
  'list_with_term',
  'list',
  'population_with_term',
  'population',
  'p_value',
  'false_discovery_rate',
] as const;

export function enrichCommand(): Command {
  return new Command('enrich')
    .description(
      'Find terms that a list of proteins has more or less often than its population; works on files',
    )
    .argument('<list>', 'accessions, one a line')
    .requiredOption('--annotations <gaf>', 'annotations as GAF, plain or gzip, such as terms.gaf of a run')
    .requiredOption('--ontology <obo>', 'the ontology, plain or gzip')
    .option('--population <file>', 'accessions to compare with, one a line (default: all annotated proteins)')
    .option('--slim <obo>', 'count annotations as the terms of this slim, and test those alone')
    .addOption(
      new Option(
        '--method <name>',
        'classic: Fisher exact test, two-sided; parent_child: among proteins with any parent of the term',
      )
        .choices(enrichmentMethods)
        .default('classic'),
    )
    .option('--max-rate <share>', 'largest false discovery rate that is written', fraction, 0.05)
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .action((list: string, options: EnrichOptions) => enrich(list, options));
}

async function enrich(list: string, options: EnrichOptions): Promise<void> {
  const document = await readFileWith(options.ontology, (bytes) => readObo(bytes));
  const graph = OntologyGraph.fromDocument(document);
  const direct = await directTerms(options.annotations, graph);
  const studied = await accessions(list);
  const population =
    options.population === undefined ? [...direct.keys()] : [...(await accessions(options.population))];
  const known = new Set(population);
  const absent = [...studied].filter((accession) => !known.has(accession));
  if (absent.length === studied.size)
    throw new ProblemError(
      'bad_file',
      `No protein of ${list} is in the population: are the accessions of one kind?`,
    );
  const slim = options.slim === undefined ? null : await slimTerms(options.slim, graph);
  const mapping = slim === null ? null : new SlimMapping(graph, slim);
  const rows = rowsOf(population, (accession) => {
    const terms = [...(direct.get(accession) ?? [])];
    return mapping === null ? terms : [...new Set(terms.flatMap((term) => [...mapping.of(term).all]))];
  });
  const isStudied = Uint8Array.from(population, (accession) => Number(studied.has(accession)));
  const found = enrichment(graph, { rows, isStudied }, options.method, slim);
  const output = await openOutput(options.output);
  const kept = found.filter((row) => row.qValue <= options.maxRate);
  await write(
    output,
    tableText(
      enrichColumns,
      kept.map((row) => lineOf(row, graph, document)),
    ),
  );
  await endOutput(output);
  if (absent.length > 0)
    process.stderr.write(
      `${absent.length} of ${studied.size} proteins of the list are not in the population.\n`,
    );
}

/** Terms that each protein is annotated with; without NOT, ND and terms that the ontology lacks. */
async function directTerms(path: string, graph: OntologyGraph): Promise<Map<string, Set<number>>> {
  const direct = new Map<string, Set<number>>();
  await readFileWith(path, async (bytes) => {
    for await (const { records } of readGaf(bytes))
      for (const { accession, goId, qualifier, evidenceCode } of records) {
        const term = graph.liveIndexOf(goId);
        if (term < 0 || evidenceCode === 'ND' || isNegated(qualifier)) continue;
        const terms = direct.get(accession);
        if (terms === undefined) direct.set(accession, new Set([term]));
        else terms.add(term);
      }
  });
  if (direct.size === 0)
    throw new ProblemError(
      'bad_file',
      `${path} has no annotation of a term of the ontology: give a GAF file.`,
    );
  return direct;
}

async function accessions(path: string): Promise<Set<string>> {
  const found = new Set<string>();
  await readFileWith(path, async (bytes) => {
    for await (const line of lines(bytes)) if (line.trim() !== '') found.add(line.trim());
  });
  return found;
}

async function slimTerms(path: string, graph: OntologyGraph): Promise<Set<number>> {
  const { terms } = await readFileWith(path, (bytes) => readObo(bytes));
  return new Set(terms.map((term) => graph.liveIndexOf(term.id)).filter((term) => term >= 0));
}

function rowsOf(population: readonly string[], termsOf: (accession: string) => readonly number[]): TermRows {
  const start = new Int32Array(population.length + 1);
  const terms: number[] = [];
  for (const [at, accession] of population.entries()) {
    for (const term of termsOf(accession)) terms.push(term);
    start[at + 1] = terms.length;
  }
  return { start, terms: Int32Array.from(terms) };
}

function lineOf(row: EnrichedTerm, graph: OntologyGraph, document: OboDocument): Record<string, unknown> {
  return {
    go_id: graph.termIds[row.term],
    go_name: document.terms[row.term].name,
    aspect: row.aspect,
    direction: row.isEnriched ? 'more' : 'less',
    list_with_term: row.studyCount,
    list: row.studySize,
    population_with_term: row.populationCount,
    population: row.populationSize,
    p_value: Number(row.pValue.toPrecision(6)),
    false_discovery_rate: Number(row.qValue.toPrecision(6)),
  };
}
