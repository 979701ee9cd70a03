import { type ProblemSlug, problemCodes, problemSlugs } from '@kindred/contracts';

/**
 * The descriptions of all problems are in one place: the pages under /problems/ and
 * docs/reference/problems.md are made from them.
 */
export interface ProblemEntry {
  slug: ProblemSlug;
  status: number;
  title: string;
  causes: { code: string; sentence: string }[];
}

export function problemEntries(): ProblemEntry[] {
  return Object.entries(problemSlugs).map(([slug, { status, title }]) => ({
    slug: slug as ProblemSlug,
    status,
    title,
    causes: Object.entries(problemCodes)
      .filter(([, [of]]) => of === slug)
      .map(([code, [, sentence]]) => ({ code, sentence })),
  }));
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}code{background:#eee;padding:0 .2em}dt{margin-top:1rem}';

/**
 * Makes the page of one slug, or the list of all. The page has no script, and the policy names its only,
 * inline style by its hash.
 */
export function problemPage(slug?: string): string | null {
  const entries = problemEntries();
  if (slug === undefined) {
    const items = entries.map(
      (entry) => `<li><a href="./problems/${entry.slug}">${entry.status} ${entry.title}</a></li>`,
    );
    return page(
      'Problems',
      `<p>Every refusal of this service is one of these.</p><ul>${items.join('')}</ul>`,
    );
  }
  const entry = entries.find((candidate) => candidate.slug === slug);
  if (entry === undefined) return null;
  const causes = entry.causes.map(
    ({ code, sentence }) => `<dt id="${code}"><code>${code}</code></dt><dd>${escapeHtml(sentence)}</dd>`,
  );
  const intro = `<p>Status ${entry.status}. The member <code>code</code> of the answer tells the cause:</p>`;
  return page(
    entry.title,
    `${intro}<dl>${causes.join('')}</dl><p><a href="../problems">All problems</a></p>`,
  );
}

export const problemPageStyle = style;

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style></head><body><h1>${title}</h1>${body}</body></html>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Makes the text of docs/reference/problems.md. */
export function problemsMarkdown(): string {
  const parts = problemEntries().map(({ slug, status, title, causes }) => {
    const rows = causes.map(({ code, sentence }) => `| \`${code}\` | ${sentence.replaceAll('|', '\\|')} |`);
    return `## ${status} ${title}\n\n\`/problems/${slug}\`\n\n| code | meaning |\n|---|---|\n${rows.join('\n')}\n`;
  });
  return `# Problems\n\nGenerated from \`packages/contracts/src/problems.ts\`; do not edit.\n\nEvery refusal has the media type \`application/problem+json\` and the members \`type\`, \`title\`, \`status\`, \`detail\`, \`instance\`, \`code\`; a validation adds \`errors\`, each with \`path\` (a JSON pointer), \`message\` and \`code\`.\n\n${parts.join('\n')}`;
}
