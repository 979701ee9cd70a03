import { ProblemError } from '@kindred/contracts';
import { wholeBytes } from '@kindred/kernels/formats';
import { z } from 'zod';

export interface StackRepository {
  /** A slug has the form owner/name. */
  slug: string;
  /** The configuration names the purpose of the repository in words; null if it does not. */
  role: string | null;
}
/**
 * The service's own source code is in these repositories; the other fields say how to ask for their open pull
 * requests.
 */
export interface Stack {
  repositories: readonly StackRepository[];
  /** The API at this address is GitHub's, or a similar one. */
  apiUrl: string;
  token: string | null;
  cacheSeconds: number;
  open(
    url: string,
    options: { headers: Record<string, string>; timeoutMs: number },
  ): Promise<{ headers: Record<string, string>; bytes: AsyncIterable<Uint8Array> }>;
}

export interface PullRequest {
  repository: string;
  number: number;
  title: string;
  author: string | null;
  url: string;
  draft: boolean;
  created_at: string;
  updated_at: string;
}
export interface PullsAnswer {
  fetched_at: string;
  repos_queried: number;
  pulls: PullRequest[];
  rate_limit_remaining: number | null;
  errors: Record<string, string>;
}

const pullsPerRepository = 100;
const largestAnswerBytes = 16 * 2 ** 20;
const timeoutMs = 10_000;

const pullSchema = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.url({ protocol: /^https?$/ }),
  draft: z.boolean().default(false),
  created_at: z.string(),
  updated_at: z.string(),
  user: z.object({ login: z.string() }).nullable(),
});

/**
 * Reads open pull requests of all repositories, and keeps them for a while in this process, because upstream
 * allows few calls an hour.
 */
export class StackPulls {
  readonly #stack: Stack;
  #kept: { answer: PullsAnswer; atMs: number } | null = null;
  #running: Promise<PullsAnswer> | null = null;

  constructor(stack: Stack) {
    this.#stack = stack;
  }

  /**
   * Gives the answer of the last fetch while it is young or upstream does not answer. Requests that come
   * together share one fetch.
   * @throws ProblemError service_unavailable if no repository answers and nothing was fetched before
   */
  async get(nowMs = Date.now()): Promise<PullsAnswer & { cached: boolean }> {
    const kept = this.#kept;
    if (kept !== null && nowMs - kept.atMs < 1000 * this.#stack.cacheSeconds)
      return { ...kept.answer, cached: true };
    this.#running ??= this.#fetchAll(nowMs).finally(() => {
      this.#running = null;
    });
    try {
      return { ...(await this.#running), cached: false };
    } catch (error) {
      if (kept === null) throw error;
      return { ...kept.answer, cached: true };
    }
  }

  async #fetchAll(nowMs: number): Promise<PullsAnswer> {
    const { repositories } = this.#stack;
    const answer: PullsAnswer = {
      fetched_at: new Date(nowMs).toISOString(),
      repos_queried: repositories.length,
      pulls: [],
      rate_limit_remaining: null,
      errors: {},
    };
    await Promise.all(
      repositories.map(async ({ slug }) => {
        try {
          const { pulls, remaining } = await this.#fetchOne(slug);
          answer.pulls.push(...pulls);
          if (remaining !== null)
            answer.rate_limit_remaining = Math.min(answer.rate_limit_remaining ?? remaining, remaining);
        } catch (error) {
          answer.errors[slug] = (error as Error).message;
        }
      }),
    );
    const faults = Object.values(answer.errors);
    if (faults.length > 0 && faults.length === repositories.length) {
      throw new ProblemError(
        'service_unavailable',
        `The pull requests cannot be fetched now: ${faults[0]} Without SVC_GITHUB_TOKEN, GitHub accepts 60 requests an hour.`,
      );
    }
    answer.pulls.sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
    this.#kept = { answer, atMs: nowMs };
    return answer;
  }

  async #fetchOne(slug: string): Promise<{ pulls: PullRequest[]; remaining: number | null }> {
    const { apiUrl, token, open } = this.#stack;
    const url = `${apiUrl.replace(/\/+$/, '')}/repos/${slug}/pulls?state=open&per_page=${pullsPerRepository}`;
    const headers = {
      accept: 'application/vnd.github+json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    };
    const stream = await open(url, { headers, timeoutMs });
    const tooLarge = () => new Error(`${slug}: the answer is too large.`);
    const bytes = await wholeBytes(stream.bytes, largestAnswerBytes, tooLarge);
    const parsed = z.array(pullSchema).safeParse(jsonOf(bytes.toString('utf8')));
    if (!parsed.success) throw new Error(`${slug}: the answer is not a list of pull requests.`);
    const left = stream.headers['x-ratelimit-remaining'];
    return {
      pulls: parsed.data.map(({ html_url, user, ...rest }) => ({
        repository: slug,
        ...rest,
        author: user?.login ?? null,
        url: html_url,
      })),
      remaining: left !== undefined && /^\d+$/.test(left) ? Number(left) : null,
    };
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
