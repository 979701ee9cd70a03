// Says which goals and which tables of performance.md a run of all benchmarks has measured. Nothing that was not measured counts as met.

/**
 * @typedef {{ figure: string; value: number; of: Record<string, string | number> }} Figure
 * @typedef {{ benchmark: string; arguments: string[]; state: 'ran' | 'failed' | 'left out'; why?: string; missing?: string[];
 *   seconds: number; processorSeconds: number; figures: Figure[] }} Result
 * @typedef {{ what: string; limit: string; met: boolean | null; value?: number; words?: string; why?: string }} JudgedPart
 */

const shown = (value) => value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 0 });
const limitOf = ({ atLeast, atMost }) =>
  atLeast !== undefined
    ? `at least ${shown(atLeast)}`
    : atMost !== undefined
      ? `at most ${shown(atMost)}`
      : '';

/** Returns the value of a part, the worst of several; null without any. */
function measured(part, results) {
  const figures = results
    .filter(({ benchmark }) => benchmark === part.benchmark)
    .flatMap((result) => result.figures)
    .filter(({ figure, value, of }) => {
      const hasValues = Object.entries(part.of ?? {}).every(([name, wanted]) => of[name] === wanted);
      return figure === part.figure && Number.isFinite(value) && hasValues && (part.where?.(of) ?? true);
    });
  if (figures.length === 0) return null;
  if (part.by) return part.by(figures);
  const values = figures.map(({ value }) => value);
  return { value: part.atLeast === undefined ? Math.max(...values) : Math.min(...values) };
}

/** Returns why a benchmark gave no figure: its runs that did not end, what they lacked, or that this run has no such size. */
function whyNot(part, results, isShort) {
  const own = results.filter(({ benchmark }) => benchmark === part.benchmark);
  const reasons = own.flatMap(({ state, why, missing = [] }) => (state === 'ran' ? missing : [why]));
  if (reasons.length > 0) return [...new Set(reasons)].join('; ');
  return `${part.benchmark} had no such size, program or instruction set here${isShort ? ' (--short takes fewer)' : ''}`;
}

/** @returns {JudgedPart} */
function judgePart(part, results, isShort) {
  const { what } = part;
  const limit = limitOf(part);
  if (part.unmeasured !== undefined) return { what, limit, met: null, why: part.unmeasured };
  const found = measured(part, results);
  if (found === null) return { what, limit, met: null, why: whyNot(part, results, isShort) };
  const met = part.atLeast === undefined ? found.value <= part.atMost : found.value >= part.atLeast;
  return { what, limit, met, ...found };
}

/** Judges each goal by its parts: `yes`, `no`, `in part` where the others were not measured, or `not measured`. */
export function judge(goals, results, { isShort }) {
  return goals.map(({ line, title, parts }) => {
    const judged = parts.map((part) => judgePart(part, results, isShort));
    const count = (met) => judged.filter((part) => part.met === met).length;
    const [yes, no, unknown] = [true, false, null].map(count);
    const isEstimated = judged.some(({ words }) => words !== undefined);
    const verdict = no > 0 ? 'no' : yes === 0 ? 'not measured' : unknown > 0 ? 'in part' : 'yes';
    return { line, title, met: isEstimated ? `${verdict}, estimated` : verdict, parts: judged };
  });
}

/** Says for each heading of performance.md with tables how many runs of its benchmark ended well, or why none makes them. */
export function coverage(tables, results) {
  return tables.map(({ heading, benchmark, left }) => {
    const own = results.filter((result) => result.benchmark === benchmark);
    const ran = own.filter(({ state }) => state === 'ran').length;
    const reasons = own.flatMap(({ state, why }) => (state === 'ran' ? [] : [why]));
    return { heading, benchmark, runs: own.length, ran, why: left ?? [...new Set(reasons)].join('; ') };
  });
}

const partWords = ({ what, limit, met, value, words, why }) => {
  const state = met === null ? 'not measured' : met ? 'met' : 'missed';
  const text =
    met === null
      ? `${what}${limit && ` (${limit})`}: ${why}`
      : `${what}: ${shown(value)}${words ? ` ${words}` : ''} (${limit})`;
  return `   ${state.padEnd(13)}${text}`;
};

/** Returns a cell of the table: what was measured, and how many parts were not. */
function cell({ parts }) {
  const unknown = parts.filter(({ met }) => met === null);
  const known = parts.filter(({ met }) => met !== null);
  const values = known.map(
    ({ what, value, limit, met }) =>
      `${met ? '' : '**'}${what}: ${shown(value)} (${limit})${met ? '' : '**'}`,
  );
  const left = unknown.map(({ what }) => what).join(', ');
  if (unknown.length > 0) values.push(`not measured: ${known.length > 0 ? left : unknown[0].why}`);
  return values.join('; ');
}

/** Returns the lines of the summary: every part of every goal, then one row for each goal. */
export function summaryLines(judged) {
  const lines = judged.flatMap(({ line, title, parts }) => [`${line}. ${title}`, ...parts.map(partWords)]);
  const rows = judged.map((goal) => `| ${goal.line} | ${goal.title} | ${goal.met} | ${cell(goal)} |`);
  return [...lines, '', '| Line | Goal | Met | Measured |', '|---|---|---|---|', ...rows];
}
