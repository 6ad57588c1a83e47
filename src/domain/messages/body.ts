import { z } from 'zod';
import { characters, fault, plainText, snowflake, trimmed } from '../input.js';
import { limits } from '../limits.js';
import { Components } from './components.js';

/** Optional, and null counts as not given. */
const maybe = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? undefined);

/** Text of at most `max` characters, once trimmed. */
const textUpTo = (max: number) =>
  trimmed().refine(
    (text) => text.length <= max || characters(text) <= max,
    fault('BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`),
  );

/** Text that counts as not given when nothing is left of it. */
const shortText = (max: number) => maybe(textUpTo(max)).transform((text) => text || undefined);

const requiredText = (max: number) =>
  textUpTo(max).refine((text) => text.length > 0, fault('BASE_TYPE_REQUIRED', 'This field is required'));

/** An address of one of `schemes`, with the reference platform's words for what is none. */
const urlOf = (...schemes: string[]) =>
  textUpTo(2048)
    .refine((url) => schemes.includes(schemeOf(url)), {
      error: ({ input }) =>
        `Scheme "${schemeOf(String(input)).slice(0, 40)}" is not supported. Scheme must be one of (${schemes.map((scheme) => `'${scheme}'`).join(', ')}).`,
      params: { code: 'URL_TYPE_INVALID_SCHEME' },
      abort: true,
    })
    .refine((url) => URL.canParse(url) && !/\s/.test(url), fault('URL_TYPE_INVALID_URL', 'Not a well formed URL.'));

/** What stands before the first colon, or all of a text without one. */
const schemeOf = (url: string) => (url.split(':', 1)[0] ?? '').toLowerCase();

const linkUrl = urlOf('http', 'https');
const mediaUrl = urlOf('http', 'https', 'attachment');

const EmbedField = z.object({
  name: requiredText(256),
  value: requiredText(1024),
  inline: maybe(z.boolean()).transform((inline) => inline ?? false),
});

/** One embed, text trimmed (Discord's documentation, Message Resource). What a sender cannot set (`type`, `provider`, `video`) is not kept. */
const Embed = z
  .object({
    title: shortText(256),
    description: shortText(4096),
    url: maybe(linkUrl),
    color: maybe(z.number().int().min(0).max(0xff_ff_ff)),
    timestamp: maybe(
      z
        .string()
        .refine((text) => !Number.isNaN(Date.parse(text)), fault('DATE_TIME_TYPE_PARSE', 'Could not parse the date.'))
        .transform((text) => new Date(text).toISOString().replace('Z', '000+00:00')),
    ),
    footer: maybe(z.object({ text: requiredText(2048), icon_url: maybe(mediaUrl) })),
    image: maybe(z.object({ url: mediaUrl })),
    thumbnail: maybe(z.object({ url: mediaUrl })),
    author: maybe(z.object({ name: requiredText(256), url: maybe(linkUrl), icon_url: maybe(mediaUrl) })),
    fields: maybe(z.array(EmbedField).max(25)),
  })
  .refine((embed) => Object.values(embed).some((value) => value !== undefined), {
    ...fault('BASE_TYPE_REQUIRED', 'This field is required'),
    path: ['description'],
  })
  .transform((embed) => ({ type: 'rich' as const, ...(JSON.parse(JSON.stringify(embed)) as typeof embed) }));

type Embed = z.output<typeof Embed>;

const Embeds = z
  .array(Embed)
  .max(limits.embedsPerMessage)
  .refine((embeds) => embedCharacters(embeds) <= limits.embedCharactersPerMessage, {
    ...fault('MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${limits.embedCharactersPerMessage}`),
  });

function embedCharacters(embeds: Embed[]): number {
  const length = (text = '') => characters(text);
  return embeds.reduce(
    (sum, embed) =>
      sum +
      length(embed.title) +
      length(embed.description) +
      length(embed.footer?.text) +
      length(embed.author?.name) +
      (embed.fields ?? []).reduce((fields, field) => fields + length(field.name) + length(field.value), 0),
    0,
  );
}

/** Who a message may notify (Discord's documentation, Message Resource). Without it, everybody the text mentions. */
const AllowedMentions = z
  .object({
    parse: maybe(z.array(z.enum(['users', 'roles', 'everyone']))),
    users: maybe(z.array(snowflake()).max(100)),
    roles: maybe(z.array(snowflake()).max(100)),
    replied_user: maybe(z.boolean()),
  })
  .refine((allowed) => !(allowed.parse?.includes('users') && allowed.users?.length), {
    ...fault('MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', 'parse:["users"] and users: [ids...] are mutually exclusive.'),
  })
  .refine((allowed) => !(allowed.parse?.includes('roles') && allowed.roles?.length), {
    ...fault('MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', 'parse:["roles"] and roles: [ids...] are mutually exclusive.'),
  });

export type AllowedMentions = z.output<typeof AllowedMentions>;

const MessageReference = z.object({
  type: maybe(z.literal(0)),
  message_id: snowflake(),
  channel_id: maybe(snowflake()),
  fail_if_not_exists: maybe(z.boolean()),
});

/** An attachment the sender describes: a new file by its number, or one to keep by its id. */
const AttachmentNote = z.object({
  id: snowflake(),
  filename: maybe(plainText()),
  description: shortText(limits.attachmentDescription),
});

const content = maybe(textUpTo(limits.messageContent));

const nonce = maybe(
  z
    .union([z.string(), z.number(), z.bigint()])
    .transform(String)
    .pipe(plainText())
    .refine(
      (text) => characters(text) <= limits.nonce,
      fault('BASE_TYPE_MAX_LENGTH', `Must be ${limits.nonce} or fewer in length.`),
    ),
);

const flags = maybe(z.number().int().min(0).max(0x7f_ff_ff_ff));

/** The body of a send, in the reference platform's names. Fields it does not know are ignored. */
export const SendBody = z.object({
  content,
  embeds: maybe(Embeds),
  components: maybe(Components),
  flags,
  tts: maybe(z.boolean()),
  nonce,
  enforce_nonce: maybe(z.boolean()),
  allowed_mentions: maybe(AllowedMentions),
  message_reference: maybe(MessageReference),
  attachments: maybe(z.array(AttachmentNote).max(limits.attachmentsPerMessage)),
});

export type SendBody = z.output<typeof SendBody>;

/** The body of an edit: what is not given stays, null clears (Discord's documentation, Message Resource). */
export const EditBody = z.object({
  content: content.nullable().optional(),
  embeds: Embeds.nullish(),
  components: Components.nullish(),
  flags,
  allowed_mentions: maybe(AllowedMentions),
  attachments: z.array(AttachmentNote).max(limits.attachmentsPerMessage).nullish(),
});

export type EditBody = z.output<typeof EditBody>;

/** What a caller hands in, before it is parsed. */
export type SendBodyInput = z.input<typeof SendBody>;
export type EditBodyInput = z.input<typeof EditBody>;
