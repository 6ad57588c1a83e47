import { type BoxClient, type BoxQuestions, BoxRefused } from '../../src/domain/boxes/index.js';
import { GuildUnavailable } from '../../src/domain/guilds/index.js';
import type { Box, BoxGuild, User } from '../../src/infra/database/index.js';
import { boxSnowflakes, ID_SPACES, type NextId } from '../../src/infra/ids/ids.js';
import type { Server } from '../../src/server.js';

type App = Server['app'];

export interface TestBox {
  box: Box;
  nextId: NextId;
}

/** Inserts a box that never connected. It is away unless `isConnected`. */
export async function putBox(app: App, owner: Pick<User, 'id'>, { isConnected = false } = {}): Promise<TestBox> {
  const idSpace = ID_SPACES.first + (await app.db.reader.box.count());
  const holderId = isConnected ? app.live.id : null;
  const data = { id: app.nextId(), name: 'Box', ownerId: owner.id, idSpace, holderId };
  return { box: await app.db.writer.box.create({ data }), nextId: boxSnowflakes(app.clock, idSpace) };
}

export async function putBoxGuild(
  app: App,
  { box, nextId }: TestBox,
  facts: { id?: bigint; name?: string } = {},
): Promise<BoxGuild> {
  const data = { id: nextId(), name: 'Attic', boxId: box.id, ownerId: nextId(), ...facts };
  const guild = await app.db.writer.boxGuild.create({ data });
  app.publish({ type: 'BOX_ROUTES_UPDATED' });
  return guild;
}

type Question = { [Name in keyof BoxQuestions]: { name: Name; input: BoxQuestions[Name] } }[keyof BoxQuestions];

export class BoxesInMemory implements BoxClient {
  readonly asked: Question['name'][] = [];
  last: object = {};
  /** Bots by guild, each as `guild bot`. */
  readonly members = new Set<string>();
  isAway = false;
  /** Whether calls get no answer. */
  isSilent = false;
  /** Whether calls are refused. */
  isRefusing = false;
  /** Runs after a box has processed a call and before its caller gets the answer. */
  meanwhile: (name: Question['name']) => Promise<unknown> = async () => {};

  async ask<Name extends keyof BoxQuestions>(boxId: bigint, name: Name, input: BoxQuestions[Name]): Promise<unknown> {
    const guildId = BigInt('guild_id' in input ? input.guild_id : input.id);
    if (this.isAway) throw new GuildUnavailable(guildId, undefined, true);
    this.asked.push(name);
    if (this.isSilent) throw new GuildUnavailable(guildId);
    this.last = { boxId, ...input };
    if (this.isRefusing) throw new BoxRefused('FORBIDDEN');
    const answer = this.#answer({ name, input } as unknown as Question);
    await this.meanwhile(name);
    return answer;
  }

  has(guildId: bigint, botId: bigint): boolean {
    return this.members.has(`${guildId} ${botId}`);
  }

  #answer({ name, input }: Question): unknown {
    switch (name) {
      case 'install_bot':
        this.members.add(`${input.guild_id} ${input.bot.id}`);
        return {};
      case 'remove_bot':
        this.members.delete(`${input.guild_id} ${input.bot_id}`);
        return {};
      case 'member':
        return this.members.has(`${input.guild_id} ${input.user_id}`) ? { user: { id: input.user_id } } : null;
      default:
        throw new Error(`nobody answers ${name} here`);
    }
  }
}
