import { z } from 'zod';
import { type AppContext, callContext } from '../../context.js';
import { installOnBox, removeFromBox } from '../../domain/cloud-bots/index.js';
import { type DomainError, refusalIn } from '../../domain/errors.js';
import { permissionText } from '../../domain/permissions.js';
import { STATUS_OF_KIND } from '../../http/faults.js';
import { CALL_REFUSALS } from '../protocol/call-refusals.js';
import { snowflake } from '../protocol/ids.js';
import { UserObject } from '../protocol/messages.js';
import type { Actors } from './actors.js';
import { answerCall } from './answers.js';
import { Picture, pictureOf } from './pictures.js';
import { json, type Result } from './results.js';
import { type WireVoiceState, withOneMuteBit } from './voice.js';

const InstallBot = z.object({
  guild_id: snowflake,
  bot: UserObject,
  name: z.string().min(1).max(100),
  permissions: permissionText(),
});

const RemoveBot = z.object({ guild_id: snowflake, bot_id: snowflake });

/** See docs/relay.md, R-27. */
export class Calls {
  constructor(
    private readonly app: AppContext,
    private readonly actors: Actors,
  ) {}

  /** Never rejects. */
  async answer(name: string, input: Record<string, unknown>): Promise<Result> {
    try {
      const result = await this.#resultOf(name, input);
      return result === undefined ? json(404, { message: `there is no call "${name}"` }) : json(200, result);
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal) return json(STATUS_OF_KIND[refusal.kind], { code: codeOf(refusal), message: refusal.message });
      if (error instanceof z.ZodError) return json(400, { message: 'the input is invalid' });
      this.app.log.error({ err: error, call: name }, 'Call of the cloud failed');
      return json(500, { message: 'the box had an internal error' });
    }
  }

  /**
   * @returns undefined for an unknown name
   * @throws z.ZodError for invalid input, DomainError
   */
  async #resultOf(name: string, input: Record<string, unknown>): Promise<unknown> {
    switch (name) {
      case 'install_bot':
        return this.#install(InstallBot.parse(input));
      case 'remove_bot':
        return this.#remove(RemoveBot.parse(input));
      case 'picture':
        return pictureOf(this.app.blobs, Picture.parse(input));
      case 'guild':
        return withOneMuteBits(await answerCall(this.app.guilds, name, input));
      default:
        return answerCall(this.app.guilds, name, input);
    }
  }

  /** The audit log names the bot, because the box does not know the installing user. */
  async #install({ guild_id: guildId, bot, name, permissions }: z.output<typeof InstallBot>): Promise<object> {
    const actor = await this.actors.bot({ user: bot, application_id: bot.id, message_content: false });
    const call = callContext(this.app, actor);
    await installOnBox(call, { guildId, name, permissions });
    return {};
  }

  async #remove({ guild_id: guildId, bot_id: botId }: z.output<typeof RemoveBot>): Promise<object> {
    await removeFromBox(this.app.callOfNobody(), { guildId, botId });
    return {};
  }
}

function codeOf({ code }: DomainError): number {
  return code === 'BANNED' || code === 'UNKNOWN_GUILD' ? CALL_REFUSALS[code] : 0;
}

/** */
function withOneMuteBits(guild: unknown): unknown {
  if (typeof guild !== 'object' || guild === null || !('voice_states' in guild)) return guild;
  const { voice_states: states } = guild;
  if (!Array.isArray(states)) return guild;
  return { ...guild, voice_states: states.map((state: WireVoiceState) => withOneMuteBit(state)) };
}
