import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announce, connectNewBox, guildOf, putInstallation } from '../harness/hand-box.js';
import { openRelay, type RawMessage } from '../harness/raw-relay.js';
import { RestBot } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { createBot } from '../harness/world.js';

const ROOT = join(import.meta.dirname, '../..');

const rulesIn = (text: string) => new Set([...text.matchAll(/\bR-\d+\b/g)].map(([rule]) => rule));

function textOf(folder: string, ending: string): string {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files
    .flatMap((file) => (file.endsWith(ending) ? [readFileSync(join(ROOT, folder, file), 'utf8')] : []))
    .join();
}

describe('the rules of docs/relay.md', () => {
  const text = readFileSync(join(ROOT, 'docs/relay.md'), 'utf8');
  const stated = [...text.matchAll(/^- \*\*(R-\d+) /gm)].map(([, rule]) => rule ?? '');

  it('have unique numbers in ascending order', () => {
    const numbers = stated.map((rule) => Number(rule.slice(2)));
    expect(numbers.length).toBeGreaterThan(30);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  it('are each cited by a test', () => {
    const cited = rulesIn(textOf('test', '.test.ts'));
    expect(stated.filter((rule) => !cited.has(rule))).toEqual([]);
  });

  it('are the only ones in use', () => {
    const named = rulesIn(text + textOf('src', '.ts') + textOf('test', '.ts'));
    expect([...named].filter((rule) => !stated.includes(rule))).toEqual([]);
  });
});

describe('a cloud', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it('R-1 is connected to at /relay, without a credential, and not below that path', async () => {
    const relay = await openRelay(server.origin);
    await relay.close();
    await expect(openRelay(`${server.origin}/relay`)).rejects.toThrow(/40[04]/);
  });

  it('R-5 sends no time of day', async () => {
    const box = await connectNewBox(server);
    const bot = new RestBot(server, await createBot(server.app));
    const guild = guildOf(box, [bot.id]);
    await announce(box, [guild]);
    await putInstallation(server, bot.bot, guild.id);
    const asked = bot.get(`/guilds/${guild.id}/roles`);
    await box.relay.answer([]);
    await asked;
    const stopped = server.stop();
    await box.relay.next('going_away');
    await stopped;
    const ops = new Set(box.relay.messages.map(({ op }) => op));
    expect([...ops]).toEqual(expect.arrayContaining(['challenge', 'welcome', 'ack', 'request', 'going_away']));
    expect(box.relay.messages.flatMap(timesIn)).toEqual([]);
  });
});

/** Possible times of day: milliseconds since the Unix epoch, or ISO 8601. */
function timesIn(message: RawMessage): string[] {
  const found = JSON.stringify(message).match(/(?<=[:,[])\d{10,}\b|\d{4}-\d{2}-\d{2}T/g);
  return (found ?? []).map((time) => `${message.op}: ${time}`);
}
