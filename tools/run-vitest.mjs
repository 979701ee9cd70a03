// Runs vitest and returns its counts. A suite that fails outside its tests counts as a failure, and so do errors that no test caught.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

export function runVitest(root, args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-vitest-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(join(root, 'node_modules', '.bin', 'vitest'), ['run', ...reporters, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const results = readReport(report);
  const counts = countsOf(results);
  if (process.env.CI && results !== null) printSlowest(root, results.testResults);
  rmSync(folder, { recursive: true });
  if (status !== 0 && counts.failed === 0) {
    counts.failed = 1;
    counts.failures.push('an error that no test caught');
  }
  return counts;
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

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function countsOf(report) {
  if (report === null)
    return { passed: 0, failed: 1, skipped: 0, failures: ['vitest ended without a report'] };
  const brokenSuites = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenSuites,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: report.testResults.flatMap(failuresOf),
  };
}

/** A line per failure, for the end of a long run: file, test, the beginning of the message. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(process.cwd(), name);
  const tests = assertionResults
    .filter((test) => test.status === 'failed')
    .map((test) => `${file} > ${test.fullName}: ${beginning(test.failureMessages[0])}`);
  return status === 'failed' && assertionResults.length === 0 ? [`${file}: ${beginning(message)}`] : tests;
}

const beginning = (text = '') => text.slice(0, 600).trim();
