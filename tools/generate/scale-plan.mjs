// Makes the tables of docs/explanation/scale.md from the figures of docs/explanation/performance.md, so that the plan changes with them.
// A figure that performance.md no longer has is an error.

const begin = '<!-- plan of tools/generate/scale-plan.mjs -->';
const end = '<!-- end of the plan -->';

/** The references that the plan is for: all of Swiss-Prot 2014, a tenth of the aim, and the aim. */
const sizes = [516_371, 5_000_000, 50_000_000];
const proteinsPerDay = 1_000_000;
/** The share of a processor that is planned with; the rest is for peaks, restarts and the system. */
const usedShare = 0.6;
/** The memory of a worker's machine, and how much of it the reference may have. */
const machine = { gigabytes: 128, forReference: 100 };
/** A database of the starter reference of 78,134 proteins, and what a run of 1,000 proteins with 284,707 rows adds, in bytes. */
const database = { bytes: 548_814_060, proteins: 78_134, perAnswered: 73_637 };

const number = (text) => Number(text.replaceAll(',', ''));

/** Returns the groups of the pattern in performance.md as numbers. */
function figures(performance, name, pattern) {
  const found = pattern.exec(performance);
  if (found === null) throw new Error(`docs/explanation/performance.md has no longer: ${name}`);
  return found.slice(1).map(number);
}

/** Reads what the plan rests on. Costs are processor milliseconds a protein. */
function measured(performance) {
  const parts = (references) => {
    const row = new RegExp(
      `^\\| proteins that the reference knows \\| ${references} \\| ([\\d.]+) \\| ([\\d.]+) \\| ([\\d.]+) \\|`,
      'm',
    );
    const [whole, neighbours, relatives] = figures(
      performance,
      `the default answer beside ${references}`,
      row,
    );
    return { references: number(references), neighbours, relatives, rest: whole - neighbours - relatives };
  };
  const [small, large] = [parts('19,724'), parts('516,371')];
  const slope = (part) => (large[part] - small[part]) / (large.references - small.references);
  const constant = (part) => small[part] - slope(part) * small.references;
  const [residues] = figures(
    performance,
    'residues of Swiss-Prot',
    /516,371 sequences, (\d+) million residues/,
  );
  const [perResidue] = figures(performance, 'the index of words', /The index takes (\d+) bytes a residue/);
  const [banked, mebibytes] = figures(
    performance,
    'the bank of Swiss-Prot',
    /^\| bank of ([\d,]+) references, vectors and terms \| \| [\d.]+ \| [\d,]+ references \| ([\d,]+),/m,
  );
  const rate = (name, pattern) => figures(performance, name, pattern)[0];
  return {
    perSearch: Math.max(0, constant('neighbours')) + Math.max(0, constant('relatives')),
    perReference: slope('neighbours') + slope('relatives'),
    rest: Math.max(small.rest, large.rest),
    indexBytes: (perResidue * residues * 1e6) / large.references,
    bankBytes: (mebibytes * 2 ** 20) / banked,
    proteinsPerSecond: rate('loaded proteins', /^\| proteins \| 516,371 \| [\d.]+ \| ([\d,]+) \|/m),
    annotationsPerSecond: rate(
      'loaded annotations',
      /^\| annotations \| 4,535,478 \| [\d.]+ \| ([\d,]+) \|/m,
    ),
    vectorsPerSecond: rate('vectors', /^\| embedding \(`kmer`\) \| 516,371 \| [\d.]+ \| ([\d,]+) \|/m),
    bankedPerSecond: rate('the bank', /^\| bank of .* \| ([\d,]+) references \|/m),
    perRead: figures(
      performance,
      'a read answer',
      /^\| answer for a protein of a run \| .* \| ([\d,]+) \+ ([\d,]+) \|$/m,
    ),
  };
}

const fixed = (value, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const short = (value) => fixed(value, value < 10 ? 1 : 0);
const minutes = (seconds) => short(seconds / 60);

/** The annotations of a reference of Swiss-Prot's kind. */
const annotationsPerProtein = 4_535_478 / 516_371;

function planOf(cost, references) {
  const bytes = references * (cost.bankBytes + cost.indexBytes);
  const machines = Math.ceil(bytes / (machine.forReference * 1e9));
  const milliseconds = machines * cost.perSearch + references * cost.perReference + cost.rest;
  const seconds = (milliseconds / 1000) * proteinsPerDay;
  return {
    references,
    milliseconds,
    cores: seconds / 86_400 / usedShare,
    gigabytes: bytes / 1e9,
    machines,
    databaseGigabytes: ((database.bytes / database.proteins) * references) / 1e9,
    proteins: references / cost.proteinsPerSecond,
    annotations: (references * annotationsPerProtein) / cost.annotationsPerSecond,
    vectors: references / cost.vectorsPerSecond,
    bank: references / cost.bankedPerSecond,
  };
}

function tables(cost) {
  const plans = sizes.map((references) => planOf(cost, references));
  const row = (name, value) => `| ${name} | ${plans.map(value).join(' | ')} |`;
  const daily = (cost.perRead[0] + cost.perRead[1]) / 1e6;
  return [
    `| For ${fixed(proteinsPerDay)} proteins a day | ${sizes.map((size) => `${fixed(size)} references`).join(' | ')} |`,
    '|---|--:|--:|--:|',
    row('processor milliseconds a protein', ({ milliseconds }) => short(milliseconds)),
    row(`cores, ${usedShare * 100} % used`, ({ cores }) => short(cores)),
    row('memory of the reference, GB: vectors, terms and words', ({ gigabytes }) => short(gigabytes)),
    row(`machines of ${machine.gigabytes} GB that hold it once`, ({ machines }) => fixed(machines)),
    row('database of the reference, GB', ({ databaseGigabytes }) => short(databaseGigabytes)),
    row('loading proteins, minutes, one connection', ({ proteins }) => minutes(proteins)),
    row('loading annotations', ({ annotations }) => minutes(annotations)),
    row('vectors, one worker of two threads', ({ vectors }) => minutes(vectors)),
    row('banks, one worker', ({ bank }) => minutes(bank)),
    '',
    '| Whatever the reference | |',
    '|---|--:|',
    `| new predictions in the database, GB a day | ${short((database.perAnswered * proteinsPerDay) / 1e9)} |`,
    `| reading each answer once, processor seconds of API and database a day | ${fixed(daily * proteinsPerDay)} |`,
    '',
  ].join('\n');
}

/** Returns the text of docs/explanation/scale.md with the plan by the figures of performance.md. */
export function scalePlan(page, performance) {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/explanation/scale.md has no longer ${begin} and ${end}`);
  return `${before}${begin}\n\n${tables(measured(performance))}\n${end}${after}`;
}
