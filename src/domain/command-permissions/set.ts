import { ApplicationCommandPermissionType as Target } from 'discord-api-types/v10';
import type { Transaction } from '../../infra/database/index.js';
import { type Actor, type CallContext, requirePerson, type Write } from '../call.js';
import { GLOBAL_SCOPE } from '../commands/record.js';
import { DomainError, type FieldFault, invalidInput, missingPermissions } from '../errors.js';
import { neededInGuild } from '../guild-operations.js';
import { accessGuild, requirePermissions } from '../guilds/access.js';
import { streamsOfInstallation } from '../installations/uninstall.js';
import { limits } from '../limits.js';
import { guildPermissions, holderAt } from '../permissions.js';
import { decideByEntries, type Person } from './decide.js';
import {
  allChannels,
  BY_TARGET,
  type CommandPermissions,
  everyone,
  type PermissionEntry,
  type PermissionsKey,
  permissionEntries,
  saidOf,
} from './record.js';
import { personOf } from './standing.js';

interface ListInput {
  guildId: bigint;
  applicationId: bigint;
  /** Absent or the application's id: the list of all commands without their own. */
  commandId?: bigint | undefined;
}

export interface SetCommandPermissionsInput extends ListInput {
  /** Each target occurs once. At most `limits.permissionsPerCommand`. */
  entries: PermissionEntry[];
}

export interface SetCommandPermissionInput extends ListInput, Pick<PermissionEntry, 'targetId' | 'targetType'> {
  /** Null removes the entry. */
  allow: boolean | null;
}

/** Only a person who can run the command may change its list. Null without this condition. */
type MustRun = Person | null;

/**
 * A person needs ManageGuild. An application with a person's token can change only its own lists. That person needs
 * ManageGuild and ManageRoles, and must be able to run the command under the current list (Discord's documentation,
 * Application Commands).
 * @throws UNAUTHENTICATED, FORBIDDEN for a bot, the errors of `accessGuild`, UNKNOWN_INSTALLATION (MISSING_ACCESS for a
 * token), UNKNOWN_COMMAND, NOT_OWN_APPLICATION, MISSING_SCOPE, MISSING_PERMISSIONS, INVALID_INPUT at `permissions.N.id`
 */
export function setCommandPermissions(
  call: CallContext,
  { entries, ...input }: SetCommandPermissionsInput,
): Promise<CommandPermissions> {
  return changeList(call, input, async (db) => {
    const faults = await faultsIn(db, input.guildId, entries);
    if (faults.length > 0) throw invalidInput(...faults);
    return entries;
  });
}

/**
 * Keeps concurrent changes of other targets.
 * @throws the errors of {@link setCommandPermissions}, with a fault at `id`; LIMIT_EXCEEDED if the list is full
 */
export function setCommandPermission(
  call: CallContext,
  { targetId, targetType, allow, ...input }: SetCommandPermissionInput,
): Promise<CommandPermissions> {
  return changeList(call, input, async (db, before) => {
    const others = before.filter((one) => one.targetType !== targetType || one.targetId !== targetId);
    if (allow === null) return others;
    const known = await knownTargets(db, input.guildId, [{ targetId, targetType }]);
    if (!known[targetType].has(targetId)) {
      throw invalidInput({ path: 'id', code: 'BASE_TYPE_INVALID', message: UNKNOWN[targetType] });
    }
    if (others.length >= limits.permissionsPerCommand) {
      throw new DomainError('LIMIT_EXCEEDED', `A list can have at most ${limits.permissionsPerCommand} entries.`);
    }
    return [...others, { targetId, targetType, allow }];
  });
}

async function changeList(
  call: CallContext,
  input: ListInput,
  plan: (db: Transaction, before: PermissionEntry[]) => Promise<PermissionEntry[]>,
): Promise<CommandPermissions> {
  const { guildId, applicationId, commandId = applicationId } = input;
  const key = { guildId, applicationId, commandId };
  const mustRun = await accessList(call, key);
  return call.write(
    async (write) => {
      await requireInstalled(write.db, key, call.actor);
      await requireCommand(write.db, key);
      const before = await readEntries(write.db, key);
      if (mustRun) await requireAbleToRun(write.db, key, before, mustRun);
      return replaceList(write, key, before, await plan(write.db, before));
    },
    { streams: streamsOfInstallation(applicationId, guildId) },
  );
}

async function accessList(call: CallContext, key: PermissionsKey): Promise<MustRun> {
  if (call.actor.kind === 'token') return accessByToken(call, call.actor, key);
  requirePerson(call);
  await accessGuild(call, key.guildId, 'manageCommandPermissions');
  return null;
}

async function accessByToken(
  call: CallContext,
  { applicationId, scopes, user }: Extract<Actor, { kind: 'token' }>,
  key: PermissionsKey,
): Promise<MustRun> {
  if (applicationId !== key.applicationId) throw new DomainError('NOT_OWN_APPLICATION');
  if (!scopes.includes('applications.commands.permissions.update')) throw new DomainError('MISSING_SCOPE');
  const { guildId } = key;
  const [view, member] = await Promise.all([call.guilds.view(guildId), call.guilds.member(guildId, user.id)]);
  if (!view || !member) throw new DomainError('UNKNOWN_GUILD');
  const permissions = guildPermissions(view, holderAt(call.clock.now(), user.id, member));
  requirePermissions(permissions, neededInGuild(['manageCommandPermissions', 'manageCommandPermissionsByToken']));
  return view.ownerId === user.id ? null : personOf(user.id, member, permissions);
}

async function requireInstalled(
  db: Transaction,
  { applicationId, guildId }: PermissionsKey,
  actor: Actor,
): Promise<void> {
  const where = { applicationId_guildId: { applicationId, guildId } };
  if (await db.installation.findUnique({ where, select: { id: true } })) return;
  throw new DomainError(actor.kind === 'token' ? 'MISSING_ACCESS' : 'UNKNOWN_INSTALLATION');
}

async function requireCommand(db: Transaction, { applicationId, guildId, commandId }: PermissionsKey): Promise<void> {
  if (commandId === applicationId) return;
  const where = { id: commandId, applicationId, scopeId: { in: [GLOBAL_SCOPE, guildId] } };
  if (!(await db.applicationCommand.findUnique({ where, select: { id: true } })))
    throw new DomainError('UNKNOWN_COMMAND');
}

async function readEntries(db: Transaction, { guildId, commandId }: PermissionsKey): Promise<PermissionEntry[]> {
  return permissionEntries(await db.commandPermission.findMany({ where: { guildId, commandId }, orderBy: BY_TARGET }));
}

/** Ignores channel entries. */
async function requireAbleToRun(
  db: Transaction,
  key: PermissionsKey,
  own: PermissionEntry[],
  person: Person,
): Promise<void> {
  const entries = own.length > 0 ? own : await readEntries(db, { ...key, commandId: key.applicationId });
  const { allowed } = decideByEntries(entries, key.guildId, person);
  if (!allowed) throw missingPermissions('The user of this access token cannot run the command.');
}

async function replaceList(
  { db, audit, record }: Write,
  key: PermissionsKey,
  before: PermissionEntry[],
  entries: PermissionEntry[],
): Promise<CommandPermissions> {
  const changed = changesBetween(before, entries);
  if (changed.length === 0) return { ...key, entries: before };
  const { guildId, applicationId, commandId } = key;
  await db.commandPermission.deleteMany({ where: { guildId, commandId } });
  await db.commandPermission.createMany({ data: entries.map((entry) => ({ ...key, ...entry })) });
  const permissions = { ...key, entries: await readEntries(db, key) };
  const changes = { applicationId: String(applicationId), permissions: changed };
  await audit({ action: 'COMMAND_PERMISSIONS_UPDATE', guildId, targetId: commandId, changes });
  record({ type: 'APPLICATION_COMMAND_PERMISSIONS_UPDATE', permissions });
  record({ type: 'COMMAND_ACCESS_UPDATED', applicationId });
  return permissions;
}

function changesBetween(before: PermissionEntry[], after: PermissionEntry[]) {
  const added = after.filter(({ targetType, targetId }) => saidOf(before, targetType, targetId) === undefined);
  return [...before, ...added]
    .map(({ targetType, targetId }) => ({
      id: String(targetId),
      type: targetType,
      old: saidOf(before, targetType, targetId) ?? null,
      new: saidOf(after, targetType, targetId) ?? null,
    }))
    .filter((change) => change.old !== change.new);
}

const UNKNOWN = {
  [Target.Role]: 'This role is not in the server.',
  [Target.User]: 'This user does not exist.',
  [Target.Channel]: 'This channel is not in the server.',
} as const;

async function faultsIn(db: Transaction, guildId: bigint, entries: PermissionEntry[]): Promise<FieldFault[]> {
  const known = await knownTargets(db, guildId, entries);
  const seen = new Set<string>();
  return entries.flatMap(({ targetType, targetId }, index) => {
    const fault = { path: `permissions.${index}.id`, code: 'BASE_TYPE_INVALID' };
    const name = `${targetType} ${targetId}`;
    if (seen.has(name)) return [{ ...fault, message: 'The list contains this target twice.' }];
    seen.add(name);
    return known[targetType].has(targetId) ? [] : [{ ...fault, message: UNKNOWN[targetType] }];
  });
}

async function knownTargets(
  db: Transaction,
  guildId: bigint,
  entries: Omit<PermissionEntry, 'allow'>[],
): Promise<Record<Target, ReadonlySet<bigint>>> {
  const named = (type: Target) => ({
    in: entries.filter(({ targetType }) => targetType === type).map(({ targetId }) => targetId),
  });
  const select = { id: true };
  const roles = await db.role.findMany({ where: { guildId, id: named(Target.Role) }, select });
  const users = await db.user.findMany({ where: { id: named(Target.User), deletedAt: null }, select });
  const channels = await db.channel.findMany({ where: { guildId, id: named(Target.Channel) }, select });
  return {
    [Target.Role]: idsOf(roles, everyone(guildId)),
    [Target.User]: idsOf(users),
    [Target.Channel]: idsOf(channels, allChannels(guildId)),
  };
}

function idsOf(rows: { id: bigint }[], ...others: bigint[]): ReadonlySet<bigint> {
  return new Set([...rows.map(({ id }) => id), ...others]);
}
