import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder } from '../../harness/box.js';
import { createGuild, type MadeGuild, signUp } from '../../harness/people.js';
import { type RunningInstance, startInstance } from '../../harness/process.js';
import { RawCloud, type RawConnection } from '../../harness/raw-cloud.js';
import { migratedDatabase } from '../../harness/server.js';

const BUDGET_MS = 1_800;

let cloud: RawCloud;
let box: RunningInstance;
let connection: RawConnection;
let guild: MadeGuild;
let dataDir: string;
let database: Awaited<ReturnType<typeof migratedDatabase>>;
beforeAll(async () => {
  cloud = await RawCloud.open();
  dataDir = await emptyFolder();
  database = await migratedDatabase();
  const more: Record<string, string> = database ? { DATABASE_URL: database.url } : {};
  const starting = startInstance({ DATA_DIR: dataDir, CLOUD_URL: cloud.origin, BOX_TOKEN: 'token', ...more }, 'box');
  await cloud.welcome();
  ({ connection } = await cloud.welcome());
  box = await starting;
  guild = await createGuild(await signUp(box, 'keeper'));
  await connection.next('announce');
  const bot = { id: '1000', username: 'Helper', global_name: null, avatar: null, bot: true };
  const input = { guild_id: guild.id, bot, name: 'Helper', permissions: '8' };
  connection.send({ op: 'call', id: 1, name: 'install_bot', input, budget_ms: 9_000, key: randomUUID() });
  expect(await connection.answer(1)).toMatchObject({ status: 200 });
}, 120_000);
afterAll(async () => {
  box.process.kill('SIGCONT');
  await box.end('SIGKILL');
  await cloud.stop();
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

function request(id: number, method: 'GET' | 'POST', body = ''): void {
  const user = { id: '1000', username: 'Helper', global_name: null, avatar: null, bot: true };
  connection.send({
    op: 'request',
    id,
    method,
    path: `/channels/${guild.textChannelId}/messages`,
    query: {},
    headers: body === '' ? {} : { 'content-type': 'application/json' },
    body: body.length,
    bot: { user, application_id: '1000', message_content: true },
    guild_id: guild.id,
    budget_ms: BUDGET_MS,
    key: randomUUID(),
  });
  if (body !== '') connection.piece(id, body);
}

const post = (id: number, content: string) => request(id, 'POST', JSON.stringify({ content }));

async function contents(id: number): Promise<string[]> {
  request(id, 'GET');
  const { body } = await connection.answer(id);
  return JSON.parse(body).map(({ content }: { content: string }) => content);
}

describe('R-23: a box that was stopped past the budget', () => {
  const standStill = async (meanwhile: () => void) => {
    box.process.kill('SIGSTOP');
    meanwhile();
    // A real process needs real time.
    await new Promise((resolve) => setTimeout(resolve, BUDGET_MS + 200));
    box.process.kill('SIGCONT');
  };

  it('does not begin requests that were cancelled in the meantime, and begins the others', async () => {
    await standStill(() => {
      post(2, 'too late');
      connection.send({ op: 'cancel', id: 2 });
      post(3, 'in time');
    });
    expect(await connection.next('cancelled')).toMatchObject({ id: 2 });
    expect(await connection.answer(3)).toMatchObject({ status: 200 });
    const found = await contents(4);
    expect([found.includes('in time'), found.includes('too late')]).toEqual([true, false]);
  });

  it('does not begin requests of a connection that is lost by now', async () => {
    await standStill(() => {
      post(5, 'nobody waits');
      connection.cut();
    });
    ({ connection } = await cloud.welcome());
    await connection.next('ready');
    expect(await contents(6)).not.toContain('nobody waits');
  });
});
