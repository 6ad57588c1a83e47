import type {
  APIApplicationCommandAutocompleteInteraction,
  APIApplicationCommandInteraction,
  APIAttachment,
  APIBaseInteraction,
  APIInteractionDataResolvedGuildMember,
  APIInteractionGuildMember,
  APIMessage,
  APIMessageComponentInteraction,
  APIModalSubmitInteraction,
  APIRole,
  APIUser,
  InteractionType,
} from 'discord-api-types/v10';
import type { ChannelShown, InteractionRequest, MemberShown, Resolved } from '../domain/interactions/index.js';
import { limits } from '../domain/limits.js';
import { contentReaders, contentShownTo, type MessageRecord } from '../domain/messages/index.js';
import { renderChannel, renderDirectChannel } from './channels.js';
import { renderMember } from './members.js';
import { renderOwners } from './message-interactions.js';
import { messageAs, renderGivenFile, renderMessage, type WireOptions } from './messages.js';
import { renderRole } from './roles.js';
import { renderUser } from './users.js';

/** Has the same form over HTTP and the gateway. */
export type WireInteraction =
  | APIApplicationCommandInteraction
  | APIApplicationCommandAutocompleteInteraction
  | APIMessageComponentInteraction
  | APIModalSubmitInteraction;

export interface InteractionKey {
  id: bigint;
  token: string;
}

/** See Discord's documentation, Receiving and Responding to Interactions. */
export function renderInteraction(
  request: InteractionRequest,
  key: InteractionKey,
  options: WireOptions,
): WireInteraction {
  const data = { ...request.data, ...renderResolved(request, options) };
  // The domain validated `data` against the command, component or modal.
  return { ...renderBase(request, key, options), type: request.type, data } as WireInteraction;
}

type Base = Omit<APIBaseInteraction<InteractionType, unknown>, 'type' | 'data'>;

function renderBase(request: InteractionRequest, { id, token }: InteractionKey, options: WireOptions): Base {
  const { application, place, channel, message } = request;
  return {
    id: String(id),
    application_id: String(application.id),
    token,
    version: 1,
    ...(place.kind === 'guild' ? renderGuildOf(place.guildId, request) : {}),
    channel_id: String(place.channelId),
    channel: renderChannelShown(channel),
    ...renderCaller(request),
    ...(message ? { message: renderShown(message, request, options) } : {}),
    app_permissions: String(request.appPermissions),
    locale: request.locale,
    entitlements: [],
    authorizing_integration_owners: renderOwners(request.owners),
    context: request.context,
    attachment_size_limit: limits.fileSize,
  };
}

/** A member in a guild, otherwise a user. */
function renderCaller({
  user,
  member,
  place,
}: InteractionRequest): { member: APIInteractionGuildMember } | { user: APIUser } {
  if (!member || place.kind === 'direct') return { user: renderUser(user) };
  return { member: { ...renderMember(member), permissions: String(place.permissions) } };
}

function renderGuildOf(guildId: bigint, { guildLocale }: InteractionRequest) {
  const id = String(guildId);
  return { guild_id: id, guild: { id, locale: guildLocale, features: [] }, guild_locale: guildLocale };
}

/** Omits overwrites; adds the permissions of the caller and the application's bot. */
function renderChannelShown(shown: ChannelShown) {
  const may = { permissions: String(shown.permissions), app_permissions: String(shown.appPermissions) };
  if (shown.recipients) return { ...renderDirectChannel(shown.channel, shown.recipients, shown.lastMessageId), ...may };
  const { permission_overwrites: _none, ...channel } = renderChannel(
    { ...shown.channel, overwrites: [] },
    shown.lastMessageId,
  );
  return { ...channel, ...may };
}

/** Omits user, deaf and mute (Discord's documentation, Resolved Data). */
function renderMemberShown({ member, permissions }: MemberShown): APIInteractionDataResolvedGuildMember {
  const { user: _user, deaf: _deaf, mute: _mute, ...facts } = renderMember(member);
  return { ...facts, permissions: String(permissions) };
}

interface WireResolved {
  users?: Record<string, APIUser>;
  members?: Record<string, APIInteractionDataResolvedGuildMember>;
  roles?: Record<string, APIRole>;
  channels?: Record<string, ReturnType<typeof renderChannelShown>>;
  messages?: Record<string, APIMessage>;
  attachments?: Record<string, APIAttachment>;
}

/** Empty if the data contains no ids. */
function renderResolved(request: InteractionRequest, options: WireOptions): { resolved?: WireResolved } {
  const { users, members, roles, channels, messages, files }: Resolved = request.resolved;
  const { channelId } = request.place;
  const resolved: WireResolved = {
    ...(users.length === 0 ? {} : { users: mapOf(users, ({ id }) => id, renderUser) }),
    ...(members.length === 0 ? {} : { members: mapOf(members, ({ member }) => member.userId, renderMemberShown) }),
    ...(roles.length === 0 ? {} : { roles: mapOf(roles, ({ id }) => id, renderRole) }),
    ...(channels.length === 0 ? {} : { channels: mapOf(channels, ({ channel }) => channel.id, renderChannelShown) }),
    ...(messages.length === 0
      ? {}
      : {
          messages: mapOf(
            messages,
            ({ id }) => id,
            (message) => renderShown(message, request, options),
          ),
        }),
    ...(files.length === 0
      ? {}
      : {
          attachments: mapOf(
            files,
            ({ file }) => file.id,
            ({ file }) => renderGivenFile(file, channelId, options),
          ),
        }),
  };
  return Object.keys(resolved).length === 0 ? {} : { resolved };
}

function mapOf<Row, Rendered>(
  rows: readonly Row[],
  idOf: (row: Row) => bigint,
  render: (row: Row) => Rendered,
): Record<string, Rendered> {
  return Object.fromEntries(rows.map((row) => [String(idOf(row)), render(row)]));
}

/**
 * Without the intent, the application sees the content of a target message or its own message. The message that it
 * replies to is redacted as usual.
 */
function renderShown(message: MessageRecord, { application }: InteractionRequest, options: WireOptions): APIMessage {
  const rendered = renderMessage(message, options);
  if (application.messageContentIntent) return rendered;
  const shown = contentShownTo(String(application.id), contentReaders(message));
  return shown === 'whole' ? rendered : messageAs('withoutReply', rendered);
}
