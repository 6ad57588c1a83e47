/**
 * ISO 8601 with an offset. Older date parsers of client libraries reject `Z`.
 * @param time a date, or milliseconds since the Unix epoch
 */
export function wireTime(time: Date | number): string {
  return `${new Date(time).toISOString().slice(0, -1)}000+00:00`;
}
