import { LossyLine } from './lossy-line.js';
import { createApplication, install, type MadeApplication, type MadeGuild } from './people.js';
import { ask, type RestAnswer } from './rest.js';
import { type SelfHosted, type SelfHostedOptions, startSelfHosted } from './self-hosted.js';
import type { TestServer } from './server.js';

/** A cloud with a box that has a server with a bot of the cloud, and a proxy between the two. */
export interface Lossy extends SelfHosted {
  line: LossyLine;
  guild: MadeGuild;
  bot: MadeApplication;
  ask(method: string, path: string, json?: unknown): Promise<RestAnswer>;
  post(content: string): Promise<RestAnswer>;
  count(content: string): Promise<number>;
}

/** Starts cloud and box. The keeper of the box owns the server there. The box connects again without a delay. */
export async function startLossy({ cloud, box }: Omit<SelfHostedOptions, 'way'> = {}): Promise<Lossy> {
  const line = await LossyLine.open();
  const way = (server: TestServer) => {
    // The box connects to the proxy, and the cloud must state the same origin (docs/relay.md, R-12).
    server.app.addresses.publicUrl = line.origin;
    return line.leadTo(server);
  };
  const all = await startSelfHosted({ ...(cloud && { cloud }), box: { random: () => 0, ...box }, way });
  const guild = await all.makeGuild();
  const bot = await createApplication(all.owner, 'Lamplighter');
  await install(all.owner, bot, guild, { permissions: '8' });
  const askAsBot = (method: string, path: string, json?: unknown) =>
    ask(all.cloud, method, path, { headers: { authorization: `Bot ${bot.botToken}` }, ...(json ? { json } : {}) });
  return {
    ...all,
    line,
    guild,
    bot,
    ask: askAsBot,
    post: (content) => askAsBot('POST', `/channels/${guild.textChannelId}/messages`, { content }),
    count: (content) => all.box.app.db.reader.message.count({ where: { content } }),
    async stop() {
      line.mend();
      line.cutSwallowed();
      await all.stop();
      await line.close();
    },
  };
}
