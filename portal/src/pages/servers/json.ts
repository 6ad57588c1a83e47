/** Reads wire format values from GraphQL's JSON. Values of the wrong type count as absent. */

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

/** Only http and https, so that no link runs a script. */
export function webAddress(value: unknown): string | undefined {
  const text = textOf(value);
  return text && /^https?:\/\//i.test(text) ? text : undefined;
}

/** Whether the content security policy allows the image. @param issuer public origin of this instance */
export function isShowable(url: string, issuer: string): boolean {
  return [window.location.origin, new URL(issuer).origin].some((origin) => url.startsWith(`${origin}/`));
}
