import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createApplication,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  sendMessage,
  signUp,
} from '../../harness/people.js';
import { openStage, type Stage, storedGuild } from './stage.js';
import type { OpenClient, StockClient } from './stock-clients.js';

let newcomers = 0;

/** Tests a client of a library in a guild of a box that goes away and comes back (docs/relay.md, R-42). */
export function describeAbsence(library: string, open: OpenClient): void {
  describe(`${library} and a box that is away`, () => {
    let stage: Stage;
    let bot: MadeApplication;
    let guild: MadeGuild;
    let client: StockClient | undefined;

    beforeAll(async () => {
      stage = await openStage();
      guild = await stage.makeGuild();
      await changeMuch(stage, guild);
      bot = await createApplication(stage.owner, 'Lamplighter');
      await install(stage.owner, bot, guild, { permissions: '8' });
    });
    afterEach(async () => {
      await stage.comeBack();
      await client?.close();
    });
    afterAll(() => stage.stop());

    const login = async () => {
      client = await open({ origin: stage.cloud.origin, token: bot.botToken });
      return client;
    };

    it('gets its server as unavailable, and its new state once it is back', async () => {
      const { told, send, statusOf, cached } = await login();
      expect(cached(guild.id)).toEqual(await storedGuild(stage, guild));
      await send(guild.textChannelId, 'before');
      await told.until('message before');

      await stage.goAway();
      await told.until(`unavailable ${guild.id}`);
      const refused = await send(guild.textChannelId, 'nobody hears this').catch((fault: unknown) => fault);
      expect(statusOf(refused)).toBe(503);
      await changeMuch(stage, guild);

      await stage.comeBack();
      await told.until(`available ${guild.id}`);
      expect(cached(guild.id)).toEqual(await storedGuild(stage, guild));
      await sendMessage(stage.keeper, guild.textChannelId, 'welcome back');
      await told.until('message welcome back');
      await send(guild.textChannelId, 'after');
      await told.until('message after');
      expect(told.entries.filter((entry) => entry.startsWith('message'))).toEqual([
        'message before',
        'message welcome back',
        'message after',
      ]);
      const texts = await stage.box.app.db.reader.message.findMany({ select: { content: true } });
      expect(texts.map(({ content }) => content)).not.toContain('nobody hears this');
    });

    it('gets the events of a short absence once, and no absence', async () => {
      const { told, cached } = await login();
      await stage.cutOff();
      for (const text of ['one', 'two', 'three']) await sendMessage(stage.keeper, guild.textChannelId, text);
      await changeMuch(stage, guild);
      await stage.comeBack();
      await sendMessage(stage.keeper, guild.textChannelId, 'four');
      await told.until('message four');
      expect(told.entries).toEqual(['one', 'two', 'three', 'meanwhile', 'four'].map((text) => `message ${text}`));
      expect(cached(guild.id)).toEqual(await storedGuild(stage, guild));
    });

    it('gets the server as unavailable if it logs in during the absence, and as available later', async () => {
      await stage.goAway();
      const { told, cached, send } = await login();
      expect(cached(guild.id)).toBeNull();
      await stage.comeBack();
      await told.until(`available ${guild.id}`);
      expect(cached(guild.id)).toEqual(await storedGuild(stage, guild));
      await send(guild.textChannelId, 'here I am');
      await told.until('message here I am');
    });
  });
}

/**
 * Changes the cached parts of a guild on a box: name, channels, roles and members. From the second call on, it also
 * removes a member.
 */
export async function changeMuch({ box, keeper }: Stage, guild: MadeGuild): Promise<void> {
  newcomers += 1;
  const ask = (mutation: string, type: string, input: object) =>
    keeper.graphql(`mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`, { input });
  await ask('updateGuild', 'UpdateGuildInput', { guildId: guild.id, name: `Loft ${newcomers}` });
  await ask('createChannel', 'CreateChannelInput', { guildId: guild.id, name: `hatch-${newcomers}` });
  await ask('createRole', 'CreateRoleInput', { guildId: guild.id, name: `Climbers ${newcomers}` });
  const gone = await box.app.db.reader.channel.findFirst({
    where: { guildId: BigInt(guild.id), name: { not: 'general' } },
    orderBy: { id: 'asc' },
  });
  if (gone) await ask('deleteChannel', 'ChannelIdInput', { channelId: String(gone.id) });
  const earlier = await box.app.db.reader.member.findFirst({
    where: { guildId: BigInt(guild.id), user: { bot: false, id: { not: BigInt(keeper.id) } } },
  });
  if (earlier) await ask('kickMember', 'MemberIdInput', { guildId: guild.id, userId: String(earlier.userId) });
  await invite(keeper, guild, await signUp(box, `newcomer${newcomers}`));
  await sendMessage(keeper, guild.textChannelId, 'meanwhile');
}
