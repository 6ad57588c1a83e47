/** Of the page of an integration: what is asked of who may run a command, by ids. */
export interface WhySearch {
  command?: string | undefined;
  channel?: string | undefined;
  person?: string | undefined;
}

/** What is not understood is left out, for which it has to be named: the rest of an address is kept as it stands. */
export function whySearch({ command, channel, person }: Record<string, unknown>): WhySearch {
  return { command: idIn(command), channel: idIn(channel), person: idIn(person) };
}

/** A number has lost digits of the id already. */
function idIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : undefined;
}
