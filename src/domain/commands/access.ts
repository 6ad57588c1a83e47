import type { Application, Reader } from '../../infra/database/index.js';
import { accessApplication } from '../applications/access.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { storedScopes } from '../installations/scopes.js';
import { type CommandRecord, commandRecord, GLOBAL_SCOPE } from './record.js';

/** Where commands are registered: of an application in a guild, or everywhere. */
export interface CommandScope {
  applicationId: bigint;
  /** Null for everywhere. */
  guildId: bigint | null;
}

/** One command. */
export interface CommandKey {
  applicationId: bigint;
  commandId: bigint;
  /** Where it has to be; undefined for wherever it is. */
  guildId?: bigint | null | undefined;
}

/** What may be done with an application's commands. */
export type CommandOperation = 'view' | 'manageCommands';

/** What reading commands takes: the reading door, or a transaction. */
export type CommandReader = Pick<Reader, 'application' | 'team' | 'installation' | 'applicationCommand'>;

/** The id of a scope as rows have it. */
export function scopeIdOf({ guildId }: Pick<CommandScope, 'guildId'>): bigint {
  return guildId ?? GLOBAL_SCOPE;
}

/** Where a command is. */
export function scopeOf({ applicationId, scopeId }: Pick<CommandRecord, 'applicationId' | 'scopeId'>): CommandScope {
  return { applicationId, guildId: scopeId === GLOBAL_SCOPE ? null : scopeId };
}

/**
 * An application with whose commands the caller may do `operation`: its own bot, itself by a token that it got for itself with the
 * scope applications.commands, or a person whose role in the portal allows it. In a guild it has to be installed; in one on a box there are
 * no commands.
 * @param read the transaction, where the answer must still hold when it is written
 * @throws UNAUTHENTICATED, NOT_OWN_APPLICATION, UNKNOWN_APPLICATION, MISSING_PERMISSIONS, UNKNOWN_GUILD, and MISSING_ACCESS for an application
 *   that is not installed in the guild
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

/** Whether the caller is the application; a person is somebody else. @throws UNAUTHENTICATED, NOT_OWN_APPLICATION */
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
  // Commands do not reach boxes (decisions 270).
  if (call.boxRoutes.mayHave(guildId)) throw new DomainError('UNKNOWN_GUILD');
  // The installation in a guild that is deleted goes later.
  if (!(await call.guilds.view(guildId))) throw new DomainError('UNKNOWN_GUILD');
  const where = { applicationId_guildId: { applicationId, guildId } };
  const installation = await read.installation.findUnique({ where, select: { scopes: true } });
  const scopes = storedScopes(installation?.scopes);
  if (scopes.includes('bot') || scopes.includes('applications.commands')) return;
  // A person cannot tell what is hidden from what is missing (decisions 29).
  throw new DomainError(call.actor.kind === 'person' ? 'UNKNOWN_GUILD' : 'MISSING_ACCESS');
}

/**
 * A command with which the caller may do `operation`.
 * @throws what {@link accessCommands} throws, and UNKNOWN_COMMAND for one that is not there, or not where it has to be
 */
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
