import type { termEvidenceReply } from '@kindred/contracts/resources/term-evidence';
import { Command } from 'commander';
import type { z } from 'zod';
import { serviceClient } from './api-client.js';
import { endOutput, openOutput, write } from './output.js';
import { tableText } from './table-text.js';
import { addServiceOptions, type ServiceOptions, withService } from './with-service.js';

type Evidence = z.infer<typeof termEvidenceReply>;

interface ExplainOptions extends ServiceOptions {
  alignment?: string | true;
  output?: string;
}

export function explainCommand(): Command {
  return addServiceOptions(new Command('explain'))
    .description('Say what the score of a predicted term rests on: donors, own annotations, the model')
    .argument('<prediction-set>', 'id of the set: of its page, or the prediction_set_id of its job')
    .argument('<accession>', 'the query')
    .argument('<go-id>', 'the term, such as GO:0005515')
    .option('--alignment [donor]', 'also the alignment with this donor (default: the one that adds most)')
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .action((id: string, accession: string, goId: string, options: ExplainOptions) =>
      explain({ id, accession, go_id: goId }, options),
    );
}

async function explain(
  params: { id: string; accession: string; go_id: string },
  options: ExplainOptions,
): Promise<void> {
  await withService(options, async (service) => {
    const client = serviceClient(service);
    const ask = (alignment: string | undefined) =>
      client.get('/embeddings/prediction-sets/:id/proteins/:accession/terms/:go_id/evidence', {
        params,
        query: { alignment },
      });
    const named = typeof options.alignment === 'string' ? options.alignment : undefined;
    let evidence = await ask(named);
    const best = evidence.donors.at(0)?.accession;
    if (options.alignment === true && best !== undefined) evidence = await ask(best);
    const output = await openOutput(options.output);
    await write(output, evidenceText(evidence));
    await endOutput(output);
  });
}

const donorColumns = [
  'donor',
  'added_by_alignment',
  'added_by_distance',
  'score_without',
  'log10_e_value',
  'identity',
  'query_coverage',
  'donor_coverage',
  'distance',
  'evidence',
] as const;

/** Lines "name: value", then a table of the donors, of the model's features, and the alignment, each after an empty line. */
export function evidenceText(evidence: Evidence): string {
  const { donors, votes, model, alignment, without_best_donor: without } = evidence;
  const facts: [string, string | null][] = [
    ['protein', evidence.accession],
    ['term', evidence.go_id],
    ['method', evidence.method],
    ['score', shown(evidence.score)],
    ['taken over from', evidence.through === evidence.go_id ? null : evidence.through],
    ['own annotations by', evidence.own_evidence.join(', ') || null],
    ['score without the best donor', without && `${shown(without.score)} (without ${without.accession})`],
    ['votes, frequency of the term', votes && shown(votes.frequency)],
    ['votes, own annotations', votes && shown(votes.own_annotations)],
    ['votes, donors', votes && shown(votes.donors)],
    ['votes, weight in the score', votes && shown(votes.weight)],
    ['model', model && shown(model.score)],
    ['model, weight in the score', model && shown(model.weight)],
  ];
  const parts = [
    facts.flatMap(([name, value]) => (value === null ? [] : `${name}: ${value}\n`)).join(''),
    donors.length === 0 ? 'No donor has the term.\n' : tableText(donorColumns, donors.map(donorRow)),
  ];
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

function donorRow(donor: Evidence['donors'][number]): Record<(typeof donorColumns)[number], string> {
  return {
    donor: donor.accession,
    added_by_alignment: shown(donor.added_by_alignment),
    added_by_distance: shown(donor.added_by_distance),
    score_without: shown(donor.score_without),
    log10_e_value: shown(donor.log10_e_value),
    identity: shown(donor.identity),
    query_coverage: shown(donor.query_coverage),
    donor_coverage: shown(donor.donor_coverage),
    distance: shown(donor.distance),
    evidence: donor.evidence.join(', ') || (donor.evidence_code ?? ''),
  };
}

function shown(value: number | null): string {
  return value === null ? '' : String(Number(value.toPrecision(4)));
}

const lineLetters = 60;

/** Blocks of 60 columns: the query, a bar below each equal letter, the donor. */
function alignmentText(pair: NonNullable<Evidence['alignment']>): string {
  const blocks: string[] = [
    `alignment: score ${pair.score}, query ${pair.query_start}-${pair.query_end}, donor ${pair.donor_start}-${pair.donor_end}\n`,
  ];
  for (let from = 0; from < pair.query.length; from += lineLetters) {
    const query = pair.query.slice(from, from + lineLetters);
    const donor = pair.donor.slice(from, from + lineLetters);
    const bars = Array.from(query, (letter, i) => (letter === donor[i] ? '|' : ' ')).join('');
    blocks.push(`query  ${query}\n       ${bars.trimEnd()}\ndonor  ${donor}\n`);
  }
  return blocks.join('\n');
}
