import { randomUUID } from 'node:crypto';
import { operationRows } from '@kindred/contracts/operations';
import { routeRow, routeRows } from '@kindred/contracts/routes';
import { expect } from './checks.mjs';
import { chosenRow, loaded, openRow, openWorkbench, partsOffered } from './people.mjs';

/** The codes of refusals that depend on who asks. */
const refusals = ['credential_missing', 'credential_invalid', 'origin_refused', 'role_too_low', 'not_owner'];

/**
 * Checks every page of the workbench as each role sees it: either the role can use the page, or the page says that another role is
 * needed. All acts that a page offers are really sent to the service, without the values that would carry them out, and must not be
 * refused for the role.
 */
export async function checkPagesOfRoles({ checks, all, everyone }) {
  const pages = await partsOffered(all.page);
  for (const person of everyone) {
    const { page, context, name } = person;
    await checks.check(`the workbench of ${name} offers what the service takes from that role`, async () => {
      const open = new Set((await partsOffered(page)).map(({ href }) => href));
      const offered = new Set();
      for (const { href, title } of pages) {
        const isOpen = open.has(href);
        await page.goto(href);
        await page.getByRole('navigation', { name: 'Parts of this page' }).waitFor();
        await loaded(page);
        const acts = await actsOn(page);
        const sentences = await page.getByText('This needs another role.').count();
        const isPlain = isOpen ? sentences === 0 : sentences === 1 && acts.length === 0;
        expect(
          isPlain,
          `${title}, ${isOpen ? '' : 'not '}in the menu: ${sentences} refusals, ${acts.join(', ')}`,
        );
        for (const act of acts) offered.add(act);
      }
      const refused = [];
      for (const act of offered) {
        const code = await tryAct(context.request, act);
        if (refusals.includes(code)) refused.push(`${act}: ${code}`);
      }
      expect(offered.size > 0, 'nothing is offered');
      expect(refused.length === 0, refused.join('\n'));
    });
  }
}

/** Opens the page of the job whose row has the text. @returns the page's main part */
async function openJob(page, text) {
  await page.getByRole('row').filter({ hasText: text }).first().getByRole('link').first().click();
  await page.getByRole('heading', { level: 1, name: text }).waitFor();
  await loaded(page);
  // The acts of a job come as a part of their own.
  await page.waitForLoadState('networkidle');
  return page.locator('main');
}

/** Returns the acts of a page and of its first row, as routes of the contracts with the operation. */
async function actsOn(page) {
  const first = page.getByRole('button', { name: 'Open', exact: true }).first();
  if ((await first.count()) > 0) {
    await first.click();
    await chosenRow(page).waitFor();
    await loaded(page);
  }
  return page.locator('main [data-act]').evaluateAll((acts) => acts.map((act) => act.dataset.act));
}

/** Sends a request of which only the route is right. @returns the code of the refusal, or the status */
async function tryAct(request, act) {
  const [method, path, name] = act.split(' ');
  expect(routeRow(method, path) !== undefined, `${act} is not a route`);
  const operation = operationRows.find((row) => row.name === name);
  const wrong = { 'not a field': 0 };
  const data =
    operation === undefined
      ? wrong
      : { operation: operation.name, queue_name: operation.queue, payload: wrong, ...wrong };
  const address = `/v1${path.replaceAll(/:\w+/g, randomUUID())}`;
  const reply = await request.fetch(address, { method, ...(method === 'GET' ? {} : { data }) });
  return reply.ok() ? reply.status() : (await reply.json()).code;
}

/** Checks that the service refuses the acts that no page offers to a role, so that the check above could fail. */
export async function checkRefusals({ checks, researcher, operator, visitor }) {
  await checks.check('the service refuses what those pages do not offer', async () => {
    const taken = [];
    for (const [{ context, name }, floors] of [
      [visitor, ['researcher', 'operator', 'admin']],
      [researcher, ['operator', 'admin']],
    ])
      for (const { method, path, floor } of routeRows) {
        if (!floors.includes(floor)) continue;
        const code = await tryAct(context.request, `${method} ${path}`);
        if (!refusals.includes(code)) taken.push(`${name}: ${method} ${path}: ${code}`);
      }
    expect(taken.length === 0, taken.join('\n'));
  });

  await checks.check('a researcher reads the rows of others, and is offered no change of them', async () => {
    const { request } = operator.context;
    const name = 'Of an operator';
    const experiment = await request.post('/v1/experiment-runs', { data: { name, visibility: 'listed' } });
    expect(experiment.ok(), await experiment.text());
    const file = { name: 'a.fasta', mimeType: 'text/plain', buffer: Buffer.from('>a\nMKTAYIAKQR\n') };
    const upload = await request.post('/v1/query-sets', { multipart: { file, name, visibility: 'listed' } });
    expect(upload.ok(), await upload.text());
    for (const [key, row, acts] of [
      ['experiments', name, ['Write down', 'Add jobs and re-rankers', 'Delete']],
      ['uploads', name, ['Rename or share', 'Delete']],
      ['jobs', 'Loading a GO slim', ['Delete']],
    ])
      for (const [person, count] of [
        [operator, 1],
        [researcher, 0],
      ]) {
        await openWorkbench(person.page, key);
        const chosen = key === 'jobs' ? await openJob(person.page, row) : await openRow(person.page, row);
        for (const act of acts) {
          const button = chosen.getByRole('button', { name: act, exact: true });
          if (count === 1) await button.first().waitFor();
          const found = await button.count();
          expect(found === count, `${key}: ${person.name} is offered ${act} ${found} times`);
        }
      }
  });
}
