import { z } from 'zod';
import { firstOf, maybe } from '../domain/input.js';
import { type EmbedDraft, fittedEmbeds, shortened } from './fitted-embeds.js';
import { inPayloadField } from './schemas.js';

const text = maybe(z.string());

const User = z.object({ login: z.string(), html_url: text, avatar_url: text });
const Repository = z.object({ full_name: z.string(), html_url: text });
const Issue = z.object({
  number: z.number(),
  title: z.string(),
  html_url: text,
  body: text,
  pull_request: z.unknown().optional(),
});
const Comment = z.object({ html_url: text, body: text, commit_id: text });
const Commit = z.object({
  id: z.string(),
  url: text,
  message: z.string(),
  author: maybe(z.object({ name: text, username: text })),
});
const CheckSuite = z.object({
  conclusion: text,
  head_branch: text,
  head_sha: text,
  app: maybe(z.object({ name: text })),
});
const CheckRun = z.object({
  name: z.string(),
  conclusion: text,
  html_url: text,
  details_url: text,
  check_suite: maybe(CheckSuite),
  output: maybe(z.object({ title: text, summary: text })),
});

const COMMITS = 20;

/** The displayed part of a GitHub webhook body (https://docs.github.com/en/webhooks/webhook-events-and-payloads). */
export const GithubBody = inPayloadField(
  z.object({
    action: text,
    ref: text,
    ref_type: text,
    compare: text,
    forced: maybe(z.boolean()),
    sender: User,
    repository: maybe(Repository),
    forkee: maybe(Repository),
    member: maybe(User),
    issue: maybe(Issue),
    pull_request: maybe(Issue),
    comment: maybe(Comment),
    review: maybe(z.object({ state: z.string(), html_url: text, body: text })),
    release: maybe(z.object({ tag_name: z.string(), html_url: text })),
    commits: maybe(z.array(z.unknown().meta({ shownAs: Commit }))),
    head_commit: maybe(Commit),
    check_run: maybe(CheckRun),
    check_suite: maybe(CheckSuite),
    discussion: maybe(z.object({ number: z.number(), title: z.string(), html_url: text, body: text })),
    answer: maybe(Comment),
  }),
);

type Payload = z.output<typeof GithubBody>;

interface Told {
  /** Follows the repository's name. */
  title: string;
  url?: string | undefined;
  description?: string | undefined;
  color?: number;
}

const GREEN = 0x00_98_00;
const RED = 0xfc_29_29;
const GREY = 0x99_99_99;
const BLUE = 0x72_89_da;
const ORANGE = 0xe6_8d_60;

/**
 * @param event the header `X-GitHub-Event`
 * @returns a message in wire format; null for events and actions without one, such as `ping`
 */
export function messageOfGithub(event: string, payload: Payload): object | null {
  const told = EVENTS.get(event)?.(payload);
  if (!told) return null;
  const { sender, repository } = payload;
  const draft: EmbedDraft = {
    ...told,
    title: repository ? `[${repository.full_name}] ${told.title}` : told.title,
    url: told.url ?? repository?.html_url,
    author: { name: sender.login, url: sender.html_url, icon_url: sender.avatar_url },
  };
  return { embeds: fittedEmbeds([draft]) };
}

type Tell = (payload: Payload) => Told | null | undefined;

/** See Discord's documentation, Webhook Resource. */
const TOLD_OF: Record<string, Tell> = {
  commit_comment: commitComment,
  create: ({ ref, ref_type: kind }) => ({ title: `New ${kind} created: ${ref}` }),
  delete: ({ ref, ref_type: kind }) => ({ title: `${capital(kind ?? '')} deleted: ${ref}` }),
  fork: ({ forkee }) => forkee && { title: `Fork created: ${forkee.full_name}`, url: forkee.html_url },
  issue_comment: issueComment,
  issues: ({ action, issue }) => issue && issueChange('Issue', action, issue),
  member: ({ action, member }) => (action === 'added' && member ? newMember(member) : null),
  public: () => ({ title: 'Now open sourced!', color: GREEN }),
  pull_request: ({ action, pull_request: request }) => request && issueChange('Pull request', action, request),
  pull_request_review: review,
  pull_request_review_comment: reviewComment,
  push,
  release,
  // A hook for all events also sends `star`.
  watch: ({ action }) => (action === 'started' ? { title: 'New star added' } : null),
  check_run: checkRun,
  check_suite: checkSuite,
  discussion,
  discussion_comment: discussionComment,
};

/** A map, because the header can name any object property. */
const EVENTS: ReadonlyMap<string, Tell> = new Map(Object.entries(TOLD_OF));

function newMember({ login, html_url: url }: z.output<typeof User>): Told {
  return { title: `New collaborator added: ${login}`, url };
}

const ISSUE_COLORS = new Map([
  ['opened', GREEN],
  ['reopened', GREEN],
  ['closed', RED],
]);

function issueChange(what: string, action = '', { number, title, html_url: url, body }: z.output<typeof Issue>) {
  const color = ISSUE_COLORS.get(action);
  if (color === undefined) return null;
  const description = action === 'opened' ? body : undefined;
  return { title: `${what} ${action}: #${number} ${title}`, url, description, color };
}

function issueComment({ action, issue, comment }: Payload): Told | null {
  if (action !== 'created' || !issue || !comment) return null;
  const what = issue.pull_request ? 'pull request' : 'issue';
  return commented(`${what} #${issue.number}: ${issue.title}`, comment);
}

function reviewComment({ action, pull_request: request, comment }: Payload): Told | null {
  if (action !== 'created' || !request || !comment) return null;
  return commented(`pull request #${request.number}: ${request.title}`, comment);
}

function commitComment({ comment }: Payload): Told | null {
  return comment ? commented(`commit \`${shortId(comment.commit_id ?? '')}\``, comment) : null;
}

function discussionComment({ action, discussion, comment }: Payload): Told | null {
  if (action !== 'created' || !discussion || !comment) return null;
  return commented(`discussion #${discussion.number}: ${discussion.title}`, comment);
}

function commented(on: string, { html_url: url, body }: z.output<typeof Comment>): Told {
  return { title: `New comment on ${on}`, url, description: body, color: ORANGE };
}

const REVIEWS = new Map([
  ['approved', 'approved'],
  ['changes_requested', 'reviewed with changes requested'],
]);

function review({ action, pull_request: request, review }: Payload): Told | null {
  if (action !== 'submitted' || !request || !review) return null;
  const done = REVIEWS.get(review.state) ?? 'reviewed';
  const color = review.state === 'approved' ? GREEN : ORANGE;
  return {
    title: `Pull request ${done}: #${request.number} ${request.title}`,
    url: review.html_url,
    description: review.body,
    color,
  };
}

/** Branches created or deleted without commits have their own events. */
function push({ ref = '', forced = false, compare: url, commits: all = [] }: Payload): Told | null {
  const branch = ref.replace(/^refs\/(heads|tags)\//, '');
  const commits = firstOf(COMMITS, Commit).parse(all);
  if (commits.length === 0 && !forced) return null;
  const description = commits.map(commitLine).join('\n');
  const count = all.length === 1 ? '1 new commit' : `${all.length} new commits`;
  return { title: `${branch}: ${forced ? `force-pushed, ${count}` : count}`, url, description, color: BLUE };
}

function commitLine({ id, url = '', message, author }: z.output<typeof Commit>): string {
  const [subject = ''] = message.split('\n', 1);
  return `[\`${shortId(id)}\`](${url}) ${shortened(subject, 100)} - ${author?.username ?? author?.name ?? 'unknown'}`;
}

function release({ action, release }: Payload): Told | null {
  if (action !== 'published' || !release) return null;
  return { title: `New release published: ${release.tag_name}`, url: release.html_url, color: GREEN };
}

function checkRun({ action, check_run: run }: Payload): Told | null {
  if (action !== 'completed' || !run) return null;
  const { name, conclusion, html_url: page, details_url: url = page, check_suite: suite, output } = run;
  return { ...checked(name, conclusion, suite), url, description: output?.title };
}

function checkSuite({ action, check_suite: suite }: Payload): Told | null {
  if (action !== 'completed' || !suite) return null;
  return checked(`${suite.app?.name ?? 'All'} checks`, suite.conclusion, suite);
}

function checked(name: string, conclusion = 'completed', suite: z.output<typeof CheckSuite> = NO_SUITE): Told {
  const on = suite.head_branch ?? shortId(suite.head_sha ?? '');
  const color = conclusion === 'success' ? GREEN : conclusion === 'failure' ? RED : GREY;
  return { title: `${name} ${conclusion.replaceAll('_', ' ')}${on && ` on ${on}`}`, color };
}

const NO_SUITE: z.output<typeof CheckSuite> = {
  conclusion: undefined,
  head_branch: undefined,
  head_sha: undefined,
  app: undefined,
};

function discussion({ action, discussion, answer }: Payload): Told | null {
  if (!discussion) return null;
  const { number, title, html_url: url, body } = discussion;
  const named = `#${number} ${title}`;
  if (action === 'created') return { title: `New discussion ${named}`, url, description: body, color: GREEN };
  if (action !== 'answered') return null;
  return {
    title: `Discussion answered: ${named}`,
    url: answer?.html_url ?? url,
    description: answer?.body,
    color: GREEN,
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function shortId(id: string): string {
  return id.slice(0, 7);
}
