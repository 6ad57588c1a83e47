import { boxSnowflakes } from '../../src/infra/ids/ids.js';
import { readAnswer } from '../../src/relay/cloud/connections/read-answer.js';
import type {
  BoxAnswer,
  BoxTransport,
  BoxTransports,
  CallOptions,
  ForwardedRequest,
} from '../../src/relay/cloud/forwarding/transport.js';
import { type OwnNames, ownNamesOf } from '../../src/relay/cloud/own-names.js';
import type { Server } from '../../src/server.js';
import { addGuild, joinMembers, type MemoryGuild, MemoryHome } from './guild-home.js';
import { createPerson } from './rows.js';
import { createBot, type TestBot } from './world.js';

type App = Server['app'];

export const ID_SPACE = 5_000;

export interface Arrived extends Omit<ForwardedRequest, 'body'>, CallOptions {
  body: string;
}

export class StandInBox implements BoxTransport, BoxTransports {
  readonly arrived: Arrived[] = [];
  isConnected = true;
  answer: (request: Arrived) => Promise<BoxAnswer> | BoxAnswer = () => answerOf(200, {});

  constructor(readonly boxId: bigint) {}

  async to(boxId: bigint): Promise<BoxTransport | null> {
    return this.isConnected && boxId === this.boxId ? this : null;
  }

  async request({ body, ...request }: ForwardedRequest, callOptions: CallOptions): Promise<BoxAnswer> {
    const pieces: Buffer[] = [];
    for await (const piece of body.read()) pieces.push(piece);
    const text = Buffer.concat(pieces).toString('latin1');
    if (text.length !== body.size) throw new Error(`a body of ${text.length} bytes is said to have ${body.size}`);
    const arrived = { ...request, ...callOptions, body: text };
    this.arrived.push(arrived);
    return readAnswer(await this.answer(arrived), ownNamesOf(request.guildId, botsOf(request)));
  }

  call(): Promise<BoxAnswer> {
    return Promise.reject(new Error('nothing is asked'));
  }

  get last(): Arrived {
    const last = this.arrived.at(-1);
    if (!last) throw new Error('nothing came');
    return last;
  }
}

export function answerOf(status: number, value?: unknown, retryAfter: number | null = null): BoxAnswer {
  return { status, retryAfter, tookMs: null, body: Buffer.from(value === undefined ? '' : JSON.stringify(value)) };
}

export interface BoxScene {
  box: StandInBox;
  home: MemoryHome;
  guild: MemoryGuild;
  bot: TestBot;
}

/** Makes a box with a guild. From now on, guilds come only from the store of the scene. */
export async function openBox(app: App): Promise<BoxScene> {
  const home = new MemoryHome();
  const bot = await createBot(app);
  const owner = await createPerson(app);
  const { id: boxId } = await app.db.writer.box.create({
    data: { id: app.nextId(), name: 'At home', ownerId: owner.id, idSpace: ID_SPACE },
  });
  const guild = addGuild({ ...app, nextId: boxSnowflakes(app.clock, ID_SPACE) }, home, 'At home');
  joinMembers(app, guild, bot.user);
  await app.db.writer.boxGuild.create({
    data: {
      id: guild.id,
      boxId,
      name: 'At home',
      ownerId: guild.owner.id,
      channels: { create: { id: guild.channel.id } },
    },
  });
  const installation = { id: app.nextId(), context: 'SERVER', installerId: owner.id, scopes: ['bot'] } as const;
  await app.db.writer.installation.create({
    data: { ...installation, scopes: ['bot'], applicationId: bot.id, guildId: guild.id },
  });
  app.guilds = home;
  return { box: new StandInBox(boxId), home, guild, bot };
}

function botsOf({ bot, webhook, guildId }: Omit<ForwardedRequest, 'body'>): OwnNames['bots'] {
  const { id, username, global_name = null, avatar = null } = bot.user;
  const user = { id, username, global_name, avatar, discriminator: '0', bot: true };
  return {
    userOf: (named) => (String(named) === id ? user : null),
    webhookOf: (named) =>
      String(named) === webhook?.id ? { guildId, applicationId: BigInt(bot.application_id) } : null,
  };
}
