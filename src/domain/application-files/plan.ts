import { createHash } from 'node:crypto';
import type { Application, Reader } from '../../infra/database/index.js';
import { accessApplication } from '../applications/access.js';
import { checkSettings, type Settings } from '../applications/update.js';
import type { CallContext } from '../call.js';
import type { CommandReader } from '../commands/access.js';
import type { FieldChange } from '../commands/columns.js';
import type { GrantReader } from '../commands/lost-grants.js';
import {
  type CommandPlanEntry,
  type PlannedOverwrite,
  prepareOverwrite,
  requireCreatesOf,
} from '../commands/overwrite.js';
import { DomainError, type ErrorCode, invalidInput } from '../errors.js';
import { findTarget, type WebhookTarget } from '../webhooks/create.js';
import { requireReachable } from '../webhooks/update.js';
import { liveWebhooks } from './current.js';
import type { ApplicationFile } from './file.js';
import { settingChanges } from './settings.js';
import { type WebhookPlanEntry, type WebhookStep, webhookPlanEntry, webhookSteps } from './webhooks.js';

export interface ApplicationFilePlan {
  settings: FieldChange[];
  /** Empty if the file does not list commands. */
  commands: CommandPlanEntry[];
  /** Empty if the file does not list webhooks. */
  webhooks: WebhookPlanEntry[];
  /** Hash of the file, the plan and the versions of the present commands. */
  digest: string;
}

/** A plan with the data for applying it. */
export interface PreparedFile {
  application: Application;
  settings: Settings;
  overwrite: PlannedOverwrite | null;
  webhooks: WebhookStep[];
  plan: ApplicationFilePlan;
}

type FileReader = CommandReader & GrantReader & Pick<Reader, 'webhook'>;

/**
 * Does not probe a new interactions endpoint.
 * @throws TOO_MANY_COMMAND_CREATES, INVALID_INPUT at a webhook that the caller may not create or move, and the errors of
 * {@link prepareFile}
 */
export async function planApplicationFile(
  call: CallContext,
  applicationId: bigint,
  file: ApplicationFile,
): Promise<Pick<PreparedFile, 'application' | 'plan'>> {
  const { application, plan, overwrite, webhooks } = await prepareFile(call, call.read, applicationId, file);
  if (overwrite) await requireCreatesOf(call, call.read, { applicationId, guildId: null }, overwrite);
  for (const step of webhooks) {
    if (step.change === 'CREATED') await targetOf(call, step);
    if (step.change === 'CHANGED') await requireMovable(call, step);
  }
  return { application, plan };
}

/**
 * @param read a transaction, if the plan is applied in it
 * @throws UNAUTHENTICATED, UNKNOWN_APPLICATION, MISSING_PERMISSIONS, TOO_MANY_COMMANDS, and INVALID_INPUT for settings
 * that contradict each other and for unknown webhooks
 */
export async function prepareFile(
  call: CallContext,
  read: FileReader,
  applicationId: bigint,
  file: ApplicationFile,
): Promise<PreparedFile> {
  const { application: _named, commands, webhooks: wanted, ...settings } = file;
  const application = await accessApplication(call, applicationId, 'updateSettings', read);
  checkSettings(application, settings);
  const { serverInstall = application.serverInstall, userInstall = application.userInstall } = settings;
  const scope = { applicationId, guildId: null };
  const overwrite =
    commands === undefined ? null : await prepareOverwrite(call, read, scope, commands, { serverInstall, userInstall });
  const webhooks = wanted === undefined ? [] : webhookSteps(await liveWebhooks(read, applicationId), wanted);
  const planned = {
    settings: settingChanges(application, settings),
    commands: overwrite?.plan ?? [],
    webhooks: webhooks.map(webhookPlanEntry),
  };
  const digest = digestOf(applicationId, file, planned, overwrite);
  return { application, settings, overwrite, webhooks, plan: { ...planned, digest } };
}

function digestOf(
  applicationId: bigint,
  file: ApplicationFile,
  { settings, webhooks }: Omit<ApplicationFilePlan, 'digest'>,
  overwrite: PlannedOverwrite | null,
): string {
  const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  const content = [applicationId, file, settings, webhooks, overwrite?.digest() ?? null];
  return createHash('sha256').update(JSON.stringify(content, asText)).digest('base64url');
}

type Step<Change> = Extract<WebhookStep, { change: Change }>;

/** @throws INVALID_INPUT at the channel */
export function targetOf(call: CallContext, { index, channelId }: Step<'CREATED'>): Promise<WebhookTarget> {
  return faultsAtChannel(index, () => findTarget(call, channelId));
}

/** @throws INVALID_INPUT at the channel */
export async function requireMovable(call: CallContext, step: Step<'CHANGED'>): Promise<void> {
  const { index, before, channelId } = step;
  if (channelId !== before.channelId) await faultsAtChannel(index, () => requireReachable(call, before, channelId));
}

const AT_CHANNEL: Partial<Record<ErrorCode, string>> = {
  UNKNOWN_CHANNEL: 'This channel does not exist, or you cannot see it.',
  WRONG_CHANNEL_TYPE: 'A webhook needs a channel that holds messages.',
  MISSING_ACCESS: 'This channel does not exist, or you cannot see it.',
  MISSING_PERMISSIONS: 'You need the “Manage server” permission in the server of this channel.',
};

async function faultsAtChannel<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const path = `webhooks.${index}.channel`;
    if (error.code === 'INVALID_INPUT') throw invalidInput(...error.fields.map((field) => ({ ...field, path })));
    const message = AT_CHANNEL[error.code] ?? (error.kind === 'forbidden' ? error.message : undefined);
    if (message === undefined) throw error;
    throw invalidInput({ path, code: error.code, message });
  }
}
