import { expect } from './checks.mjs';
import { axe } from './page-gates.mjs';

/** Checks the tasks of operators in the laboratory of the workbench. The page is signed in, and no evaluation is there. */
export async function checkLaboratory({ checks, page, shot }) {
  await checks.check('adds a job to an experiment by its name, and compares experiments', async () => {
    for (const [name, k] of [
      ['Five neighbours', 5],
      ['Ten neighbours', 10],
    ]) {
      await page.goto('/workbench/experiments');
      await page.getByRole('button', { name: 'Start one' }).click();
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Config').fill(JSON.stringify({ model: { name: 'kmer' }, k }));
      await page.locator('form').getByRole('button', { name: 'Start one' }).click();
      await page.getByRole('status').getByText('Done').waitFor();
    }
    await page.goto('/workbench/jobs');
    await page.locator('tbody a').first().click();
    await page.getByRole('button', { name: 'Add to an experiment' }).click();
    await page.getByLabel('Experiment').selectOption({ label: 'Five neighbours · planned' });
    await page.locator('form').getByRole('button', { name: 'Add to an experiment' }).click();
    await page.getByRole('link', { name: 'Open Five neighbours' }).click();
    await page.getByRole('heading', { level: 2, name: 'Five neighbours' }).waitFor();
    await page.getByRole('region', { name: 'Jobs' }).locator('tbody tr').waitFor();
    for (const name of ['Five neighbours', 'Ten neighbours'])
      await page.getByLabel(`Compare ${name}`).check();
    await page.getByRole('button', { name: 'Compare 2 experiments' }).click();
    await page.waitForURL(/compare=/);
    await page.reload();
    await page.getByRole('row', { name: /^k differs/ }).waitFor();
    const marked = await page.getByRole('row', { name: /differs/ }).count();
    expect(marked === 1, `${marked} rows differ`);
    expect((await axe(page, 'comparison')).length === 0, (await axe(page, 'comparison')).join('\n'));
    await shot('comparison');
  });

  await checks.check('shows a benchmark as a grid with the best of each column marked', async () => {
    await page.goto('/workbench/benchmark');
    await page.getByText('Nothing has been evaluated yet').waitFor();
    await page.route('**/v1/benchmark/matrix*', doctoredMatrix);
    await page.goto('/workbench/benchmark');
    await page
      .getByRole('row', { name: /^Naive/ })
      .getByText('0.250')
      .waitFor();
    const best = page.locator('td', { hasText: 'best' });
    expect((await best.count()) === 1, `${await best.count()} figures are marked`);
    expect((await best.innerText()).includes('0.500'), await best.innerText());
    await page.getByLabel('Figure').selectOption('Weighted Fmax');
    await page.getByText('0.125').waitFor();
    await page.getByLabel('Stage').selectOption('Votes');
    await page.waitForURL(/stage=votes/);
    await page.getByRole('row', { name: /^Naive/ }).waitFor({ state: 'detached' });
    expect((await axe(page, 'benchmark')).length === 0, (await axe(page, 'benchmark')).join('\n'));
    await shot('benchmark');
    await page.unroute('**/v1/benchmark/matrix*', doctoredMatrix);
  });
}

/** The service has no evaluation here, so the reply gets the figures of two methods. */
async function doctoredMatrix(route) {
  const reply = await route.fetch();
  const set = { id: crypto.randomUUID(), label: '2020 to 2022' };
  const cell = (stage, fmax) => ({
    ...{
      embedding_config_id: null,
      more_embedding_config_ids: [],
      embedding_name: null,
      evaluation_set_id: set.id,
      stage,
      k: 0,
    },
    ...{ category: 'NK', aspect: 'BPO', fmax, fmax_w: fmax / 4, coverage: 1, n_proteins: 7 },
    ...{ evaluation_result_id: stage, prop: 'fill', norm: 'cafa', no_orphans: true, th_step: 0.01 },
  });
  const stages = ['Naive', 'Votes'].map((label) => ({ name: label.toLowerCase(), label }));
  const rows = [cell('naive', 0.25), cell('votes', 0.5)];
  await route.fulfill({
    response: reply,
    json: { ...(await reply.json()), evaluation_sets: [set], stages, rows },
  });
}
