import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import type { Genome } from '@kindred/kernels/formats';
import { environmentWithoutSettings, loadSettings } from '../run/env.js';

/** The genes of contigs as a program called them. */
export interface CalledGenes {
  /** The program names itself so in its result, with its version. */
  program: string;
  /** The program's GFF3 is kept as it wrote it. */
  gff3: Buffer;
  genes: number;
  contigs: number;
  /** The proteins of the genes that go on beyond an end of their contig, in the order of the file. */
  cut: string[];
  /** A protein has its name by the line of its gene, from 1. */
  nameOfLine: ReadonlyMap<number, string>;
}

const candidates = ['prodigal', 'pyrodigal', 'prodigal-gv'] as const;
/** Prodigal learns from the sequences themselves from this many bases on, as its authors advise; below, it uses models of known genomes. */
const minBasesToLearn = 100_000;
/** Prodigal refuses to learn from fewer bases. */
const leastBasesToLearn = 20_000;
const shownCut = 5;
const keptOutput = 4000;

/**
 * Calls the genes of contigs by Prodigal, Pyrodigal or prodigal-gv of this machine.
 * @throws ProblemError bad_file where no program is installed, or it refuses the contigs
 */
export async function callGenes(genome: Genome, name: string, geneticCode?: number): Promise<CalledGenes> {
  const folder = await mkdtemp(join(tmpdir(), 'kindred-genes-'));
  try {
    const [contigs, genes] = [join(folder, 'contigs.fna'), join(folder, 'genes.gff3')];
    await writeFile(contigs, contigText(genome));
    const command = await runFirst(['-i', contigs, '-f', 'gff', '-o', genes], (program) =>
      modeOf(program, genome, name, geneticCode),
    );
    const gff3 = await readFile(genes).catch((cause: Error) => {
      throw failed(command, `it left no file (${cause.message})`, cause);
    });
    const called = genesIn(gff3, genome.size);
    if (called.genes === 0)
      throw new ProblemError(
        'bad_file',
        `${basename(command)} found no gene in ${name}. It finds genes of bacteria, archaea and viruses; for others, give their GFF3 with --genome.`,
      );
    return called;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the contigs as the programs read them: one word a name, short lines, DNA. */
function contigText(genome: Genome): string {
  let text = '';
  for (const [name, bases] of genome)
    text += `>${name}\n${(bases.match(/.{1,80}/g) ?? []).join('\n').replaceAll('U', 'T')}\n`;
  return text;
}

function modeOf(program: string, genome: Genome, name: string, geneticCode?: number): string[] {
  const bases = [...genome.values()].reduce((sum, { length }) => sum + length, 0);
  if (geneticCode === undefined)
    return ['-p', bases < minBasesToLearn || basename(program) === 'prodigal-gv' ? 'meta' : 'single'];
  if (bases < leastBasesToLearn)
    throw new ProblemError(
      'bad_file',
      `${name} has ${bases} bases. With --genetic-code, genes are learnt from the contigs themselves, which takes ${leastBasesToLearn}: leave --genetic-code out, or give more contigs.`,
    );
  return ['-p', 'single', '-g', String(geneticCode)];
}

/** Runs the program of the settings, else the first of the known ones that is there, and returns its command. */
async function runFirst(
  args: readonly string[],
  modeFor: (program: string) => readonly string[],
): Promise<string> {
  const { geneFinderCommand: set } = loadSettings();
  for (const command of set === null ? candidates : [set])
    if (await ran(command, [...args, ...modeFor(command)])) return command;
  throw new ProblemError(
    'bad_file',
    set === null
      ? `--genes needs one of the programs ${candidates.join(', ')}, and none is installed. Install one ("apt install prodigal", "pip install pyrodigal", or "conda install -c bioconda prodigal"), or name its path by SVC_GENE_FINDER_COMMAND.`
      : `SVC_GENE_FINDER_COMMAND is ${set}, which cannot be run: set it to the path of Prodigal, Pyrodigal or prodigal-gv, or leave it out.`,
  );
}

/** Returns false if the program is not installed. The program gets no setting of the service, because those may be secrets. */
function ran(command: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: environmentWithoutSettings(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-keptOutput);
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'EACCES'
        ? resolve(false)
        : reject(failed(command, error.message, error)),
    );
    child.on('close', (code, killer) => {
      if (code === 0) resolve(true);
      else reject(failed(command, `it ended with ${killer ?? code}: ${lastLines(said)}`));
    });
  });
}

const lastLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-3)
    .join(' / ');

function failed(command: string, why: string, cause?: unknown): ProblemError {
  return new ProblemError('bad_file', `${command} could not call the genes: ${why}.`, { cause });
}

/** Names each protein by its contig and the number of its gene there, as the programs name proteins. */
function genesIn(gff3: Buffer, contigs: number): CalledGenes {
  const nameOfLine = new Map<number, string>();
  const cut: string[] = [];
  let program = '';
  for (const [at, line] of gff3.toString('utf8').split('\n').entries()) {
    const cells = line.split('\t');
    if (line.startsWith('#') || cells.length < 9 || cells[2] !== 'CDS') continue;
    const number = /(?:^|;)ID=[^;]*_(\d+)(?:;|$)/.exec(cells[8])?.[1];
    const protein = number === undefined ? `${cells[0]}_line${at + 1}` : `${cells[0]}_${number}`;
    program = cells[1].replace('_', ' ');
    nameOfLine.set(at + 1, protein);
    if (/(?:^|;)partial=(?:1[01]|01)/.test(cells[8])) cut.push(protein);
  }
  return { program, gff3, genes: nameOfLine.size, contigs, cut, nameOfLine };
}

type Counted = Pick<CalledGenes, 'program' | 'genes' | 'contigs' | 'cut'>;

/** Says what was called, and names up to `shown` of the genes that the end of a contig cuts. */
export function genesText({ program, genes, contigs, cut }: Counted, shown = shownCut): string {
  const of = `${program} called ${genes} ${genes === 1 ? 'gene' : 'genes'} in ${contigs} ${contigs === 1 ? 'contig' : 'contigs'}.`;
  if (cut.length === 0) return `${of} No end of a contig cuts a gene.`;
  const more = cut.length > shown ? ` and ${cut.length - shown} more` : '';
  return `${of} The end of a contig cuts ${cut.length} of them, so that their terms rest on a part of the protein: ${cut.slice(0, shown).join(', ')}${more} (partial= in the GFF3).`;
}
