import type {
  APIAttachment,
  APIEmbed,
  APIMessage,
  APIReaction,
  MessageFlags,
  MessageType,
} from 'discord-api-types/v10';
import type { ContentShown, MessageRecord, ReactionCount } from '../domain/messages/index.js';
import type { AddressSignatures } from '../infra/address-signatures.js';
import type { Attachment } from '../infra/database/index.js';
import { snowflakeTime } from '../infra/ids.js';
import { renderComponents, ShownFiles } from './components.js';
import { renderEmoji } from './emojis.js';
import { renderAnswered } from './message-interactions.js';
import { wireTime } from './time.js';
import { renderUser } from './users.js';

export interface WireOptions {
  /** The origin of attachment addresses, without a trailing slash. */
  publicUrl: string;
  signatures: Pick<AddressSignatures, 'sign'>;
}

/** What the signature of an attachment's address is made over. */
export function attachmentPath(channelId: bigint, attachment: { id: bigint; filename: string }): string {
  return `attachments/${channelId}/${attachment.id}/${attachment.filename}`;
}

/** An attachment; its file is under `/cdn/attachments/{channel}/{attachment}/{filename}`, for as long as it is signed. */
export function renderAttachment(attachment: Attachment, channelId: bigint, options: WireOptions): APIAttachment {
  const signature = options.signatures.sign(attachmentPath(channelId, attachment));
  const path = `${channelId}/${attachment.id}/${encodeURIComponent(attachment.filename)}`;
  const url = `${options.publicUrl}/cdn/attachments/${path}?${signature}`;
  return {
    id: String(attachment.id),
    filename: attachment.filename,
    size: attachment.size,
    url,
    proxy_url: url,
    content_type: attachment.contentType,
    ...(attachment.description === null ? {} : { description: attachment.description }),
    ...(attachment.width === null ? {} : { width: attachment.width }),
    ...(attachment.height === null ? {} : { height: attachment.height }),
  };
}

export function renderReaction(reaction: ReactionCount): APIReaction {
  return {
    emoji: renderEmoji(reaction.emoji),
    count: reaction.count,
    count_details: { burst: 0, normal: reaction.count },
    me: reaction.me,
    me_burst: false,
    burst_colors: [],
  };
}

/** The files of a message, for what shows them. */
export function shownFiles(
  message: Pick<MessageRecord, 'attachments' | 'channelId'>,
  options: WireOptions,
): ShownFiles {
  return new ShownFiles(message.attachments.map((file) => renderAttachment(file, message.channelId, options)));
}

/** Stored JSON columns are read back as `unknown`; these hold what the domain put there. */
const jsonList = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

/** A message, its reply's target included one level deep. */
export function renderMessage(message: MessageRecord, options: WireOptions): APIMessage {
  const { referenced } = message;
  const attachments = message.attachments.map((attachment) => ({
    ...renderAttachment(attachment, message.channelId, options),
    ...(message.visibleToId === null ? {} : { ephemeral: true }),
  }));
  const files = new ShownFiles(attachments);
  return {
    id: String(message.id),
    channel_id: String(message.channelId),
    type: message.type as MessageType,
    author: renderUser(message.author),
    content: message.content,
    timestamp: wireTime(snowflakeTime(message.id)),
    edited_timestamp: message.editedAt && wireTime(message.editedAt),
    tts: message.tts,
    mention_everyone: message.mentionEveryone,
    mentions: message.mentionedUsers.map(renderUser),
    mention_roles: jsonList<string>(message.mentionRoleIds),
    attachments,
    embeds: renderEmbeds(message.embeds, files),
    components: renderComponents(message.components, files),
    pinned: message.pinned,
    flags: message.flags as MessageFlags,
    ...renderAnswered(message),
    ...(message.reactions.length === 0 ? {} : { reactions: message.reactions.map(renderReaction) }),
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
    ...(message.referenceId === null
      ? {}
      : {
          message_reference: {
            type: 0,
            message_id: String(message.referenceId),
            channel_id: String(message.referenceChannelId ?? message.channelId),
            ...(message.guildId === null ? {} : { guild_id: String(message.guildId) }),
          },
        }),
    ...(referenced === undefined
      ? {}
      : { referenced_message: referenced && renderMessage({ ...referenced, referenced: undefined }, options) }),
  };
}

/** A message as somebody is shown it. */
export function messageAs<T extends APIMessage>(shown: ContentShown, message: T): T {
  switch (shown) {
    case 'whole':
      return message;
    case 'withoutReply':
      return redactReferenced(message);
    case 'redacted':
      return redactMessage(message);
  }
}

/** What a bot without the message-content intent sees of a message that is for it, and answers one that is not. */
function redactReferenced<T extends APIMessage>(message: T): T {
  const { referenced_message: referenced } = message;
  return referenced ? { ...message, referenced_message: redactMessage(referenced) } : message;
}

/** What a bot without the message-content intent sees of a message that is not for it: not its own, a DM or a mention of it. */
export function redactMessage<T extends APIMessage>(message: T): T {
  const { referenced_message: referenced } = message;
  return {
    ...message,
    content: '',
    embeds: [],
    attachments: [],
    components: [],
    ...(referenced ? { referenced_message: redactMessage(referenced) } : {}),
  };
}

/**
 * A message's embeds, their files at addresses that are good from now: `attachment://name` stands for the attachment of that name,
 * and so does an address it was shown under before, which comes back when a sender edits the embed as they read it.
 */
export function renderEmbeds(stored: unknown, files: ShownFiles): APIEmbed[] {
  const current = (url: string): string => files.at(url)?.url ?? url;
  return jsonList<APIEmbed>(stored).map(({ image, thumbnail, author, footer, ...embed }) => ({
    ...embed,
    ...(image ? { image: { ...image, url: current(image.url) } } : {}),
    ...(thumbnail ? { thumbnail: { ...thumbnail, url: current(thumbnail.url) } } : {}),
    ...(author ? { author: withIcon(author, current) } : {}),
    ...(footer ? { footer: withIcon(footer, current) } : {}),
  }));
}

function withIcon<Part extends { icon_url?: string }>(part: Part, current: (url: string) => string): Part {
  return part.icon_url ? { ...part, icon_url: current(part.icon_url) } : part;
}
