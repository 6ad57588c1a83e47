import type { AppContext } from '../../context.js';
import type { Actor } from '../../domain/call.js';
import { type BotProfile, copyOfBot } from '../../domain/cloud-bots/index.js';
import { DomainError } from '../../domain/errors.js';
import { idSpaceOf } from '../../infra/ids/ids.js';
import type { FromCloud, RequestingBot } from '../protocol/messages.js';

type Request = Extract<FromCloud, { op: 'request' }>;

/** Finds the actor of a request (docs/relay.md, R-20, R-26, R-28). */
export class Actors {
  constructor(
    private readonly app: AppContext,
    private readonly idSpace: number,
  ) {}

  /** @throws FORBIDDEN for this box's users and platform, and for another application's bot */
  async bot({
    user,
    application_id: applicationId,
    message_content,
  }: RequestingBot): Promise<Extract<Actor, { kind: 'bot' }>> {
    if (applicationId !== user.id) throw new DomainError('FORBIDDEN', 'The user is not the bot of this application.');
    const copy = await this.#copy(user);
    return { kind: 'bot', user: copy, applicationId, messageContentIntent: message_content };
  }

  /** @throws FORBIDDEN */
  async of(request: Pick<Request, 'bot' | 'webhook' | 'guild_id'>): Promise<Actor> {
    const bot = await this.bot(request.bot);
    const { webhook, guild_id: guildId } = request;
    if (!webhook) return bot;
    const { user, applicationId, messageContentIntent } = bot;
    return {
      kind: 'webhook',
      user,
      application: { id: applicationId, messageContentIntent, bot: user },
      webhook: {
        id: webhook.id,
        applicationId,
        guildId,
        channelId: webhook.channel_id,
        // Only the cloud has these values, and no response contains them.
        name: '',
        tokenHash: '',
        tokenPrefix: '',
        tokenLast4: '',
        creatorId: user.id,
        lastExecutedAt: null,
        deletedAt: null,
      },
      isOfCloud: true,
    };
  }

  async #copy(user: RequestingBot['user']) {
    if (idSpaceOf(user.id) === this.idSpace) throw new DomainError('FORBIDDEN', 'The user is not a bot of the cloud.');
    const profile: BotProfile = {
      id: user.id,
      username: user.username,
      globalName: user.global_name ?? null,
      avatarHash: user.avatar ?? null,
    };
    return copyOfBot(this.app.callOfNobody(), profile);
  }
}
