// Does the work of visitor, researcher, operator and administrator in real browsers.
//   node apps/web/browser/roles.browser.mjs <base URL>
// CHROMIUM names the browser; KINDRED_EMAIL and KINDRED_PASSWORD are those of an administrator; KINDRED_FILES is a folder that the service
// may read; KINDRED_LARGE_RUN is described in the suite.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { checkAdministrator } from './as-administrator.mjs';
import { checkOperator } from './as-operator.mjs';
import { checkResearcher } from './as-researcher.mjs';
import { checkVisitor } from './as-visitor.mjs';
import { Checks, expect } from './checks.mjs';
import { checkKeyboard } from './keyboard.mjs';
import { checkNarrow } from './narrow.mjs';
import { People } from './people.mjs';
import { checkPagesOfRoles, checkRefusals } from './role-pages.mjs';
import { checkSteadiness } from './steady.mjs';

const [baseUrl] = process.argv.slice(2);
const { KINDRED_EMAIL: email, KINDRED_PASSWORD: password, KINDRED_FILES: files } = process.env;
const { KINDRED_LARGE_RUN: largeRun, CHROMIUM: executablePath = '/usr/bin/chromium' } = process.env;
if ([baseUrl, email, password, files].includes(undefined)) {
  console.error('usage: KINDRED_EMAIL= KINDRED_PASSWORD= KINDRED_FILES= roles.browser.mjs <base URL>');
  process.exit(64);
}
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const checks = new Checks();
const people = new People({ browser, baseUrl: new URL(baseUrl).origin });

const visitor = await people.open('a visitor');
const administrator = await people.open('an administrator', { email, password });
const run = await checkVisitor({ checks, people, visitor, administrator });

const credentials = { email: 'rosalind@example.org', password: 'a long password of hers' };
const researcher = await people.open('a researcher');
await checkResearcher({ checks, people, researcher, administrator, visitor, credentials });
await checkKeyboard({ checks, people, credentials, run });
await checkSteadiness({
  checks,
  researcher,
  largeRun: largeRun === undefined ? undefined : JSON.parse(readFileSync(largeRun, 'utf8')),
});

const operator = await people.open('an operator', await newOperator());
await checkOperator({ checks, operator, files });
const everyone = [visitor, researcher, operator, administrator];
await checkPagesOfRoles({ checks, all: administrator, everyone });
await checkRefusals({ checks, researcher, operator, visitor });
await checkNarrow({ checks, context: administrator.context });
await checkAdministrator({ checks, people, administrator, researcher, operator });

await checks.check('no text ran as a script, no dialog opened, and nothing threw', () => {
  expect(people.complaints.length === 0, [...new Set(people.complaints)].join('\n'));
});
await browser.close();
process.exit(checks.finish());

/** Makes an account that the administrator lets in as an operator. @returns its credentials */
async function newOperator() {
  const account = { email: 'barbara@example.org', password: 'a long password of hers' };
  const { request } = administrator.context;
  await request.post('/v1/auth/signup', { data: { ...account, username: 'barbara' } });
  const users = await (await request.get('/v1/admin/users')).json();
  const { id } = users.find((user) => user.email === account.email);
  await request.post(`/v1/admin/users/${id}/approve`, { data: { role: 'operator' } });
  return account;
}
