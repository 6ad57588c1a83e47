import type { Application, Reader } from '../../infra/database/index.js';
import { accessApplication } from '../applications/access.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { storedScopes } from '../installations/scopes.js';
import { type CommandRecord, commandRecord, GLOBAL_SCOPE } from './record.js';

export interface CommandScope {
  applicationId: bigint;
  /** Null for global commands. */
  guildId: bigint | null;
}

export interface CommandKey {
  applicationId: bigint;
  commandId: bigint;
  /** Undefined for any scope. */
  guildId?: bigint | null | undefined;
}

export type CommandOperation = 'view' | 'manageCommands';

export type CommandReader = Pick<Reader, 'application' | 'team' | 'installation' | 'applicationCommand'>;

export function scopeIdOf({ guildId }: Pick<CommandScope, 'guildId'>): bigint {
  return guildId ?? GLOBAL_SCOPE;
}

export function scopeOf({ applicationId, scopeId }: Pick<CommandRecord, 'applicationId' | 'scopeId'>): CommandScope {
  return { applicationId, guildId: scopeId === GLOBAL_SCOPE ? null : scopeId };
}

/**
 * Allows the application's own bot, its client credentials token with the scope `applications.commands`, and a person
 * whose portal role allows `operation`. A guild must have installed the application. Guilds on boxes have no commands.
 * @param read a transaction, if the result must still hold at the write
 * @throws UNAUTHENTICATED, NOT_OWN_APPLICATION, UNKNOWN_APPLICATION, MISSING_PERMISSIONS, UNKNOWN_GUILD, MISSING_ACCESS
 * if it is not installed in the guild
 */
export async function accessCommands(
  call: CallContext,
  { applicationId, guildId }: CommandScope,
  operation: CommandOperation,
  read: CommandReader = call.read,
): Promise<Application> {
  const application = await ownApplication(call, applicationId, operation, read);
  if (guildId !== null) await requireInstalled(call, applicationId, guildId, read);
  return application;
}

async function ownApplication(
  call: CallContext,
  id: bigint,
  operation: CommandOperation,
  read: CommandReader,
): Promise<Application> {
  if (!speaksFor(call, id)) return accessApplication(call, id, operation, read);
  const application = await read.application.findUnique({ where: { id, deletedAt: null } });
  if (!application) throw new DomainError('UNKNOWN_APPLICATION');
  return application;
}

function speaksFor({ actor }: CallContext, applicationId: bigint): boolean {
  switch (actor.kind) {
    case 'anonymous':
      throw new DomainError('UNAUTHENTICATED');
    case 'person':
      return false;
    case 'token':
      if (!actor.clientCredentials || !actor.scopes.includes('applications.commands')) break;
      if (actor.applicationId === applicationId) return true;
      break;
    case 'bot':
      if (actor.applicationId === applicationId) return true;
  }
  throw new DomainError('NOT_OWN_APPLICATION');
}

async function requireInstalled(
  call: CallContext,
  applicationId: bigint,
  guildId: bigint,
  read: CommandReader,
): Promise<void> {
  // Guilds on boxes have no commands.
  if (call.boxRoutes.mayHave(guildId)) throw new DomainError('UNKNOWN_GUILD');
  // A deleted guild may still have installations.
  if (!(await call.guilds.view(guildId))) throw new DomainError('UNKNOWN_GUILD');
  const where = { applicationId_guildId: { applicationId, guildId } };
  const installation = await read.installation.findUnique({ where, select: { scopes: true } });
  const scopes = storedScopes(installation?.scopes);
  if (scopes.includes('bot') || scopes.includes('applications.commands')) return;
  // To people, hidden guilds look like missing ones.
  throw new DomainError(call.actor.kind === 'person' ? 'UNKNOWN_GUILD' : 'MISSING_ACCESS');
}

/** @throws the errors of {@link accessCommands}, UNKNOWN_COMMAND if the command is missing or in another scope */
export async function accessCommand(
  call: CallContext,
  { applicationId, commandId, guildId }: CommandKey,
  operation: CommandOperation,
  read: CommandReader = call.read,
): Promise<CommandRecord> {
  await accessCommands(call, { applicationId, guildId: guildId ?? null }, operation, read);
  const row = await read.applicationCommand.findUnique({ where: { id: commandId, applicationId } });
  if (!row) throw new DomainError('UNKNOWN_COMMAND');
  if (guildId !== undefined && row.scopeId !== scopeIdOf({ guildId })) throw new DomainError('UNKNOWN_COMMAND');
  if (guildId === undefined) await accessCommands(call, scopeOf(row), operation, read);
  return commandRecord(row);
}
