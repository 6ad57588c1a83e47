import type { Application } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { changeSettings } from '../applications/update.js';
import type { CallContext, Write } from '../call.js';
import { applyOverwrite } from '../commands/overwrite.js';
import { DomainError } from '../errors.js';
import { requireEndpoint } from '../interactions-endpoints/require.js';
import { insertWebhook, type NewWebhookResult, prepareWebhook } from '../webhooks/create.js';
import { endWebhook } from '../webhooks/delete.js';
import { changeWebhook, placeOfWebhook } from '../webhooks/update.js';
import { hasLogHere } from '../webhooks/write.js';
import type { ApplicationFile } from './file.js';
import { type ApplicationFilePlan, type PreparedFile, prepareFile, requireMovable, targetOf } from './plan.js';
import type { WebhookStep } from './webhooks.js';

export interface AppliedFile {
  application: Application;
  plan: ApplicationFilePlan;
  /** Their tokens cannot be read again. */
  createdWebhooks: NewWebhookResult[];
}

const OTHER_PLAN =
  'The application changed after this plan was made, so nothing was applied. Review a new plan, then apply that.';

/**
 * Applies everything in one transaction, or nothing. Probes a new interactions endpoint first.
 * @param planned digest of the confirmed plan
 * @throws CONFLICT if the plan is outdated, RATE_LIMITED, TOO_MANY_WEBHOOKS, INVALID_INPUT for a failed probe, and the
 * errors of `planApplicationFile`
 */
export async function applyApplicationFile(
  call: CallContext,
  applicationId: bigint,
  file: ApplicationFile,
  planned: string,
): Promise<AppliedFile> {
  const { application, webhooks } = requirePlan(await prepareFile(call, call.read, applicationId, file), planned);
  await requireEndpoint(call, application, file.interactionsEndpointUrl);
  const changes: WebhookChange[] = [];
  for (const step of inOrder(webhooks)) changes.push(await prepareChange(call, applicationId, step));
  const guilds = new Set(changes.map(({ guildId }) => guildId));
  const streams = [topics.application(applicationId), topics.user(applicationId), ...[...guilds].map(topics.guild)];
  return call.write((write) => apply(call, write, { applicationId, file, planned, changes }), { streams });
}

function requirePlan(prepared: PreparedFile, planned: string): PreparedFile {
  if (prepared.plan.digest !== planned) throw new DomainError('CONFLICT', OTHER_PLAN);
  return prepared;
}

interface Applying {
  applicationId: bigint;
  file: ApplicationFile;
  planned: string;
  changes: WebhookChange[];
}

async function apply(call: CallContext, write: Write, applying: Applying): Promise<AppliedFile> {
  const { applicationId, file, planned, changes } = applying;
  const { settings, overwrite, plan } = requirePlan(await prepareFile(call, write.db, applicationId, file), planned);
  const application = await changeSettings(call, write, applicationId, settings);
  if (overwrite) await applyOverwrite(call, write, { applicationId, guildId: null }, overwrite);
  const createdWebhooks: NewWebhookResult[] = [];
  for (const { run } of changes) createdWebhooks.push(...(await run(write)));
  return { application, plan, createdWebhooks };
}

/** Deleted webhooks make room for new ones. */
const ORDER: readonly WebhookStep['change'][] = ['DELETED', 'CHANGED', 'CREATED'];

type Changing = Exclude<WebhookStep, { change: 'UNCHANGED' }>;

function inOrder(steps: readonly WebhookStep[]): Changing[] {
  const changing = steps.filter((step) => step.change !== 'UNCHANGED');
  return ORDER.flatMap((change) => changing.filter((step) => step.change === change));
}

interface WebhookChange {
  guildId: bigint;
  /** @returns the new webhook, if any */
  run(write: Write): Promise<NewWebhookResult[]>;
}

/** Does what a transaction cannot do: query boxes, and hash tokens. */
async function prepareChange(call: CallContext, applicationId: bigint, step: Changing): Promise<WebhookChange> {
  switch (step.change) {
    case 'DELETED': {
      const { id, guildId } = step.before;
      const isLogged = await hasLogHere(call, step.before);
      const run = async (write: Write) => {
        await endWebhook(call, write, id, isLogged);
        return [];
      };
      return { guildId, run };
    }
    case 'CHANGED': {
      await requireMovable(call, step);
      const { name, channelId } = step;
      const place = await placeOfWebhook(call, step.before);
      const run = async (write: Write) => {
        await changeWebhook(write, place, { name, channelId });
        return [];
      };
      return { guildId: place.guildId, run };
    }
    case 'CREATED': {
      const target = await targetOf(call, step);
      const prepared = await prepareWebhook(call, { applicationId, name: step.name, ...target });
      const { guildId, token } = prepared;
      return { guildId, run: async (write) => [{ webhook: await insertWebhook(call, write, prepared), token }] };
    }
  }
}
