import type { AppContext } from '../../../context.js';
import { noteChannel } from '../../../domain/boxes/index.js';
import { refusalIn } from '../../../domain/errors.js';
import { parseSnowflake } from '../../../infra/ids/ids.js';
import type { ForwardedAnswer } from './answers.js';

const CHANNELS_OF_GUILD = /^(?:\/api\/v9)?\/guilds\/\d+\/channels$/;

/**
 * Indexes the channel now, because the box's CHANNEL_CREATE may arrive after its response. A failure is only logged:
 * that event corrects it, and a bot that got an error would create another channel.
 */
export async function indexCreatedChannel(
  app: AppContext,
  { box, guildId }: { box: bigint; guildId: bigint },
  { method, path }: { method: string; path: string },
  { status, body }: ForwardedAnswer,
): Promise<void> {
  if (method !== 'POST' || status !== 201 || body === null || !CHANNELS_OF_GUILD.test(path)) return;
  const made: unknown = JSON.parse(body);
  const id = typeof made === 'object' && made !== null && 'id' in made ? made.id : null;
  const channelId = typeof id === 'string' ? parseSnowflake(id) : undefined;
  if (channelId === undefined) return;
  try {
    await noteChannel(app.callOfNobody(), box, { guildId, channelId });
  } catch (error) {
    if (!refusalIn(error)) app.log.error({ err: error, boxId: String(box) }, 'Could not index a created channel');
  }
}
