import type { z } from 'zod';
import type { CallContext } from '../call.js';
import { scopeOf } from './access.js';
import { type CommandPatch, commandSchemas, KeptCommand } from './body.js';
import { contextsWith } from './contexts.js';
import type { CommandBody, CommandRecord } from './record.js';

/**
 * The complete command in wire format, and its schema. Keeps the type. Allows a reserved name if the patch has no
 * names.
 */
export function patched(
  call: Pick<CallContext, 'hasBuiltIns'>,
  command: CommandRecord,
  patch: CommandPatch,
): [schema: z.ZodType<CommandBody>, body: object] {
  const isNamed = 'name' in patch || 'name_localizations' in patch;
  return [isNamed ? commandSchemas(call).command : KeptCommand, bodyWith(command, patch)];
}

function bodyWith(command: CommandRecord, patch: CommandPatch): object {
  const { dm_permission: dmPermission } = patch;
  const contexts = typeof dmPermission === 'boolean' ? contextsWith(command.contexts, dmPermission) : command.contexts;
  return { ...bodyOf(command), contexts, ...patch, type: command.type };
}

export function bodyOf(command: CommandRecord) {
  return {
    name: command.name,
    name_localizations: command.nameLocalizations,
    description: command.description,
    description_localizations: command.descriptionLocalizations,
    options: command.options,
    default_member_permissions: command.defaultMemberPermissions,
    nsfw: command.nsfw,
    integration_types: scopeOf(command).guildId === null ? command.integrationTypes : null,
  };
}
