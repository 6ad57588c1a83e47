import { describe, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { openScene, type RestRequest, type Scene } from '../harness/rest.js';
import { openWebhook, type RestWebhook } from '../harness/webhooks.js';

let scene: Scene;
let webhook: RestWebhook;
test.beforeAll(async ({ server }) => {
  scene = await openScene(server);
  webhook = await openWebhook(scene);
});

const newest = async (): Promise<Loose> => (await scene.bot.get(`${scene.messages}?limit=1`)).body[0];

async function posted(request: RestRequest): Promise<Loose> {
  const answer = await webhook.ask('POST', '/slack', request);
  expect([answer.status, answer.headers.get('content-type'), answer.body]).toEqual([200, 'text/plain', 'ok']);
  const message = await newest();
  expect(message).toMatchObject({ webhook_id: webhook.id, author: { id: scene.bot.id } });
  return message;
}

describe("W-21: a body in Slack's format", () => {
  test('is accepted from ofelia, as JSON in a form field', async () => {
    const payload = {
      text: 'Job *backup* finished in *2s*, command _"tar"_',
      username: 'Ofelia',
      icon_url: 'https://example.com/avatar.png',
      attachments: [{ color: '#F35A00', title: 'Execution failed', text: 'exit status 1' }],
    };
    const { content, embeds } = await posted({ body: new URLSearchParams({ payload: JSON.stringify(payload) }) });
    expect(content).toBe(payload.text);
    expect(embeds).toEqual([
      { type: 'rich', title: 'Execution failed', description: 'exit status 1', color: 0xf3_5a_00 },
    ]);
  });

  test('is accepted from semaphore', async () => {
    const { embeds } = await posted({
      json: {
        attachments: [
          {
            title: 'Task: deploy',
            title_link: 'https://ci.example/task/7',
            text: 'execution #7, status: SUCCESS!',
            color: 'good',
            mrkdwn_in: ['text'],
            fields: [{ title: 'Author', value: 'ada', short: true }],
          },
        ],
      },
    });
    expect(embeds).toEqual([
      {
        type: 'rich',
        title: 'Task: deploy',
        url: 'https://ci.example/task/7',
        description: 'execution #7, status: SUCCESS!',
        color: 0x2e_b8_86,
        fields: [{ name: 'Author', value: 'ada', inline: true }],
      },
    ]);
  });

  test('is accepted from alerta, with links and escapes converted to Markdown', async () => {
    const text = '*[Open] PROD* - _disk &lt;full&gt; &amp; more_ <http://alerta/#/alert/1|1a2b> <!here>';
    const { content, embeds } = await posted({
      json: { username: 'alerta', channel: '#alerts', icon_emoji: ':x:', text },
    });
    expect(content).toBe('*[Open] PROD* - _disk <full> & more_ [1a2b](http://alerta/#/alert/1) @here');
    expect(embeds).toEqual([]);
  });

  test('is accepted from Alertmanager, with its empty fields', async () => {
    const { content, embeds } = await posted({
      json: {
        channel: 'alerts',
        username: 'Alertmanager',
        attachments: [
          {
            title: '[FIRING:1] DiskFull',
            title_link: 'http://alertmanager:9093/#/alerts',
            text: '',
            fallback: '[FIRING:1] DiskFull | http://alertmanager:9093',
            callback_id: '',
            footer: '',
            color: 'danger',
            mrkdwn_in: ['fallback', 'pretext', 'text'],
          },
        ],
      },
    });
    expect(content).toBe('');
    expect(embeds).toEqual([
      {
        type: 'rich',
        title: '[FIRING:1] DiskFull',
        url: 'http://alertmanager:9093/#/alerts',
        color: 0xa3_02_00,
      },
    ]);
  });

  test('fills all parts of an embed, and ignores invalid colors, times and URLs', async () => {
    const { embeds } = await posted({
      json: {
        attachments: [
          {
            pretext: 'before',
            text: 'after',
            author_name: 'Grace',
            author_link: 'https://example.com/grace',
            author_icon: 'no address',
            footer: 'at the end',
            ts: '1700000000',
            color: '#0f8',
            image_url: 'https://example.com/a.png',
            thumb_url: 'ftp://example.com/b.png',
            fields: [{ name: 'n', value: 5, inline: true }, { title: 'empty' }],
          },
          { fallback: 'the fallback', color: 'mauve', ts: 'soon' },
          { color: 'good' },
        ],
      },
    });
    expect(embeds).toMatchObject([
      {
        description: 'before\nafter',
        author: { name: 'Grace', url: 'https://example.com/grace' },
        footer: { text: 'at the end' },
        timestamp: '2023-11-14T22:13:20.000000+00:00',
        color: 0x00_ff_88,
        image: { url: 'https://example.com/a.png' },
        fields: [
          { name: 'n', value: '5', inline: true },
          { name: 'empty', value: '\u200b', inline: false },
        ],
      },
      { description: 'the fallback' },
    ]);
    expect(embeds[0].author.icon_url ?? embeds[0].thumbnail).toBeUndefined();
    expect(Object.keys(embeds[1])).toEqual(['type', 'description']);
  });

  test('is truncated to the limits of a message', async () => {
    const long = 'x'.repeat(5_000);
    const field = { title: 'x'.repeat(300), value: 'x'.repeat(1_100) };
    const attachment = { title: long, text: long, fields: Array(30).fill(field) };
    const { content, embeds } = await posted({ json: { text: long, attachments: Array(12).fill(attachment) } });
    expect(content).toBe(`${'x'.repeat(3_999)}…`);
    expect(embeds[0].title).toBe(`${'x'.repeat(255)}…`);
    expect(embeds.length).toBeLessThanOrEqual(10);
  });

  test.each([
    ['with nothing in it', { json: {} }, 400, 50006],
    ['with an empty attachment', { json: { attachments: [{ color: 'good' }] } }, 400, 50006],
    ['whose text is none', { json: { text: [] } }, 400, 50035],
    ['whose payload is no JSON', { body: new URLSearchParams({ payload: '{' }) }, 400, 50109],
  ])('%s is refused', async (_, request, status, code) => {
    const answer = await webhook.ask('POST', '/slack', request);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('is refused for a thread, and with a wrong token', async () => {
    const json = { text: 'hello' };
    expect((await webhook.ask('POST', '/slack?thread_id=1', { json })).status).toBe(400);
    const wrong = Object.assign(Object.create(webhook), { token: `${webhook.token.slice(0, -1)}-` });
    expect((await wrong.ask('POST', '/slack', { json })).status).toBe(401);
  });
});

const sender = {
  login: 'octocat',
  id: 1,
  html_url: 'https://github.com/octocat',
  avatar_url: 'https://avatars.githubusercontent.com/u/1?v=4',
};
const repository = { id: 2, name: 'hello', full_name: 'octocat/hello', html_url: 'https://github.com/octocat/hello' };
const issue = {
  id: 3,
  number: 5,
  title: 'It breaks',
  html_url: 'https://github.com/octocat/hello/issues/5',
  user: sender,
};
const comment = { id: 4, html_url: 'https://github.com/octocat/hello/issues/5#c', user: sender, body: 'I see.' };
const commit = {
  id: '1234567890abcdef',
  url: 'https://github.com/octocat/hello/commit/1234567890abcdef',
  message: 'Mend it\n\nAt last.',
  author: { name: 'Mona', username: 'octocat' },
};
const suite = { conclusion: 'success', head_branch: 'main', head_sha: commit.id, app: { name: 'Actions' } };

const send = (event: string, payload: object, { inForm = false } = {}) => {
  const body = { sender, repository, ...payload };
  const headers = { 'x-github-event': event, 'x-github-delivery': '1', 'user-agent': 'GitHub-Hookshot/1' };
  const request = inForm ? { body: new URLSearchParams({ payload: JSON.stringify(body) }) } : { json: body };
  return webhook.ask('POST', '/github', { ...request, headers });
};

describe('W-22: a GitHub event', () => {
  test.each<[event: string, payload: object, title: string]>([
    ['push', { ref: 'refs/heads/main', compare: commit.url, commits: [commit, commit] }, 'main: 2 new commits'],
    ['push', { ref: 'refs/heads/main', forced: true, commits: [] }, 'main: force-pushed, 0 new commits'],
    ['create', { ref: 'v1', ref_type: 'tag' }, 'New tag created: v1'],
    ['delete', { ref: 'old', ref_type: 'branch' }, 'Branch deleted: old'],
    ['fork', { forkee: { ...repository, full_name: 'mona/hello' } }, 'Fork created: mona/hello'],
    ['issues', { action: 'opened', issue }, 'Issue opened: #5 It breaks'],
    ['issue_comment', { action: 'created', issue, comment }, 'New comment on issue #5: It breaks'],
    [
      'issue_comment',
      { action: 'created', issue: { ...issue, pull_request: {} }, comment },
      'New comment on pull request #5: It breaks',
    ],
    ['member', { action: 'added', member: { ...sender, login: 'mona' } }, 'New collaborator added: mona'],
    ['public', {}, 'Now open sourced!'],
    ['pull_request', { action: 'closed', pull_request: issue }, 'Pull request closed: #5 It breaks'],
    [
      'pull_request_review',
      {
        action: 'submitted',
        pull_request: issue,
        review: { user: sender, html_url: issue.html_url, state: 'approved' },
      },
      'Pull request approved: #5 It breaks',
    ],
    [
      'pull_request_review_comment',
      { action: 'created', pull_request: issue, comment },
      'New comment on pull request #5: It breaks',
    ],
    [
      'commit_comment',
      { action: 'created', comment: { ...comment, commit_id: commit.id } },
      'New comment on commit `1234567`',
    ],
    [
      'release',
      { action: 'published', release: { id: 6, tag_name: 'v1', html_url: repository.html_url, author: sender } },
      'New release published: v1',
    ],
    ['watch', { action: 'started' }, 'New star added'],
    [
      'check_run',
      {
        action: 'completed',
        check_run: { name: 'test', conclusion: 'timed_out', html_url: commit.url, check_suite: suite },
      },
      'test timed out on main',
    ],
    ['check_suite', { action: 'completed', check_suite: suite }, 'Actions checks success on main'],
    ['discussion', { action: 'created', discussion: issue }, 'New discussion #5 It breaks'],
    ['discussion', { action: 'answered', discussion: issue, answer: comment }, 'Discussion answered: #5 It breaks'],
    [
      'discussion_comment',
      { action: 'created', discussion: issue, comment },
      'New comment on discussion #5: It breaks',
    ],
  ])('%s becomes a message: %j', async (event, payload, title) => {
    const { status, body } = await send(event, payload);
    expect([status, body]).toEqual([204, null]);
    const { embeds, webhook_id } = await newest();
    expect(webhook_id).toBe(webhook.id);
    expect(embeds).toMatchObject([
      {
        title: `[octocat/hello] ${title}`,
        author: { name: 'octocat', url: sender.html_url, icon_url: sender.avatar_url },
      },
    ]);
  });

  test("is accepted as a form, GitHub's default, and a push lists its commits", async () => {
    const answer = await send('push', { ref: 'refs/heads/main', commits: Array(30).fill(commit) }, { inForm: true });
    expect(answer.status).toBe(204);
    const { description } = (await newest()).embeds[0];
    const [line, ...others] = description.split('\n');
    expect(line).toBe(`[\`1234567\`](${commit.url}) Mend it - octocat`);
    expect(others).toHaveLength(19);
  });

  test.each<[event: string, payload: object]>([
    ['ping', { zen: 'Keep it logically awesome.', hook_id: 1 }],
    ['workflow_run', { action: 'completed' }],
    ['issues', { action: 'labeled', issue }],
    ['star', { action: 'created', starred_at: '2026-01-31T12:00:00Z' }],
    ['push', { ref: 'refs/heads/new', created: true, commits: [] }],
    ['check_run', { action: 'created' }],
  ])('without a message, %s, is answered 204 and posts nothing', async (event, payload) => {
    const { id } = await scene.send({ content: 'before' });
    expect((await send(event, payload)).status).toBe(204);
    expect((await newest()).id).toBe(id);
  });

  test('is refused without its header or without a sender', async () => {
    const nameless = await webhook.ask('POST', '/github', { json: { sender } });
    expect(nameless.status).toBe(400);
    expect(nameless.body.errors._errors[0].message).toBe('The header X-GitHub-Event is missing.');
    expect((await send('push', { sender: null })).body.errors).toHaveProperty('sender');
  });
});
