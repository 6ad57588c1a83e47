import { z } from 'zod';
import { firstOf, maybe } from '../domain/input.js';
import { limits } from '../domain/limits.js';
import { type EmbedDraft, fittedEmbeds, shortened } from './fitted-embeds.js';
import { inPayloadField } from './schemas.js';

const text = maybe(z.string());

/** Accepts Slack's names and those of embeds. */
const Field = z.object({
  title: text,
  name: text,
  value: maybe(z.union([z.string(), z.number()])),
  short: maybe(z.boolean()),
  inline: maybe(z.boolean()),
});

const Attachment = z.object({
  fallback: text,
  pretext: text,
  title: text,
  title_link: text,
  text,
  color: text,
  ts: maybe(z.union([z.number(), z.string()])),
  footer: text,
  footer_icon: text,
  author_name: text,
  author_link: text,
  author_icon: text,
  image_url: text,
  thumb_url: text,
  fields: maybe(z.array(Field)),
});

/**
 * Slack incoming webhook (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). As on Discord,
 * `channel`, `icon_emoji`, `mrkdwn`, `mrkdwn_in` and `blocks` are ignored.
 */
export const SlackBody = inPayloadField(
  z.object({
    text,
    username: text,
    icon_url: text,
    attachments: maybe(firstOf(limits.embedsPerMessage, Attachment)),
  }),
);

/** @returns a message in wire format */
export function messageOfSlack({ text, attachments = [] }: z.output<typeof SlackBody>): object {
  return {
    content: text === undefined ? undefined : shortened(markdownOf(text), limits.messageContent),
    embeds: fittedEmbeds(attachments.map(embedOf)),
  };
}

function embedOf(attachment: z.output<typeof Attachment>): EmbedDraft {
  const { fallback = '', pretext = '', text = '', title, fields = [] } = attachment;
  const said = [pretext, text].filter((part) => part.trim() !== '').join('\n');
  const isEmpty = said === '' && !title && fields.length === 0;
  return {
    title: title && markdownOf(title),
    url: attachment.title_link,
    description: markdownOf(isEmpty ? fallback : said),
    color: colorOf(attachment.color),
    timestamp: timeOf(attachment.ts),
    author: { name: attachment.author_name, url: attachment.author_link, icon_url: attachment.author_icon },
    footer: { text: attachment.footer && markdownOf(attachment.footer), icon_url: attachment.footer_icon },
    image: attachment.image_url,
    thumbnail: attachment.thumb_url,
    fields: fields.map(({ title, name, value, short, inline }) => ({
      name: markdownOf(title ?? name ?? ''),
      value: markdownOf(String(value ?? '')),
      inline: short ?? inline ?? false,
    })),
  };
}

const COLORS: ReadonlyMap<string, number> = new Map([
  ['good', 0x2e_b8_86],
  ['warning', 0xda_a0_38],
  ['danger', 0xa3_02_00],
]);

function colorOf(text = ''): number | undefined {
  const named = COLORS.get(text.trim().toLowerCase());
  if (named !== undefined) return named;
  const [, short, long] = /^#?(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i.exec(text.trim()) ?? [];
  const hex = long ?? short?.replace(/./g, '$&$&');
  return hex === undefined ? undefined : Number.parseInt(hex, 16);
}

/** @param ts seconds since the Unix epoch */
function timeOf(ts: number | string | undefined): string | undefined {
  const time = new Date(Number(ts || Number.NaN) * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Converts links, mentions and escapes to Markdown (https://docs.slack.dev/messaging/formatting-message-text). */
function markdownOf(text: string): string {
  return text
    .replace(/<(https?:\/\/[^|>\s]+)\|([^>]+)>/g, '[$2]($1)')
    .replace(/<!(?:channel|everyone)(?:\|[^>]*)?>/g, '@everyone')
    .replace(/<!here(?:\|[^>]*)?>/g, '@here')
    .replace(/&(lt|gt|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', amp: '&' })[name] ?? '');
}
