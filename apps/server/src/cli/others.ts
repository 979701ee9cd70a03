import { basename } from 'node:path';
import type { Client } from '@kindred/client';
import { ProblemError } from '@kindred/contracts';
import {
  detectStatedTermFormat,
  peekLine,
  NamedQueries,
  readStatedTerms,
  type StatedTermFormat,
  tableText,
} from '@kindred/kernels/formats';
import { Command } from 'commander';
import { answerTable, readAnnotations } from './annotation-table.js';
import { serviceClient } from './api-client.js';
import { readFileWith } from './evaluate-files.js';
import { LeftOutLines } from './left-out-lines.js';
import { readTerms, type TermsOfRun } from './ontology-of-run.js';
import { endOutput, openOutput, write } from './output.js';
import {
  type Agreement,
  agreements,
  compareProtein,
  type Comparison,
  type OtherStatement,
  type OwnStatement,
} from './who-says-what.js';
import { addServiceOptions, type ServiceOptions, withStoredData } from './with-service.js';

interface OthersOptions extends ServiceOptions {
  tool?: string;
  all?: boolean;
  output?: string;
}

/** More pairs of a protein and a term than this may not fit into the memory of a small machine. */
const mostStatements = 5_000_000;
const programs: Record<StatedTermFormat, string> = {
  emapper: 'eggNOG-mapper',
  interproscan: 'InterProScan',
  interproscan_gff3: 'InterProScan',
  interproscan_json: 'InterProScan',
  cafa: 'other program',
};

export function othersCommand(): Command {
  return addServiceOptions(new Command('others'))
    .description('Compare a run with the terms of another program: who says what, as one table')
    .argument('<run>', 'prediction set')
    .argument(
      '<file>',
      '.emapper.annotations of eggNOG-mapper, TSV, GFF3 or JSON of InterProScan with GO terms, or predictions in the form of CAFA; plain or gzip',
    )
    .option('--tool <name>', 'name of the program (default: that of the format)')
    .option('--all', 'compare also with the less certain terms below the end of the answers')
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .action(others);
}

async function others(run: string, path: string, options: OthersOptions): Promise<void> {
  const stated = await readFileOf(path);
  await withStoredData(options, async (service) => {
    const client = serviceClient(service);
    const set = await client.get('/embeddings/prediction-sets/:id', { params: { id: run } });
    const own = await ownStatements(client, set.id, options.all ?? false);
    const { byProtein, unknown } = ofProteins(stated.terms, own);
    const terms = await readTerms(client, set.ontology_snapshot_id, [
      ...new Set([...[...own.values()].flat().map(({ goId }) => goId), ...stated.goIds]),
    ]);
    const output = await openOutput(options.output);
    const tool = options.tool ?? programs[stated.format];
    const tally = new Tally(terms);
    await write(output, tableText(columns, []));
    for (const [protein, statements] of own) {
      const found = compareProtein(terms.graph, statements, tally.live(byProtein.get(protein)));
      tally.add(found);
      const rows = found.rows.map((row) => lineOf(protein, row, { tool, terms }));
      if (rows.length > 0) await write(output, tableText(columns, rows).replace(/^.*\n/, ''));
    }
    await endOutput(output);
    const silent = [...own.keys()].filter((protein) => !byProtein.has(protein)).length;
    process.stderr.write(
      `${tally.sentences(tool, { unknown, silent, skipped: stated.skipped, file: basename(path) })}\n`,
    );
  });
}

type StatedTerms = Map<string, Map<string, OtherStatement>>;

interface StatedFile {
  format: StatedTermFormat;
  /** The statements by the name that the program wrote, and term. */
  terms: StatedTerms;
  goIds: ReadonlySet<string>;
  /** Lines without a GO term. */
  skipped: number;
}

/** Reads the file of the other program, and prints which lines it left out. Of a repeated term, the highest score counts. */
async function readFileOf(path: string): Promise<StatedFile> {
  const unreadable = new LeftOutLines(path);
  const stated = await readFileWith(path, async (chunks) => {
    const { head, bytes } = await peekLine(copied(chunks), (line) => detectStatedTermFormat(line) !== null);
    const format = detectStatedTermFormat(head);
    if (format === null)
      throw new ProblemError(
        'bad_file',
        `${path} is none of the files that are read here: .emapper.annotations of eggNOG-mapper, the TSV, GFF3 or JSON of InterProScan, or predictions in the form of CAFA (protein, GO term, score).`,
      );
    const file = { format, terms: new Map() as StatedTerms, goIds: new Set<string>(), skipped: 0 };
    let count = 0;
    for await (const { records, rejected, skipped } of readStatedTerms(bytes, format)) {
      unreadable.add(rejected);
      file.skipped += skipped;
      for (const { protein, goId, score, basis } of records) {
        const held = file.terms.get(protein) ?? new Map<string, OtherStatement>();
        if (held.size === 0) file.terms.set(protein, held);
        const before = held.get(goId);
        if (before === undefined) count++;
        if (before === undefined || (score ?? 0) > (before.score ?? 0)) held.set(goId, { score, basis });
        file.goIds.add(goId);
      }
      if (count > mostStatements)
        throw new ProblemError(
          'bad_file',
          `${path} has more than ${mostStatements.toLocaleString('en')} terms of proteins: split it, and compare the parts.`,
        );
    }
    return file;
  });
  if (unreadable.sentence !== null) process.stderr.write(`${unreadable.sentence}\n`);
  if (stated.terms.size === 0)
    throw new ProblemError(
      'bad_file',
      `${path} states no GO term${stated.format.startsWith('interproscan') ? ': run InterProScan with --goterms' : ''}.`,
    );
  return stated;
}

/** Pieces of a file share one buffer, and the first of them are kept until the format is known. */
async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield chunk.slice();
}

/** Reads what the run says of each of its proteins, with contradicted predictions; a protein without an answer has an empty list. */
async function ownStatements(client: Client, id: string, all: boolean): Promise<Map<string, OwnStatement[]>> {
  const own = new Map<string, OwnStatement[]>();
  for await (const line of readAnnotations(await answerTable(client, id, { all, contradicted: true }))) {
    const held = own.get(line.protein) ?? [];
    if (held.length === 0) own.set(line.protein, held);
    if (line.kind === 'no_answer' || line.go_id === null) continue;
    held.push({
      goId: line.go_id,
      kind: line.kind === 'predicted' ? 'predicted' : line.is_known === false ? 'known_not' : 'known',
      score: line.score,
      certainty: line.certainty,
      contradiction: line.contradiction,
      isListed: line.kind === 'known' || (line.folded_under === null && line.is_known !== true),
    });
  }
  return own;
}

/** Finds the proteins of the run by the names that the other program wrote. */
function ofProteins(stated: StatedTerms, own: ReadonlyMap<string, unknown>) {
  const byProtein: StatedTerms = new Map();
  const unknown: string[] = [];
  const proteins = new NamedQueries(own);
  for (const [name, terms] of stated) {
    const protein = proteins.find(name);
    if (protein === null) unknown.push(name);
    else byProtein.set(protein, new Map([...(byProtein.get(protein) ?? []), ...terms]));
  }
  return { byProtein, unknown };
}

const columns = [
  'protein',
  'go_id',
  'go_name',
  'aspect',
  'agreement',
  'kindred',
  'kindred_term',
  'kindred_score',
  'kindred_certainty',
  'contradiction',
  'tool',
  'tool_term',
  'tool_score',
  'tool_basis',
] as const;

function lineOf(
  protein: string,
  { goId, agreement, own, other }: Comparison,
  { tool, terms }: { tool: string; terms: TermsOfRun },
): Record<(typeof columns)[number], string | number | null> {
  return {
    protein,
    go_id: goId,
    go_name: terms.nameOf(goId),
    aspect: terms.aspectOf(goId),
    agreement,
    kindred: own?.kind ?? 'not',
    kindred_term: own?.goId ?? null,
    kindred_score: own?.score ?? null,
    kindred_certainty: own?.certainty ?? null,
    contradiction: own?.contradiction ?? (own?.kind === 'known_not' ? 'not_annotation' : null),
    tool: other === null ? null : tool,
    tool_term: other?.goId ?? null,
    tool_score: other?.score ?? null,
    tool_basis: other?.basis ?? null,
  };
}

interface LeftOut {
  file: string;
  unknown: readonly string[];
  silent: number;
  skipped: number;
}

/** Counts the rows, and the terms that have none. */
class Tally {
  readonly #terms: TermsOfRun;
  readonly #counts = new Map<Agreement, number>();
  readonly #obsolete = new Set<string>();
  readonly #absent = new Set<string>();
  #implied = 0;

  constructor(terms: TermsOfRun) {
    this.#terms = terms;
  }

  /** Gives statements by the main id of their term, without terms that the ontology of the run lacks or calls obsolete. */
  live(statements: ReadonlyMap<string, OtherStatement> = new Map()): Map<string, OtherStatement> {
    const live = new Map<string, OtherStatement>();
    for (const [goId, statement] of statements) {
      const term = this.#terms.graph.liveIndexOf(goId);
      if (term >= 0) {
        const main = this.#terms.graph.termIds[term];
        const held = live.get(main);
        if (held === undefined || (statement.score ?? 0) > (held.score ?? 0)) live.set(main, statement);
      } else (this.#terms.graph.indexOf(goId) < 0 ? this.#absent : this.#obsolete).add(goId);
    }
    return live;
  }

  add({ rows, implied }: ReturnType<typeof compareProtein>): void {
    this.#implied += implied;
    for (const { agreement } of rows) this.#counts.set(agreement, (this.#counts.get(agreement) ?? 0) + 1);
  }

  sentences(tool: string, { file, unknown, silent, skipped }: LeftOut): string {
    const count = (agreement: Agreement) => (this.#counts.get(agreement) ?? 0).toLocaleString('en');
    const words: Record<Agreement, string> = {
      both: 'said by both',
      only_kindred: 'only by Kindred',
      only_tool: `only by ${tool}`,
      contradicted: `said by ${tool} and contradicted by what Kindred knows`,
    };
    const said = agreements.map((agreement) => `${count(agreement)} ${words[agreement]}`).join(', ');
    const leftOut = [
      amount(unknown.length, 'protein', 'that the run lacks', unknown[0]),
      amount(this.#obsolete.size, 'obsolete term', '', [...this.#obsolete][0]),
      amount(this.#absent.size, 'term', 'that the ontology of the run lacks', [...this.#absent][0]),
      amount(this.#implied, 'term', `that a more specific one of ${tool} implies`),
      amount(skipped, 'line', 'without a GO term'),
    ].filter((text) => text !== null);
    return [
      `Terms of proteins: ${said}.`,
      ...(leftOut.length > 0 ? [`Of ${file} left out: ${leftOut.join('; ')}.`] : []),
      ...(silent > 0 ? [`${file} has no term for ${amount(silent, 'protein', 'of the run')}.`] : []),
      `This is a comparison: ${tool} changes no score of Kindred, because a joined score was measured and can be worse than ours.`,
    ].join('\n');
  }
}

/** Null for none; `example` is the first of them. */
function amount(count: number, noun: string, about: string, example?: string): string | null {
  if (count === 0) return null;
  const words = [count.toLocaleString('en'), count === 1 ? noun : `${noun}s`, about]
    .filter(Boolean)
    .join(' ');
  return example === undefined ? words : `${words}, such as ${example}`;
}
