import { isDeepStrictEqual } from 'node:util';
import { ApplicationIntegrationType } from 'discord-api-types/v10';
import { type Application, Prisma } from '../../infra/database/index.js';
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

/** The fields in which a command is to become another, by their names of the wire. */
export function changedFields(before: CommandColumns, after: CommandColumns): string[] {
  const columns = Object.entries(WIRE_NAMES) as [keyof typeof WIRE_NAMES, string][];
  return columns
    .filter(([column]) => !isDeepStrictEqual(meaningOf(before[column]), meaningOf(after[column])))
    .map(([, name]) => name);
}

/** A value without what says nothing in it: what is not given, false, empty. In what order things are named makes no difference. */
function meaningOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaningOf);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, meaningOf(field)] as const);
  return Object.fromEntries(fields.filter(([, field]) => !isEmpty(field)));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false;
}

/** The columns as the database client takes them. */
export function dataOf({ nameLocalizations, descriptionLocalizations, options, contexts, ...columns }: CommandColumns) {
  return {
    ...columns,
    nameLocalizations: jsonOrNull(nameLocalizations),
    descriptionLocalizations: jsonOrNull(descriptionLocalizations),
    options: asJson(options),
    contexts: jsonOrNull(contexts),
  };
}

function jsonOrNull(value: object | null) {
  return value === null ? Prisma.DbNull : asJson(value);
}

/** What was parsed from JSON is JSON, which its type cannot tell. */
function asJson(value: object): Prisma.InputJsonValue {
  return value as Prisma.InputJsonValue;
}
