import { ApplicationIntegrationType } from 'discord-api-types/v10';
import type { Application } from '../../infra/database/index.js';
import type { CommandBody, CommandRecord } from './record.js';

const WIRE_NAMES = {
  name: 'name',
  nameLocalizations: 'name_localizations',
  description: 'description',
  descriptionLocalizations: 'description_localizations',
  options: 'options',
  defaultMemberPermissions: 'default_member_permissions',
  nsfw: 'nsfw',
  integrationTypes: 'integration_types',
  contexts: 'contexts',
} as const;

export type CommandColumns = Pick<CommandRecord, keyof typeof WIRE_NAMES | 'type'>;

export type InstallContexts = Pick<Application, 'serverInstall' | 'userInstall'>;

export function installContexts({ serverInstall, userInstall }: InstallContexts): ApplicationIntegrationType[] {
  return [
    ...(serverInstall ? [ApplicationIntegrationType.GuildInstall] : []),
    ...(userInstall ? [ApplicationIntegrationType.UserInstall] : []),
  ];
}

/** A guild's own command has no contexts, and needs that guild's installation. */
export function columnsOf(body: CommandBody, application: InstallContexts, guildId: bigint | null): CommandColumns {
  if (guildId !== null) return { ...body, integrationTypes: [ApplicationIntegrationType.GuildInstall], contexts: null };
  return { ...body, integrationTypes: body.integrationTypes ?? installContexts(application) };
}

/** `field` is the name on the wire. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

export function changesBetween(before: CommandColumns, after: CommandColumns): FieldChange[] {
  const columns = Object.entries(WIRE_NAMES) as [keyof typeof WIRE_NAMES, string][];
  return columns
    .filter(([column]) => !meansSame(before[column], after[column]))
    .map(([column, field]) => ({ field, before: before[column], after: after[column] }));
}

/** Absent, null, false and empty values are equal. Key order does not matter. */
function meansSame(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return one === other || (saysNothing(one) && saysNothing(other));
  if (Array.isArray(one) || Array.isArray(other)) return isSameList(one, other);
  const names = Object.keys({ ...one, ...other });
  return names.every((name) => meansSame(Reflect.get(one, name), Reflect.get(other, name)));
}

function isSameList(one: object, other: object): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return saysNothing(one) && saysNothing(other);
  return one.length === other.length && one.every((item, index) => meansSame(item, other[index]));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function saysNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.values(value).every(saysNothing);
  return value === undefined || value === null || value === false;
}
