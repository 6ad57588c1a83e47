/**
 * A time as the wire has it: ISO 8601 with an offset, never `Z`, which older date parsers of client libraries refuse.
 * @param time a date, or milliseconds since the Unix epoch
 */
export function wireTime(time: Date | number): string {
  return `${new Date(time).toISOString().slice(0, -1)}000+00:00`;
}
