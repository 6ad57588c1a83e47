/** Markup that is sent unescaped. */
export class Html {
  constructor(readonly text: string) {}
}

/** Text is escaped; null, undefined and `false` render as nothing. */
export type Fragment = Html | string | number | bigint | false | null | undefined | readonly Fragment[];

/** Escapes every value except {@link Html}, for elements and quoted attributes. */
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

/** Isolates the direction of a user-chosen name. */
export function name(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}
