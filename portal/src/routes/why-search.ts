/** Query of the permission explainer on an integration's page, by ids. */
export interface WhySearch {
  command?: string | undefined;
  channel?: string | undefined;
  person?: string | undefined;
}

/** Returns invalid values as undefined explicitly, because the router keeps parameters missing from the result. */
export function whySearch({ command, channel, person }: Record<string, unknown>): WhySearch {
  return { command: idIn(command), channel: idIn(channel), person: idIn(person) };
}

/** A numeric value has already lost digits of the id. */
function idIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : undefined;
}
