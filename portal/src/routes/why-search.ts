/** Query of the permission explainer, by ids. */
export interface WhySearch {
  command?: string | undefined;
  channel?: string | undefined;
  person?: string | undefined;
}

/** Invalid values must be undefined explicitly, or the router keeps them. */
export function whySearch({ command, channel, person }: Record<string, unknown>): WhySearch {
  return { command: idIn(command), channel: idIn(channel), person: idIn(person) };
}

/** A number has already lost digits of the id. */
function idIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : undefined;
}
