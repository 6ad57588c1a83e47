import type { AppContext } from '../../context.js';
import { noteChannel } from '../../domain/boxes/index.js';
import { refusalIn } from '../../domain/errors.js';
import { parseSnowflake } from '../../infra/ids.js';
import type { ForwardedAnswer } from './answers.js';

const CHANNELS_OF_GUILD = /^(?:\/api\/v9)?\/guilds\/\d+\/channels$/;

/**
 * A channel that a bot has just made can be found by it, although the box's CHANNEL_CREATE may come later than its answer. What cannot be kept
 * is seen to with that event: the channel is there, and a bot that were told otherwise would make another.
 */
export async function noteMadeChannel(
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
    if (!refusalIn(error))
      app.log.error({ err: error, boxId: String(box) }, 'a channel that was made could not be kept');
  }
}
