// Runs vitest and returns its counts. A suite that fails outside its tests counts as a failure, and so do errors that no test caught.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** The maximum number of failed files that CI runs again, because more of them are no accident. */
const mostFilesRunAgain = 5;

export function runVitest(root, args) {
  const first = runOnce(root, args);
  if (!process.env.CI || first.files === null) return countsOf(root, first);
  printSlowest(root, first.files);
  const failing = first.files.filter(hasFailed);
  if (failing.length === 0 || failing.length > mostFilesRunAgain) return countsOf(root, first);
  console.log(`Run again, by themselves: ${failing.map(({ name }) => relative(root, name)).join(', ')}`);
  const again = runOnce(root, [...args.filter(isOption), ...failing.map(({ name }) => name)]);
  return countsOf(root, withFilesOf(again, first), first);
}

/** Says whether an argument is not part of a file's name: `--option`, `--option=value`, and the value of `--project`. */
const isOption = (arg, at, args) => arg.startsWith('-') || args[at - 1] === '--project';

/** Runs vitest once. `files` is null if vitest ended without a report. */
function runOnce(root, args) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-vitest-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(join(root, 'node_modules', '.bin', 'vitest'), ['run', ...reporters, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const files = readReport(report)?.testResults ?? null;
  rmSync(folder, { recursive: true });
  return { files, endedWell: status === 0 };
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Returns the first run with the results of the files that were run again; a file without a new result keeps its first one. */
function withFilesOf(again, first) {
  const results = new Map((again.files ?? []).map((file) => [file.name, file]));
  return {
    files: first.files.map((file) => results.get(file.name) ?? file),
    endedWell: again.endedWell,
  };
}

/** Shows where a long run spends its time. */
function printSlowest(root, files) {
  const slowest = files
    .map(({ name, startTime, endTime }) => ({ name: relative(root, name), ms: endTime - startTime }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 20);
  console.log('The slowest files (first test to last, without the hooks before and after):');
  for (const { name, ms } of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`);
}

/** @param first the run before, if files were run again: failures that are gone in the second run are the `unsteady` ones */
function countsOf(root, { files, endedWell }, first) {
  if (files === null)
    return { passed: 0, failed: 1, skipped: 0, failures: ['vitest ended without a report'], unsteady: [] };
  const tests = files.flatMap((file) => file.assertionResults);
  const counted = (wanted) => tests.filter(({ status }) => wanted.includes(status)).length;
  const failures = files.flatMap((file) => failuresOf(root, file));
  if (!endedWell && failures.length === 0) failures.push('an error that no test caught');
  const passing = new Set(files.filter((file) => !hasFailed(file)).map(({ name }) => name));
  return {
    passed: counted(['passed']),
    failed: failures.length,
    skipped: tests.length - counted(['passed', 'failed']),
    failures,
    unsteady: (first?.files ?? [])
      .filter((file) => passing.has(file.name))
      .flatMap((file) => failuresOf(root, file)),
  };
}

const hasFailed = ({ status }) => status === 'failed';

/** Writes a line for each failure, for the end of a long run: file, test, and the beginning of the message. */
function failuresOf(root, result) {
  const file = relative(root, result.name);
  const failed = result.assertionResults
    .filter(hasFailed)
    .map((test) => `${file} > ${test.fullName}: ${beginning(test.failureMessages[0])}`);
  // The fault is that of the file itself, or of what runs before and after its tests.
  return hasFailed(result) && failed.length === 0 ? [`${file}: ${beginning(result.message)}`] : failed;
}

const beginning = (text = '') => text.slice(0, 600).trim();
