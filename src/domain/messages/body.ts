import type { z } from 'zod';
import { DomainError } from '../errors.js';
import { characters, fault, plainText, textUpTo } from '../input.js';
import { limits } from '../limits.js';
import type { MessageComponents } from './components/index.js';
import type { MessageEmbeds } from './embeds.js';

/**
 * What a message may hold is stated here and in the files of embeds and components, once for all who post one. Each part is
 * parsed where it comes from outside, at the face; its type cannot be had in another way, so that the limits hold for every
 * message. Embeds and components are stored and shown as they were parsed: they are wire shapes by nature.
 */

/** The text of a message, trimmed. */
export const messageContent = textUpTo(limits.messageContent).brand<'MessageContent'>();

/** What its sender tells one message from another by. */
export const messageNonce = plainText()
  .refine(
    (text) => characters(text) <= limits.nonce,
    fault('BASE_TYPE_MAX_LENGTH', `Must be ${limits.nonce} or fewer in length.`),
  )
  .brand<'MessageNonce'>();

/** The description of a file, trimmed. */
export const attachmentDescription = textUpTo(limits.attachmentDescription).brand<'AttachmentDescription'>();

/** The title of a file, trimmed. */
export const attachmentTitle = textUpTo(limits.attachmentTitle).brand<'AttachmentTitle'>();

export type MessageContent = z.output<typeof messageContent>;
export type MessageNonce = z.output<typeof messageNonce>;
export type AttachmentDescription = z.output<typeof attachmentDescription>;
export type AttachmentTitle = z.output<typeof attachmentTitle>;

/** Whom a message may notify of those its text mentions (Discord's documentation, Message Resource). */
export interface AllowedMentions {
  /** Kinds of mentions that all count. */
  parse?: readonly ('users' | 'roles' | 'everyone')[] | undefined;
  /** Of the kinds that do not all count, those that do, by id. */
  users?: readonly bigint[] | undefined;
  roles?: readonly bigint[] | undefined;
  /** Whether who wrote the answered message counts as mentioned. */
  repliedUser?: boolean | undefined;
}

/** The message that another one answers. */
export interface MessageReference {
  /** A message of the same channel. */
  messageId: bigint;
  /** Whether it is a fault when there is no such message; otherwise the answer stands for itself. True when not given. */
  failIfNotExists?: boolean | undefined;
}

/** What a message says of a file: of a new one by its number, or of one it has by its id. */
export interface AttachmentNote {
  id: bigint;
  /** Of a new one. */
  filename?: string | undefined;
  /** Of a new one; without it, the name that the file came with where it is shown under another. */
  title?: AttachmentTitle | undefined;
  /** Null takes it away; where it is not given that of an old one stays. */
  description?: AttachmentDescription | null | undefined;
  /** Where it is not given that of an old one stays, and a new one goes by its name. */
  isSpoiler?: boolean | undefined;
}

/** What a message is made of. It needs content, an embed, a component or a file. */
export interface NewMessage {
  content?: MessageContent | undefined;
  embeds?: MessageEmbeds | undefined;
  components?: MessageComponents | undefined;
  /** The reference platform's message flags. */
  flags?: number | undefined;
  /** Whether clients read it aloud. */
  tts?: boolean | undefined;
  nonce?: MessageNonce | undefined;
  /** Whether the author's recent message of the same nonce, if there is one, stands for this one. */
  enforceNonce?: boolean | undefined;
  /** Without it, everybody the text mentions. */
  allowedMentions?: AllowedMentions | undefined;
  reference?: MessageReference | undefined;
  attachments?: readonly AttachmentNote[] | undefined;
}

/** What an edit changes: what is not given stays, null clears. */
export interface MessageEdit {
  content?: MessageContent | null | undefined;
  embeds?: MessageEmbeds | null | undefined;
  components?: MessageComponents | null | undefined;
  flags?: number | undefined;
  allowedMentions?: AllowedMentions | undefined;
  /** Every file to keep, old and new. */
  attachments?: readonly AttachmentNote[] | null | undefined;
}

/** What can be seen of a message, as a body or a row has it. */
interface Visible {
  content?: string | null | undefined;
  embeds?: unknown;
  components?: unknown;
}

/** @throws EMPTY_MESSAGE when there is nothing to see */
export function requireContent({ content, embeds, components }: Visible, fileCount: number): void {
  if (content || hasItems(embeds) || hasItems(components) || fileCount > 0) return;
  throw new DomainError('EMPTY_MESSAGE');
}

function hasItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
