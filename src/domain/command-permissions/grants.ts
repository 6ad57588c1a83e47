import { ApplicationCommandPermissionType as Target } from 'discord-api-types/v10';
import type { CommandPermission, Prisma } from '../../infra/database/index.js';
import type { CallContext } from '../call.js';
import type { CommandRecord } from '../commands/record.js';
import type { Grants, Person } from './decide.js';
import { allChannels, everyone, permissionEntries } from './record.js';

interface Asked {
  guildId: bigint;
  channelId: bigint;
  person: Person;
}

/**
 * Loads a guild's entries for a user in a channel, in two statements for all commands.
 * @returns lookup by command id and application id
 */
export async function loadGrants(
  call: CallContext,
  asked: Asked,
): Promise<(commandId: bigint, applicationId: bigint) => Grants> {
  const where = { guildId: asked.guildId };
  const [lists, rows] = await Promise.all([
    call.read.commandPermission.groupBy({ by: ['commandId'], where }),
    call.read.commandPermission.findMany({ where: { ...where, OR: concerning(asked) } }),
  ]);
  const ownLists = new Set(lists.map(({ commandId }) => commandId));
  const said = byCommand(rows);
  const entriesOf = (id: bigint) => permissionEntries(said.get(id) ?? []);
  return (commandId, applicationId) => ({
    own: ownLists.has(commandId) ? entriesOf(commandId) : null,
    application: entriesOf(applicationId),
  });
}

/** @param rows a guild's entries for the command and its application */
export function grantsIn(
  rows: readonly CommandPermission[],
  { id, applicationId }: Pick<CommandRecord, 'id' | 'applicationId'>,
): Grants {
  const entriesOf = (commandId: bigint) => permissionEntries(rows.filter((row) => row.commandId === commandId));
  const own = entriesOf(id);
  return { own: own.length === 0 ? null : own, application: entriesOf(applicationId) };
}

function concerning({ guildId, channelId, person }: Asked): Prisma.CommandPermissionWhereInput[] {
  const roleIds = [...(person.member?.roleIds ?? []), everyone(guildId)];
  return [
    { targetType: Target.User, targetId: person.id },
    { targetType: Target.Role, targetId: { in: roleIds } },
    { targetType: Target.Channel, targetId: { in: [channelId, allChannels(guildId)] } },
  ];
}

function byCommand(rows: CommandPermission[]): Map<bigint, CommandPermission[]> {
  const said = new Map<bigint, CommandPermission[]>();
  for (const row of rows) {
    const ofCommand = said.get(row.commandId);
    if (ofCommand) ofCommand.push(row);
    else said.set(row.commandId, [row]);
  }
  return said;
}
