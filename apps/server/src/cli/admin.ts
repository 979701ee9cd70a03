import { createInterface } from 'node:readline/promises';
import { type AccountRole, ProblemError } from '@kindred/contracts';
import { addUser, findAccount } from '../accounts/admin.js';
import { withDatabase } from '../run/compose.js';
import { loadSettings } from '../run/env.js';
import { useMeantFolder } from './with-service.js';

export interface AddUserOptions {
  email: string;
  role: AccountRole;
  username?: string;
  passwordStdin?: boolean;
}

/** The command needs the database, not a credential. */
export async function addUserAction(options: AddUserOptions): Promise<void> {
  await useMeantFolder();
  const settings = loadSettings();
  const { email, role, username } = options;
  const said = await withDatabase(settings, async (db) => {
    const known = await findAccount(db, email);
    if (known !== undefined) return `${known.email} has an account (${known.role}); nothing was changed.\n`;
    const password = options.passwordStdin ? await readStdin() : await askHidden('Password: ');
    const request = { email, role, username, password };
    const user = await addUser(db, request, settings.accounts.passwordMinLength);
    return `Added ${user.email} as ${user.role}.\n`;
  });
  process.stdout.write(said);
}

async function readStdin(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) text += chunk;
  return text.replace(/\r?\n$/, '');
}

/** Asks for a password on the terminal without echo. */
async function askHidden(question: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new ProblemError(
      'malformed_request',
      'There is no terminal to ask for the password: use --password-stdin.',
    );
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  const shown = lines as unknown as { _writeToOutput(text: string): void };
  const write = shown._writeToOutput.bind(lines);
  shown._writeToOutput = (text) => {
    if (text.includes(question)) write(text);
  };
  const answer = await lines.question(question);
  lines.close();
  process.stderr.write('\n');
  return answer;
}
