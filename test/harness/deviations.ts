/** Intended deviations from the reference platform's OpenAPI document. */
interface Deviation {
  /** Matches operations such as `GET /guilds/{guild_id}`. */
  operation: RegExp;
  /** Matches faults such as `/roles/0 must have required property 'name'`. */
  fault: RegExp;
  because: string;
}

export const DEVIATIONS: readonly Deviation[] = [
  {
    operation: /\/callback$/,
    fault: /^\/resource/,
    because:
      'A deferred answer shows its resource, too (types 5 and 6): JDA reads one of every callback (docs/interactions.md, I-16).',
  },
  {
    operation: /^PATCH \/applications\/@me$/,
    fault: /scopes\/\d+ must be equal to one of the allowed values$/,
    because: 'Default install settings keep every scope of the permitted characters (service description, section 2).',
  },
];
