import { type SettingRow, settingRows } from './table.js';

const introduction = `# Settings

Each setting is read from its environment variable, else from the settings file, else it has its default. The file is \`SVC_CONFIG\`, or
\`system.yaml\` in the data folder; unknown keys in it are refused. A truth value is one of 1, true, yes, on, or 0, false, no, off.
An empty variable counts as not set. Made by \`npm run gen\` from \`apps/server/src/settings/table.ts\`.
`;

const quotas = `## Quotas

Only in the settings file, per role (\`anonymous\`, \`guest\`, \`researcher\`, \`operator\`, \`admin\`); what is left out keeps its default.

\`\`\`yaml
auth:
  quotas:
    researcher: {sequences_per_day: 1000, jobs_per_day: 100}
    operator: {sequences_per_day: unlimited, jobs_per_day: unlimited, rate_jobs: 100/minute, rate_api_keys: 20/hour}
\`\`\`

\`rate_jobs\` and \`rate_api_keys\` (researcher, operator, admin) stand before \`SVC_RATELIMIT_JOBS\` and \`SVC_RATELIMIT_API_KEYS\` for the callers of that role.
`;

/** docs/reference/settings.md */
export function settingsReference(): string {
  const rows = Object.values(settingRows as Record<string, SettingRow>).map(
    (row) =>
      `| \`${row.env}\` | \`${row.yaml}\` | ${cell(row.description)}${row.secret ? ' (secret: never shown)' : ''} | ${cell(row.default)} | ${cell(row.example)} |`,
  );
  const table = [
    '| Variable | Key in the file | What it does | Default | Example |',
    '|---|---|---|---|---|',
    ...rows,
  ];
  return `${introduction}\n${table.join('\n')}\n\n${quotas}`;
}

/** A bar would end the cell; an angle bracket would begin a tag. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
