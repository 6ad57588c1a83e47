import fc from 'fast-check';

export interface SentEmbed {
  title?: string | null;
  description?: string | null;
  url?: string | null;
  color?: number | null;
  timestamp?: string | null;
  footer?: { text?: string | null; icon_url?: string | null } | null;
  image?: { url?: string | null } | null;
  thumbnail?: { url?: string | null } | null;
  author?: { name?: string | null; url?: string | null; icon_url?: string | null } | null;
  fields?: { name: string; value: string; inline?: boolean | null }[] | null;
}

/**
 * Difficult text: spaces at the ends, surrogate pairs and halves of them, zero-width characters, and markup of clients.
 */
const unit = fc.constantFrom(...'aZé猫<@*', '🦉', '👩‍👩‍👧', ' ', '\n', '\u200b', '\ud83e', '\udd89', '__proto__');

const nothing = fc.constantFrom(null, undefined);

const text = (max: number) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.string({ unit, maxLength: Math.min(40, max / 9) }) },
    { weight: 1, arbitrary: fc.integer({ min: max - 2, max }).map((length) => '🦉'.repeat(length)) },
    { weight: 1, arbitrary: nothing },
  );

const required = (max: number) => fc.string({ unit, maxLength: Math.min(20, max / 9) }).map((rest) => ` x${rest}`);

const link = fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true, size: 'small' }), nothing);

const timestamp = fc.oneof(
  fc
    .date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  nothing,
);

const embed: fc.Arbitrary<SentEmbed> = fc.record(
  {
    title: text(256),
    description: text(4_096),
    url: link,
    color: fc.oneof(fc.integer({ min: 0, max: 0xff_ff_ff }), nothing),
    timestamp,
    footer: fc.oneof(fc.record({ text: text(2_048), icon_url: link }, { requiredKeys: [] }), nothing),
    image: fc.oneof(fc.record({ url: link }, { requiredKeys: [] }), nothing),
    thumbnail: fc.oneof(fc.record({ url: link }, { requiredKeys: [] }), nothing),
    author: fc.oneof(fc.record({ name: text(256), url: link, icon_url: link }, { requiredKeys: [] }), nothing),
    fields: fc.oneof(
      fc.array(
        fc.record(
          { name: required(256), value: required(1_024), inline: fc.oneof(fc.boolean(), nothing) },
          { requiredKeys: ['name', 'value'] },
        ),
        { maxLength: 25 },
      ),
      nothing,
    ),
  },
  { requiredKeys: [] },
);

export const goodEmbeds: fc.Arbitrary<SentEmbed[]> = fc
  .array(
    embed.filter((sent) => Object.keys(shownEmbed(sent)).length > 1),
    { minLength: 1, maxLength: 10 },
  )
  .filter((embeds) => charactersOf(embeds) <= 6_000);

/** Text as it is stored: lone surrogates are replaced, then spaces at the ends removed. */
const tidy = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd').trim();

const given = (name: string, value: unknown) => (value === null || value === undefined ? {} : { [name]: value });

const givenText = (name: string, value: string | null | undefined) => given(name, tidy(value ?? '') || undefined);

/** A part of an embed, left out if it lacks the text of this name. */
function part<Part extends object>(sent: Part | null | undefined, name: keyof Part & string, shown: object): object {
  return sent && typeof sent[name] === 'string' && tidy(sent[name]) !== ''
    ? { ...shown, [name]: tidy(sent[name]) }
    : {};
}

const unlessEmpty = (name: string, shown: object) => (Object.keys(shown).length === 0 ? {} : { [name]: shown });

export function shownEmbed({ footer, author, image, thumbnail, fields, ...sent }: SentEmbed): Record<string, unknown> {
  return {
    type: 'rich',
    ...givenText('title', sent.title),
    ...givenText('description', sent.description),
    ...given('url', sent.url),
    ...given('color', sent.color),
    ...given('timestamp', sent.timestamp?.replace('Z', '000+00:00')),
    ...unlessEmpty('footer', part(footer, 'text', given('icon_url', footer?.icon_url))),
    ...unlessEmpty(
      'author',
      part(author, 'name', { ...given('url', author?.url), ...given('icon_url', author?.icon_url) }),
    ),
    ...unlessEmpty('image', given('url', image?.url)),
    ...unlessEmpty('thumbnail', given('url', thumbnail?.url)),
    ...(fields?.length
      ? {
          fields: fields.map(({ name, value, inline }) => ({
            name: tidy(name),
            value: tidy(value),
            inline: inline ?? false,
          })),
        }
      : {}),
  };
}

/** The characters that count towards the limit for all embeds of a message. */
export function charactersOf(embeds: SentEmbed[]): number {
  const texts = embeds.flatMap(({ title, description, footer, author, fields }) => [
    ...[title, description, footer?.text, author?.name],
    ...(fields ?? []).flatMap(({ name, value }) => [name, value]),
  ]);
  return texts.reduce((sum, text) => sum + [...tidy(text ?? '')].length, 0);
}
