import type { z } from 'zod';
import { callContext } from '../../src/context.js';
import { type PrivilegedIntent, updateApplication } from '../../src/domain/applications/index.js';
import type { CallContext, UserActor } from '../../src/domain/call.js';
import { createChannel as createChannelAs } from '../../src/domain/channels/index.js';
import type { ChannelRecord } from '../../src/domain/channels/record.js';
import { joinGuild } from '../../src/domain/guilds/index.js';
import { installApplication } from '../../src/domain/installations/index.js';
import { createInvite } from '../../src/domain/invites/index.js';
import { type MemberRecord, WITH_USER_AND_ROLES } from '../../src/domain/members/record.js';
import { type MessageRecord, type NewMessage, sendMessage } from '../../src/domain/messages/index.js';
import { parseInput } from '../../src/domain/parse-input.js';
import { createWebhook as createWebhookAs } from '../../src/domain/webhooks/index.js';
import type { User } from '../../src/infra/database/index.js';
import { SendMessageBody } from '../../src/rest-compat/message-body.js';
import type { Server } from '../../src/server.js';
import { insertApplication, insertBotMember, insertGuild, insertMember } from './inserted.js';
import { createPerson } from './rows.js';

/**
 * Makes guilds, bots and members for tests, with their audit entries, keys and events. `people.ts` does the same for
 * users with an account. `rows.ts` inserts rows that no function of the platform makes.
 */
type App = Server['app'];

export interface TestBot {
  /** Also the id of its application. */
  id: bigint;
  token: string;
  user: User;
  owner: User;
}

export interface TestGuild {
  id: bigint;
  owner: User;
  /** The default text channel. */
  channel: ChannelRecord & { guildId: bigint };
}

export function userOf(app: App, { id }: { id: string }): Promise<User> {
  return app.db.reader.user.findUniqueOrThrow({ where: { id: BigInt(id) } });
}

export function actorOf(user: User): UserActor {
  return user.bot
    ? { kind: 'bot', user, applicationId: user.id, messageContentIntent: true }
    : { kind: 'person', user };
}

export function callOf(app: App, user: User): CallContext {
  return callContext(app, actorOf(user));
}

let bots = 0;

export interface BotSettings {
  /** Default: a new user. */
  owner?: User;
  name?: string;
  /** The enabled intents. Default: all of them. */
  privilegedIntents?: PrivilegedIntent[];
}

export async function createBot(
  app: App,
  { owner, name = `bot${++bots}`, privilegedIntents }: BotSettings = {},
): Promise<TestBot> {
  const developer = owner ?? (await createPerson(app));
  const { application, bot, botToken } = await insertApplication(app, developer, name);
  const { id } = application;
  if (privilegedIntents) await updateApplication(callOf(app, developer), { applicationId: id, privilegedIntents });
  return { id, token: botToken, user: bot, owner: developer };
}

/** A guild with `@everyone`, a text and a voice channel, and its owner as a member. */
export async function createGuild(app: App, name = 'Guild'): Promise<TestGuild> {
  const owner = await createPerson(app);
  const { id, text } = await insertGuild(app, owner, name);
  return { id, owner, channel: text };
}

async function callOfOwner(app: App, guildId: bigint): Promise<CallContext> {
  const { owner } = await app.db.reader.guild.findUniqueOrThrow({ where: { id: guildId }, include: { owner: true } });
  return callOf(app, owner);
}

/** Makes a channel as the guild's owner. Default: a text channel. */
export async function createChannel(
  app: App,
  guildId: bigint,
  name: string,
  type?: number,
): Promise<TestGuild['channel']> {
  return createChannelAs(await callOfOwner(app, guildId), guildId, { name, type });
}

/** Makes a user or a bot a member of a guild. A bot is installed by the guild's owner, without permissions. */
export function addMember(app: App, guildId: bigint, user: User): Promise<MemberRecord> {
  return user.bot ? insertBotMember(app, guildId, user) : insertMember(app, guildId, user);
}

/**
 * Makes a user or a bot a member like {@link addMember}, through the functions of the platform. They refuse a banned
 * user, keep a timeout and publish a presence.
 */
export async function joinGuildAs(app: App, guildId: bigint, user: User): Promise<MemberRecord> {
  const owner = await callOfOwner(app, guildId);
  if (user.bot) await installApplication(owner, { applicationId: user.id, guildId, scopes: ['bot'], permissions: 0n });
  else await joinByInvite(app, owner, guildId, user);
  return app.db.reader.member.findUniqueOrThrow({
    where: { guildId_userId: { guildId, userId: user.id } },
    include: WITH_USER_AND_ROLES,
  });
}

/** Deletes the invite afterwards. */
async function joinByInvite(app: App, owner: CallContext, guildId: bigint, user: User): Promise<void> {
  const channel = await app.db.reader.channel.findFirstOrThrow({ where: { guildId }, select: { id: true } });
  const { code } = await createInvite(owner, channel.id, { maxUses: 1 });
  await joinGuild(callOf(app, user), code);
}

export type SentBody = z.input<typeof SendMessageBody>;

/**
 * Parses a body as the REST layer does.
 * @throws INVALID_INPUT
 */
export const toSend = (body: SentBody): NewMessage => parseInput(SendMessageBody, body);

/** A row with one button that has the custom id `press`. */
export const ONE_BUTTON = [
  { type: 1, components: [{ type: 2, style: 1, label: 'press', custom_id: 'press' }] },
] satisfies SentBody['components'];

export function say(
  app: App,
  guild: Pick<TestGuild, 'channel'>,
  author: User,
  content: string,
  more: SentBody = {},
): Promise<MessageRecord> {
  return sendMessage(callOf(app, author), { channelId: guild.channel.id, body: toSend({ content, ...more }) });
}

/** Embeds for a message of about 100 KB: the maximum number of URLs of the maximum length. */
export const LONG_EMBEDS = (() => {
  const url = `https://a.example/${'x'.repeat(2_000)}`;
  const picture = { url };
  const embed = { url, image: picture, thumbnail: picture, author: { name: 'x', url, icon_url: url } };
  return Array.from({ length: 10 }, () => ({ ...embed, footer: { text: 'x', icon_url: url } }));
})();

const LONG_MESSAGE = toSend({ embeds: LONG_EMBEDS });

/** Sends a message of about 100 KB to the guild's first channel. A few of them fill a buffer. */
export function sayAtLength(app: App, guild: Pick<TestGuild, 'channel'>, author: User): Promise<MessageRecord> {
  return sendMessage(callOf(app, author), { channelId: guild.channel.id, body: LONG_MESSAGE });
}

/**
 * A webhook of a bot's application in a guild's first channel. The guild's owner makes it and must own the application.
 */
export async function createWebhook(
  app: App,
  { owner, channel }: { owner: User; channel: { id: bigint } },
  bot: Pick<TestBot, 'id'>,
  name = 'Hook',
): Promise<{ id: string; token: string }> {
  const input = { applicationId: bot.id, channelId: channel.id, name };
  const { webhook, token } = await createWebhookAs(callOf(app, owner), input);
  return { id: String(webhook.id), token };
}

export async function createBotInGuild(app: App, name?: string): Promise<{ bot: TestBot; guild: TestGuild }> {
  const guild = await createGuild(app, name);
  const bot = await createBot(app, { owner: guild.owner });
  await addMember(app, guild.id, bot.user);
  return { bot, guild };
}
