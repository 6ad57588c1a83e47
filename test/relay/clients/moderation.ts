import { afterEach, describe, expect, it } from 'vitest';
import { type RunningProgram, startProgram } from '../../conversation/programs.js';
import { type Person, sendMessage } from '../../harness/people.js';
import type { SelfHosted } from '../../harness/self-hosted.js';
import { needing } from '../../harness/skipping.js';
import { subscribe } from '../../harness/subscriptions.js';
import { openScene, permissionsOf, type Scene } from './scene.js';

interface Moderator {
  program: string;
  /** A file in the folder `bots`. */
  script: string;
  /** The reason why it cannot run here, or null. */
  missing?: string | null;
}

/** Lets a program moderate a guild of the cloud and a guild on a box. The ids are the only difference. */
export function describeModeration(
  library: string,
  all: () => SelfHosted,
  { program, script, missing = null }: Moderator,
): void {
  describe.skipIf(missing)(needing(missing, `${library} moderates`), () => {
    let running: RunningProgram | undefined;
    afterEach(() => running?.stop());

    it.each(['cloud', 'box'] as const)('moderation of a server: %s', { timeout: 60_000 }, async (side) => {
      const scene = await openScene(all(), side);
      const expected = await permissionsOf(all(), scene);
      const events = await subscribe(scene.home, scene.keeper, scene.guild.textChannelId);
      running = await startProgram({
        program,
        script: `../relay/clients/bots/${script}`,
        env: envOf(all(), scene),
      });
      expect(JSON.parse(await running.tells('permissions '))).toEqual(expected);
      await running.says('listening');
      await sendMessage(scene.keeper, scene.guild.textChannelId, 'who is there?');
      const answer = (await running.unlessItEnds(events.next((event) => event.data.content === 'a bot'))).data;
      expect(answer).toMatchObject({ author: { id: scene.bot.id }, referenced_message: { content: 'who is there?' } });
      await react(scene.people[0], scene.guild.textChannelId, answer.id);
      await running.says('moderated');
      await events.close();
      await expectModerated(scene);
    });
  });
}

function envOf({ cloud }: SelfHosted, { bot, guild, people, keeper, crewChannelId }: Scene): Record<string, string> {
  return {
    API_URL: `${cloud.origin}/api`,
    BOT_TOKEN: bot.botToken,
    GUILD_ID: guild.id,
    CHANNEL_ID: guild.textChannelId,
    CREW_CHANNEL_ID: crewChannelId,
    VOICE_CHANNEL_ID: guild.voiceChannelId,
    KEEPER_ID: keeper.id,
    KICKED_ID: people[0].id,
    BANNED_ID: people[1].id,
  };
}

async function react(person: Person, channelId: string, messageId: string): Promise<void> {
  await person.graphql('mutation ($input: ReactionInput!) { addReaction(input: $input) { __typename } }', {
    input: { channelId, messageId, emoji: '👍' },
  });
}

async function expectModerated({ home: { app }, guild, people }: Scene): Promise<void> {
  const { reader } = app.db;
  const guildId = BigInt(guild.id);
  expect(await reader.guild.findUniqueOrThrow({ where: { id: guildId } })).toMatchObject({ name: 'Moderated' });
  const userIds = people.map(({ id }) => BigInt(id));
  expect(await reader.member.count({ where: { guildId, userId: { in: userIds } } })).toBe(0);
  expect(await reader.ban.count({ where: { guildId } })).toBe(0);
  const names = await reader.channel.findMany({ where: { guildId }, select: { name: true } });
  expect(names.map(({ name }) => name).toSorted()).toEqual(['General', 'general', 'officers']);
}
