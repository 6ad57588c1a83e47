import { createHash } from 'node:crypto';
import { yieldOnce, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { accessCommands, type CommandReader, type CommandScope } from './access.js';
import { requireCapacity } from './capacity.js';
import { type CommandColumns, changesBetween, columnsOf, type FieldChange, type InstallContexts } from './columns.js';
import { commandsIn } from './list.js';
import { type GrantReader, type LostGrants, lostGrants, NOTHING_LOST } from './lost-grants.js';
import { type QuotaReader, requireCreates, takeCreates } from './quota.js';
import type { CommandBody, CommandRecord } from './record.js';
import { newCommand, newVersion, placeOf, putCommands, removeCommands } from './write.js';

export type CommandPlanEntry = Pick<CommandColumns, 'type' | 'name'> &
  LostGrants & {
    change: 'CREATED' | 'CHANGED' | 'DELETED' | 'UNCHANGED';
    changes: FieldChange[];
  };

export interface Overwriting {
  /** The given commands in their order, then the deleted ones. */
  plan: CommandPlanEntry[];
  /** Hash of the plan and the current versions. */
  digest(): string;
  /** Oldest first. */
  commands: CommandRecord[];
}

/**
 * Commands keep their ids by type and name. Unchanged ones also keep their versions.
 * @param body no two commands of the same type and name
 * @param planned digest of the confirmed plan; absent for any plan
 * @throws the errors of `accessCommands`, CONFLICT if the plan is outdated, TOO_MANY_COMMANDS, TOO_MANY_COMMAND_CREATES
 */
export async function overwriteCommands(
  call: CallContext,
  scope: CommandScope,
  body: CommandBody[],
  planned?: string,
): Promise<Overwriting> {
  const done = await call.write((write) => overwrite(call, write, scope, body, planned), {
    streams: [topics.application(scope.applicationId)],
  });
  // Yields, because rendering takes as long as storing.
  await yieldToEventLoop();
  return done;
}

/** @throws the errors of {@link overwriteCommands} */
export async function planOverwrite(call: CallContext, scope: CommandScope, body: CommandBody[]): Promise<Overwriting> {
  const planned = await prepareOverwrite(call, call.read, scope, body);
  await requireCreatesOf(call, call.read, scope, planned);
  return { ...planned, commands: planned.present };
}

/** A plan, and what {@link applyOverwrite} needs to apply it. */
export interface PlannedOverwrite extends Pick<Overwriting, 'plan' | 'digest'>, Steps {}

/**
 * @param contexts the application's install contexts after the change; by default those of now
 * @throws the errors of {@link overwriteCommands}
 */
export async function prepareOverwrite(
  call: CallContext,
  read: CommandReader & GrantReader,
  scope: CommandScope,
  body: CommandBody[],
  contexts?: InstallContexts,
): Promise<PlannedOverwrite> {
  const { steps, present } = await stepsTo(call, read, scope, body, contexts);
  const plan = await planOf(call, read, steps);
  return { plan, digest: () => digestOf(plan, present), steps, present };
}

/** @throws TOO_MANY_COMMAND_CREATES */
export function requireCreatesOf(
  call: CallContext,
  read: QuotaReader,
  scope: CommandScope,
  { steps }: PlannedOverwrite,
): Promise<void> {
  return requireCreates(call, read, scope, created(steps).length);
}

type Step =
  | { change: 'CREATED'; after: CommandColumns }
  | { change: 'CHANGED'; before: CommandRecord; after: CommandColumns; changes: FieldChange[] }
  | { change: 'UNCHANGED'; before: CommandRecord }
  | { change: 'DELETED'; before: CommandRecord };

interface Steps {
  steps: Step[];
  present: CommandRecord[];
}

async function stepsTo(
  call: CallContext,
  read: CommandReader,
  scope: CommandScope,
  body: CommandBody[],
  contexts?: InstallContexts,
): Promise<Steps> {
  const application = await accessCommands(call, scope, 'manageCommands', read);
  requireCapacity(body);
  const present = await commandsIn(read, scope);
  await yieldOnce();
  const kept = body.map((command) => stepTo(columnsOf(command, contexts ?? application, scope.guildId), present));
  const gone = present.filter((command) => !body.some((wanted) => isSame(wanted, command)));
  return { steps: [...kept, ...gone.map((before) => ({ change: 'DELETED' as const, before }))], present };
}

function stepTo(after: CommandColumns, present: CommandRecord[]): Step {
  const before = present.find((command) => isSame(command, after));
  if (!before) return { change: 'CREATED', after };
  const changes = changesBetween(before, after);
  return changes.length === 0 ? { change: 'UNCHANGED', before } : { change: 'CHANGED', before, after, changes };
}

function isSame(one: Pick<CommandColumns, 'type' | 'name'>, other: Pick<CommandColumns, 'type' | 'name'>): boolean {
  return one.type === other.type && one.name === other.name;
}

const created = (steps: Step[]) => steps.filter((step) => step.change === 'CREATED');
const changed = (steps: Step[]) => steps.filter((step) => step.change === 'CHANGED');
const unchanged = (steps: Step[]) => steps.filter((step) => step.change === 'UNCHANGED');
const deleted = (steps: Step[]) => steps.filter((step) => step.change === 'DELETED');

async function planOf(call: CallContext, read: GrantReader, steps: Step[]): Promise<CommandPlanEntry[]> {
  const ids = deleted(steps).map(({ before }) => before.id);
  const lost = await lostGrants(call, read, ids);
  return steps.map((step) => {
    const { type, name } = step.change === 'CREATED' ? step.after : step.before;
    const grants = (step.change === 'DELETED' && lost.get(step.before.id)) || NOTHING_LOST;
    return { change: step.change, type, name, changes: step.change === 'CHANGED' ? step.changes : [], ...grants };
  });
}

function digestOf(plan: CommandPlanEntry[], present: CommandRecord[]): string {
  const versions = present.map(({ id, version }) => [String(id), String(version)]);
  // Excludes the guilds, which depend on the caller.
  const told = plan.map(({ grantsLostIn: _in, grantsLostElsewhere: _elsewhere, ...entry }) => entry);
  return createHash('sha256')
    .update(JSON.stringify([told, versions]))
    .digest('base64url');
}

const ANOTHER_PLAN =
  'The commands or their permissions in servers changed after this plan was created. Review a new plan first.';

async function overwrite(
  call: CallContext,
  write: Write,
  scope: CommandScope,
  body: CommandBody[],
  planned: string | undefined,
): Promise<Overwriting> {
  const prepared = await prepareOverwrite(call, write.db, scope, body);
  const { plan, digest } = prepared;
  if (planned !== undefined && planned !== digest()) throw new DomainError('CONFLICT', ANOTHER_PLAN);
  return { plan, digest, commands: await applyOverwrite(call, write, scope, prepared) };
}

/** The transaction must be the one that prepared the plan. @returns the commands, oldest first */
export async function applyOverwrite(
  call: CallContext,
  write: Write,
  scope: CommandScope,
  { plan, steps, present }: PlannedOverwrite,
): Promise<CommandRecord[]> {
  if (plan.every(({ change }) => change === 'UNCHANGED')) return present;
  await takeCreates(call, write.db, scope, created(steps).length);
  const applied = appliedBy(call, scope, steps);
  await removeCommands(write, applied.deleted);
  await putCommands(write, [...applied.changed, ...applied.created]);
  await audit(write, scope, applied);
  write.record({ type: 'COMMANDS_UPDATED', ...scope });
  return [...applied.unchanged, ...applied.changed, ...applied.created].sort(oldestFirst);
}

interface Applied {
  created: CommandRecord[];
  changed: CommandRecord[];
  unchanged: CommandRecord[];
  deleted: CommandRecord[];
}

function appliedBy(call: CallContext, scope: CommandScope, steps: Step[]): Applied {
  return {
    created: created(steps).map(({ after }) => newCommand(call, scope, after)),
    changed: changed(steps).map(({ before, after }) => newVersion(call, before, after)),
    unchanged: unchanged(steps).map(({ before }) => before),
    deleted: deleted(steps).map(({ before }) => before),
  };
}

function oldestFirst(one: CommandRecord, other: CommandRecord): number {
  return one.id < other.id ? -1 : 1;
}

function audit(write: Write, scope: CommandScope, applied: Applied): Promise<void> {
  const named = (commands: CommandRecord[]) => commands.map(({ id, name, type }) => ({ id: String(id), name, type }));
  return write.audit({
    action: 'COMMANDS_OVERWRITE',
    ...placeOf(scope),
    targetId: scope.applicationId,
    changes: {
      created: named(applied.created),
      changed: named(applied.changed),
      deleted: named(applied.deleted),
    },
  });
}
