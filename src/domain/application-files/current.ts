import type { Application, Reader, Webhook } from '../../infra/database/index.js';
import type { CommandRecord } from '../commands/record.js';
import { shortBodyOf } from '../commands/short-body.js';
import { LIVE } from '../webhooks/record.js';
import { settingsOf } from './settings.js';

/** The content of a file that changes nothing. */
interface WrittenFile extends ReturnType<typeof settingsOf> {
  application: string;
  /** In wire format. */
  commands: object[];
  webhooks: { id: string; name: string; channel: string }[];
}

/** @param commands all global ones */
export function writtenFile(
  application: Application,
  commands: readonly CommandRecord[],
  webhooks: readonly Webhook[],
): WrittenFile {
  return {
    application: String(application.id),
    ...settingsOf(application),
    commands: commands.map((command) => shortBodyOf(command, application)),
    webhooks: webhooks.map(({ id, name, channelId }) => ({ id: String(id), name, channel: String(channelId) })),
  };
}

/** Oldest first. */
export function liveWebhooks(read: Pick<Reader, 'webhook'>, applicationId: bigint): Promise<Webhook[]> {
  return read.webhook.findMany({ where: { applicationId, ...LIVE }, orderBy: { id: 'asc' } });
}
