import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installApplication } from '../../../src/domain/installations/index.js';
import { renderUser } from '../../../src/wire/users.js';
import { ManualClock } from '../../harness/clock.js';
import { type Announced, announce, connectNewBox, guildOf, type HandBox } from '../../harness/hand-box.js';
import { outcome } from '../../harness/outcome.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { callOf, createBot, type TestBot } from '../../harness/world.js';

describe('the cached members of a server on a box', () => {
  let server: TestServer;
  let box: HandBox;
  let guild: Announced;
  let bot: TestBot;
  beforeAll(async () => {
    server = await startServer();
    box = await connectNewBox(server);
    guild = guildOf(box);
    await announce(box, [guild]);
    bot = await createBot(server.app);
  });
  afterAll(() => server.stop());

  /** The cached membership. The box answers with `answer` if it is asked. */
  async function memberOr(answer: object | null): Promise<boolean> {
    const asked = server.app.guilds.member(BigInt(guild.id), bot.id);
    const told = box.relay.answer(answer);
    return (await Promise.race([asked, told.then(() => asked)])) !== null;
  }

  it('are read again after an installation, before the box sends an event (R-27)', async () => {
    expect(await memberOr(null)).toBe(false);
    const wish = { applicationId: bot.id, guildId: BigInt(guild.id), scopes: ['bot' as const] };
    const installing = installApplication(callOf(server.app, box.owner), wish);
    expect(await box.relay.answer({})).toMatchObject({ name: 'install_bot' });
    await installing;
    const member = { user: renderUser(bot.user), roles: [], joined_at: new Date(0).toISOString() };
    expect(await memberOr(member)).toBe(true);
  });
});

describe('a refusal by a box', () => {
  let server: TestServer;
  let box: HandBox;
  let guild: Announced;
  beforeAll(async () => {
    server = await startServer();
    box = await connectNewBox(server);
    guild = guildOf(box);
    await announce(box, [guild]);
  });
  afterAll(() => server.stop());

  it('is shown to the user who installs a bot that is banned there, and nothing is installed (R-27)', async () => {
    const bot = await createBot(server.app);
    const wish = { applicationId: bot.id, guildId: BigInt(guild.id), scopes: ['bot' as const] };
    const installing = outcome(installApplication(callOf(server.app, box.owner), wish));
    await box.relay.answer({ code: 40007, message: 'The user is banned from this guild.' }, 403);
    expect(await installing).toBe('BANNED');
    expect(await server.app.db.reader.installation.count({ where: { applicationId: bot.id } })).toBe(0);
  });

  it('of a guild makes the guild unreachable for all callers', async () => {
    const asked = outcome(server.app.guilds.view(BigInt(guild.id)));
    await box.relay.answer({ code: 0, message: 'no' }, 403);
    expect(await asked).toBe('OVERLOADED');
  });
});

describe('calls to a box that does not answer', () => {
  let server: TestServer;
  const clock = new ManualClock();
  beforeAll(async () => {
    server = await startServer({ clock });
  });
  afterAll(() => server.stop());

  it('beyond the limit wait for a short time only, and do not delay calls to another box', async () => {
    const [frozen, other] = [await connectNewBox(server), await connectNewBox(server)];
    const guilds = Array.from({ length: 65 }, () => guildOf(frozen));
    const there = guildOf(other);
    await announce(frozen, guilds);
    await announce(other, [there]);
    const asked = guilds.map(({ id }) => outcome(server.app.guilds.view(BigInt(id))));
    const calls = () => frozen.relay.messages.filter(({ op }) => op === 'call');
    await expect.poll(() => calls().length).toBe(64);
    const reached = outcome(server.app.guilds.view(BigInt(there.id)));
    await other.relay.answer(null);
    expect(await reached).toBe('ok');
    clock.advance(5_000);
    expect(await Promise.race(asked)).toBe('OVERLOADED');
    expect(calls()).toHaveLength(64);
    for (const { relay } of [frozen, other]) relay.cut();
  });
});
