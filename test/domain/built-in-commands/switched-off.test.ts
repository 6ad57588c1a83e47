import { REST, Routes } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CallContext } from '../../../src/domain/call.js';
import { runnableCommandIds, whyRunnable } from '../../../src/domain/command-permissions/index.js';
import { joinGuild } from '../../../src/domain/guilds/index.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import { sendMessage } from '../../../src/domain/messages/index.js';
import { PLATFORM_ID } from '../../../src/domain/platform/index.js';
import type { User } from '../../../src/infra/database/index.js';
import { ManualClock } from '../../harness/clock.js';
import { eventually } from '../../harness/jobs.js';
import { outcome } from '../../harness/outcome.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../../harness/people.js';
import { createPerson } from '../../harness/rows.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { addMember, callOf, toSend, userOf } from '../../harness/world.js';
import { runBuiltIn } from './scene.js';

const clock = new ManualClock();
let server: TestServer;
let owner: Person;
let guild: MadeGuild;
let user: User;
let off: CallContext;
/** A call of the same user after the built-in commands are switched on again. */
let on: CallContext;

beforeAll(async () => {
  server = await startServer({ clock, jobs: true, env: { BUILT_IN_COMMANDS: 'off' } });
  owner = await signUp(server, 'owner');
});
beforeEach(async () => {
  guild = await createGuild(owner);
  user = await userOf(server.app, owner);
  off = callOf(server.app, user);
  on = switchedOn(user);
});
afterAll(() => server.stop());

function switchedOn(person: User): CallContext {
  const config = { ...server.app.config, builtInCommands: true };
  return callOf({ ...server.app, config }, person);
}

const channelId = () => BigInt(guild.textChannelId);

async function said(): Promise<string[]> {
  const where = { channelId: channelId(), authorId: PLATFORM_ID, type: 0 };
  const messages = await server.app.db.reader.message.findMany({ where, orderBy: { id: 'asc' } });
  return messages.map(({ content }) => content);
}

const say = (content: string, call: CallContext) =>
  sendMessage(call, { channelId: channelId(), body: toSend({ content }) });

describe('with BUILT_IN_COMMANDS=off', () => {
  test('there are no built-in commands', async () => {
    expect(await owner.graphql('{ builtInCommands { name } }')).toEqual({ builtInCommands: [] });
    for (const name of ['flip', 'shrug', 'ban']) {
      expect(await outcome(runBuiltIn(off, channelId(), name))).toBe('UNKNOWN_COMMAND');
    }
  });

  describe('a bot', () => {
    let bot: MadeApplication;
    let rest: REST;
    const names = ['ban', 'clear', 'poll'];
    const body = names.map((name) => ({ name, description: 'As anywhere' }));
    beforeEach(async () => {
      bot = await createApplication(owner);
      await install(owner, bot, guild);
      rest = new REST({ api: `${server.origin}/api` }).setToken(bot.botToken);
    });

    test('registers and changes commands with any name, and users run them', async () => {
      const registered = (await rest.put(Routes.applicationCommands(bot.id), { body })) as {
        id: string;
        name: string;
      }[];
      expect(registered.map(({ name }) => name)).toEqual(names);
      const one = await rest.post(Routes.applicationCommands(bot.id), { body: { name: 'kick', description: 'One' } });
      expect(one).toMatchObject({ name: 'kick' });
      const id = registered[0]?.id ?? '';
      const renamed = await rest.patch(Routes.applicationCommand(bot.id, id), { body: { name: 'unban' } });
      expect(renamed).toMatchObject({ name: 'unban' });
      const { runnableCommands } = await owner.graphql(
        'query ($channel: ID!) { runnableCommands(channelId: $channel) { name reserved } }',
        { channel: guild.textChannelId },
      );
      expect(runnableCommands).toEqual(['clear', 'kick', 'poll', 'unban'].map((name) => ({ name, reserved: false })));
    });

    test('keeps its commands after they are switched on again, but they are hidden and refused until renamed', async () => {
      const registered = (await rest.put(Routes.applicationCommands(bot.id), { body })) as { id: string }[];
      const commandId = BigInt(registered[0]?.id ?? 0);
      expect(await runnableCommandIds(off, { channelId: channelId() })).toHaveLength(names.length);
      expect(await runnableCommandIds(on, { channelId: channelId() })).toEqual([]);
      expect(await whyRunnable(off, { channelId: channelId(), commandId })).toMatchObject({ allowed: true });
      expect(await whyRunnable(on, { channelId: channelId(), commandId })).toMatchObject({ rule: 'reserved-name' });
    });
  });

  test('a pending reminder is still posted', async () => {
    await runBuiltIn(on, channelId(), 'remindme', { when: '2h', about: 'the cake' });
    clock.advance(2 * 3_600_000);
    await eventually(async () => expect(await said()).toEqual([expect.stringContaining('the cake')]));
  });

  test('an absence is not announced, and ends when its member writes', async () => {
    const ada = await createPerson(server.app);
    await addMember(server.app, BigInt(guild.id), ada);
    await runBuiltIn(switchedOn(ada), channelId(), 'afk', { message: 'at lunch' });
    await say(`hello <@${ada.id}>`, off);
    expect(await said()).toEqual([]);
    await say(`hello <@${ada.id}>`, on);
    expect(await said()).toEqual([expect.stringContaining('at lunch')]);
    await say('back', callOf(server.app, ada));
    await say(`hello <@${ada.id}>`, on);
    expect(await said()).toHaveLength(1);
  });

  test('new members are not greeted, and the greeting is kept until they are on again', async () => {
    await runBuiltIn(on, channelId(), 'welcome', { channel: guild.textChannelId, message: 'Welcome, {user}!' });
    const { code } = await createInvite(off, channelId());
    await joinGuild(callOf(server.app, await createPerson(server.app)), code);
    expect(await server.app.db.reader.job.count({ where: { kind: 'greeting' } })).toBe(0);
    expect(await server.app.db.reader.greeting.count({ where: { guildId: BigInt(guild.id) } })).toBe(1);
  });
});
