/** Reads values of the reference platform's wire, which GraphQL passes on as JSON: what is not of the shape is absent. */

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function numbersOf(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'number') : [];
}

/** An address that a link may lead to; undefined for any other, such as a script. */
export function webAddress(value: unknown): string | undefined {
  const text = textOf(value);
  return text && /^https?:\/\//i.test(text) ? text : undefined;
}

/** Whether the pages' policy lets a picture of this address be shown: one of this instance. @param issuer where it is public */
export function isShowable(url: string, issuer: string): boolean {
  return [window.location.origin, new URL(issuer).origin].some((origin) => url.startsWith(`${origin}/`));
}
