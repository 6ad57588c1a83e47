import type { z } from 'zod';
import { DomainError } from '../../errors.js';
import { characters, fault, plainText, textUpTo } from '../../input.js';
import { limits } from '../../limits.js';
import type { MessageComponents } from '../components/index.js';
import type { MessageEmbeds } from './embeds.js';

/** Branded types ensure that only parsed content is stored. Embeds and components are stored in wire format. */

export const messageContent = textUpTo(limits.messageContent).brand<'MessageContent'>();

export const messageNonce = plainText()
  .refine(
    (text) => characters(text) <= limits.nonce,
    fault('BASE_TYPE_MAX_LENGTH', `Must be ${limits.nonce} or fewer in length.`),
  )
  .brand<'MessageNonce'>();

export const attachmentDescription = textUpTo(limits.attachmentDescription).brand<'AttachmentDescription'>();

export const attachmentTitle = textUpTo(limits.attachmentTitle).brand<'AttachmentTitle'>();

export type MessageContent = z.output<typeof messageContent>;
export type MessageNonce = z.output<typeof messageNonce>;
export type AttachmentDescription = z.output<typeof attachmentDescription>;
export type AttachmentTitle = z.output<typeof attachmentTitle>;

/** Mentions that notify (Discord's documentation, Message Resource). */
export interface AllowedMentions {
  /** All mentions of these kinds notify. */
  parse?: readonly ('users' | 'roles' | 'everyone')[] | undefined;
  /** Ids that notify, for kinds that `parse` does not list. */
  users?: readonly bigint[] | undefined;
  roles?: readonly bigint[] | undefined;
  /** Whether a reply mentions the referenced message's author. */
  repliedUser?: boolean | undefined;
}

export interface MessageReference {
  /** A message of the same channel. */
  messageId: bigint;
  /** If false and the message is missing, the reply is sent without a reference. True by default. */
  failIfNotExists?: boolean | undefined;
}

/** `id` is the index of a new file, or an existing attachment's id. */
export interface AttachmentNote {
  id: bigint;
  /** Only for a new file. */
  filename?: string | undefined;
  /** Only for a new file; by default the original name, if it differs from the filename. */
  title?: AttachmentTitle | undefined;
  /** Null removes it; undefined keeps that of an existing attachment. */
  description?: AttachmentDescription | null | undefined;
  /** Undefined keeps an existing attachment's value; for a new file, its name decides. */
  isSpoiler?: boolean | undefined;
}

export interface NewMessage {
  content?: MessageContent | undefined;
  embeds?: MessageEmbeds | undefined;
  components?: MessageComponents | undefined;
  /** Discord's message flags. */
  flags?: number | undefined;
  tts?: boolean | undefined;
  nonce?: MessageNonce | undefined;
  /** Whether to return the author's recent message with the same nonce instead. */
  enforceNonce?: boolean | undefined;
  /** Undefined allows all mentions of the text. */
  allowedMentions?: AllowedMentions | undefined;
  reference?: MessageReference | undefined;
  attachments?: readonly AttachmentNote[] | undefined;
}

/** Undefined leaves a value; null clears it. */
export interface MessageEdit {
  content?: MessageContent | null | undefined;
  embeds?: MessageEmbeds | null | undefined;
  components?: MessageComponents | null | undefined;
  flags?: number | undefined;
  allowedMentions?: AllowedMentions | undefined;
  /** Every file to keep, old and new. */
  attachments?: readonly AttachmentNote[] | null | undefined;
}

interface Visible {
  content?: string | null | undefined;
  embeds?: unknown;
  components?: unknown;
}

/** @throws EMPTY_MESSAGE */
export function requireContent({ content, embeds, components }: Visible, fileCount: number): void {
  if (content || hasItems(embeds) || hasItems(components) || fileCount > 0) return;
  throw new DomainError('EMPTY_MESSAGE');
}

function hasItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
