import { InteractionResponseType, InteractionType } from 'discord-api-types/v10';
import { makeInteractionToken } from '../../src/domain/interactions/responses/tokens.js';
import type { Interaction, Prisma } from '../../src/infra/database/index.js';
import type { Server } from '../../src/server.js';
import { answer, commandOf } from './answers.js';
import type { TestBot, TestGuild } from './world.js';

type App = Server['app'];

export interface StoredInteraction {
  interaction: Interaction;
  token: string;
}

/**
 * Inserts a slash command in the guild's first channel. The bot got it through the gateway and may respond for a
 * minute.
 */
export async function putInteraction(
  app: App,
  { bot, guild }: { bot: Pick<TestBot, 'id'>; guild: Pick<TestGuild, 'id' | 'owner' | 'channel'> },
  facts: Partial<Prisma.InteractionUncheckedCreateInput> = {},
): Promise<StoredInteraction> {
  const id = app.nextId();
  const { token, hash } = makeInteractionToken(id);
  const interaction = await app.db.writer.interaction.create({
    data: {
      id,
      tokenHash: hash,
      applicationId: bot.id,
      type: InteractionType.ApplicationCommand,
      userId: guild.owner.id,
      guildId: guild.id,
      channelId: guild.channel.id,
      name: 'greet',
      data: {},
      owners: { guildId: String(guild.id) },
      state: 'DELIVERED_GATEWAY',
      endsAt: new Date(app.clock.now() + 60_000),
      ...facts,
    },
  });
  return { interaction, token };
}

/** Inserts an interaction that was answered with a message. Returns the message's id, too. */
export async function putAnswered(
  app: App,
  at: { bot: Pick<TestBot, 'id' | 'user'>; guild: Pick<TestGuild, 'id' | 'owner' | 'channel'> },
): Promise<StoredInteraction & { messageId: bigint }> {
  const messageId = app.nextId();
  const stored = await putInteraction(app, at, {
    state: 'ANSWERED',
    endsAt: null,
    callbackType: InteractionResponseType.ChannelMessageWithSource,
    originalMessageId: messageId,
  });
  const interaction = commandOf(app, at.guild.owner.id, { id: String(stored.interaction.id) });
  await answer(app, at.bot, at.guild.channel.id, { wantedId: messageId, interaction });
  return { ...stored, messageId };
}
