import { expect } from './checks.mjs';
import { answer, annotate, expectNoMarkup, loaded } from './people.mjs';

/**
 * Adds files of two other programs to a run, reads who says what on the page of the run and on that of a protein, saves it, and takes a
 * file away again.
 * @param texts.markup a text that would harm a page that takes it for markup
 */
export async function compareWithOthers({ page, visitor }, { fasta, name, markup }) {
  await annotate(page, { fasta, name });
  await loaded(page);
  const address = new URL(page.url()).pathname;
  await page.goto(`${address}?view=compare`);
  const panel = page.getByRole('region', { name: 'Other programs', exact: true });
  await panel.getByText('No file was added yet.').waitFor();
  await give(
    panel,
    'p.emapper.annotations',
    `#query\tseed_ortholog\tevalue\tGOs\none\t${markup}\t1e-9\tGO:0005515\nnosuch\ts\t1\tGO:0005515\n`,
  );
  await panel.getByText('eggNOG-mapper: 1 term of 1 protein in p.emapper.annotations.').waitFor();
  await panel.getByText('1 protein that the run lacks, such as nosuch').waitFor();
  await panel.getByLabel('Name of the program').fill('Another predictor');
  await give(panel, 'cafa.txt', 'two\tGO:0005179\t0.75\n');
  await panel.getByText('Another predictor: 1 term of 1 protein in cafa.txt.').waitFor();
  await give(panel, 'wrong.txt', 'nothing\n');
  await panel.getByText(/wrong\.txt is none of the files/).waitFor();
  await panel.getByRole('columnheader', { name: 'Another predictor' }).waitFor();
  await expectNoMarkup(page);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Save who says what as TSV' }).click(),
  ]);
  const chunks = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString().trim().split('\n');
  const said = lines.filter((line) => line.includes('\tAnother predictor\tGO:0005179\t0.75\t'));
  expect(lines[0].startsWith('protein\tgo_id\t') && said.length === 1, lines.join('\n'));

  await visitor.page.goto(`${address}?protein=two`);
  const ofProtein = visitor.page.getByRole('region', { name: 'Other programs on two' });
  await ofProtein
    .getByText(/^yes, 0\.75/)
    .first()
    .waitFor();
  await visitor.page.goto(`${address}?view=compare`);
  await visitor.page.getByText('Whoever started the run can add files').waitFor();
  expect((await visitor.page.getByRole('button', { name: 'Remove' }).count()) === 0, 'a visitor may remove');

  await panel.getByRole('button', { name: 'Remove' }).first().click();
  await answer(page, 'Remove');
  await panel.getByText('Another predictor: 1 term').waitFor({ state: 'detached' });
}

async function give(panel, name, text) {
  await panel
    .getByLabel('File of another program')
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
}
