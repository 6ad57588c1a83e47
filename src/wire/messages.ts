import {
  type APIAttachment,
  type APIEmbed,
  type APIEmbedImage,
  type APIMessage,
  type APIReaction,
  AttachmentFlags,
  type MessageFlags,
  type MessageType,
} from 'discord-api-types/v10';
import type { FileMetadata } from '../domain/kept-files.js';
import {
  type AttachmentRecord,
  attachmentNameIn,
  type ContentShown,
  type MessageRecord,
  type ReactionCount,
} from '../domain/messages/index.js';
import type { AddressSignatures } from '../infra/crypto/address-signatures.js';
import { snowflakeTime } from '../infra/ids/ids.js';
import { renderComponents, ShownFiles } from './components.js';
import { renderEmoji } from './emojis.js';
import { renderAnswered } from './message-interactions.js';
import { wireTime } from './time.js';
import { renderUser } from './users.js';

export interface WireOptions {
  /** Origin of attachment URLs, without a trailing slash. */
  publicUrl: string;
  signatures: Pick<AddressSignatures, 'sign'>;
}

/** Folders under `/cdn`: files of messages, and files given to commands and modals. */
export type FileFolder = 'attachments' | 'ephemeral-attachments';

/** `/cdn/{folder}/{channel}/{id}/{filename}`. */
interface FileAddress {
  folder: FileFolder;
  channelId: bigint;
  id: bigint;
  filename: string;
}

/** The signed part of a file's URL. */
export function filePath({ folder, channelId, id, filename }: FileAddress): string {
  return `${folder}/${channelId}/${id}/${filename}`;
}

/** @param days as in `AddressSignatures.sign` */
function fileUrl(address: FileAddress, { publicUrl, signatures }: WireOptions, days?: number): string {
  const path = filePath({ ...address, filename: encodeURIComponent(address.filename) });
  return `${publicUrl}/cdn/${path}?${signatures.sign(filePath(address), days)}`;
}

export function renderAttachment(attachment: AttachmentRecord, channelId: bigint, options: WireOptions): APIAttachment {
  const { id, filename, description } = attachment;
  const rendered = renderFile(attachment, fileUrl({ folder: 'attachments', channelId, id, filename }, options));
  return { ...rendered, ...(description === null ? {} : { description }) };
}

/** Interactions are kept for 7 days, and the current day counts too. */
const DAYS_OF_GIVEN_FILES = 8;

/** The URL of a file given to a command or modal is valid while the file is kept. */
export function renderGivenFile(file: FileMetadata, channelId: bigint, options: WireOptions): APIAttachment {
  const address = { folder: 'ephemeral-attachments', channelId, id: file.id, filename: file.filename } as const;
  return { ...renderFile(file, fileUrl(address, options, DAYS_OF_GIVEN_FILES)), ephemeral: true };
}

function renderFile(file: FileMetadata, url: string): APIAttachment {
  const { id, filename, title, isSpoiler, size, contentType, width, height } = file;
  return {
    id: String(id),
    filename,
    ...(title === null ? {} : { title }),
    size,
    url,
    proxy_url: url,
    content_type: contentType,
    ...(width === null ? {} : { width }),
    ...(height === null ? {} : { height }),
    ...(isSpoiler ? { flags: AttachmentFlags.IsSpoiler } : {}),
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

export function shownFiles(
  message: Pick<MessageRecord, 'id' | 'attachments' | 'channelId'>,
  options: WireOptions,
): ShownFiles {
  return new ShownFiles(
    String(message.id),
    message.attachments.map((file) => renderAttachment(file, message.channelId, options)),
  );
}

/** The domain validated these columns when it stored them. */
const jsonList = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

/** Includes the message it replies to, one level deep. */
export function renderMessage(message: MessageRecord, options: WireOptions): APIMessage {
  const { referenced } = message;
  const attachments = message.attachments.map((attachment) => ({
    ...renderAttachment(attachment, message.channelId, options),
    ...(message.visibleToId === null ? {} : { ephemeral: true }),
  }));
  const files = new ShownFiles(String(message.id), attachments);
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

export interface WithContent {
  content: string;
  embeds: unknown[];
  attachments: unknown[];
  components?: unknown[] | undefined;
  referenced_message?: WithContent | null | undefined;
}

export function messageAs<T extends WithContent>(shown: ContentShown, message: T): T {
  switch (shown) {
    case 'whole':
      return message;
    case 'withoutReply':
      return redactReferenced(message);
    case 'redacted':
      return redactMessage(message);
  }
}

function redactReferenced<T extends WithContent>(message: T): T {
  const { referenced_message: referenced } = message;
  return referenced ? { ...message, referenced_message: redactMessage(referenced) } : message;
}

export function redactMessage<T extends WithContent>(message: T): T {
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
 * Replaces file references with signed URLs. A reference is `attachment://name`, or an earlier URL if a client sent the
 * embed back. A missing picture is left out.
 */
export function renderEmbeds(stored: unknown, files: ShownFiles): APIEmbed[] {
  return jsonList<APIEmbed>(stored).map(({ image, thumbnail, author, footer, ...embed }) => ({
    ...embed,
    ...(image && { image: renderPicture(image.url, files) }),
    ...(thumbnail && { thumbnail: renderPicture(thumbnail.url, files) }),
    ...(author && { author: withIcon(author, files) }),
    ...(footer && { footer: withIcon(footer, files) }),
  }));
}

function withIcon<Part extends { icon_url?: string }>(
  part: Part,
  files: ShownFiles,
): Part & { proxy_icon_url?: string } {
  if (part.icon_url === undefined) return part;
  const icon = renderPicture(part.icon_url, files);
  return { ...part, icon_url: icon?.url, proxy_icon_url: icon?.proxy_url };
}

/** Extensions allowed in embeds (Discord's documentation, Uploading Files). */
const SHOWN_IN_EMBEDS = /\.(?:png|jpe?g|webp|gif)$/i;

/** Undefined if the attachment is missing. */
function renderPicture(address: string, files: ShownFiles): APIEmbedImage | undefined {
  const name = attachmentNameIn(address);
  if (name !== undefined && !SHOWN_IN_EMBEDS.test(name)) return undefined;
  const file = files.at(address);
  if (!file) return name === undefined ? { url: address } : undefined;
  const { url, proxy_url, width, height, content_type } = file;
  return { url, proxy_url, width: width ?? undefined, height: height ?? undefined, content_type };
}
