import type { ReactNode } from 'react';
import { namedPermissions } from '../servers/permissions.js';

/** The shape depends on the action, and old entries may lack any field. */
export type Changes = Readonly<Record<string, unknown>>;

export interface Changed {
  old: unknown;
  new: unknown;
}

export function changesIn(changes: unknown): Changes {
  return isRecord(changes) ? changes : {};
}

function isRecord(value: unknown): value is Changes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an empty string if the field is missing. */
export function textIn(changes: Changes, field: string): string {
  const value = changes[field];
  return typeof value === 'string' ? value : '';
}

/** Returns 0 if the field is missing. */
export function countIn(changes: Changes, field: string): number {
  const value = changes[field];
  return Array.isArray(value) ? value.length : 0;
}

/** Returns undefined if the field has no old and new value. */
export function changedIn(changes: Changes, field: string): Changed | undefined {
  const value = changes[field];
  return isRecord(value) && 'old' in value && 'new' in value ? { old: value.old, new: value.new } : undefined;
}

const COLUMN_WORDS: Record<string, string> = {
  name: 'the name',
  description: 'the description',
  iconHash: 'the icon',
  coverHash: 'the cover',
  publicClient: 'public client',
  public: 'public installation',
  guildMembersIntent: 'the Server members intent',
  presencesIntent: 'the Presences intent',
  messageContentIntent: 'the Message content intent',
  userInstall: 'user install',
  serverInstall: 'server install',
  serverInstallScopes: 'the server install scopes',
  serverInstallPermissions: 'the server install permissions',
  userInstallScopes: 'the user install scopes',
  installLinkMode: 'the install link',
  customInstallUrl: 'the custom install URL',
  interactionsEndpointUrl: 'the interactions endpoint URL',
  listener: 'the listener',
  redirectUris: 'the redirect URIs',
  permissions: 'the permissions',
  color: 'the colour',
  hoist: 'separate listing of members',
  mentionable: 'mentions by everyone',
  topic: 'the topic',
  type: 'the type',
  position: 'the position',
  parentId: 'the category',
  nsfw: 'the age restriction',
  rateLimitPerUser: 'the slow mode delay in seconds',
  bitrate: 'the bitrate',
  userLimit: 'the user limit',
  overwrites: 'the channel permissions',
  nick: 'the nickname',
  mute: 'server mute',
  deaf: 'server deafen',
  communicationDisabledUntil: 'the timeout',
  ownerId: 'the owner',
  afkChannelId: 'the AFK channel',
  afkTimeout: 'the AFK timeout in seconds',
  systemChannelId: 'the system messages channel',
  systemChannelFlags: 'the system message settings',
  verificationLevel: 'the verification level',
  defaultMessageNotifications: 'the default notifications',
  explicitContentFilter: 'the explicit content filter',
  preferredLocale: 'the language',
};

/** Sorts the columns like their labels, because `jsonb` does not keep the order of keys. */
export function columnsOf(changes: Changes): string[] {
  const order = Object.keys(COLUMN_WORDS);
  const placeOf = (column: string) => (column in COLUMN_WORDS ? order.indexOf(column) : order.length);
  return Object.keys(changes).sort((one, other) => placeOf(one) - placeOf(other) || (one < other ? -1 : 1));
}

const PICTURES: ReadonlySet<string> = new Set(['iconHash', 'coverHash']);

const WITHOUT_VALUES: ReadonlySet<string> = new Set(['overwrites', 'systemChannelFlags']);

const PERMISSION_BITS: ReadonlySet<string> = new Set(['permissions', 'serverInstallPermissions']);

/** For example “changed the name from A to B”. */
export function changeWords(column: string, { old, new: now }: Changed): ReactNode {
  const what = COLUMN_WORDS[column] ?? column;
  if (PICTURES.has(column)) return now === null ? `removed ${what}` : `changed ${what}`;
  if (PERMISSION_BITS.has(column)) return permissionWords(what, namesIn(old), namesIn(now));
  if (typeof now === 'boolean') return `turned ${what} ${now ? 'on' : 'off'}`;
  if (WITHOUT_VALUES.has(column)) return `changed ${what}`;
  if (Array.isArray(now)) return listWords(what, listOf(old), listOf(now));
  if (isNothing(now)) return `cleared ${what}`;
  if (isNothing(old))
    return (
      <>
        set {what} to <Value of={now} />
      </>
    );
  return (
    <>
      changed {what} from <Value of={old} /> to <Value of={now} />
    </>
  );
}

/** Returns an empty list if `bits` is not a decimal number. */
export function namesIn(bits: unknown): string[] {
  return typeof bits === 'string' && /^\d+$/.test(bits) ? namedPermissions(bits).map(({ text }) => text) : [];
}

/** Permissions without a name cannot be listed. */
function permissionWords(what: string, old: string[], now: string[]): ReactNode {
  const isSame = old.length === now.length && old.every((name) => now.includes(name));
  return isSame ? `changed ${what}` : listWords(what, old, now);
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function listWords(what: string, old: string[], now: string[]): ReactNode {
  const added = now.filter((one) => !old.includes(one));
  const removed = old.filter((one) => !now.includes(one));
  if (added.length + removed.length === 0) return `reordered ${what}`;
  return (
    <>
      changed {what}:
      {added.length > 0 && (
        <>
          {' '}
          added <Value of={added.join(', ')} />
        </>
      )}
      {added.length > 0 && removed.length > 0 && ','}
      {removed.length > 0 && (
        <>
          {' '}
          removed <Value of={removed.join(', ')} />
        </>
      )}
    </>
  );
}

export function Value({ of }: { of: unknown }) {
  const text = typeof of === 'string' ? of : JSON.stringify(of);
  return <bdi className="value">{text}</bdi>;
}
