import { z } from 'zod';
import { fault, maybe, plainText, snowflake } from '../domain/input.js';
import { limits } from '../domain/limits.js';
import {
  type AllowedMentions as Allowed,
  attachmentDescription,
  attachmentTitle,
  type MessageEdit,
  messageComponents,
  messageContent,
  messageEmbeds,
  messageNonce,
  type NewMessage,
} from '../domain/messages/index.js';
import { absent, isEmptyList } from './schemas.js';

/** If omitted, every mention notifies. */
const AllowedMentions = z
  .object({
    parse: maybe(z.array(z.enum(['users', 'roles', 'everyone'])).max(100)),
    users: maybe(z.array(snowflake()).max(100)),
    roles: maybe(z.array(snowflake()).max(100)),
    replied_user: maybe(z.boolean()),
  })
  .refine((allowed) => !(allowed.parse?.includes('users') && allowed.users?.length), {
    ...fault('MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', 'parse:["users"] and users: [ids...] are mutually exclusive.'),
  })
  .refine((allowed) => !(allowed.parse?.includes('roles') && allowed.roles?.length), {
    ...fault('MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', 'parse:["roles"] and roles: [ids...] are mutually exclusive.'),
  })
  .transform(({ replied_user, ...kinds }): Allowed => ({ ...kinds, repliedUser: replied_user }));

/** Only replies within one channel are supported (docs/absent.md). */
const REPLY = 0;

const referenceType = z
  .int()
  .refine(
    (type) => type === REPLY,
    fault('BASE_TYPE_CHOICES', 'Forwarding messages is not supported. The type must be 0 (reply).'),
  )
  .meta({ enum: [REPLY] });

const MessageReference = z
  .object({
    type: maybe(referenceType),
    message_id: snowflake(),
    channel_id: maybe(snowflake()),
    fail_if_not_exists: maybe(z.boolean()),
  })
  .transform(({ message_id, fail_if_not_exists }) => ({
    messageId: message_id,
    failIfNotExists: fail_if_not_exists,
  }));

/** A new file by its index, or an existing attachment by its id. */
const AttachmentNote = z
  .object({
    id: snowflake(),
    filename: maybe(plainText()),
    title: maybe(attachmentTitle),
    description: attachmentDescription.nullish().transform((description) => (description === '' ? null : description)),
    is_spoiler: maybe(z.boolean()),
  })
  .transform(({ is_spoiler: isSpoiler, ...same }) => ({ ...same, isSpoiler }));

const attachments = z.array(AttachmentNote).max(limits.attachmentsPerMessage);

const nonce = z.union([z.string(), z.number(), z.bigint()]).transform(String).pipe(messageNonce);

const flags = maybe(z.number().int().min(0).max(0x7f_ff_ff_ff));

/** Rejected, because the message would lack its poll or stickers (docs/absent.md). */
const poll = absent('Polls are not supported.');
const stickerIds = absent('Stickers are not supported.', isEmptyList);

const SEND = z.object({
  content: maybe(messageContent),
  embeds: maybe(messageEmbeds),
  components: maybe(messageComponents),
  flags,
  tts: maybe(z.boolean()),
  nonce: maybe(nonce),
  enforce_nonce: maybe(z.boolean()),
  allowed_mentions: maybe(AllowedMentions),
  message_reference: maybe(MessageReference),
  attachments: maybe(attachments),
  poll,
});

const messageOf = ({
  poll: _none,
  enforce_nonce,
  allowed_mentions,
  message_reference,
  ...same
}: z.output<typeof SEND>): NewMessage => ({
  ...same,
  enforceNonce: enforce_nonce,
  allowedMentions: allowed_mentions,
  reference: message_reference,
});

/** Unknown fields are ignored (Discord's documentation, Message Resource). */
export const SendMessageBody = SEND.extend({ sticker_ids: stickerIds }).transform(({ sticker_ids: _none, ...same }) =>
  messageOf(same),
);

/** A response to an interaction takes no stickers. */
export const SendAnswerBody = SEND.transform(messageOf);

/** Webhook message or follow-up (Discord's documentation, Webhook Resource). */
export const ExecuteWebhookBody = SEND.extend({
  thread_name: absent('Threads are not supported.'),
  applied_tags: absent('Threads are not supported.', isEmptyList),
}).transform(({ thread_name: _noThread, applied_tags: _noTags, ...same }) => messageOf(same));

const EDIT = z.object({
  content: messageContent.nullish(),
  embeds: messageEmbeds.nullish(),
  components: messageComponents.nullish(),
  flags,
  allowed_mentions: maybe(AllowedMentions),
  attachments: attachments.nullish(),
});

const editOf = ({ allowed_mentions, ...same }: z.output<typeof EDIT>): MessageEdit => ({
  ...same,
  allowedMentions: allowed_mentions,
});

/** Missing fields stay, and null clears (Discord's documentation, Message Resource). */
export const EditMessageBody = EDIT.transform(editOf);

/** On Discord, a response to an interaction can become a poll. */
export const EditAnswerBody = EDIT.extend({ poll }).transform(({ poll: _none, ...edit }) => editOf(edit));
