// The plan of `npm run bench -- all`: the benchmarks with their arguments, the tables of docs/explanation/performance.md that they make,
// the programs and data that they need, and the nine goals for speed with the figures that decide about each.
//
// A step has `short` and `whole` arguments; without `short` it runs only whole. `needs` names what a step cannot run without, `peers` what
// only some of its rows need; `withoutPeers` runs none, because they would take too long.

/**
 * Programs that others compare with. `module` is a Python module and `pip` its package; `program` is a command and `debian` its package,
 * of which the command alone suffices where `unpack` is true; `variable` is set by whoever has the file.
 *
 * @typedef {{ module?: string; pip?: string; program?: string; debian?: string; unpack?: boolean; variable?: string }} Peer
 *
 * @type {Record<string, Peer>}
 */
export const peers = {
  faiss: { module: 'faiss', pip: 'faiss-cpu' },
  numpy: { module: 'numpy', pip: 'numpy' },
  parasail: { module: 'parasail', pip: 'parasail' },
  lightgbm: { module: 'lightgbm', pip: 'lightgbm' },
  cafaeval: { module: 'cafaeval', pip: 'cafaeval' },
  torch: { module: 'torch' },
  transformers: { module: 'transformers' },
  'esm-cpp': { module: 'esm_cpp' },
  diamond: { program: 'diamond', debian: 'diamond-aligner', unpack: true },
  mmseqs: { program: 'mmseqs', debian: 'mmseqs2' },
  blastp: { program: 'blastp', debian: 'ncbi-blast+' },
  needle: { program: 'needle', debian: 'emboss' },
  'a network as ONNX': { variable: 'KINDRED_NETWORK_ONNX' },
};

/** Data that are not part of the repository: the variable that names their folder, and a file that the folder has. */
export const data = {
  shared: {
    variable: 'KINDRED_SHARED',
    file: 'data/windows-2018-2020/yeast.2018-11-08.gaf.gz',
    words: 'the folder of the data of training/combined',
  },
  swissprot: {
    variable: 'KINDRED_SWISSPROT',
    file: 'swissprot-2014-01.fasta',
    words: 'a folder with swissprot-2014-01.fasta and swissprot-2014-01-go.tsv',
  },
};

const swissprot = ['{swissprot}/swissprot-2014-01.fasta', '{swissprot}/swissprot-2014-01-go.tsv'];
const obo = '{root}/examples/go-basic-2022-07-01.obo.gz';
const oneShape = ['--rows', '100000', '--dimension', '1024', '--threads', '1', '--metric', 'cosine'];
const homologyPeers = ['diamond', 'mmseqs', 'blastp'];
const networkPeers = ['a network as ONNX'];

export const steps = [
  { benchmark: 'scale-plan', short: [], whole: [] },
  { benchmark: 'alignment', short: ['--queries', '150'], whole: [], peers: ['parasail', 'needle'] },
  { benchmark: 'network', short: ['--runs', '5'], whole: [], peers: networkPeers },
  { benchmark: 'trees', short: ['--rows', '20000'], whole: [], needs: ['lightgbm'] },
  { benchmark: 'command-line', short: ['5'], whole: [] },
  { benchmark: 'kmer', short: [], whole: [] },
  { benchmark: 'formats', short: ['3'], whole: ['5'] },
  {
    benchmark: 'search',
    short: [...oneShape, '--rounds', '2'],
    whole: ['--full'],
    peers: ['faiss', 'numpy'],
  },
  {
    benchmark: 'search',
    short: [...oneShape, '--rounds', '2', '--instructions', 'avx2'],
    whole: ['--full', '--instructions', 'avx2'],
    needs: ['avx2'],
    peers: ['faiss', 'numpy'],
  },
  {
    benchmark: 'homology',
    short: ['--windows', '{shared}/data', '--queries', '300', '--blastp', '--quick'],
    whole: ['--windows', '{shared}/data', '--queries', '300', '--blastp'],
    needs: ['shared'],
    peers: homologyPeers,
  },
  {
    benchmark: 'homology',
    whole: ['--windows', '{shared}/data', '--queries', '300', '--targets', '500', '--blastp', '--quick'],
    needs: ['shared'],
    peers: homologyPeers,
  },
  {
    benchmark: 'homology',
    short: [swissprot[0], '--references', '100000', '--queries', '100', '--quick'],
    whole: [swissprot[0], '--references', '100000', '--queries', '300', '--quick'],
    needs: ['swissprot'],
    peers: homologyPeers,
  },
  {
    benchmark: 'combined',
    short: ['--shared', '{shared}', '--queries', '200'],
    whole: ['--shared', '{shared}'],
    needs: ['shared'],
  },
  {
    benchmark: 'combined',
    short: ['--shared', '{shared}', '--queries', '100', '--fasta', swissprot[0], '--pairs', swissprot[1]],
    whole: ['--shared', '{shared}', '--fasta', swissprot[0], '--pairs', swissprot[1]],
    needs: ['shared', 'swissprot'],
  },
  {
    benchmark: 'evaluation',
    short: ['500', '100000'],
    whole: ['5000', '1000000'],
    peers: ['cafaeval'],
  },
  { benchmark: 'evaluation', short: ['20000', '4000000'], whole: ['50000', '10000000'], withoutPeers: true },
  {
    benchmark: 'evaluation',
    short: ['100000', '20000000'],
    whole: ['500000', '100000000'],
    withoutPeers: true,
  },
  { benchmark: 'growth', short: ['--short'], whole: [] },
  { benchmark: 'loading', short: ['0.25', '8', '10'], whole: [] },
  { benchmark: 'reads', short: ['1'], whole: [] },
  { benchmark: 'event-loop', short: ['12', '10'], whole: [] },
  {
    benchmark: 'plm',
    short: ['--sizes', '8m', '--rounds', '1', '--count', '16'],
    whole: [],
    needs: ['torch', 'transformers'],
    peers: ['esm-cpp'],
  },
  { benchmark: 'scale', whole: swissprot, needs: ['swissprot'] },
  { benchmark: 'reference', whole: [...swissprot, obo, '10000', '200'], needs: ['swissprot'] },
];

/** The headings of performance.md with the benchmark that makes their tables, or why no benchmark of this version does. */
export const tables = [
  { heading: 'How cost grows', benchmark: 'growth' },
  { heading: 'Loading', benchmark: 'loading' },
  { heading: 'Neighbour search', benchmark: 'search' },
  { heading: 'Alignment', benchmark: 'alignment' },
  { heading: 'The default answer, by its parts', benchmark: 'combined' },
  { heading: 'A whole proteome', left: 'its command is to be run by hand, with a proteome of your own' },
  { heading: 'Search for relatives by sequence', benchmark: 'homology' },
  { heading: 'All of Swiss-Prot', benchmark: 'scale' },
  { heading: 'Swiss-Prot as a reference, by one command', benchmark: 'reference' },
  { heading: 'Event loop of the API', benchmark: 'event-loop' },
  { heading: 'Calls of the command line', benchmark: 'command-line' },
  { heading: 'Reads', benchmark: 'reads' },
  { heading: 'A large run in the browser', left: 'measured once, by a benchmark of version 0.2.0' },
  { heading: 'Memory', left: 'measured once, by a benchmark of version 0.2.0' },
  { heading: 'Evaluation', benchmark: 'evaluation' },
  { heading: 'Re-rankers', benchmark: 'trees' },
  { heading: 'Sequence network', benchmark: 'network' },
  { heading: 'Language models', benchmark: 'plm' },
];

const neighbours = (rows, k) =>
  ['avx512', 'avx2'].map((instructions) => ({
    what: `${rows.toLocaleString('en')} vectors, k ${k}, ${instructions}: times faiss`,
    benchmark: 'search',
    figure: 'times faiss',
    of: { rows, k, instructions },
    atLeast: 3,
  }));
const read = (figure, name, atMost) => ({
  what: `${name}, ${figure}`,
  benchmark: 'reads',
  figure,
  of: { read: name },
  atMost,
});
const perSecond = (words, part) =>
  ['avx512', 'avx2'].map((instructions) => ({
    ...part,
    what: `queries a processor second at ${words} references, ${instructions}`,
    benchmark: 'homology',
    figure: 'queries a processor second',
    of: { targets: 50, program: `Kindred, ${instructions}` },
  }));
const shareOfDiamond = (targets) => ({
  what: `share of blastp's hits / DIAMOND, ${targets} relatives`,
  benchmark: 'homology',
  figure: "share of blastp's hits / DIAMOND",
  of: { targets },
  atLeast: 1,
});

/**
 * The goals. Each part is a figure of a benchmark with its limit, where the worst of several figures counts, or says why nothing measures
 * it (`unmeasured`). `of` are the values that a figure must have, `where` is a condition on them. `by` calculates the value from all
 * figures of that name, and says in words how, if the value was not measured directly.
 */
export const goals = [
  {
    line: 1,
    title: 'Native parts, and WebAssembly without them',
    parts: [
      {
        what: 'alignment: WebAssembly / addon',
        benchmark: 'alignment',
        figure: 'WebAssembly / addon',
        atMost: 2,
      },
      {
        what: 'search: WebAssembly / addon',
        benchmark: 'search',
        figure: 'WebAssembly / addon',
        atMost: 2,
      },
      {
        what: 'network: WebAssembly / addon',
        benchmark: 'network',
        figure: 'WebAssembly / addon',
        atMost: 2,
      },
      {
        what: 'addons of other platforms',
        unmeasured: 'no benchmark: the suite native and a release build and load them',
      },
    ],
  },
  {
    line: 2,
    title: 'Exact search',
    parts: [100_000, 500_000].flatMap((rows) => [5, 50].flatMap((k) => neighbours(rows, k))),
  },
  {
    line: 3,
    title: "A reference of Swiss-Prot's size",
    parts: [
      {
        what: 'processor milliseconds a protein',
        benchmark: 'combined',
        figure: 'milliseconds a protein',
        where: ({ references }) => references > 400_000,
        atMost: 30,
      },
      {
        what: 'build, processor seconds',
        benchmark: 'reference',
        figure: 'build, processor seconds',
        atMost: 300,
      },
      {
        what: 'install, processor seconds',
        benchmark: 'reference',
        figure: 'install, processor seconds',
        atMost: 150,
      },
      {
        what: 'first answer of a fresh worker, its private memory, enrichment from stored counts',
        unmeasured: 'no benchmark measures them by themselves',
      },
    ],
  },
  {
    line: 4,
    title: 'Search for relatives',
    parts: [
      ...perSecond('about 20,000', { where: ({ references }) => references < 50_000, atLeast: 200 }),
      ...perSecond('100,000', { where: ({ references }) => references >= 50_000, atLeast: 100 }),
      shareOfDiamond(50),
      shareOfDiamond(500),
    ],
  },
  {
    line: 5,
    title: 'Local alignment',
    parts: ['avx512', 'avx2'].map((program) => ({
      what: `times parasail's fastest way to the counts, ${program}`,
      benchmark: 'alignment',
      figure: 'times parasail, counts',
      of: { mode: 'local', program },
      atLeast: 2,
    })),
  },
  {
    line: 6,
    title: 'Evaluation streams',
    parts: [
      {
        what: 'MiB at 100 million predictions',
        benchmark: 'evaluation',
        figure: 'MiB',
        by: memoryAtHundredMillion,
        atMost: 1024,
      },
    ],
  },
  {
    line: 7,
    title: 'Reads',
    parts: [
      ...['one protein', 'protein list', 'one term'].flatMap((name) => [
        read('computed, microseconds', name, 600),
        read('kept, microseconds', name, 200),
      ]),
      {
        what: 'p99 of small reads beside large ones / alone',
        benchmark: 'reads',
        figure: 'p99 beside large reads / alone',
        atMost: 3,
      },
      {
        what: 'small reads refused or failed meanwhile',
        benchmark: 'reads',
        figure: 'small reads refused beside large ones',
        atMost: 0,
      },
      {
        what: 'processor seconds after 100 clients left large reads',
        benchmark: 'reads',
        figure: 'processor seconds after 100 abandoned reads',
        atMost: 1,
      },
    ],
  },
  {
    line: 8,
    title: 'Beyond one machine',
    parts: [
      {
        what: 'lines of the plan that differ from the measured costs',
        benchmark: 'scale-plan',
        figure: 'lines of the plan that differ',
        atMost: 0,
      },
    ],
  },
  {
    line: 9,
    title: 'How cost grows',
    parts: [
      {
        what: 'evaluation: processor time a prediction, largest / smallest size',
        benchmark: 'evaluation',
        figure: 'processor seconds',
        by: growthOfEvaluation,
        atMost: 1,
      },
      {
        what: 'seconds a query, all of Swiss-Prot / a quarter of it',
        benchmark: 'scale',
        figure: 'seconds a query',
        by: growthOfSearch,
        atMost: 4,
      },
      {
        what: 'pictures of it in performance.md: references, queries, predictions',
        benchmark: 'scale-plan',
        figure: 'pictures',
        atLeast: 3,
      },
    ],
  },
];

const byPredictions = (figures) =>
  figures
    .filter(({ of }) => of.step === '0.01')
    .sort((one, other) => one.of.predictions - other.of.predictions);

/** Returns the memory at 100 million predictions; where that was not run, by a straight line through the two largest sizes. */
function memoryAtHundredMillion(figures) {
  const [small, large] = byPredictions(figures).slice(-2);
  if (large?.of.predictions === 1e8) return { value: large.value };
  if (large === undefined || small.of.predictions === large.of.predictions) return null;
  const slope = (large.value - small.value) / (large.of.predictions - small.of.predictions);
  const sizes = [small, large].map(({ of }) => (of.predictions / 1e6).toLocaleString('en')).join(' and ');
  return {
    value: large.value + slope * (1e8 - large.of.predictions),
    words: `by a straight line through ${sizes} million`,
  };
}

function growthOfEvaluation(figures) {
  const sorted = byPredictions(figures);
  if (sorted.length < 2) return null;
  const cost = ({ value, of }) => value / of.predictions;
  return { value: cost(sorted.at(-1)) / cost(sorted[0]) };
}

function growthOfSearch(figures) {
  const sorted = figures.toSorted((one, other) => one.of.references - other.of.references);
  const same = sorted.filter(({ of }) => of.alignments === 'without');
  if (same.length < 2) return null;
  return { value: same.at(-1).value / same[0].value };
}
