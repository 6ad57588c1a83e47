import { BoxClientRef, type BoxQuestions } from '../../src/domain/boxes/index.js';
import type { DomainEvent } from '../../src/domain/events.js';
import { GuildUnavailable } from '../../src/domain/guilds/index.js';
import { userNameKeys } from '../../src/domain/members/name-keys.js';
import type { User } from '../../src/infra/database/index.js';
import { STREAM_GAP } from '../../src/infra/streams/stream.js';
import { topics } from '../../src/infra/streams/topics.js';
import { answerCall } from '../../src/relay/box/answers.js';
import { CloudBotDirectory } from '../../src/relay/cloud/cloud-bot-directory.js';
import { stampDispatch } from '../../src/relay/cloud/events/dispatches.js';
import { DISPATCHED } from '../../src/relay/protocol/messages.js';
import { renderEvent } from '../../src/wire/events/index.js';
import { asBox } from './as-box.js';
import { createPerson } from './rows.js';
import { startServer, type TestServer } from './server.js';
import { createGuild, type TestBot, type TestGuild } from './world.js';

const ID_SPACE = 5_000;

const sent = (value: unknown) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/**
 * A box next to a cloud, without a connection. It answers calls from the box's database and publishes the box's events
 * on the cloud's bus. All data is serialized and parsed.
 */
export class NearBox {
  isAway = false;
  /** Replaces an answer of the box. */
  forged: ((name: string, answer: unknown) => unknown) | null = null;
  readonly asked: string[] = [];
  readonly inputs: object[] = [];
  readonly refusals: string[] = [];
  #shipping = Promise.resolve();
  readonly #bots: CloudBotDirectory;

  private constructor(
    readonly cloud: TestServer,
    readonly server: TestServer,
    readonly id: bigint,
  ) {
    this.#bots = new CloudBotDirectory(cloud.app.db.reader, cloud.app.clock, cloud.app.applications);
  }

  static async start(cloud: TestServer): Promise<NearBox> {
    const server = await startServer();
    asBox(server.app, ID_SPACE);
    const owner = await createPerson(cloud.app);
    const id = cloud.app.nextId();
    await cloud.app.db.writer.box.create({ data: { id, name: 'Attic', ownerId: owner.id, idSpace: ID_SPACE } });
    const box = new NearBox(cloud, server, id);
    const { boxes } = cloud.app;
    if (!(boxes instanceof BoxClientRef)) throw new Error('the cloud has no door to boxes that can be led anywhere');
    boxes.set({ ask: (_boxId, name, input) => box.#answer(name, input) });
    return box;
  }

  async announceGuild(name: string): Promise<TestGuild> {
    const guild = await createGuild(this.server.app, name);
    const channels = await this.server.app.db.reader.channel.findMany({ where: { guildId: guild.id } });
    await this.cloud.app.db.writer.boxGuild.create({
      data: {
        id: guild.id,
        boxId: this.id,
        name,
        ownerId: guild.owner.id,
        channels: { create: channels.map(({ id }) => ({ id })) },
      },
    });
    const { bus } = this.server.app;
    bus.subscribe(topics.guild(guild.id), (message) => {
      if (message.type !== STREAM_GAP && DISPATCHED.some((name) => name === message.type))
        this.ship(message.type, JSON.parse(message.data), guild);
    });
    return guild;
  }

  async install(bot: TestBot, guild: TestGuild): Promise<void> {
    const { id, username, avatarHash } = bot.user;
    const facts = { id, username, avatarHash, bot: true };
    await this.server.app.db.writer.user.upsert({ where: { id }, create: facts, update: facts });
    await this.join(guild, bot.user);
    const installation = { id: this.cloud.app.nextId(), applicationId: id, guildId: guild.id, scopes: ['bot'] };
    await this.cloud.app.db.writer.installation.create({
      data: { ...installation, context: 'SERVER', installerId: bot.owner.id },
    });
  }

  /** Makes a user of the box a member. */
  async join(guild: TestGuild, user: User, nick: string | null = null): Promise<void> {
    const nickKey = nick?.toUpperCase() ?? null;
    const { writer } = this.server.app.db;
    const joinedAt = new Date(this.server.app.clock.now());
    const member = { guildId: guild.id, userId: user.id, joinedAt, nick, nickKey, ...userNameKeys(user) };
    await writer.member.create({ data: member });
    await writer.guild.update({ where: { id: guild.id }, data: { memberCount: { increment: 1 } } });
  }

  /** Sends any event to the cloud. */
  ship(t: string, d: Record<string, unknown>, guild: TestGuild): void {
    this.#shipping = this.#shipping.then(async () => {
      const names = { idSpace: ID_SPACE, guildIds: new Set([guild.id]), bots: this.#bots };
      const stamped = await stampDispatch({ t, d }, names);
      if ('refusal' in stamped) this.refusals.push(stamped.refusal);
      else for (const topic of stamped.topics) this.cloud.app.bus.publish(topic, stamped.message);
    });
  }

  tell(event: DomainEvent): void {
    const { topics, message } = renderEvent(event, this.cloud.app.addresses);
    for (const topic of topics) this.cloud.app.bus.publish(topic, message);
  }

  /** Settles once all sent events are published. */
  shipped(): Promise<void> {
    return this.#shipping;
  }

  async #answer(name: string, input: BoxQuestions[keyof BoxQuestions]): Promise<unknown> {
    if (this.isAway) throw new GuildUnavailable(BigInt('guild_id' in input ? input.guild_id : input.id));
    this.asked.push(name);
    this.inputs.push(input);
    const answer = sent(await answerCall(this.server.app.guilds, name, sent(input)));
    return this.forged ? this.forged(name, answer) : answer;
  }
}
