import { ApplicationIntegrationType } from 'discord-api-types/v10';
import type { Application } from '../../infra/database/index.js';
import type { CommandBody, CommandRecord } from './record.js';

/** What of a command can change, and the names of the wire for it. */
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

/** A command as it is to be. */
export type CommandColumns = Pick<CommandRecord, keyof typeof WIRE_NAMES | 'type'>;

/** The install contexts that an application is made for. */
function installContexts({ serverInstall, userInstall }: Application): ApplicationIntegrationType[] {
  return [
    ...(serverInstall ? [ApplicationIntegrationType.GuildInstall] : []),
    ...(userInstall ? [ApplicationIntegrationType.UserInstall] : []),
  ];
}

/** A command as it is to be kept. Contexts are for commands that are everywhere: one of a guild is used there, by an installation there. */
export function columnsOf(body: CommandBody, application: Application, guildId: bigint | null): CommandColumns {
  if (guildId !== null) return { ...body, integrationTypes: [ApplicationIntegrationType.GuildInstall], contexts: null };
  return { ...body, integrationTypes: body.integrationTypes ?? installContexts(application) };
}

/** What of a command is to become another, by its name of the wire. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

/** In what a command is to become another. */
export function changesBetween(before: CommandColumns, after: CommandColumns): FieldChange[] {
  const columns = Object.entries(WIRE_NAMES) as [keyof typeof WIRE_NAMES, string][];
  return columns
    .filter(([column]) => !meansSame(before[column], after[column]))
    .map(([column, field]) => ({ field, before: before[column], after: after[column] }));
}

/**
 * Whether two values say the same. What says nothing in them (what is not given, false, empty) makes no difference, nor in what order
 * things are named.
 */
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

function saysNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.values(value).every(saysNothing);
  return value === undefined || value === null || value === false;
}
