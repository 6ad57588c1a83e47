import { z } from 'zod';
import { characters, fault, isoTime, maybe, textUpTo } from '../../input.js';
import { limits } from '../../limits.js';
import { mediaUrl, urlOf } from './urls.js';

/** Blank text counts as missing. */
const shortText = (max: number) => maybe(textUpTo(max)).transform((text) => text || undefined);

const requiredText = (max: number) =>
  textUpTo(max).refine((text) => text.length > 0, fault('BASE_TYPE_REQUIRED', 'This field is required'));

const linkUrl = urlOf(['http', 'https']);

const EmbedField = z.object({
  name: requiredText(256),
  value: requiredText(1024),
  inline: maybe(z.boolean()).transform((inline) => inline ?? false),
});

/**
 * A part without its main field is dropped, not refused. Some senders leave it empty, and libraries send back what they
 * received.
 */
const Footer = z
  .object({ text: shortText(2048), icon_url: maybe(mediaUrl) })
  .transform(({ text, ...rest }) => (text === undefined ? undefined : { text, ...rest }));

const Author = z
  .object({ name: shortText(256), url: maybe(linkUrl), icon_url: maybe(mediaUrl) })
  .transform(({ name, ...rest }) => (name === undefined ? undefined : { name, ...rest }));

const Picture = z.object({ url: maybe(mediaUrl) }).transform(({ url }) => (url === undefined ? undefined : { url }));

/**
 * Text is trimmed. Fields that a sender cannot set (`type`, `provider`, `video`) are dropped (Discord's documentation,
 * Message Resource).
 */
const Embed = z
  .object({
    title: shortText(256),
    description: shortText(4096),
    url: maybe(linkUrl),
    color: maybe(z.number().int().min(0).max(0xff_ff_ff)),
    timestamp: maybe(isoTime().transform((time) => time.toISOString().replace('Z', '000+00:00'))),
    footer: maybe(Footer),
    image: maybe(Picture),
    thumbnail: maybe(Picture),
    author: maybe(Author),
    fields: maybe(z.array(EmbedField).max(25)).transform((fields) => (fields?.length ? fields : undefined)),
  })
  .refine((embed) => Object.values(embed).some((value) => value !== undefined), {
    ...fault('BASE_TYPE_REQUIRED', 'This field is required'),
    path: ['description'],
  })
  .transform((embed) => ({ type: 'rich' as const, ...(JSON.parse(JSON.stringify(embed)) as typeof embed) }));

type Embed = z.output<typeof Embed>;

export const messageEmbeds = z
  .array(Embed)
  .max(limits.embedsPerMessage)
  .refine((embeds) => embedCharacters(embeds) <= limits.embedCharactersPerMessage, {
    ...fault('MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${limits.embedCharactersPerMessage}`),
  })
  .brand<'MessageEmbeds'>();

export type MessageEmbeds = z.output<typeof messageEmbeds>;

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
