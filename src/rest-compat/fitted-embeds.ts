import { limits } from '../domain/limits.js';

/** An embed of another service's payload, before limits apply. */
export interface EmbedDraft {
  title?: string | undefined;
  url?: string | undefined;
  description?: string | undefined;
  color?: number | undefined;
  timestamp?: string | undefined;
  author?: { name?: string | undefined; url?: string | undefined; icon_url?: string | undefined };
  footer?: { text?: string | undefined; icon_url?: string | undefined };
  image?: string | undefined;
  thumbnail?: string | undefined;
  fields?: { name: string; value: string; inline: boolean }[];
}

/** Maximum characters, and fields per embed (Discord's documentation, Message Resource). */
const TITLE = 256;
const DESCRIPTION = 4096;
const FOOTER = 2048;
const FIELDS = 25;
const FIELD_NAME = 256;
const FIELD_VALUE = 1024;
const URL_LENGTH = 2048;

/** Zero-width space, for parts that must not be empty. */
const BLANK = '\u200b';

export function shortened(text: string, max: number): string {
  const characters = [...text];
  if (characters.length <= max) return text;
  return max < 1 ? '' : `${characters.slice(0, max - 1).join('')}…`;
}

/** The sending service cannot react to an error, so this shortens long text and drops excess parts and invalid URLs. */
export function fittedEmbeds(drafts: readonly EmbedDraft[]): object[] {
  let left: number = limits.embedCharactersPerMessage;
  const take = (text: string | undefined, max: number) => {
    const taken = shortened(text?.trim() ?? '', Math.min(max, left));
    left -= [...taken].length;
    return taken || undefined;
  };
  const fitted = drafts.slice(0, limits.embedsPerMessage).map((draft) => ({
    title: take(draft.title, TITLE),
    url: addressIn(draft.url),
    color: draft.color,
    timestamp: draft.timestamp,
    author: {
      name: take(draft.author?.name, TITLE),
      url: addressIn(draft.author?.url),
      icon_url: addressIn(draft.author?.icon_url),
    },
    footer: { text: take(draft.footer?.text, FOOTER), icon_url: addressIn(draft.footer?.icon_url) },
    image: { url: addressIn(draft.image) },
    thumbnail: { url: addressIn(draft.thumbnail) },
    description: take(draft.description, DESCRIPTION),
    fields: (draft.fields ?? []).slice(0, FIELDS).flatMap(({ name, value, inline }) => {
      if (left < 2) return [];
      const taken = take(name.trim() || BLANK, Math.min(FIELD_NAME, left - 1));
      return [{ name: taken, value: take(value.trim() || BLANK, FIELD_VALUE), inline }];
    }),
  }));
  return fitted.filter(
    ({ title, description, author, footer, image, thumbnail, fields }) =>
      fields.length > 0 || [title, description, author.name, footer.text, image.url, thumbnail.url].some(Boolean),
  );
}

function addressIn(text: string | undefined): string | undefined {
  if (text === undefined || text.length > URL_LENGTH || !URL.canParse(text)) return undefined;
  return /^https?:$/.test(new URL(text).protocol) ? text : undefined;
}
