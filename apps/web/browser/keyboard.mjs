import { expect } from './checks.mjs';
import { twoProteins } from './as-visitor.mjs';
import { loaded } from './people.mjs';

/** The elements before the content of every page, for a visitor without an account. */
const frame = [
  'Skip to the content',
  'Kindred',
  'Annotate',
  'Runs',
  'References',
  'Accuracy',
  'Help',
  'Use dark colours',
  'Sign in',
];
/** The focus order of the page of the form, without an account and without earlier runs. */
const formOrder = [
  ...frame,
  'Your proteins',
  'Choose a file',
  'Load an example',
  'Name of this run',
  'Organism, where the header has no OX=',
  'Sign in',
  'Settings',
  'Annotate',
  'Annotate in this browser only',
  'The whole answer with its evidence',
  'All figures',
  'Commands and keys (Ctrl K)',
];
/** The focus order of a run of two proteins, for a visitor who does not own it. */
const runOrder = [
  ...frame,
  'Export',
  'Copy link',
  'Repeat with changes',
  'Not calibrated 1',
  'No answer 1',
  'biological process 1',
  'molecular function 1',
  'cellular component 1',
  'evidence not known 1',
  'experimental or curated 1',
  'Homo sapiens 1',
  '40 to 60 % 1',
  'no alignment 1',
  'Proteins',
  'Search proteins by id, name, function or GO id',
  'Columns',
  'Protein',
  'Name',
  'Certainty',
  'Function',
  'Process',
  'Component',
  'Best source',
  'one',
  'two',
  'protein binding',
  'positive regulation of response to stimulus',
  'cytoplasm',
  'All sources and versions',
  'Cite this',
  'Technical log of this run',
  'Does this result help you?',
  'Yes, thumbs up',
  'comment on this run',
  'Commands and keys (Ctrl K)',
];

const most = 120;

/** Checks every act without a mouse, and the order in which the tab key goes through a page. */
export async function checkKeyboard({ checks, people, credentials, run }) {
  const { page, context } = await people.open('a person at the keyboard');

  for (const [name, path, order, last] of [
    ['the form', '/', formOrder, 'The whole answer with its evidence'],
    ['a run', run, runOrder, 'Technical log of this run'],
  ])
    await checks.check(`the tab key goes through ${name} in the order of what is seen`, async () => {
      await page.goto(path);
      await loaded(page);
      await page.getByRole('link', { name: last }).waitFor();
      await page.waitForLoadState('networkidle');
      const found = await focusOrder(page);
      expect(JSON.stringify(found) === JSON.stringify(order), JSON.stringify(found));
    });

  await checks.check('all of it works by keyboard alone: from signing in to signing out', async () => {
    await page.goto('/');
    await loaded(page);
    await press(page, 'Sign in');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await tabTo(page, 'E-mail');
    await page.keyboard.type(credentials.email);
    await tabTo(page, 'Password');
    await page.keyboard.type(credentials.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'What does your protein do?' }).waitFor();
    await page.getByRole('radio', { name: 'Private link' }).waitFor();
    await tabTo(page, 'Your proteins');
    await page.keyboard.insertText(twoProteins);
    await page.getByText(/^2 proteins, \d+ residues$/).waitFor();
    await press(page, 'Annotate', 'BUTTON');
    await page.getByText(/^2 proteins: /).waitFor({ timeout: 120_000 });
    await press(page, 'two');
    await page.getByRole('heading', { level: 2, name: 'two' }).waitFor();
    await page.locator('tr[data-line]').first().waitFor();
    const term = await page.locator('tr[data-line] button[aria-expanded]').first().innerText();
    await press(page, term);
    await page.getByRole('navigation', { name: 'Path to the root' }).waitFor();
    await press(page, 'Export');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'Download');
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(download.suggestedFilename() !== '', 'nothing is downloaded');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await focused(page)).name === 'Export', 'the focus is not on the button that opened the dialog');
    await press(page, 'Sign out');
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
  });
  await context.close();
}

/** Returns the element that has the focus, with the name that a screen reader says. */
function focused(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    const words = (node) => (node.innerText ?? node.textContent).replaceAll(/\s+/g, ' ').trim();
    const name =
      element.getAttribute('aria-label') ??
      (element.labels?.length > 0 ? words(element.labels[0]).replace(/ \*$/, '') : words(element));
    return { name, tag: element.tagName, isPage: element === document.body };
  });
}

/** Returns the names in the order of the tab key, from the start of the page to its end. */
async function focusOrder(page) {
  const names = [];
  for (let at = 0; at < most; at++) {
    await page.keyboard.press('Tab');
    const { name, isPage } = await focused(page);
    if (isPage) return names;
    names.push(name.slice(0, 60));
  }
  throw new Error(`more than ${most} stops: ${names.slice(0, 20).join(', ')}`);
}

async function tabTo(page, name, tag) {
  const passed = [];
  for (let at = 0; at < most; at++) {
    const now = await focused(page);
    if (now.name === name && (tag === undefined || now.tag === tag)) return;
    passed.push(now.name.slice(0, 30));
    await page.keyboard.press('Tab');
  }
  throw new Error(`the tab key does not lead to ${name}; it leads to ${[...new Set(passed)].join(', ')}`);
}

async function press(page, name, tag) {
  await tabTo(page, name, tag);
  await page.keyboard.press('Enter');
}
