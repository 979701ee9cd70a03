import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rerankerFiles } from './reranker-files.mjs';
import { buildReference, manageReference, waitInVain } from './build-reference.mjs';
import { expect } from './checks.mjs';
import { axe } from './page-gates.mjs';
import {
  answer,
  expectNoMarkup,
  followJob,
  loaded,
  markup,
  openAct,
  openRow,
  openWorkbench,
  send,
} from './people.mjs';

export const score = `score ${markup}`;
const onPage = `comment on its page ${markup}`;

const slim = `format-version: 1.2
data-version: releases/2022-07-01
ontology: goslim_browser

[Term]
id: GO:0005488
name: binding
namespace: molecular_function

[Term]
id: GO:0003824
name: catalytic activity
namespace: molecular_function
`;

/** Writes one line of a GAF file of UniProt accessions. */
const annotation = (accession, goId) =>
  `UniProtKB\t${accession}\tX\tenables\t${goId}\tPMID:1\tIDA\t\tF\t\t\tprotein\ttaxon:9606\t20220101\tUniProt\t\t\n`;

/** Checks the tasks of an operator, with small files in the folder that the service may read. */
export async function checkOperator({ checks, operator, files }) {
  const { page, context } = operator;
  const write = (name, text) => {
    writeFileSync(join(files, name), text);
    return pathToFileURL(join(files, name)).href;
  };
  const [model] = await (await context.request.get('/v1/embeddings/configs')).json();
  const [release] = await (await context.request.get('/v1/annotations/snapshots')).json();
  const [usual] = await (await context.request.get('/v1/annotations/sets')).json();
  let earlier;
  const given = { page, context, write, model, release, usual };
  await checks.check('an operator loads a slim, sees its terms and deletes it', () => loadSlim(given));
  await checks.check('an operator chooses what runs use, and lets the service choose again', () =>
    chooseReference(given),
  );
  await checks.check(
    'an operator builds a reference from files, reads its summary and chooses it',
    async () => {
      const { clicks, before } = await buildReference(operator, 'browser-built');
      expect(clicks <= 4, `${clicks} clicks`);
      earlier = before;
    },
  );
  await checks.check('an operator compares, packs, deletes and installs a reference by buttons', () =>
    manageReference(operator, 'browser-built', earlier),
  );
  await checks.check('an operator is told that the publishers do not answer', () => waitInVain(operator));
  await checks.check('an operator imports a re-ranker by dropping its three files', () =>
    dropReranker(given),
  );
  await checks.check('an operator loads annotations, and measures what was gained', () => measureGain(given));
  await checks.check('an operator adds a score, and sees datasets, workers and queues', () =>
    readLaboratory(given),
  );
  await checks.check('an operator comments on a job, cancels it and starts it again', () => repeatJob(given));
}

async function loadSlim({ page }) {
  await openWorkbench(page, 'slims');
  await openAct(page.locator('main'), 'Load a slim');
  const file = { name: 'slim.obo', mimeType: 'text/plain', buffer: Buffer.from(slim) };
  await page.getByLabel('OBO file', { exact: true }).setInputFiles(file);
  await page.getByText('slim.obo is sent.').waitFor();
  await send(page, 'Load a slim');
  await followJob(page);
  await openWorkbench(page, 'slims');
  const chosen = await openRow(page, 'goslim_browser');
  await openAct(chosen, 'Its terms');
  await chosen.getByText('catalytic activity').waitFor();
  await openAct(chosen, 'Delete');
  await chosen.locator('form').getByRole('button', { name: 'Delete', exact: true }).click();
  await answer(page, 'Delete');
  await page.getByRole('cell', { name: 'goslim_browser' }).waitFor({ state: 'detached' });
}

async function dropReranker({ page, context }) {
  const files = (names) =>
    names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(rerankerFiles[name]) }));
  await openWorkbench(page, 'rerankers');
  const input = page.getByLabel('Files of the re-ranker');
  await input.setInputFiles([...files(['run.json']), { ...files(['run.json'])[0], name: 'notes.pdf' }]);
  await page.getByText('Not a file of a re-ranker: notes.pdf.').waitFor();
  await page.getByText('Still missing: model.txt (').waitFor();
  await input.setInputFiles(files(['model.txt', 'spec.yaml']));
  await page.getByRole('button', { name: 'Import it' }).click();
  await page
    .getByText(/^browser-run is imported: 1 tree, 1 feature\. It can score the predictions of runs again/)
    .waitFor();
  const row = page.getByRole('row').filter({ hasText: 'browser-run' });
  await row.waitFor();
  const listed = async () => (await context.request.get('/v1/scoring/rerankers')).json();
  const { artifact_uri: place } = (await listed()).find(({ name }) => name === 'browser-run');
  await openWorkbench(page, 'rerankers');
  await page.getByLabel('The model is in the store of this service already').check();
  await input.setInputFiles(files(['spec.yaml', 'run.json']));
  await page.getByLabel('Place of model.txt').fill(place);
  await page.getByLabel('Name', { exact: true }).fill('browser-stored');
  const faults = await axe(page, 'rerankers');
  expect(faults.length === 0, faults.join('\n'));
  await page.getByRole('button', { name: 'Import it' }).click();
  await page.getByText(/^browser-stored is imported: 1 tree, 1 feature\./).waitFor();
  for (const { id, name } of await listed())
    if (name.startsWith('browser-')) await context.request.delete(`/v1/scoring/rerankers/${id}`);
}

/** Nothing is in the store here, so the service says so of the manifest. */
async function importAbsentDataset(page) {
  await page.getByText('None is there yet.').waitFor();
  const folder = page.getByLabel('Folder of the three files');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('theirs');
  await folder.fill('https://lab.example/theirs');
  await page.getByText(/^This is an address of the web\./).waitFor();
  await folder.fill('file:///nowhere/theirs');
  const faults = await axe(page, 'datasets');
  expect(faults.length === 0, faults.join('\n'));
  await page.getByRole('button', { name: 'Import it' }).click();
  await page.getByText('Not imported').waitFor();
  await page
    .getByText(/is not an artifact of this service|there is no such file in the store/)
    .first()
    .waitFor();
}

async function chooseReference({ page, context, model, usual }) {
  const chosenBy = async () => {
    const { annotation_set_chosen_by } = await (await context.request.get('/v1/annotate/reference')).json();
    return annotation_set_chosen_by;
  };
  await openWorkbench(page, 'reference');
  await openAct(page.locator('main'), 'Choose');
  await page.getByRole('combobox', { name: /^Annotation set/ }).selectOption(usual.id);
  await page.getByRole('combobox', { name: /^Embedding config/ }).selectOption(model.id);
  await send(page, 'Choose');
  expect((await chosenBy()) === 'operator', `chosen by: ${await chosenBy()}`);
  await openWorkbench(page, 'reference');
  await page.getByText('operator').first().waitFor();
  await openAct(page.locator('main'), 'Choose');
  await send(page, 'Choose');
  expect((await chosenBy()) !== 'operator', 'an empty choice is not taken back');
}

async function measureGain({ page, write, release }) {
  const [old, later] = [
    { version: 'browser old', rows: [['A0AVI4', 'GO:0004842']] },
    {
      version: 'browser new',
      rows: [
        ['A0AVI4', 'GO:0004842'],
        ['A0AVT1', 'GO:0005524'],
      ],
    },
  ];
  for (const { version, rows } of [old, later]) {
    await openWorkbench(page, 'annotations');
    await openAct(page.locator('main'), 'Load a GAF or GPAD file');
    const lines = rows.map(([accession, goId]) => annotation(accession, goId)).join('');
    await page.getByLabel('GAF file: address').fill(write(`${version}.gaf`, `!gaf-version: 2.2\n${lines}`));
    await page.getByLabel('Ontology snapshot').selectOption(release.id);
    await page.getByLabel('Source version').fill(version);
    await send(page, 'Load a GAF or GPAD file');
    await followJob(page);
  }
  await openWorkbench(page, 'evaluation-sets');
  await openAct(page.locator('main'), 'Make a set');
  for (const [label, version] of [
    ['Old annotation set', old.version],
    ['New annotation set', later.version],
  ])
    await page.getByLabel(label).selectOption({ label: `goa · ${version}` });
  await send(page, 'Make a set');
  await followJob(page);
  await openWorkbench(page, 'evaluation-sets');
  const chosen = await openRow(page, later.version);
  await openAct(chosen, 'Statistics');
  await chosen.getByText('Delta proteins').waitFor();
  await chosen.getByText('No result').or(chosen.getByText('None is there yet.')).waitFor();
  await remove(page, chosen, 'Delete');
  for (const { version } of [old, later]) {
    await openWorkbench(page, 'annotations');
    await remove(page, await openRow(page, version), 'Delete');
    await page.getByRole('cell', { name: version }).waitFor({ state: 'detached' });
  }
}

async function readLaboratory({ page }) {
  await openWorkbench(page, 'scores');
  await openAct(page.locator('main'), 'Add a score');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(score);
  await page.getByLabel('Evidence weight', { exact: true }).fill('1');
  const faults = await axe(page, 'scores');
  expect(faults.length === 0, faults.join('\n'));
  await send(page, 'Add a score');
  await page.getByRole('cell', { name: score }).waitFor();
  await expectNoMarkup(page);
  await openWorkbench(page, 'runs');
  await page.getByRole('button', { name: 'Open', exact: true }).first().click();
  await openAct(page.locator('main'), 'Preview a score');
  await page.getByLabel('Evidence weight', { exact: true }).fill('1');
  await send(page, 'Preview a score');
  await page.getByRole('columnheader', { name: 'Place after' }).first().waitFor();
  await openWorkbench(page, 'datasets');
  await importAbsentDataset(page);
  await openWorkbench(page, 'workers');
  await page.getByRole('cell', { name: 'worker' }).first().waitFor();
  await openAct(page.locator('main'), 'Queues and disk');
  await page.getByText('svc.predictions', { exact: true }).first().waitFor();
}

async function repeatJob({ page, model, release, usual }) {
  const sequence = () =>
    Array.from({ length: 900 }, () => 'ACDEFGHIKLMNPQRSTVWY'[Math.floor(Math.random() * 20)]).join('');
  const buffer = Buffer.from(Array.from({ length: 600 }, (_, at) => `>r${at}\n${sequence()}\n`).join(''));
  await page.goto('/');
  await page.locator('input[type=file]').setInputFiles({ name: 'r.fasta', mimeType: 'text/plain', buffer });
  await page.getByRole('radio', { name: 'Private link' }).check();
  await page.getByLabel('Name of this run').fill('Cancelled run');
  await page.getByRole('button', { name: 'Annotate', exact: true }).click();
  await page.getByRole('link', { name: 'Technical log' }).click();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await answer(page, 'Cancel the job');
  await page.getByText('Cancelled', { exact: true }).waitFor();
  await page.getByLabel('Your comment').fill(onPage);
  await page.getByRole('button', { name: 'Add the comment' }).click();
  await page.getByRole('listitem').filter({ hasText: onPage }).waitFor();
  const cancelled = page.url();
  await page.getByRole('button', { name: 'Start it again' }).click();
  await page.waitForURL((url) => url.href !== cancelled && /\/jobs\//.test(url.pathname));
  await page.getByRole('heading', { level: 1, name: 'Annotation run' }).waitFor();
  await openWorkbench(page, 'jobs');
  await page.getByRole('row').filter({ hasText: 'Cancelled' }).first().getByRole('link').first().click();
  await page.getByRole('listitem').filter({ hasText: onPage }).waitFor();
  await expectNoMarkup(page);
  await openWorkbench(page, 'operations');
  await page.getByRole('button', { name: 'Annotation run', exact: true }).click();
  await page.getByLabel('Query set').selectOption({ label: 'Cancelled run' });
  await page.getByRole('combobox', { name: /^Annotation set/ }).selectOption(usual.id);
  await page.getByRole('combobox', { name: /^Embedding config/ }).selectOption(model.id);
  await page.getByLabel('Ontology snapshot').selectOption(release.id);
  await send(page, 'Queue it');
  await page.getByRole('link', { name: 'Follow it' }).click();
  await loaded(page);
  await page.getByRole('heading', { level: 1, name: 'Annotation run' }).waitFor();
}

async function remove(page, chosen, name) {
  await openAct(chosen, name);
  await chosen.locator('form').getByRole('button', { name, exact: true }).click();
  await answer(page, name);
}
