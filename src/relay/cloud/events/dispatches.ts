import { MessageFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import type { BusMessage, ContentForms, Publication } from '../../../domain/bus-message.js';
import { idSpaceOf } from '../../../infra/ids/ids.js';
import { stampEvent } from '../../../wire/events/index.js';
import { messageAs, type WithContent } from '../../../wire/messages.js';
import { snowflake } from '../../protocol/ids.js';
import { DISPATCHED, type DispatchedName, MAX_DISPATCH_BYTES } from '../../protocol/messages.js';
import type { BotsOfCloud } from '../cloud-bot-directory.js';
import { namesOnlyItsOwn, type OwnNames } from '../own-names.js';
import {
  WireChannel,
  WireGuild,
  WireMember,
  WireMemberSummary,
  WireRole,
  WireUser,
  WireVoiceState,
} from '../records.js';

/** See docs/relay.md, R-34. */
export interface Dispatch {
  t: string;
  d: Record<string, unknown>;
}

interface About {
  guildId: bigint;
  channelId?: bigint;
  userId?: bigint;
}

/** The ids that an event may contain, and the bots that may act in it. */
export interface NamesInEvents extends Omit<OwnNames, 'guildIds'> {
  guildIds: { has(id: bigint): boolean };
  bots: BotsOfCloud;
}

/** Reduces the fields that clients need to what the event is about. */
type Reading = z.ZodType<About & { message?: Message }>;

const inGuild = { guild_id: snowflake };
const inChannel = { guild_id: snowflake, channel_id: snowflake };
const onMessage = { ...inChannel, message_id: snowflake };
const emoji = z.object({ id: z.string().max(20).nullable(), name: z.string().max(200).nullable() });

interface InChannel {
  guild_id: bigint;
  channel_id: bigint;
}

const aboutGuild = ({ guild_id }: { guild_id: bigint }): About => ({ guildId: guild_id });
const aboutChannel = ({ guild_id, channel_id }: InChannel): About => ({ guildId: guild_id, channelId: channel_id });
const aboutUser = ({ guild_id, user_id }: { guild_id: bigint; user_id: bigint }): About => ({
  guildId: guild_id,
  userId: user_id,
});
const aboutUserThere = ({ user_id, ...place }: InChannel & { user_id: bigint }): About => ({
  ...aboutChannel(place),
  userId: user_id,
});

const Content = z.object({
  id: snowflake,
  channel_id: snowflake,
  author: WireUser,
  content: z.string(),
  flags: z.number().int().min(0).default(0),
  mentions: z.array(WireUser).max(200),
  mention_roles: z.array(snowflake).max(1_000).optional(),
  member: WireMemberSummary.optional(),
  message_reference: z.object({}).nullish(),
  embeds: z.array(z.object({})).max(100),
  attachments: z.array(z.object({ id: snowflake })).max(100),
  components: z.array(z.object({})).max(100).optional(),
});
type Content = z.output<typeof Content>;

const Message = Content.extend({
  guild_id: snowflake,
  referenced_message: Content.nullish(),
});

type Message = z.output<typeof Message>;

const message = Message.transform((read) => ({ ...aboutChannel(read), message: read }));
const reaction = z.object({ ...onMessage, user_id: snowflake, emoji, member: WireMember.optional() });
const channel = WireChannel.extend(inGuild).transform(({ guild_id, id }) => ({ guildId: guild_id, channelId: id }));
const user = z
  .object({ ...inGuild, user: WireUser })
  .transform((of) => aboutUser({ guild_id: of.guild_id, user_id: of.user.id }));
const member = WireMember.extend(inGuild).transform((of) => aboutUser({ guild_id: of.guild_id, user_id: of.user.id }));
const role = z.object({ ...inGuild, role: WireRole }).transform(aboutGuild);

const READINGS: Record<DispatchedName, Reading> = {
  MESSAGE_CREATE: message,
  MESSAGE_UPDATE: message,
  MESSAGE_DELETE: z.object({ ...inChannel, id: snowflake }).transform(aboutChannel),
  MESSAGE_DELETE_BULK: z.object({ ...inChannel, ids: z.array(snowflake).max(1_000) }).transform(aboutChannel),
  MESSAGE_REACTION_ADD: reaction.transform(aboutUserThere),
  MESSAGE_REACTION_REMOVE: reaction.transform(aboutUserThere),
  MESSAGE_REACTION_REMOVE_ALL: z.object(onMessage).transform(aboutChannel),
  MESSAGE_REACTION_REMOVE_EMOJI: z.object({ ...onMessage, emoji }).transform(aboutChannel),
  CHANNEL_CREATE: channel,
  CHANNEL_UPDATE: channel,
  CHANNEL_DELETE: channel,
  CHANNEL_PINS_UPDATE: z
    .object({ ...inChannel, last_pin_timestamp: z.string().max(40).nullish() })
    .transform(aboutChannel),
  GUILD_UPDATE: WireGuild.transform(({ id }) => ({ guildId: id })),
  GUILD_MEMBER_ADD: member,
  GUILD_MEMBER_REMOVE: user,
  GUILD_MEMBER_UPDATE: member,
  GUILD_BAN_ADD: user,
  GUILD_BAN_REMOVE: user,
  GUILD_ROLE_CREATE: role,
  GUILD_ROLE_UPDATE: role,
  GUILD_ROLE_DELETE: z.object({ ...inGuild, role_id: snowflake }).transform(aboutGuild),
  TYPING_START: z
    .object({ ...inChannel, user_id: snowflake, timestamp: z.number(), member: WireMember.optional() })
    .transform(aboutUserThere),
  VOICE_STATE_UPDATE: WireVoiceState.extend(inGuild).transform(aboutUser),
};

/**
 * The cloud decides who receives the event and who may read its content.
 * @returns the publication, or why the event is left out
 */
export async function stampDispatch(
  { t, d }: Dispatch,
  of: NamesInEvents,
): Promise<{ topics: string[]; message: BusMessage } | { refusal: string }> {
  const name = DISPATCHED.find((known) => known === t);
  if (!name) return { refusal: 'is not an event that boxes send' };
  const read = READINGS[name].safeParse(d);
  if (!read.success) return { refusal: `cannot be read: ${faultsOf(read.error)}` };
  const { message, ...about } = read.data;
  if (!of.guildIds.has(about.guildId)) return { refusal: 'belongs to a guild that the box did not announce' };
  const foreign = await namesOnlyItsOwn(d, { ...of, guildIds: new Set([about.guildId]) });
  if (foreign !== null) return { refusal: foreign };
  const absent = await absentActor(name, d, { ...about, ...of });
  if (absent !== null) return { refusal: `is of the bot ${absent}, which is not installed there` };
  const data = JSON.stringify(d);
  // User objects of the cloud may have made the event longer.
  if (Buffer.byteLength(data) > MAX_DISPATCH_BYTES) return { refusal: 'is too large with user objects of the cloud' };
  if (message) return stampMessage(name, about, d, { ...message, data });
  return stampEvent(name, about, { data });
}

/** Returns the acting bot of the cloud if it is not installed to the guild. */
async function absentActor(
  name: DispatchedName,
  d: Record<string, unknown>,
  { guildId, userId, idSpace, bots }: About & Pick<NamesInEvents, 'idSpace' | 'bots'>,
): Promise<bigint | null> {
  const isOnMessage = name === 'MESSAGE_CREATE' || name === 'MESSAGE_UPDATE';
  const actor = isOnMessage ? writerIn(d, idSpace) : PRESENCES.has(name) ? userId : null;
  if (actor == null || idSpaceOf(actor) === idSpace) return null;
  // A bot's messages may change after the bot was uninstalled.
  const isThere = name === 'MESSAGE_UPDATE' ? bots.wasInstalled(actor, guildId) : bots.isInstalled(actor, guildId);
  return (await isThere) ? null : actor;
}

/** Events, besides messages, whose user must be in the guild. */
const PRESENCES: ReadonlySet<string> = new Set([
  'MESSAGE_REACTION_ADD',
  'TYPING_START',
  'GUILD_MEMBER_ADD',
  'GUILD_MEMBER_UPDATE',
  'VOICE_STATE_UPDATE',
]);

/** Null for a webhook of the cloud, whose bot need not be installed. */
function writerIn({ author, webhook_id: webhookId }: Record<string, unknown>, idSpace: number): bigint | null {
  const isOfCloud = webhookId != null && idSpaceOf(snowflake.parse(webhookId)) !== idSpace;
  return isOfCloud ? null : Content.shape.author.parse(author).id;
}

/** Lists fields without their values. */
function faultsOf({ issues }: z.ZodError): string {
  return issues
    .map(({ path }) => path.join('.'))
    .join(', ')
    .slice(0, 200);
}

function stampMessage(
  name: DispatchedName,
  about: About,
  d: Record<string, unknown>,
  { referenced_message: referenced, data, ...message }: Message & { data: string },
): Publication | { refusal: string } {
  if (isEphemeral(message) || (referenced && isEphemeral(referenced)))
    return { refusal: 'is visible to one person only' };
  const readers = { ...addresseesOf(message), ...(referenced ? { reply: addresseesOf(referenced) } : {}) };
  const shown = knownOf(d);
  const withReply = { ...d, referenced_message: shown.referenced_message };
  if (!hasContent(shown) || !hasContent(withReply)) return { refusal: 'cannot be read' };
  const content: ContentForms = {
    readers,
    redacted: JSON.stringify(messageAs('redacted', shown)),
    ...(referenced ? { withoutReply: JSON.stringify(messageAs('withoutReply', withReply)) } : {}),
  };
  return stampEvent(name, about, { data, content });
}

function isEphemeral({ flags }: Content): boolean {
  return (flags & MessageFlags.Ephemeral) !== 0;
}

function addresseesOf({ author, mentions }: Content) {
  return { authorId: String(author.id), mentionedUserIds: mentions.map(({ id }) => String(id)) };
}

const Shown = Content.pick({ content: true, embeds: true, attachments: true, components: true });

function hasContent(value: Record<string, unknown>): value is Record<string, unknown> & WithContent {
  const { referenced_message: referenced } = value;
  return Shown.safeParse(value).success && (referenced == null || Shown.safeParse(referenced).success);
}

/** Other fields might contain content. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'channel_id',
  'guild_id',
  'member',
  'type',
  'author',
  'content',
  'timestamp',
  'edited_timestamp',
  'tts',
  'mention_everyone',
  'mentions',
  'mention_roles',
  'attachments',
  'embeds',
  'components',
  'pinned',
  'flags',
  'application_id',
  'webhook_id',
  'interaction_metadata',
  'interaction',
  'nonce',
  'message_reference',
]);

function knownOf(message: object): Record<string, unknown> {
  const known = Object.entries(message).flatMap(([field, value]): [string, unknown][] => {
    if (field === 'referenced_message') return [[field, value && ofAnswered(value)]];
    return KNOWN_FIELDS.has(field) ? [[field, value]] : [];
  });
  return Object.fromEntries(known);
}

/** Replies are included one level deep. */
function ofAnswered({ referenced_message: _deeper, ...message }: { referenced_message?: unknown }): object {
  return knownOf(message);
}
