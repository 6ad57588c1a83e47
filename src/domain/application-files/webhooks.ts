import type { Webhook } from '../../infra/database/index.js';
import type { FieldChange } from '../commands/columns.js';
import { type FieldFault, invalidInput } from '../errors.js';
import type { ApplicationFile } from './file.js';

type Wanted = NonNullable<ApplicationFile['webhooks']>[number];

/** `index` is the place in the file. */
export type WebhookStep =
  | { change: 'CREATED'; index: number; name: string; channelId: bigint }
  | { change: 'CHANGED'; index: number; before: Webhook; name: string; channelId: bigint; changes: FieldChange[] }
  | { change: 'UNCHANGED'; before: Webhook }
  | { change: 'DELETED'; before: Webhook };

export interface WebhookPlanEntry {
  change: WebhookStep['change'];
  /** Null for a new webhook. */
  id: bigint | null;
  name: string;
  channelId: bigint;
  changes: FieldChange[];
}

/**
 * The wanted webhooks in their order, then the deleted ones.
 * @throws INVALID_INPUT at the id of a webhook that the application does not have, or that occurs twice
 */
export function webhookSteps(present: readonly Webhook[], wanted: readonly Wanted[]): WebhookStep[] {
  requireIds(present, wanted);
  const left = new Map(present.map((webhook) => [webhook.id, webhook]));
  const take = (webhook: Webhook | undefined) => {
    if (webhook) left.delete(webhook.id);
    return webhook;
  };
  const named = wanted.map(({ id }) => (id === undefined ? undefined : take(left.get(id))));
  const steps = wanted.map((one, index) => {
    const isSame = ({ name, channelId }: Webhook) => name === one.name && channelId === one.channel;
    return stepTo(one, index, named[index] ?? take([...left.values()].find(isSame)));
  });
  return [...steps, ...[...left.values()].map((before) => ({ change: 'DELETED' as const, before }))];
}

function requireIds(present: readonly Webhook[], wanted: readonly Wanted[]): void {
  const faults: FieldFault[] = [];
  for (const [index, { id }] of wanted.entries()) {
    if (id === undefined) continue;
    const path = `webhooks.${index}.id`;
    if (wanted.findIndex((other) => other.id === id) < index) {
      faults.push({ path, code: 'BASE_TYPE_INVALID', message: 'Another webhook in this file has the same ID.' });
    } else if (!present.some((webhook) => webhook.id === id)) {
      const message = 'The application has no webhook with this ID. Remove the ID to create one.';
      faults.push({ path, code: 'BASE_TYPE_INVALID', message });
    }
  }
  if (faults.length > 0) throw invalidInput(...faults);
}

function stepTo({ name, channel }: Wanted, index: number, before: Webhook | undefined): WebhookStep {
  if (!before) return { change: 'CREATED', index, name, channelId: channel };
  const changes = [
    { field: 'name', before: before.name, after: name },
    { field: 'channel', before: String(before.channelId), after: String(channel) },
  ].filter((change) => change.before !== change.after);
  if (changes.length === 0) return { change: 'UNCHANGED', before };
  return { change: 'CHANGED', index, before, name, channelId: channel, changes };
}

export function webhookPlanEntry(step: WebhookStep): WebhookPlanEntry {
  const { id, name, channelId } = step.change === 'CREATED' ? { ...step, id: null } : step.before;
  return { change: step.change, id, name, channelId, changes: step.change === 'CHANGED' ? step.changes : [] };
}
