import {
  type Announced,
  acknowledged,
  announce,
  connectAgain,
  connectNewBox,
  guildOf,
  type HandBox,
  putInstallation,
} from './hand-box.js';
import { listenTo, type Told } from './live.js';
import { readableLog } from './log.js';
import { RestBot } from './rest.js';
import { startServer, type TestOptions, type TestServer } from './server.js';
import { createBot, createGuild, createWebhook, type TestBot, type TestGuild } from './world.js';

export interface LogLine {
  msg: string;
  boxId?: string;
  [field: string]: unknown;
}

/**
 * A cloud with a guild of its own, a box that follows the protocol, and one that does not. A bot is in all three
 * guilds.
 */
export interface HostileScene {
  server: TestServer;
  box: HandBox;
  guild: Announced;
  bot: RestBot;
  stranger: TestBot;
  cloudGuild: TestGuild;
  webhook: { id: string; token: string };
  honest: { box: HandBox; guild: Announced };
  /** Events of guilds other than the box's own. */
  elsewhere: Told[];
  /** Log lines about the box, from warnings up. */
  loggedOf(): LogLine[];
  /**
   * Connects the box again and announces only its guild.
   * @returns the number of its last message
   */
  begin(): Promise<number>;
  stop(): Promise<void>;
}

export async function openHostile(options: TestOptions = {}): Promise<HostileScene> {
  const { log, lines } = readableLog('warn');
  const server = await startServer({ log, ...options });
  const cloudGuild = await createGuild(server.app);
  const owned = { owner: cloudGuild.owner };
  const made = await createBot(server.app, owned);
  const stranger = await createBot(server.app, owned);
  const webhook = await createWebhook(server.app, cloudGuild, made);
  const box = await connectNewBox(server);
  const honestBox = await connectNewBox(server);
  const [guild, honestGuild] = [guildOf(box, [made.id]), guildOf(honestBox, [made.id])];
  await announce(box, [guild]);
  await announce(honestBox, [honestGuild]);
  for (const { id } of [guild, honestGuild]) await putInstallation(server, made, id);
  const scene: HostileScene = {
    server,
    box,
    guild,
    bot: new RestBot(server, made),
    stranger,
    cloudGuild,
    webhook,
    honest: { box: honestBox, guild: honestGuild },
    elsewhere: [listenTo(server, cloudGuild.id), listenTo(server, honestGuild.id)],
    loggedOf: () => readLines(lines).filter(({ boxId }) => boxId === String(box.id)),
    async begin() {
      scene.box = await connectAgain(server, scene.box);
      return announce(scene.box, [guild]);
    },
    async stop() {
      for (const { relay } of [scene.box, honestBox]) relay.cut();
      await server.stop();
    },
  };
  return scene;
}

/**
 * Sends messages with the numbers after `s`. Settles once the cloud has processed them.
 * @returns the last number
 */
export async function tell({ relay }: HandBox, s: number, messages: object[]): Promise<number> {
  for (const [index, message] of messages.entries()) relay.send({ ...message, s: s + 1 + index });
  const last = s + messages.length + 1;
  relay.send({ op: 'ready', s: last });
  await acknowledged(relay, last);
  return last;
}

/**
 * Sends a request to the other box.
 * @returns the status, which shows whether that box still works
 */
export async function askHonest({ bot, honest }: HostileScene): Promise<number> {
  const asked = bot.delete(`/channels/${honest.guild.channels[0]}/messages/${honest.box.nextId()}`);
  await honest.box.relay.answer();
  return (await asked).status;
}

function readLines(lines: string[]): LogLine[] {
  return lines.map((line) => JSON.parse(line));
}
