/** Markup that may be sent as it is. */
export class Html {
  constructor(readonly text: string) {}
}

/** What may stand in a template; text is escaped, nothing at all and `false` leave no trace. */
export type Fragment = Html | string | number | bigint | false | null | undefined | readonly Fragment[];

/** Builds markup. Every value is escaped, in elements and in quoted attributes alike, unless it is {@link Html} itself. */
export function html(strings: TemplateStringsArray, ...values: Fragment[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(render)));
}

function render(value: Fragment): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escaped(String(value));
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A name that somebody chose, kept from turning the direction of the text around it. */
export function name(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}
