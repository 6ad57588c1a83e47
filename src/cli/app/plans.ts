import { styleText } from 'node:util';
import { askServer, Refusal } from '../remote/graphql.js';
import type { ServerOptions } from '../remote/options.js';
import { faultsIn, faulty } from './file.js';
import type { YamlFile } from './yaml-file.js';

type Change = 'CREATED' | 'CHANGED' | 'DELETED' | 'UNCHANGED';

interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

interface CommandEntry {
  change: Change;
  type: 'CHAT_INPUT' | 'USER' | 'MESSAGE';
  name: string;
  changes: FieldChange[];
  grantsLost: number;
  grantsLostIn: { name: string }[];
  grantsLostElsewhere: number;
}

interface WebhookEntry {
  change: Change;
  webhookId: string | null;
  name: string;
  channel: { name: string } | null;
  changes: FieldChange[];
}

export interface Plan {
  digest: string;
  settings: FieldChange[];
  commands: CommandEntry[];
  webhooks: WebhookEntry[];
}

export interface Applied {
  application: { id: string; name: string };
  plan: Plan;
  createdWebhooks: { url: string; webhook: { id: string; name: string } }[];
}

const APPLY = `mutation ApplyApplicationFile($input: ApplyApplicationFileInput!) {
  applyApplicationFile(input: $input) {
    application { id name }
    createdWebhooks { url webhook { id name } }
    plan {
      digest
      settings { field before after }
      commands {
        change type name grantsLost grantsLostIn { name } grantsLostElsewhere
        changes { field before after }
      }
      webhooks { change webhookId name channel { name } changes { field before after } }
    }
  }
}`;

/**
 * @param how a dry run, or the digest of the plan to apply
 * @throws {Failure} with the lines of faults
 */
export async function sendFile(
  options: ServerOptions,
  applicationId: string,
  file: YamlFile,
  how: { dryRun: true } | { planDigest: string },
): Promise<Applied> {
  try {
    const input = { applicationId, file: file.content, ...how };
    const data = await askServer<{ applyApplicationFile: Applied }>(options, APPLY, { input });
    return data.applyApplicationFile;
  } catch (error) {
    const faults = error instanceof Refusal ? faultsIn(error, file) : [];
    throw faults.length === 0 ? error : faulty(options.file, faults);
  }
}

export function hasChanges({ settings, commands, webhooks }: Plan): boolean {
  return settings.length > 0 || [...commands, ...webhooks].some(({ change }) => change !== 'UNCHANGED');
}

const MARKS = {
  CREATED: { mark: '+', color: 'green' },
  CHANGED: { mark: '~', color: 'yellow' },
  DELETED: { mark: '-', color: 'red' },
} as const;

/** Without what stays as it is. */
export function planText({ settings, commands, webhooks }: Plan): string {
  const lines = [
    ...settings.map((change) => lineOf('CHANGED', changeText(change))),
    ...commands.flatMap((entry) => entryLines(entry, `command ${commandName(entry)}${lostText(entry)}`)),
    ...webhooks.flatMap((entry) => entryLines(entry, `webhook ${entry.name}${channelText(entry)}`)),
  ];
  const counts = [
    `Settings: ${settings.length} changed.`,
    ...(commands.length > 0 ? [`Commands: ${countsOf(commands)}.`] : []),
    ...(webhooks.length > 0 ? [`Webhooks: ${countsOf(webhooks)}.`] : []),
  ];
  return [...lines, '', ...counts].join('\n');
}

function entryLines({ change, changes }: { change: Change; changes: FieldChange[] }, what: string): string[] {
  if (change === 'UNCHANGED') return [];
  return [lineOf(change, what), ...changes.map((one) => `      ${changeText(one)}`)];
}

function lineOf(change: keyof typeof MARKS, what: string): string {
  const { mark, color } = MARKS[change];
  const isColored = process.stdout.isTTY && process.stdout.hasColors();
  return `  ${isColored ? styleText(color, mark) : mark} ${what}`;
}

function commandName({ type, name }: CommandEntry): string {
  return type === 'CHAT_INPUT' ? `/${name}` : `"${name}" (${type.toLowerCase()})`;
}

function channelText({ channel }: WebhookEntry): string {
  return channel ? ` in #${channel.name}` : '';
}

const MOST_CHARACTERS = 60;

function changeText({ field, before, after }: FieldChange): string {
  return `${field}: ${valueText(before)} → ${valueText(after)}`;
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function lostText({ grantsLost, grantsLostIn, grantsLostElsewhere }: CommandEntry): string {
  if (grantsLost === 0) return '';
  const servers = [
    ...grantsLostIn.map(({ name }) => name),
    ...(grantsLostElsewhere > 0 ? [`${grantsLostElsewhere} servers that you cannot see`] : []),
  ];
  return `, which loses ${grantsLost} command permissions in ${servers.join(', ')}`;
}

function countsOf(entries: readonly { change: Change }[]): string {
  const count = (wanted: Change) => entries.filter(({ change }) => change === wanted).length;
  return `${count('CREATED')} created, ${count('CHANGED')} changed, ${count('DELETED')} deleted, ${count('UNCHANGED')} unchanged`;
}
